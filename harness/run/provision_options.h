/* provision_options.h - the options of "windtunnel esp" and "run" that say who rents nodes (--provision and its kin).
 *
 * Fields are owned by the struct; 0 or NULL: not given.  Written by the parser, read by all. */
#ifndef WT_HARNESS_RUN_PROVISION_OPTIONS_H
#define WT_HARNESS_RUN_PROVISION_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "harness/provision/strategies.h"
#include "lib/error.h"

struct wt_scenario;

struct run_provision {
	bool given;			/* --provision was */
	bool rule_given;		/* one of those below was */
	enum provision_strategy strategy;
	char *program;			/* a command that chooses in a strategy's place */
	uint64_t quota;			/* 0: all nodes */
	enum provision_full full;
	bool margin_given;
	double margin_s;
	bool boot_given;
	double boot_s;
};

/* state->input is the struct wt_scenario. */
extern const struct argp run_provision_argp;

/* "asap", "program" */
const char *run_provision_name(const struct run_provision *provision);
void run_provision_clear(struct run_provision *provision);

/* Somebody else than Slurm switches nodes on and off. */
bool run_provision_active(const struct run_provision *provision);

/* Do they fit the other options?  0, or -1 with EINVAL. */
int run_provision_check(const struct wt_scenario *scenario, struct wt_error *errp);

double run_provision_margin_s(const struct run_provision *provision);
double run_provision_boot_s(const struct run_provision *provision);	/* expected until one was seen */
double run_provision_unit_s(const struct wt_scenario *scenario);	/* of --cost */

/* Into the options of scenario.json, if they were given.  0, or -1 with ENOMEM. */
int run_provision_json(json_t *json, const struct run_provision *provision);

#endif
