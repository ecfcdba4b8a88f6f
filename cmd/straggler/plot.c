/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/straggler/plot.h"
#include "lib/gnuplot.h"
#include "lib/outfile.h"

static void print_tics(FILE *out, const struct plot_panel *panel)
{
	size_t step = panel->group ? panel->group : 1;

	fputs("set xtics (", out);
	for (size_t i = 0; i < panel->count; i += step) {
		if (i)
			fputs(", ", out);
		gnuplot_quote(out, panel->boxes[i].label);
		fprintf(out, " %g", i + (step - 1) / 2.0);
	}
	fputs(")\n", out);
}

static void print_data(FILE *out, const struct plot_panel *panel, size_t first, size_t step, size_t name)
{
	fprintf(out, "$d%zu << EOD\n", name);
	for (size_t i = first; i < panel->count; i += step) {
		const struct plot_box *b = &panel->boxes[i];
		const struct wt_quantiles *q = &b->quantiles;

		if (!q->count)
			fprintf(out, "%zu NaN NaN NaN NaN NaN NaN NaN NaN\n", i);
		else
			fprintf(out, "%zu %g %g %g %g %g %g %g %g\n", i, b->scale * q->decile1, b->scale * q->quartile1,
				b->scale * q->median, b->scale * q->quartile3, b->scale * q->decile9,
				b->scale * q->min, b->scale * q->max, b->scale * q->mean);
	}
	fputs("EOD\n", out);
}

/* gnuplot gives up where it is to find the range of values of which there are none. */
static const char *panel_range(const struct plot_panel *panel)
{
	if (panel->percent)
		return "-2:102";
	for (size_t i = 0; i < panel->count; i++) {
		if (panel->boxes[i].quantiles.count)
			return "0:*";
	}
	return "0:1";
}

static void print_panel(FILE *out, const struct plot_panel *panel)
{
	size_t step = panel->group ? panel->group : 1;

	fputs("set title ", out);
	gnuplot_quote(out, panel->title);
	fprintf(out, "\nset xrange [-0.7:%g]\nset yrange [%s]\n", panel->count - 0.3, panel_range(panel));
	fputs(panel->group ? "set key outside bottom horizontal\nset xtics rotate by -35\n" : "set key off\n", out);
	print_tics(out, panel);
	for (size_t g = 0; g < step; g++)
		print_data(out, panel, g, step, g);
	fputs("plot ", out);
	for (size_t g = 0; g < step; g++) {
		/* candlesticks wants x, box low, whisker low, whisker high, box high: quartiles and deciles.  The
		 * line in the box is a second, flat one. */
		fprintf(out, "%s$d%zu using 1:3:2:6:5 with candlesticks whiskerbars 0.5 lc %zu title ", g ? ", " : "", g,
			g + 1);
		gnuplot_quote(out, panel->group ? panel->legend[g] : "");
		fprintf(out, ", $d%zu using 1:4:4:4:4 with candlesticks lc %zu lw 2 notitle"
			     ", $d%zu using 1:7 with points pt 6 ps 0.3 lc %zu notitle"
			     ", $d%zu using 1:8 with points pt 6 ps 0.3 lc %zu notitle"
			     ", $d%zu using 1:9 with points pt 7 ps 0.4 lc %zu notitle",
			g, g + 1, g, g + 1, g, g + 1, g, g + 1);
	}
	putc('\n', out);
}

void plot_script(FILE *out, const char *title, const struct plot_panel *panels, size_t count)
{
	size_t rows = (count + 1) / 2;

	fprintf(out, "set terminal svg size 1000,%zu dynamic font 'sans,11' background 'white' noenhanced\n",
		60 + 360 * rows);
	fputs("set boxwidth 0.6\nset style fill empty\nset xtics nomirror noenhanced\nset grid y\n", out);
	fprintf(out, "set multiplot layout %zu,%d title ", rows, count > 1 ? 2 : 1);
	gnuplot_quote(out, title);
	putc('\n', out);
	for (size_t i = 0; i < count; i++)
		print_panel(out, &panels[i]);
	fputs("unset multiplot\n", out);
}

struct box_plots {
	const char *title;
	const struct plot_panel *panels;
	size_t count;
};

static int drawing_write(FILE *out, const void *arg, struct wt_error *errp)
{
	const struct box_plots *d = arg;
	FILE *script = tmpfile();
	int rc;

	if (!script)
		return wt_error_errno(errp, errno, "temporary file");
	plot_script(script, d->title, d->panels, d->count);
	rc = gnuplot_svg(script, out, "use --csv", errp);
	fclose(script);
	return rc;
}

int plot_draw(const char *path, const char *title, const struct plot_panel *panels, size_t count, struct wt_error *errp)
{
	struct box_plots drawing = { .title = title, .panels = panels, .count = count };

	return wt_outfile_write(path, drawing_write, &drawing, errp);
}
