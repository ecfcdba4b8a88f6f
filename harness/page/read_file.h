/* read_file.h - a record from a single file that another program has written: SWF, or jobs.csv, as it is or packed by
 * gzip. */
#ifndef WT_HARNESS_PAGE_READ_FILE_H
#define WT_HARNESS_PAGE_READ_FILE_H

#include <stdbool.h>

#include "lib/str.h"
#include "record/record.h"

/* By the name's end: .swf or .csv, and .gz behind it.  jobs.csv may have our columns, or Batsim's only.  Lines that
 * cannot be read are left out (SWF) or end the reading (CSV); *notes gets a line for each thing that is missing or
 * damaged.  0, or -1 with EINVAL (another name; no regular file; no job in it; "NAME:LINE: ..." of the first line that is
 * wrong where no job came before), ENOMEM or the read error. */
int page_file_read(struct wt_record *record, const char *path, struct wt_str *notes, struct wt_error *errp);

/* Whether the name is that of a log of heartbeats (.jsonl); and 0 where it can be read to its end, -1 with its first
 * fault. */
bool page_file_heartbeats(const char *path);
int page_heartbeats_check(const char *path, struct wt_error *errp);

#endif
