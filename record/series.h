/* series.h - series.csv: the samples, one row each, time_s in seconds after begin_s.  Columns are struct wt_sample's
 * fields; those behind answer_age_s may be missing (older records).  Pure. */
#ifndef WT_RECORD_SERIES_H
#define WT_RECORD_SERIES_H

#include <stdio.h>

#include "lib/error.h"
#include "record/record.h"

/* For wt_outfile_write: 'record' is a struct wt_record *.  0 (look at ferror). */
int wt_series_write(FILE *out, const void *record, struct wt_error *errp);

/* Fill record->samples (empty before) from foreign bytes.  record->begin_s must be set.  0, or -1 with EINVAL ("NAME:LINE:
 * ...") or ENOMEM. */
int wt_series_read(struct wt_record *record, FILE *in, const char *name, struct wt_error *errp);

#endif
