/* choice_private.h - what each kind of workload does its own way, for choice.c. */
#ifndef WT_HARNESS_RUN_CHOICE_PRIVATE_H
#define WT_HARNESS_RUN_CHOICE_PRIVATE_H

#include "harness/run/choice.h"
#include "harness/run/scenario.h"

struct choice_ops {	/* the contracts are those of the functions of choice.h with these names, unless noted */
	const char *(*name)(const struct wt_scenario *scenario);
	struct wt_workload *(*create)(const struct wt_scenario *scenario, uint64_t seed, uint32_t nodes, uint32_t cpus,
				      struct wt_error *errp);
	size_t (*jobs_max)(const struct wt_scenario *scenario);
	json_t *(*json)(const struct wt_scenario *scenario);
	unsigned int (*submitters)(const struct wt_workload_choice *choice);	/* by default, in real time */

	/* Of "windtunnel run" only, else NULL.  After the command line: do the options fit, and what has to be read. */
	int (*prepare)(struct wt_workload_choice *choice, struct wt_error *errp);
	/* How many nodes of one CPU its own cluster has by default; 0, or -1 with EINVAL when it must be told. */
	int (*nodes)(const struct wt_workload_choice *choice, unsigned int *nodes, struct wt_error *errp);

	/* The same, or NULL: does it fit the rest of the command line?  0, or -1 with EINVAL. */
	int (*fit)(const struct wt_scenario *scenario, struct wt_error *errp);
	const char *shape;	/* of those nodes, if it is another one; NULL */

	/* Of what comes from a file, else NULL; trace_print also of a model. */
	json_t *(*trace_json)(const struct wt_scenario *scenario, uint32_t cpus);
	void (*trace_print)(FILE *out, const char *indent, const struct wt_scenario *scenario, uint32_t cpus);
};

extern const struct choice_ops choice_esp, choice_lublin, choice_mapreduce, choice_regular, choice_trace;

#endif
