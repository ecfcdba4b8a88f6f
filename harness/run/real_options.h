/* real_options.h - the options of "windtunnel esp" and "run" that are about a real cluster: what the run may ask it for, and
 * how much it may take.
 *
 * Fields are owned by the struct; NULL or 0: not given.  Written by the parser, read by all. */
#ifndef WT_HARNESS_RUN_REAL_OPTIONS_H
#define WT_HARNESS_RUN_REAL_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

struct run_real {
	bool given; /* any of these, apart from --real and --clean */
	bool shared; /* --shared: also where others have jobs */
	char *reservation, *account, *qos; /* as sbatch has them */
	uint64_t max_jobs, max_nodes;
	double max_node_hours;
	char *clean; /* --clean: end what the run in this folder has left, and nothing else */
};

/* state->input is the struct wt_scenario. */
extern const struct argp run_real_argp;

void run_real_clear(struct run_real *real);

#endif
