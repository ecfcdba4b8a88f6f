/* experiment_plan.h - an experiment's cases, and the command line of each.  Pure; one thread at a time. */
#ifndef WT_HARNESS_EXPERIMENT_EXPERIMENT_PLAN_H
#define WT_HARNESS_EXPERIMENT_EXPERIMENT_PLAN_H

#include <stdbool.h>

#include "harness/experiment/experiment.h"

struct experiment_case {
	char *name; /* for people: "defer, nodes 64"; "all" where nothing is changed */
	char *folder; /* of it, in the experiment's: "defer_nodes=64"; no two are alike */
	size_t variant, point; /* which of the variants, and of the grid's points: experiment_grid_value () */
	bool wanted; /* is it one of those that were asked for? */
	char *verb; /* "esp" or "run" */
	char **options; /* all but --output and --seed */
	unsigned long *lines; /* of the file: where each option was set last */
	size_t option_count, line_count;
};

struct experiment_plan {
	struct experiment_case *cases; /* variants in the order of the file, the grid's last axis fastest */
	size_t count;
};

/* 0, or -1 with EINVAL (more than EXPERIMENT_CASES_MAX cases; no variant and no case is 'only'; a case without a kind of
 * workload) or ENOMEM.  'only' (NULL: all) is the name of the variant that is wanted, or a pattern, as in a shell, of the
 * names of cases (fnmatch(3), no escapes).  experiment_plan_clear also after a failure. */
int experiment_plan_make(struct experiment_plan *plan, const struct experiment *e, const char *only, struct wt_error *errp);
void experiment_plan_clear(struct experiment_plan *plan);

/* The value of an axis at a point of the grid; the experiment's.  NULL: as without the setting. */
char *experiment_grid_value(const struct experiment *e, size_t axis, size_t point);

/* For people: "bf_interval" of SchedulerParameters.bf_interval; "as it is" of a value of NULL. */
const char *experiment_axis_name(const struct experiment_axis *axis);
const char *experiment_value_name(const char *value);

#endif
