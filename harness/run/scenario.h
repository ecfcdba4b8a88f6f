/* scenario.h - what the user of "windtunnel esp" or "windtunnel run" asked for.
 *
 * Fields are owned by the struct; NULL or 0 means "not given" unless noted.  Written by the parser, read by all. */
#ifndef WT_HARNESS_RUN_SCENARIO_H
#define WT_HARNESS_RUN_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "harness/cluster/cluster.h"
#include "harness/cost/tariff.h"
#include "harness/run/choice.h"
#include "lib/error.h"
#include "esp/esp.h"
#include "harness/run/provision_options.h"
#include "harness/run/real_options.h"
#include "record/job_env.h"
#include "workload/perturb.h"
#include "workload/workload_options.h"

struct wt_scenario {
	struct wt_workload_choice choice;	/* which workload */
	struct wt_esp_options esp;
	/* Of every workload: the 'shared' of its kind's options is set from it, with the run's seed, when it is made. */
	struct workload_options shared;
	struct wt_perturb perturb;
	bool workload_seed_given;	/* all but the perturbation is of workload_seed, in each run */
	uint64_t workload_seed;
	struct wt_cluster_wanted own_cluster;	/* own_cluster.given: make a cluster for the run */
	char *cluster;			/* --cluster NAME */
	char *partition;
	struct run_real real;		/* of the cluster that SLURM_CONF names */
	bool virtual_clock;		/* --clock virtual */
	char *charge;
	char *output;
	enum wt_probe probe;
	unsigned int repeat;		/* 0: not given */
	double sample_interval_s;
	unsigned int profile_hz;	/* --profile; 0: not given */
	bool cancel;			/* --cancel-after was given: */
	double cancel_after_s;
	struct cost_settings cost;	/* --cost, in all */
	struct run_provision provision;
	double timeout_s;		/* 0: default, see wt_scenario_timeout_s */
	bool serve;			/* --serve */
	char *serve_address;		/* its argument; NULL: none */
	bool resume, dry_run, json, quiet, keep_going;
};

/* Does it use the cluster that SLURM_CONF names? */
bool wt_scenario_is_real(const struct wt_scenario *scenario);

/* "esp" or "run": for messages. */
const char *wt_scenario_verb(const struct wt_scenario *scenario);

/* Parse and check the command line of "windtunnel esp" (WT_CHOICE_ESP) or "windtunnel run" (any other kind); argv[0] is the
 * verb.  0: go on; 1: --help or --usage was printed; -1: EINVAL (or why a trace cannot be read) and one line in *errp.
 * wt_scenario_clear also after a failure. */
int wt_scenario_parse(struct wt_scenario *scenario, enum wt_choice_kind kind, int argc, char **argv, struct wt_error *errp);
void wt_scenario_clear(struct wt_scenario *scenario);

/* No progress for so long means that the run hangs: the longest run time of the workload, and the time that ends of jobs,
 * restarts and registrations take. */
double wt_scenario_timeout_s(const struct wt_scenario *scenario, double longest_run_s);

/* The options as they were given or defaulted.  New reference; NULL with ENOMEM. */
json_t *wt_scenario_json(const struct wt_scenario *scenario);

#endif
