/* openmetrics.h - write metrics as OpenMetrics text (https://openmetrics.io, version 1.0.0), for a file or for the reply to
 * Prometheus.
 *
 *   struct wt_openmetrics om = { .out = out, .time_s = NAN };
 *   wt_metric_family(&om, "windtunnel_wait_seconds", WT_METRIC_GAUGE, "seconds", "How long the jobs waited.");
 *   wt_metric_value(&om, labels, 12.5);
 *   rc = wt_openmetrics_end(&om, &error);
 *
 * A family's metrics follow its head; no family comes twice.  What breaks a rule of the format is left out, and told by
 * wt_openmetrics_end.  Errors of the stream stick to it (ferror).  No files, no clock.  One thread at a time for each
 * object; the decimal point is that of the C locale. */
#ifndef WT_LIB_OPENMETRICS_H
#define WT_LIB_OPENMETRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/error.h"
#include "lib/str.h"

#define WT_OPENMETRICS_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"	/* for Content-Type */
#define WT_METRIC_NAME_SIZE 128

enum wt_metric_type {
	WT_METRIC_GAUGE,
	WT_METRIC_COUNTER,	/* only grows; its samples are called NAME_total */
	WT_METRIC_INFO,		/* texts that do not change, as labels; NAME_info */
	WT_METRIC_HISTOGRAM,	/* NAME_bucket, NAME_count, NAME_sum */
};

/* An array of them ends with { NULL, NULL }, and NULL is an array without any.  A name is [a-zA-Z_][a-zA-Z0-9_]*, not "le",
 * and does not begin with "__".  A value is foreign text: what is no UTF-8 and control characters become '?', the rest is
 * escaped.  A value of NULL: the label is left out.  No two metrics of a family may have the same labels: that is not looked
 * at. */
struct wt_metric_label {
	const char *name, *value;
};

struct wt_openmetrics {		/* { .out = stream, .time_s = NAN } */
	FILE *out;
	double time_s;		/* timestamp of the samples that follow, seconds since the epoch; NAN: none */
	/* private */
	bool open, begun, broken;
	enum wt_metric_type type;
	char name[WT_METRIC_NAME_SIZE], unit[WT_METRIC_NAME_SIZE];
	const char *help;
	struct wt_str names;	/* of all families, each between two blanks */
	struct wt_error error;
};

/* Begin a family.  'name' has no suffix of a type ("_total", ...), and ends with "_UNIT" where it has a unit ("seconds",
 * "bytes", "ratio"; NULL: none); counters and gauges of things are called by the thing.  'help' is a sentence, and must live
 * until the next family.  The head is written with the first metric: a family without metrics is not there. */
void wt_metric_family(struct wt_openmetrics *om, const char *name, enum wt_metric_type type, const char *unit,
		      const char *help);

/* A metric of a gauge or a counter (finite, not negative).  A gauge that is not known (NAN) is left out. */
void wt_metric_value(struct wt_openmetrics *om, const struct wt_metric_label *labels, double value);
void wt_metric_count(struct wt_openmetrics *om, const struct wt_metric_label *labels, uint64_t value);

void wt_metric_info(struct wt_openmetrics *om, const struct wt_metric_label *labels);

/* counts[i] of the values are at most bounds[i], of 'count' values in all, whose sum is 'sum' (finite, not negative). Bounds
 * rise and are finite; counts do not fall, and none is above 'count'. */
void wt_metric_histogram(struct wt_openmetrics *om, const struct wt_metric_label *labels, const double *bounds,
			 const uint64_t *counts, size_t bucket_count, uint64_t count, double sum);

/* The end mark.  To be called once in any case: it frees.  0 (look at ferror), or -1 with EINVAL (the first rule that was
 * broken, and where) or ENOMEM. */
int wt_openmetrics_end(struct wt_openmetrics *om, struct wt_error *errp);

#endif
