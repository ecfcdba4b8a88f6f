/* json_private.h - what summary.json of one run and of repeated runs share.  New references; NULL with ENOMEM. */
#ifndef WT_HARNESS_REPORT_JSON_PRIVATE_H
#define WT_HARNESS_REPORT_JSON_PRIVATE_H

#include <jansson.h>

#include "record/record.h"

json_t *json_number_or_null(double value);	/* null for NAN and infinities, which JSON does not have */
json_t *json_text_or_null(const char *text);
int json_head_set(json_t *object, const struct wt_record *record);	/* workload, machine, clock, seed; 0 or -1 */

#endif
