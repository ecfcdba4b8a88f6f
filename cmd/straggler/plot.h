/* plot.h - box plots as SVG, drawn by gnuplot: box to the quartiles, line at the median, whiskers to the deciles (as in the
 * paper's figures), dots at minimum, mean (filled) and maximum. */
#ifndef WT_CMD_STRAGGLER_PLOT_H
#define WT_CMD_STRAGGLER_PLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "straggler/trial.h"

struct plot_box {
	const char *label;		/* on the x axis; "" for none */
	struct wt_quantiles quantiles;	/* without values: left out */
	double scale;			/* they are multiplied by it */
};

struct plot_panel {
	const char *title;
	const struct plot_box *boxes;
	size_t count;
	bool percent;			/* the y axis is 0 to 100 */
	size_t group;			/* boxes of one label, in colours of their own: legend[group]; 0: one colour */
	const char *const *legend;
};

/* Panels in two columns.  -1: no gnuplot (ENOENT; *errp says which package has it), or gnuplot or the file failed. */
int plot_draw(const char *path, const char *title, const struct plot_panel *panels, size_t count, struct wt_error *errp);

/* The text that gnuplot gets; pure but for the stream. */
void plot_script(FILE *out, const char *title, const struct plot_panel *panels, size_t count);

#endif
