/* identity.h - which workload a run submitted, as its summary.json and scenario.json say it: figures of different workloads
 * have nothing in common.
 *
 * An identity is a flat JSON object: the workload's name, its number of jobs and all options that make it another one
 * (slice, scale, mapping, the trace's checksum); not the seed, nor the machine.  What an older run did not write down is not
 * in it.  Pure. */
#ifndef WT_HARNESS_REPORT_IDENTITY_H
#define WT_HARNESS_REPORT_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

/* 'scenario' may be NULL: there is none.  New reference; NULL with ENOMEM. */
json_t *wt_identity_make(const json_t *summary, const json_t *scenario);

/* Are they surely different?  Then 'text' says in what ("trace a.swf and b.swf, number of jobs 343 and 2"); what is known of
 * one only does not count. */
bool wt_identity_differs(const json_t *a, const json_t *b, char *text, size_t size);

/* What of them cannot be compared because an older run did not write it down, or NULL.  Static. */
const char *wt_identity_unknown(const json_t *a, const json_t *b);

/* "burst", "swf:UBCCR.swf" */
void wt_identity_label(const json_t *identity, char *text, size_t size);

#endif
