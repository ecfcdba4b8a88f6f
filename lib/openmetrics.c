/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/openmetrics.h"

#define NUMBER_SIZE 40

static void rule_broken(struct wt_openmetrics *om, const char *rule)
{
	if (!om->broken)
		wt_error_set(&om->error, EINVAL, "metrics: %s: %s", om->name, rule);
	om->broken = true;
}

/* ASCII letters only, whatever the locale is.  Colons are for rules of Prometheus. */
static bool name_valid(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";

	if (!*name || !strchr(letters, *name))
		return false;
	for (; *name; name++)
		if (!strchr(letters, *name) && !(*name >= '0' && *name <= '9'))
			return false;
	return true;
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), end_len = strlen(end);

	return len > end_len && !strcmp(text + len - end_len, end);
}

static const char *family_fault(const char *name, const char *unit)
{
	static const char *const suffixes[] = { "_total", "_created", "_bucket", "_count", "_sum", "_info",
						"_gcount", "_gsum" };

	if (!name_valid(name) || strlen(name) >= WT_METRIC_NAME_SIZE)
		return "is no name of a family";
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (ends_with(name, suffixes[i]))
			return "the name of a family ends in a suffix that only samples have";
	if (unit && (!name_valid(unit) || !ends_with(name, unit) || name[strlen(name) - strlen(unit) - 1] != '_'))
		return "the name does not end in its unit";
	return NULL;
}

/* true: the name is new. */
static bool name_keep(struct wt_openmetrics *om)
{
	char key[WT_METRIC_NAME_SIZE + 2];

	snprintf(key, sizeof(key), " %s ", om->name);
	/* All names in one text, with blanks around: there are some dozens. */
	if (om->names.text && strstr(om->names.text, key))
		return false;
	wt_str_add(&om->names, key);
	return true;
}

void wt_metric_family(struct wt_openmetrics *om, const char *name, enum wt_metric_type type, const char *unit,
		      const char *help)
{
	const char *fault = family_fault(name, unit);

	snprintf(om->name, sizeof(om->name), "%s", name);
	snprintf(om->unit, sizeof(om->unit), "%s", unit ? unit : "");
	om->type = type;
	om->help = help;
	om->begun = false;
	om->open = !fault;
	if (fault) {
		rule_broken(om, fault);
	} else if (!name_keep(om)) {
		rule_broken(om, "this family comes twice");
		om->open = false;
	}
}

static void escaped_write(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\\' || *text == '"')
			putc('\\', out);
		if (*text == '\n')
			fputs("\\n", out);
		else
			putc(*text, out);
	}
}

static bool head_write(struct wt_openmetrics *om)
{
	static const char *const types[] = { "gauge", "counter", "info", "histogram" };

	/* A family's head is written with its first sample: one without samples is left out. */
	if (!om->open || om->begun)
		return om->open;
	fprintf(om->out, "# TYPE %s %s\n", om->name, types[om->type]);
	if (*om->unit)
		fprintf(om->out, "# UNIT %s %s\n", om->name, om->unit);
	fprintf(om->out, "# HELP %s ", om->name);
	escaped_write(om->out, om->help);
	putc('\n', om->out);
	om->begun = true;
	return true;
}

static void value_text(char text[NUMBER_SIZE], double value)
{
	if (isnan(value))
		strcpy(text, "NaN");
	else if (isinf(value))
		strcpy(text, value > 0 ? "+Inf" : "-Inf");
	else
		snprintf(text, NUMBER_SIZE, "%.15g", value);
	if (isfinite(value) && strtod(text, NULL) != value)	/* the shortest that is read back as the same */
		snprintf(text, NUMBER_SIZE, "%.17g", value);
}

static void label_write(struct wt_openmetrics *om, char *separator, const struct wt_metric_label *label)
{
	char *line;

	if (!label->value)
		return;
	if (!name_valid(label->name) || !strncmp(label->name, "__", 2) || !strcmp(label->name, "le")) {
		rule_broken(om, "is no name of a label");
		return;
	}
	line = wt_str_make_line(label->value, strlen(label->value) + 3);
	if (!line) {
		om->names.failed = true;
		return;
	}
	fprintf(om->out, "%c%s=\"", *separator, label->name);
	escaped_write(om->out, line);
	putc('"', om->out);
	*separator = ',';
	free(line);
}

