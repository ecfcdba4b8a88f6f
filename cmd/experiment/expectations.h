/* expectations.h - what "experiment check" is told to expect, judged on an experiment's cases.  One thread. */
#ifndef WT_CMD_EXPERIMENT_EXPECTATIONS_H
#define WT_CMD_EXPERIMENT_EXPECTATIONS_H

#include <jansson.h>

#include "harness/experiment/criterion.h"
#include "harness/report/cases.h"

/* Each expectation of each case beside the first, corrected for their number (Holm): a line each for people, or an object
 * each behind 'all' where that is not NULL.  The worst goes to *worst: "broken" beats "open", which beats "holds".  0, or
 * -1 with ENOMEM. */
int expectations_judge(const struct expectation *list, size_t count, const struct wt_cases *cases, json_t *all,
		       enum expectation_verdict *worst, struct wt_error *errp);

#endif
