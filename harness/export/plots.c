/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/export/plot_folder.h"
#include "harness/export/plots.h"
#include "harness/page/chart.h"
#include "harness/page/job_values.h"
#include "harness/page/sweep.h"
#include "lib/csv.h"
#include "lib/gnuplot.h"

#define CURVE_PARTS 2000	/* of the x axis: more points than that are not seen, and make a PDF slow */
#define RATE_WIDTHS 200		/* bars of a rate over the longest run */
#define INSTEAD     "draw KEY.gp elsewhere"

struct plot {
	const char *key;	/* of its files */
	const char *x_label, *y_label;
	const char *x_key, *y_key;	/* in the data */
	sweep_delta delta;	/* over time; or */
	job_value value;	/* a distribution; or, without both */
	enum sweep_kind rate;	/* how many of these a second */
};

static const struct plot plots[] = {
	{ "utilisation", "time", "CPUs that jobs had, % of all", "time_s", "percent", sweep_busy, NULL, 0 },
	{ "queue", "time", "jobs that waited", "time_s", "jobs", sweep_waiting, NULL, 0 },
	{ "running", "time", "jobs that ran", "time_s", "jobs", sweep_running, NULL, 0 },
	{ "rate-submitted", "time", "jobs submitted a second", "time_s", "jobs_per_s", NULL, NULL, SWEEP_SUBMIT },
	{ "rate-started", "time", "jobs started a second", "time_s", "jobs_per_s", NULL, NULL, SWEEP_START },
	{ "rate-ended", "time", "jobs ended a second", "time_s", "jobs_per_s", NULL, NULL, SWEEP_END },
	{ "cdf-submission", "submission time", "jobs, %", "submission_s", "percent", NULL, job_sent_s, 0 },
	{ "cdf-wait", "waiting time", "jobs, %", "wait_s", "percent", NULL, job_wait_s, 0 },
	{ "cdf-turnaround", "turnaround time", "jobs, %", "turnaround_s", "percent", NULL, job_turnaround_s, 0 },
	{ "cdf-slowdown", "bounded slowdown", "jobs, %", "bounded_slowdown", "percent", NULL, job_slowdown, 0 },
};

enum { PLOTS = sizeof(plots) / sizeof(plots[0]) };

struct plot_curves {		/* one plot of all runs */
	const struct plot *plot;
	const struct page_input *input;
	struct chart_curve *curves;	/* [run_count] */
	double period_s;	/* of the longest run */
	double x_to, y_to;
	struct chart axis;	/* of a distribution: logarithmic, or not */
};

/* ---- curves ------------------------------------------------------------------------------------------------------- */

static void delta_fill(struct chart_curve *curve, const struct page_run *run, const struct sweep *sweep, sweep_delta delta,
		       double scale)
{
	double value = 0;

	chart_curve_add(curve, 0, 0);
	for (size_t i = 0; i < sweep->count; i++) {
		value += delta(&run->jobs[sweep->events[i].job], sweep->events[i].kind);
		/* Changes of one moment make one point: what lies between them is nothing that ever was. */
		if (i + 1 == sweep->count || sweep->events[i + 1].time_s != sweep->events[i].time_s)
			chart_curve_add(curve, sweep->events[i].time_s, scale * value);
	}
	chart_curve_add(curve, run->period_s, scale * value);
}

static void rate_fill(struct chart_curve *curve, const struct page_run *run, const struct sweep *sweep, enum sweep_kind kind,
		      double width_s)
{
	double at_s = 0;
	size_t i = 0, count;

	for (; at_s < run->period_s; at_s += width_s) {
		bool last = at_s + width_s >= run->period_s;	/* the very end belongs to it */

		for (count = 0; i < sweep->count && (last || sweep->events[i].time_s < at_s + width_s); i++)
			count += sweep->events[i].kind == kind;
		chart_curve_add(curve, at_s, (double) count / width_s);
	}
	chart_curve_add(curve, at_s, 0);
}

static int time_fill(struct plot_curves *d, size_t index, struct wt_error *errp)
{
	const struct page_run *run = &d->input->runs[index];
	struct chart_curve *curve = &d->curves[index];
	double scale = d->plot->delta == sweep_busy ? 100.0 / run->record->cpus : 1;
	struct sweep sweep;

	if (!run->job_count || !isfinite(scale))
		return 0;
	if (sweep_make(&sweep, run, errp) < 0)
		return -1;
	if (d->plot->delta)
		delta_fill(curve, run, &sweep, d->plot->delta, scale);
	else
		rate_fill(curve, run, &sweep, d->plot->rate, chart_nice(d->period_s / RATE_WIDTHS));
	sweep_clear(&sweep);
	chart_curve_thin(curve, 0, d->period_s, false, CURVE_PARTS);
	return 0;
}

