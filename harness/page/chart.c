/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "harness/page/chart.h"
#include "harness/page/html.h"

#define WIDTH 10000	/* of the viewBox: a tenth of a pixel on any screen */
#define HEIGHT 1000
#define TICKS_MAX 11
#define TICK_INSIDE 0.93	/* a label further right would reach beyond the page: it ends at its tick */

/* ---- curves ------------------------------------------------------------------------------------------------------- */

static bool array_grow(double **array, size_t capacity)
{
	double *more = reallocarray(*array, capacity, sizeof(*more));

	if (more)
		*array = more;
	return more;
}

void chart_curve_add(struct chart_curve *curve, double x, double y)
{
	size_t capacity = curve->capacity ? 2 * curve->capacity : 256;

	if (curve->count == curve->capacity) {
		if (!array_grow(&curve->x, capacity) || !array_grow(&curve->y, capacity)) {
			curve->failed = true;
			return;
		}
		curve->capacity = capacity;
	}
	curve->x[curve->count] = x;
	curve->y[curve->count++] = y;
}

void chart_curve_clear(struct chart_curve *curve)
{
	free(curve->x);
	free(curve->y);
	curve->x = curve->y = NULL;
	curve->count = curve->capacity = 0;
}

/* Where x lies on the axis, from 0 to 1. */
static double share_of(double x, double from, double to, bool logarithmic)
{
	double share = logarithmic ? log(fmax(x, from) / from) / log(to / from) : (x - from) / (to - from);

	return share > 0 ? fmin(share, 1) : 0;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Of the points first to last: the least and the greatest in their order, and the last, each once. */
static size_t part_keep(struct chart_curve *curve, size_t to, size_t first, size_t last)
{
	size_t least = first, greatest = first, keep[3];

	for (size_t i = first; i <= last; i++) {
		if (isnan(curve->y[i]) || isnan(curve->y[least]))
			least = greatest = isnan(curve->y[least]) ? i : least;
		if (curve->y[i] < curve->y[least])
			least = i;
		if (curve->y[i] > curve->y[greatest])
			greatest = i;
	}
	keep[0] = smaller(least, greatest);
	keep[1] = least > greatest ? least : greatest;
	keep[2] = last;
	for (size_t k = 0; k < 3; k++) {
		if (k && keep[k] == keep[k - 1])
			continue;
		curve->x[to] = curve->x[keep[k]];
		curve->y[to++] = curve->y[keep[k]];
	}
	return to;
}

/* Equal parts of the axis, and of each the least, the greatest and the last point: peaks stay where they are,
 * whatever the width of the screen, in one pass over the points. */
void chart_curve_thin(struct chart_curve *curve, double from, double to, bool logarithmic, size_t parts)
{
	size_t kept = 0, first = 0, part = 0;

	for (size_t i = 0; i < curve->count; i++) {
		size_t at = (size_t) (share_of(curve->x[i], from, to, logarithmic) * (double) parts);

		if (i && at != part) {
			kept = part_keep(curve, kept, first, i - 1);
			first = i;
		}
		part = at;
	}
	if (curve->count)
		kept = part_keep(curve, kept, first, curve->count - 1);
	curve->count = kept;
}

/* ---- axes --------------------------------------------------------------------------------------------------------- */

/* The least of 1, 2, 2.5, 5 and 10 times a power of ten that is not below: labels that people can halve. */
double chart_nice(double value)
{
	static const double steps[] = { 1, 2, 2.5, 5, 10 };
	double power;

	if (!(value > 0) || !isfinite(value))
		return 1;
	power = pow(10, floor(log10(value)));
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (value <= steps[i] * power * (1 + 1e-9))
			return steps[i] * power;
	return 10 * power;
}

double chart_time_step(double length_s)
{
	static const double steps[] = {
		1,    2,    5,    10,    15,    30,    60,    120,    300,    600,    900,
		1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 432000, 864000,
	};

	if (length_s <= TICKS_MAX - 1)
		return chart_nice(length_s / (TICKS_MAX - 1));
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (length_s / steps[i] <= TICKS_MAX - 1)
			return steps[i];
	return 86400 * chart_nice(length_s / 86400 / (TICKS_MAX - 1));
}

static bool axis_logarithmic(const struct chart *chart)
{
	return chart->axis == CHART_DURATION_LOG || chart->axis == CHART_NUMBER_LOG;
}

static double x_share(const struct chart *chart, double x)
{
	return share_of(x, chart->x_from, chart->x_to, axis_logarithmic(chart));
}

/* "1 min 30 s" is too long below a chart of half the width: where the step asks for two units, 1:30. */
static bool ticks_short(const struct chart *chart, double step)
{
	return chart->axis == CHART_TIME ||
	       (chart->axis == CHART_DURATION && ((chart->x_to >= 60 && step < 60) || (chart->x_to >= 3600 && step < 3600) ||
						  (chart->x_to >= 86400 && step < 86400)));
}

static void tick_write(FILE *out, const struct chart *chart, double x, double step, size_t number)
{
	char text[HTML_DURATION_SIZE];

	if (chart->axis == CHART_NUMBER_LOG)
		html_number(text, x, 0);
	else if (ticks_short(chart, step))
		html_axis_time(text, x, step);
	else if (x >= 1 && x < 60)	/* ticks are round: "30 s", and not "30.0 s" */
		snprintf(text, sizeof(text), "%g s", x);
	else
		html_duration(text, x);
	fprintf(out, "<span class=\"%s%s\" style=\"left:%.2f%%\">%s</span>", number % 2 ? "odd" : "",
		x_share(chart, x) > TICK_INSIDE ? " end" : "", 100 * x_share(chart, x), text);
}

static void log_ticks_write(FILE *out, const struct chart *chart)
{
	static const double durations[] = { 0.001, 0.01, 0.1, 1, 10, 60, 600, 3600, 36000, 86400, 864000, 8640000 };
	static const double numbers[] = { 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10000, 100000, 1e6, 1e7 };
	bool duration = chart->axis == CHART_DURATION_LOG;
	const double *ticks = duration ? durations : numbers;
	size_t count = duration ? sizeof(durations) / sizeof(durations[0]) : sizeof(numbers) / sizeof(numbers[0]),
	       number = 0;

	for (size_t i = 0; i < count; i++)
		if (ticks[i] >= chart->x_from * 0.999 && ticks[i] <= chart->x_to * 1.001)
			tick_write(out, chart, ticks[i], 1, number++);
}

static void x_labels_write(FILE *out, const struct chart *chart)
{
	double step = chart_time_step(chart->x_to - chart->x_from);

	fputs("<div class=\"x\" aria-hidden=\"true\">", out);
	if (axis_logarithmic(chart))
		log_ticks_write(out, chart);
	else
		for (size_t i = 0; i < TICKS_MAX && chart->x_from + (double) i * step <= chart->x_to * 1.0001; i++)
			tick_write(out, chart, chart->x_from + (double) i * step, step, i);
	fputs("</div>", out);
}

static double y_most(const struct chart *chart)
{
	double most = 0;

	for (size_t c = 0; c < chart->curve_count; c++)
		for (size_t i = 0; i < chart->curves[c].count; i++)
			if (chart->curves[c].y[i] > most && isfinite(chart->curves[c].y[i]))
				most = chart->curves[c].y[i];
	return most;
}

static int decimals_of(double step, int least)
{
	int decimals = least;

	while (decimals < 9 && fabs(step * pow(10, decimals) - round(step * pow(10, decimals))) > 1e-6)
		decimals++;
	return decimals;
}

static void y_labels_write(FILE *out, const struct chart *chart, double step)
{
	char text[HTML_DURATION_SIZE];

	fputs("<div class=\"y\" aria-hidden=\"true\">", out);
	for (int i = 0; i <= TICKS_MAX && i * step <= chart->y_to * 1.0001; i++) {
		html_number(text, i * step, decimals_of(step, chart->y_decimals));
		fprintf(out, "<span style=\"top:%.2f%%\">%s%s</span>", 100 - 100 * i * step / chart->y_to, text,
			chart->y_unit ? chart->y_unit : "");
	}
	fputs("</div>", out);
}

/* ---- the picture -------------------------------------------------------------------------------------------------- */

static int y_of(const struct chart *chart, double y)
{
	return (int) lround(HEIGHT - HEIGHT * fmin(fmax(y / chart->y_to, 0), 1));
}

static int x_of(const struct chart *chart, double x)
{
	return (int) lround(WIDTH * x_share(chart, x));
}

static void points_write(FILE *out, const struct chart *chart, const struct chart_curve *curve)
{
	int last_x = 0, begun = 0;

	for (size_t i = 0; i < curve->count; i++) {
		int x = x_of(chart, curve->x[i]);

		if (isnan(curve->y[i])) {
			if (begun && curve->area)
				fprintf(out, "H%dV%dZ", curve->step ? x : last_x, HEIGHT);
			begun = 0;
			continue;
		}
		if (!begun)
			fprintf(out, curve->area ? "M%d %dV%d" : "M%d %d", x,
				curve->area ? HEIGHT : y_of(chart, curve->y[i]), y_of(chart, curve->y[i]));
		else if (curve->step)
			fprintf(out, "H%dV%d", x, y_of(chart, curve->y[i]));
		else
			fprintf(out, "L%d %d", x, y_of(chart, curve->y[i]));
		begun = 1;
		last_x = x;
	}
	if (begun && curve->area)
		fprintf(out, "V%dZ", HEIGHT);
}

/* The words that a reader who cannot see the picture gets; the data behind it say the rest. */
static void label_write(FILE *out, const struct chart *chart)
{
	/* No aspect ratio: the browser stretches the picture to its box, and text stands outside of it, unstretched. */
	fputs("<svg viewBox=\"0 0 10000 1000\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"", out);
	html_text(out, chart->title);
	for (size_t c = 0; c < chart->curve_count; c++) {
		const struct chart_curve *curve = &chart->curves[c];
		double least = INFINITY, most = -INFINITY;

		for (size_t i = 0; i < curve->count; i++) {
			least = fmin(least, curve->y[i]);
			most = fmax(most, curve->y[i]);
		}
		if (most >= least)
			fprintf(out, "; %s: between %.4g and %.4g", curve->label, least, most);
	}
	fputs("\">", out);
}

/* Of what happened at once there is one line. */
static void marks_write(FILE *out, const struct chart *chart)
{
	for (size_t i = 0, next; i < chart->mark_count; i = next) {
		int x = x_of(chart, chart->marks[i].x);

		for (next = i + 1; next < chart->mark_count && x_of(chart, chart->marks[next].x) == x; next++)
			;
		fprintf(out, "<path class=\"mark\" data-x=\"%.10g\" d=\"M%d 0V%d\"><title>", chart->marks[i].x, x, HEIGHT);
		html_name(out, chart->marks[i].text);
		if (next > i + 1)
			fprintf(out, ", and %zu more", next - i - 1);
		fputs("</title></path>", out);
	}
}

static void picture_write(FILE *out, const struct chart *chart, double step)
{
	label_write(out, chart);
	if (chart->over)
		fprintf(out, "<rect class=\"over\" width=\"%d\" height=\"%d\"/>", WIDTH, HEIGHT);
	for (int i = 1; i < TICKS_MAX && i * step < chart->y_to * 0.999; i++)
		fprintf(out, "<path class=\"grid\" d=\"M0 %dH%d\"/>", y_of(chart, i * step), WIDTH);
	for (size_t c = 0; c < chart->curve_count; c++) {
		fprintf(out, "<path class=\"c c%zu%s%s\" data-curve=\"%s\" d=\"", c, chart->curves[c].area ? " area" : "",
			chart->curves[c].step ? " step" : "", chart->curves[c].key);
		points_write(out, chart, &chart->curves[c]);
		fputs("\"/>", out);
	}
	if (chart->box)
		fprintf(out, "<rect class=\"box\" x=\"%d\" y=\"6\" width=\"%d\" height=\"%d\"/>",
			x_of(chart, chart->box->from), x_of(chart, chart->box->to) - x_of(chart, chart->box->from),
			HEIGHT - 12);
	marks_write(out, chart);
	fputs("</svg>", out);
}

static void box_label_write(FILE *out, const struct chart *chart)
{
	double left, right;

	if (!chart->box)
		return;
	left = 100 * x_share(chart, chart->box->from);
	right = 100 * x_share(chart, chart->box->to);
	if (left + right > 100)
		fprintf(out, "<div class=\"boxed\" aria-hidden=\"true\" style=\"right:%.2f%%\">", 100 - right);
	else
		fprintf(out, "<div class=\"boxed\" aria-hidden=\"true\" style=\"left:%.2f%%\">", left);
	html_text(out, chart->box->label);
	fputs("</div>", out);
}

static void keys_write(FILE *out, const struct chart *chart)
{
	if (chart->curve_count < 2 && !chart->over && !chart->mark_count)
		return;
	fputs("<span class=\"keys\">", out);
	for (size_t c = 0; c < chart->curve_count; c++)
		if (chart->curves[c].count)
			fprintf(out,
				"<span class=\"key\"><svg viewBox=\"0 0 24 10\" aria-hidden=\"true\"><path class=\"c "
				"c%zu%s\" d=\"%s\"/></svg>%s</span>",
				c, chart->curves[c].area ? " area" : "", chart->curves[c].area ? "M0 0H24V10H0Z" : "M0 5H24",
				chart->curves[c].label);
	if (chart->over)
		fprintf(out,
			"<span class=\"key\"><svg viewBox=\"0 0 24 10\" aria-hidden=\"true\"><rect class=\"over\" "
			"width=\"24\" height=\"10\"/></svg>%s</span>",
			chart->over);
	if (chart->mark_count)
		fprintf(out, "<span class=\"key\"><svg viewBox=\"0 0 24 10\" aria-hidden=\"true\"><path class=\"mark\" "
			"d=\"M12 0V10\"/></svg>%s</span>", chart->marks_are);
	fputs("</span>", out);
}

static void data_write(FILE *out, const struct chart *chart)
{
	size_t rows = 0;
	char text[HTML_DURATION_SIZE];

	for (size_t c = 0; c < chart->curve_count; c++)
		rows += chart->curves[c].count;
	html_number(text, (double) rows, 0);
	fprintf(out, "<details class=\"data\"><summary>Data <span class=\"of\">of: ");
	html_text(out, chart->title);
	fprintf(out, "</span> (CSV, %s rows)</summary><pre tabindex=\"0\" data-name=\"%s-%s.csv\">curve,%s,%s\n", text,
		chart->run_id, chart->key, chart->x_key, chart->y_key);
	for (size_t c = 0; c < chart->curve_count; c++)
		for (size_t i = 0; i < chart->curves[c].count; i++) {
			fprintf(out, "%s,%.10g,", chart->curves[c].key, round(chart->curves[c].x[i] * 1e6) / 1e6);
			if (isnan(chart->curves[c].y[i]))
				fputc('\n', out);
			else
				fprintf(out, "%.7g\n", chart->curves[c].y[i]);
		}
	fputs("</pre></details>", out);
}

/* Thin what is long; whether there is anything to draw, or -1. */
static int curves_prepare(struct chart *chart)
{
	size_t points = 0;

	for (size_t c = 0; c < chart->curve_count; c++) {
		if (chart->curves[c].failed) {
			errno = ENOMEM;
			return -1;
		}
		if (chart->curves[c].count > CHART_POINTS_MAX)
			chart_curve_thin(&chart->curves[c], chart->x_from, chart->x_to, axis_logarithmic(chart),
					 CHART_POINTS_MAX / 3);
		points += chart->curves[c].count;
	}
	return points > 0;
}

static double y_step(const struct chart *chart, double y_to)
{
	double step = chart_nice(y_to / (chart->tall ? 5 : 3));

	if (chart->y_whole && step < 1)
		return 1;
	return chart->y_whole && step < 3 && step > 2 ? 5 : step;
}

/* As high as the curves need, to the next label. */
static void y_axis_choose(struct chart *chart)
{
	double most = y_most(chart), step = y_step(chart, most);

	chart->y_to = most > 0 ? step * ceil(most / step * (1 - 1e-9)) : 1;
}

int chart_write(FILE *out, struct chart *chart)
{
	static const char *const axes[] = { "time", "duration", "log", "number" };
	int rc = curves_prepare(chart);
	double step;

	if (rc <= 0)
		return rc;
	if (!(chart->x_to > chart->x_from) || !isfinite(chart->x_to))
		chart->x_to = axis_logarithmic(chart) ? chart->x_from * 10 : chart->x_from + 1;
	if (!(chart->y_to > 0))
		y_axis_choose(chart);
	step = y_step(chart, chart->y_to);
	fprintf(out,
		"<figure class=\"chart%s%s\" id=\"%s-%s\" data-axis=\"%s\" data-from=\"%.10g\" data-to=\"%.10g\" "
		"data-top=\"%.10g\" aria-labelledby=\"%s-%s-name\"><figcaption><span class=\"what\" id=\"%s-%s-name\">",
		chart->tall ? " tall" : "", chart->sizes ? " sizes" : "", chart->run_id, chart->key, axes[chart->axis],
		chart->x_from, chart->x_to, chart->y_to, chart->run_id, chart->key, chart->run_id, chart->key);
	html_text(out, chart->title);
	if (chart->kind)
		fprintf(out, " <span class=\"kind %s\">%s</span>", chart->kind, chart->kind);
	fputs("</span>", out);
	keys_write(out, chart);
	fputs("<output class=\"at\"></output></figcaption><div class=\"plot\">", out);
	y_labels_write(out, chart, step);
	fputs("<div class=\"canvas\">", out);
	picture_write(out, chart, step);
	box_label_write(out, chart);
	fputs("</div>", out);
	x_labels_write(out, chart);
	fputs("</div>", out);
	data_write(out, chart);
	fputs("</figure>\n", out);
	return 0;
}
