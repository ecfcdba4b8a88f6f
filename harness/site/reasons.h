/* reasons.h - jobs counted by what could not be known of them: texts for people, which import.json has as keys. */
#ifndef WT_HARNESS_SITE_REASONS_H
#define WT_HARNESS_SITE_REASONS_H

#include <jansson.h>

#include "lib/error.h"

#define WT_REASON_VALUE "a value that cannot be taken over:"
#define WT_REASON_NO_WORD "asked for something that is not replayed:"
#define WT_REASON_STOPPED "an option of the submit line that is not known: what follows it is not, either"
#define WT_REASON_DOUBT "options of the submit line behind a text that may have had blanks"

/* Add one to counts[why].  0, or -1 with ENOMEM. */
int wt_reason_count(json_t *counts, const char *why, struct wt_error *errp);

/* Add all counts of 'more' to 'counts'. */
int wt_reasons_add(json_t *counts, const json_t *more, struct wt_error *errp);

#endif
