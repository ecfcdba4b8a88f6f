/* chart.h - curves as SVG that the program writes, with their data behind one click.
 *
 * The SVG is stretched to the width that it gets (strokes are not); labels are HTML beside it.  All charts over time have
 * the same axis and the same margin (--margin in page.css), so that what lies below each other happened at the same time.
 * Curves of more than CHART_POINTS_MAX points are thinned to the least, the greatest and the last value of equal parts of
 * the axis; the data beside the chart are what is drawn.  Pure; one thread at a time. */
#ifndef WT_HARNESS_PAGE_CHART_H
#define WT_HARNESS_PAGE_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define CHART_POINTS_MAX 2000

struct chart_curve {		/* { .label = ... } is empty; chart_curve_clear frees */
	const char *label;	/* HTML: ours, or escaped */
	const char *key;	/* in the data: "busy" */
	bool step;		/* a value holds until the next point; else points are joined */
	bool area;		/* filled down to 0 */
	double *x, *y;		/* x ascends; y NAN: a gap */
	size_t count, capacity;
	bool failed;		/* no memory */
};

void chart_curve_add(struct chart_curve *curve, double x, double y);	/* when memory ends, 'failed' is set */
void chart_curve_clear(struct chart_curve *curve);
void chart_curve_thin(struct chart_curve *curve, double from, double to, bool logarithmic, size_t parts);

enum chart_axis {
	CHART_TIME,		/* of the run, from 0 */
	CHART_DURATION, CHART_DURATION_LOG,
	CHART_NUMBER_LOG,
};

struct chart_box {		/* a span of the x axis that a label names */
	double from, to;
	const char *label;	/* may be foreign */
};

struct chart_mark {		/* a moment that a line stands at */
	double x;
	const char *text;	/* may be foreign */
};

struct chart {
	const char *run_id, *key;	/* make its id, unique on the page: "run1-queue" */
	const char *title;	/* what is drawn, with its unit: "CPUs that jobs had, %" */
	const char *kind;	/* "virtual", ...; NULL: none */
	const char *x_key, *y_key;	/* in the data: "time_s", "percent" */
	enum chart_axis axis;
	double x_from, x_to;	/* x_from is above 0 for logarithmic axes */
	double y_to;		/* 0: what the curves need */
	int y_decimals;		/* least, in the labels */
	bool y_whole;		/* of what there is no half: labels are whole numbers */
	const char *y_unit;	/* behind the labels: "%" */
	struct chart_curve *curves;
	size_t curve_count;
	const struct chart_box *box;	/* or NULL */
	const struct chart_mark *marks;	/* x ascends; those outside of the axis are at its ends */
	size_t mark_count;
	const char *marks_are;	/* for the key */
	const char *over;	/* what the paper above an area means, for its key ("idle"); NULL: nothing */
	bool tall;
	bool sizes;		/* curve N is of jobs of enum page_size N: in the colours of sizes */
};

/* Thins the curves; the caller clears them.  Nothing is written for curves without a point.  0, or -1 with ENOMEM when a
 * curve has failed. */
int chart_write(FILE *out, struct chart *chart);

/* 1, 2, 2.5 or 5 times a power of ten, the least that is not below value; 1 for what is no positive number. */
double chart_nice(double value);
/* The distance of the labels on an axis of time of that length. */
double chart_time_step(double length_s);

#endif
