/* experiment_verb.h - what the verbs of "windtunnel experiment" share. */
#ifndef WT_CMD_EXPERIMENT_EXPERIMENT_VERB_H
#define WT_CMD_EXPERIMENT_EXPERIMENT_VERB_H

#include <stdbool.h>
#include <stdio.h>

#include "harness/experiment/criterion.h"
#include "harness/report/cases.h"
#include "lib/error.h"
#include "lib/json.h"

int cmd_experiment_run(int argc, char **argv);
int cmd_experiment_check(int argc, char **argv);
int cmd_experiment_list(int argc, char **argv);
int cmd_experiment_compare(int argc, char **argv);

int experiment_results_print(FILE *out, const struct wt_cases *r); /* -1 with ENOMEM */
json_t *experiment_results_json(const struct wt_cases *r); /* new reference; NULL with ENOMEM */

/* Who waits longer in each case than in the one that it is compared with, and who less (harness/report/class_waits.h). */
int classes_print(FILE *out, const struct wt_cases *r); /* -1 with ENOMEM */
json_t *classes_json(const struct class_waits *waits); /* new reference; NULL with ENOMEM */

#endif
