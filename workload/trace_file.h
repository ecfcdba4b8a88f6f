/* trace_file.h - the bytes of a trace: a file as it is, or one that gzip has packed, and their checksum.
 *
 * What is packed is seen by its first bytes, not by the file's name.  The checksum is over what was read, so that a trace
 * has the same one packed and unpacked.  Pure but for the file; one thread at a time. */
#ifndef WT_WORKLOAD_TRACE_FILE_H
#define WT_WORKLOAD_TRACE_FILE_H

#include <stdio.h>

#include "lib/error.h"

#define WT_TRACE_SUM_SIZE 65	/* SHA-256 in hexadecimal, and its end */
#define WT_TRACE_BYTES_MAX ((size_t) 8 << 30)	/* unpacked: some bytes of gzip make a file of any length */

struct wt_trace_file {
	FILE *in;	/* read from it; an error of reading or unpacking is its errno.  Does not seek */
	struct wt_trace_source *source;		/* private */
};

/* 0, or -1 with what open () said, or ENOMEM. */
int wt_trace_file_open(struct wt_trace_file *file, const char *path, struct wt_error *errp);
int wt_trace_file_take(struct wt_trace_file *file, int fd, struct wt_error *errp);	/* 'fd' is closed in any case */

/* The first byte that is no blank, behind the byte order mark that programs of Windows put before UTF-8; EOF: there is none
 * among the first 64 KiB, or it cannot be read, and then 'in' says so, too.  Before anything is read: 'in' has all of it
 * still but for the mark. */
int wt_trace_file_look(struct wt_trace_file *file);

/* What is wrong with the file, and what to do; NULL: nothing that was seen until now, or an error of reading.  A
 * constant. */
const char *wt_trace_file_damage(const struct wt_trace_file *file);
/* The line, from 1, in which what was unpacked until now ends: where it is damaged. */
size_t wt_trace_file_line(const struct wt_trace_file *file);

/* Behind a reader that ended with 'rc' (and *errp, when that is not 0): read on to the end, where gzip has its checksum, and
 * close.  What is wrong with the file as a whole is told instead of what came of it: "PATH:LINE: it is packed, ...".  'rc',
 * or -1. */
int wt_trace_file_end(struct wt_trace_file *file, const char *path, int rc, char sum[WT_TRACE_SUM_SIZE],
		      struct wt_error *errp);

/* Close it.  With 'sum' first read on to the end, and tell the checksum.  0, or -1 with the read error (EIO: damaged or cut
 * off). */
int wt_trace_file_close(struct wt_trace_file *file, char sum[WT_TRACE_SUM_SIZE], struct wt_error *errp);

#endif