static int values_fill(struct plot_curves *d, size_t index, double *median, struct wt_error *errp)
{
	const struct page_run *run = &d->input->runs[index];
	double *values = calloc(run->job_count + 1, sizeof(*values));
	size_t count = 0;

	if (!values)
		return wt_error_errno(errp, ENOMEM, "%s", run->path);
	job_values_add(run, d->plot->value, JOB_SIZES_ALL, values, &count);
	job_values_sort(values, count);
	if (count) {
		job_values_curve(&d->curves[index], values, count);
		*median = fmax(*median, values[count / 2]);
		d->x_to = fmax(d->x_to, values[count - 1]);
	}
	free(values);
	return 0;
}

/* 0, or -1 with ENOMEM. */
static int curves_fill(struct plot_curves *d, struct wt_error *errp)
{
	double median = 0;
	int rc = 0;

	for (size_t i = 0; i < d->input->run_count && rc == 0; i++) {
		rc = d->plot->value ? values_fill(d, i, &median, errp) : time_fill(d, i, errp);
		if (rc == 0 && d->curves[i].failed)
			rc = wt_error_errno(errp, ENOMEM, "%s", d->input->runs[i].path);
		for (size_t k = 0; k < d->curves[i].count; k++)
			d->y_to = fmax(d->y_to, d->curves[i].y[k]);
	}
	if (d->plot->value)
		job_values_axis(&d->axis, median, d->x_to);
	else
		d->x_to = d->period_s;
	return rc;
}

/* ---- files -------------------------------------------------------------------------------------------------------- */

struct curve_file {
	const struct plot *plot;
	const struct chart_curve *curve;
};

static int curve_write(FILE *out, const void *arg, struct wt_error *errp)
{
	const struct curve_file *file = arg;

	(void) errp;
	fprintf(out, "%s,%s\n", file->plot->x_key, file->plot->y_key);
	for (size_t i = 0; i < file->curve->count; i++)
		if (isfinite(file->curve->y[i]))
			fprintf(out, "%.6f,%.6f\n", file->curve->x[i], file->curve->y[i]);
	return 0;
}

/* The unit in which a time of that length is read best. */
static const char *time_unit(double seconds, double *size)
{
	static const struct {
		double size;
		const char *name;
	} units[] = { { 86400, "d" }, { 3600, "h" }, { 60, "min" }, { 1, "s" } };
	size_t u = 0;

	while (u < 3 && seconds < 3 * units[u].size)
		u++;
	*size = units[u].size;
	return units[u].name;
}

static bool axis_is_log(const struct plot_curves *d)
{
	return d->plot->value && (d->axis.axis == CHART_DURATION_LOG || d->axis.axis == CHART_NUMBER_LOG);
}

static void axes_write(FILE *out, const struct plot_curves *d, double *size)
{
	bool number = d->plot->value == job_slowdown, is_log = axis_is_log(d);
	const char *unit = is_log ? "s" : time_unit(d->x_to, size);

	if (number || is_log)
		*size = 1;
	fprintf(out, "set xlabel \"%s%s%s\"\nset ylabel \"%s\"\n", d->plot->x_label, number ? "" : ", ", number ? "" : unit,
		d->plot->y_label);
	if (is_log)
		fprintf(out, "set logscale x\nset xrange [%g:%g]\n", d->axis.x_from, fmax(d->x_to, 2 * d->axis.x_from));
	else
		fprintf(out, "set xrange [0:%g]\n", d->x_to > 0 ? d->x_to / *size : 1);
	if (!strcmp(d->plot->y_key, "percent"))
		fputs("set yrange [0:100]\n", out);
	else
		fprintf(out, "set yrange [0:%g]\n", d->y_to > 0 ? 1.05 * d->y_to : 1);
}

static void curves_plot(FILE *out, const struct plot_curves *d, double size)
{
	const char *with = d->plot->value ? "lines" : "steps";
	bool first = true;

	fputs("plot ", out);
	for (size_t i = 0; i < d->input->run_count; i++) {
		if (!d->curves[i].count)
			continue;
		fprintf(out, "%s'%s-%zu.csv' skip 1 using ", first ? "" : ", \\\n\t", d->plot->key, i + 1);
		if (axis_is_log(d))	/* what is less is there all the same */
			fprintf(out, "($1 < %g ? %g : $1):2", d->axis.x_from, d->axis.x_from);
		else
			fprintf(out, "($1 / %g):2", size);
		fprintf(out, " with %s lw 2 dt %zu title ", with, 1 + i % 5);
		gnuplot_quote(out, d->input->runs[i].path);
		first = false;
	}
	putc('\n', out);
}

