/* gnuplot.h - drawing by the program gnuplot (Debian's gnuplot-nox). */
#ifndef WT_LIB_GNUPLOT_H
#define WT_LIB_GNUPLOT_H

#include <stdio.h>

#include "lib/error.h"

/* Foreign text as a string of gnuplot's, with its quotes, on one line; nothing in it is run. */
void gnuplot_quote(FILE *out, const char *text);

/* gnuplot reads 'script' from its beginning and writes its standard output to 'out'; it runs in the folder 'dir' (NULL:
 * ours). 0, or -1 with ENOENT (no gnuplot; *errp says which package has it, and 'instead', what can be done without it),
 * EIO (it failed, and has said why on standard error) or what a call said.  Waits for its end: any thread. */
int gnuplot_run(FILE *script, FILE *out, const char *dir, const char *instead, struct wt_error *errp);

/* gnuplot does not look at whether its writes succeed: is the picture 'path' (.svg, .pdf or .png) there to its very end,
 * and on the disk?  0, or -1 with EIO (it is cut) or what a call said; the text does not name the file. */
int gnuplot_picture_sync(const char *path, struct wt_error *errp);

/* The picture that 'script' draws on gnuplot's standard output, an SVG, goes to 'out' when it is there to its very end.  As
 * gnuplot_run, and EIO also for a picture that is cut. */
int gnuplot_svg(FILE *script, FILE *out, const char *instead, struct wt_error *errp);

#endif
