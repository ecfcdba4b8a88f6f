/* advice_missing.h - which of the settings that an experiment is usually made for it did not vary, so that it can say
 * nothing of them.  Pure; any number of threads. */
#ifndef WT_HARNESS_REPORT_ADVICE_MISSING_H
#define WT_HARNESS_REPORT_ADVICE_MISSING_H

#include <stddef.h>

#include "harness/report/cases.h"

struct advice_setting {
	const char *name; /* "bf_interval" */
	const char *vary; /* what "windtunnel try --vary" is told: "bf_interval=site,N" */
};
extern const struct advice_setting advice_settings[];
extern const size_t advice_setting_count;

/* Do two cases that have runs differ in it?  By their commands' options, as the index of the experiment has them. */
bool advice_measured(const struct wt_cases *cases, const struct advice_setting *setting);

/* The folder behind --site= in the options of the first case, to be freed; NULL: none, or no memory. */
char *advice_site(const struct wt_cases *cases);

#endif
