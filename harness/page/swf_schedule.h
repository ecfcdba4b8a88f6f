/* swf_schedule.h - a record from a file of the Standard Workload Format: of any cluster or simulator.
 *
 * A file with waits (field 3) is a schedule; one without is a workload: then no job has a start.  Times are seconds
 * after the first submission; nodes, controller and series are not known.  Processors are CPUs.  Pure but for the
 * stream. */
#ifndef WT_HARNESS_PAGE_SWF_SCHEDULE_H
#define WT_HARNESS_PAGE_SWF_SCHEDULE_H

#include <stdio.h>

#include "lib/error.h"
#include "lib/str.h"
#include "record/record.h"

/* Fill 'record' (just made, without a workload) from foreign bytes.  Lines that cannot be read and entries that are no
 * job that ran are left out; *notes (cleared by the caller) gets a line for each kind of them, with the first line that
 * was bad. 0, or -1 with EINVAL (no job at all), ENOMEM or the read error. */
int swf_schedule_read(struct wt_record *record, FILE *in, const char *name, struct wt_str *notes, struct wt_error *errp);

#endif
