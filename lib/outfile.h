/* outfile.h - write a file whole or not at all.
 *
 * The text goes to a new file beside PATH that takes PATH's place only when everything is on its way to the disk; after
 * a failure PATH is what it was before.  Of a symbolic link the file that it leads to is replaced.  A device, pipe or
 * socket (/dev/stdout, say) is written to, and never replaced.  The new file is called PATH.PID.new; one that a killed
 * writer left there is removed by the next writer of PATH: ours, a file, and not locked by any process (flock(2)).  Any
 * number of threads, each with its own PATH. */
#ifndef WT_LIB_OUTFILE_H
#define WT_LIB_OUTFILE_H

#include <stdio.h>

#include "lib/error.h"

/* Writes the content.  0, or -1 with errno and *errp.  Need not look at ferror (): wt_outfile_write does. */
typedef int (*wt_outfile_fn)(FILE *out, const void *arg, struct wt_error *errp);

/* Create or replace 'path' (mode 0666 less the umask) with what 'fn' writes.  0, or -1 with the errno of what failed:
 * open, 'fn', a full disk, rename; the text names the path. */
int wt_outfile_write(const char *path, wt_outfile_fn fn, const void *arg, struct wt_error *errp);

#endif
