/* batsim_jobs_private.h - for the reader that knows by a file's header whose jobs.csv it is. */
#ifndef WT_RECORD_BATSIM_JOBS_PRIVATE_H
#define WT_RECORD_BATSIM_JOBS_PRIVATE_H

#include "record/field.h"
#include "record/record.h"

/* As wt_batsim_jobs_read (), behind field_begin (). */
int batsim_jobs_take(struct wt_record *record, struct field_reader *r);

#endif
