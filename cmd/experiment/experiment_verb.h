/* experiment_verb.h - what the verbs of "windtunnel experiment" share. */
#ifndef WT_CMD_EXPERIMENT_EXPERIMENT_VERB_H
#define WT_CMD_EXPERIMENT_EXPERIMENT_VERB_H

#include <stdbool.h>
#include <stdio.h>

#include "harness/experiment/criterion.h"
#include "harness/experiment/experiment_index.h"
#include "harness/report/compare.h"
#include "lib/error.h"
#include "lib/json.h"

int cmd_experiment_run(int argc, char **argv);
int cmd_experiment_check(int argc, char **argv);
int cmd_experiment_list(int argc, char **argv);
int cmd_experiment_compare(int argc, char **argv);

/* The runs of each case of an experiment's folder that have ended well, and how each case compares with the first one that
 * has any ("the first"). */
struct case_result {
	struct experiment_index_case row; /* not owned */
	struct wt_run_set set; /* count 0: none has ended well */
	struct wt_comparison with_first; /* only where 'compared' */
	bool compared;
	struct wt_error refused; /* why not, where it is not compared */
};
struct experiment_results {
	char *title;
	enum wt_figure_id *figures; /* what the experiment is about */
	size_t figure_count;
	struct experiment_index_case *rows;
	struct case_result *cases;
	size_t count, first; /* first == count: none has ended well */
};

/* 0, or -1; experiment_results_clear also after a failure.  'against' (NULL: the first of the plan): the name of the case
 * that the others are compared with; EINVAL: there is none of that name. */
int experiment_results_read(struct experiment_results *r, const char *dir, const char *against, struct wt_error *errp);
void experiment_results_clear(struct experiment_results *r);
int experiment_results_print(FILE *out, const struct experiment_results *r); /* -1 with ENOMEM */
json_t *experiment_results_json(const struct experiment_results *r); /* new reference; NULL with ENOMEM */

#endif
