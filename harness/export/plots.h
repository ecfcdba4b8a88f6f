/* plots.h - plots of runs for papers, drawn by gnuplot: each as SVG, PDF and PNG, with its script and its data beside it. */
#ifndef WT_HARNESS_EXPORT_PLOTS_H
#define WT_HARNESS_EXPORT_PLOTS_H

#include "harness/page/page.h"

/* Into the folder 'dir', which is made if it is not there: for each plot KEY.gp, KEY-1.csv and so on (of each run one), and
 * KEY.svg, KEY.pdf, KEY.png.  *drawn is the number of plots; *left_out gets a line for each curve that the runs do not tell.
 * 0, or -1 with ENOENT (no gnuplot: scripts and data are there), EIO (a picture is cut), ENOMEM or the error of writing.
 * A file that stands there under such a name is replaced, never written to, and a link is not followed.  What a process that
 * was killed left behind there goes. */
int plots_write(const char *dir, const struct page_input *input, size_t *drawn, struct wt_str *left_out,
		struct wt_error *errp);

/* Is a file of that name one that plots_write may write? */
bool plots_name_is(const char *name);

#endif