static int script_write(FILE *out, const void *arg, struct wt_error *errp)
{
	static const char *const terminals[][2] = {
		{ "svg size 800,450 dynamic font 'sans,14' background 'white' noenhanced", "svg" },
		{ "pdfcairo size 16cm,9cm font 'sans,12' noenhanced", "pdf" },
		{ "pngcairo size 1600,900 font 'sans,24' noenhanced", "png" },
	};
	const struct plot_curves *d = arg;
	double size = 1;

	(void) errp;
	fprintf(out, "# Change what you like, and draw again: gnuplot %s.gp\n", d->plot->key);
	fputs("set encoding utf8\nset datafile separator ','\nset border 3\nset tics nomirror\n", out);
	fputs("set grid\nset key bottom outside center horizontal\n", out);
	axes_write(out, d, &size);
	for (size_t t = 0; t < 3; t++) {
		fprintf(out, "set terminal %s\nset output '%s.%s'\n", terminals[t][0], d->plot->key, terminals[t][1]);
		if (t)
			/* The plot command stands there once, to be changed once: the other terminals draw it again. */
			fputs("replot\n", out);
		else
			curves_plot(out, d, size);
	}
	fputs("unset output\n", out);
	return 0;
}

/* The data of each run, and the script.  1, or 0: there is nothing to be drawn. */
static int files_write(const struct plot_folder *folder, const struct plot_curves *d, struct wt_str *left_out,
		       struct wt_error *errp)
{
	char name[64];
	int any = 0;

	for (size_t i = 0; i < d->input->run_count; i++) {
		struct curve_file file = { d->plot, &d->curves[i] };

		snprintf(name, sizeof(name), "%s-%zu.csv", d->plot->key, i + 1);
		any = any || d->curves[i].count;
		if (!d->curves[i].count)
			wt_str_printf(left_out, "%s: %s does not tell it\n", d->plot->key, d->input->runs[i].path);
		else if (plot_folder_write(folder, name, curve_write, &file, errp) < 0)
			return -1;
	}
	snprintf(name, sizeof(name), "%s.gp", d->plot->key);
	return any && plot_folder_write(folder, name, script_write, d, errp) < 0 ? -1 : any;
}

/* ---- all ---------------------------------------------------------------------------------------------------------- */

static int plot_files(const struct plot_folder *folder, const struct plot *plot, const struct page_input *input,
		      struct wt_str *left_out, struct wt_error *errp)
{
	struct plot_curves d = { .plot = plot, .input = input, .period_s = 1 };
	int rc;

	for (size_t i = 0; i < input->run_count; i++)
		d.period_s = fmax(d.period_s, input->runs[i].period_s);
	d.curves = calloc(input->run_count, sizeof(*d.curves));
	if (!d.curves)
		return wt_error_errno(errp, ENOMEM, "%s", folder->dir);
	rc = curves_fill(&d, errp);
	if (rc == 0)
		rc = files_write(folder, &d, left_out, errp);
	for (size_t i = 0; i < input->run_count; i++)
		chart_curve_clear(&d.curves[i]);
	free(d.curves);
	return rc;
}

/* All files first: without gnuplot they are there, to be drawn elsewhere.  0, or -1. */
static int all_files(const struct plot_folder *folder, const struct page_input *input, bool wanted[PLOTS],
		     struct wt_str *left_out, struct wt_error *errp)
{
	for (size_t p = 0; p < PLOTS; p++) {
		int rc = plot_files(folder, &plots[p], input, left_out, errp);

		if (rc < 0)
			return -1;
		wanted[p] = rc;
	}
	return 0;
}

/* What has been drawn is kept, also when the next plot cannot be. */
static int all_draw(const struct plot_folder *folder, const bool wanted[PLOTS], size_t *drawn, struct wt_error *errp)
{
	int rc = 0, saved_errno;

	for (size_t p = 0; p < PLOTS && rc == 0; p++) {
		if (wanted[p])
			rc = plot_folder_draw(folder, plots[p].key, INSTEAD, errp);
		*drawn += wanted[p] && rc == 0;
	}
	saved_errno = errno;
	if (plot_folder_publish(folder, rc == 0 ? errp : NULL) < 0)
		return -1;
	errno = saved_errno;
	return rc;
}

int plots_write(const char *dir, const struct page_input *input, size_t *drawn, struct wt_str *left_out,
		struct wt_error *errp)
{
	struct plot_folder folder;
	bool wanted[PLOTS];
	int rc = plot_folder_open(&folder, dir, plots_name_is, errp);

	*drawn = 0;
	if (rc == 0)
		rc = all_files(&folder, input, wanted, left_out, errp);
	if (rc == 0)
		rc = all_draw(&folder, wanted, drawn, errp);
	plot_folder_close(&folder);
	return rc;
}

bool plots_name_is(const char *name)
{
	static const char *const endings[] = { ".svg", ".pdf", ".png", ".gp" };

	for (size_t p = 0; p < PLOTS; p++) {
		size_t len = strlen(plots[p].key), digits;

		if (strncmp(name, plots[p].key, len))
			continue;
		for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
			if (!strcmp(name + len, endings[i]))
				return true;
		digits = name[len] == '-' ? strspn(name + len + 1, "0123456789") : 0;
		if (digits && !strcmp(name + len + 1 + digits, ".csv"))
			return true;
	}
	return false;
}
