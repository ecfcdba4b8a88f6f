/* gzip_out.h - what a function writes, packed by gzip on its way. */
#ifndef WT_HARNESS_EXPORT_GZIP_OUT_H
#define WT_HARNESS_EXPORT_GZIP_OUT_H

#include "lib/outfile.h"

/* Call 'fn' with a stream whose bytes are packed and written to 'out'.  0, or -1 with what 'fn' said, or the error of
 * writing. */
int gzip_write(FILE *out, wt_outfile_fn fn, const void *arg, struct wt_error *errp);

#endif