/* NAME_SUFFIX{LABELS,le="BOUND"} VALUE TIME; 'bound' may be NULL. */
static void sample_write(struct wt_openmetrics *om, const char *suffix, const struct wt_metric_label *labels,
			 const char *bound, const char *value)
{
	char separator = '{';

	fprintf(om->out, "%s%s", om->name, suffix);
	for (; labels && labels->name; labels++)
		label_write(om, &separator, labels);
	if (bound) {
		fprintf(om->out, "%cle=\"%s\"", separator, bound);
		separator = ',';
	}
	fprintf(om->out, "%s %s", separator == ',' ? "}" : "", value);
	if (isfinite(om->time_s))
		fprintf(om->out, " %.3f", om->time_s);
	putc('\n', om->out);
}

static bool type_fits(struct wt_openmetrics *om, bool fits)
{
	if (om->open && !fits)
		rule_broken(om, "this metric is of another type than its family");
	return om->open && fits;
}

void wt_metric_value(struct wt_openmetrics *om, const struct wt_metric_label *labels, double value)
{
	bool counter = om->type == WT_METRIC_COUNTER;
	char text[NUMBER_SIZE];

	if (!type_fits(om, counter || om->type == WT_METRIC_GAUGE) || (isnan(value) && !counter))
		return;
	if (counter && !(isfinite(value) && value >= 0)) {
		rule_broken(om, "a counter is neither negative nor unknown");
		return;
	}
	value_text(text, value);
	if (head_write(om))
		sample_write(om, counter ? "_total" : "", labels, NULL, text);
}

void wt_metric_count(struct wt_openmetrics *om, const struct wt_metric_label *labels, uint64_t value)
{
	bool counter = om->type == WT_METRIC_COUNTER;
	char text[NUMBER_SIZE];

	if (!type_fits(om, counter || om->type == WT_METRIC_GAUGE))
		return;
	snprintf(text, sizeof(text), "%llu", (unsigned long long) value);
	if (head_write(om))
		sample_write(om, counter ? "_total" : "", labels, NULL, text);
}

void wt_metric_info(struct wt_openmetrics *om, const struct wt_metric_label *labels)
{
	if (type_fits(om, om->type == WT_METRIC_INFO) && head_write(om))
		sample_write(om, "_info", labels, NULL, "1");
}

static bool buckets_valid(const double *bounds, const uint64_t *counts, size_t bucket_count, uint64_t count)
{
	for (size_t i = 0; i < bucket_count; i++)
		if (!isfinite(bounds[i]) || counts[i] > count ||
		    (i && (bounds[i] <= bounds[i - 1] || counts[i] < counts[i - 1])))
			return false;
	return true;
}

/* As OpenMetrics wants bounds to be written: a number with a point or an exponent in it. */
static void bound_text(char text[NUMBER_SIZE], double bound)
{
	value_text(text, bound);
	if (isfinite(bound) && !strpbrk(text, ".e"))
		strcat(text, ".0");
}

void wt_metric_histogram(struct wt_openmetrics *om, const struct wt_metric_label *labels, const double *bounds,
			 const uint64_t *counts, size_t bucket_count, uint64_t count, double sum)
{
	char bound[NUMBER_SIZE], text[NUMBER_SIZE];

	if (!type_fits(om, om->type == WT_METRIC_HISTOGRAM))
		return;
	if (!buckets_valid(bounds, counts, bucket_count, count) || !isfinite(sum) || sum < 0) {
		rule_broken(om, "bounds or counts of a histogram fall, or its sum is none");
		return;
	}
	head_write(om);
	for (size_t i = 0; i <= bucket_count; i++) {
		snprintf(text, sizeof(text), "%llu", (unsigned long long) (i < bucket_count ? counts[i] : count));
		bound_text(bound, i < bucket_count ? bounds[i] : INFINITY);
		sample_write(om, "_bucket", labels, bound, text);
	}
	snprintf(text, sizeof(text), "%llu", (unsigned long long) count);
	sample_write(om, "_count", labels, NULL, text);
	value_text(text, sum);
	sample_write(om, "_sum", labels, NULL, text);
}

int wt_openmetrics_end(struct wt_openmetrics *om, struct wt_error *errp)
{
	bool failed = om->names.failed;

	fputs("# EOF\n", om->out);
	wt_str_clear(&om->names);
	om->open = false;
	if (failed)
		return wt_error_errno(errp, ENOMEM, "metrics");
	return om->broken ? wt_error_set(errp, EINVAL, "%s", om->error.text) : 0;
}
