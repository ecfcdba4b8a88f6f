/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>

#include "cmd/straggler/straggler_figures.h"

static int number_add(json_t *object, const char *name, const char *suffix, double value)
{
	char key[64];

	snprintf(key, sizeof(key), "%s_%s", name, suffix);
	return json_object_set_new(object, key, isfinite(value) ? json_real(value) : json_null());
}

static int quantiles_add(json_t *object, const char *name, const struct wt_quantiles *q)
{
	int rc = number_add(object, name, "mean", q->mean) | number_add(object, name, "sd", q->sd);

	rc |= number_add(object, name, "min", q->min) | number_add(object, name, "decile1", q->decile1);
	rc |= number_add(object, name, "quartile1", q->quartile1) | number_add(object, name, "median", q->median);
	rc |= number_add(object, name, "quartile3", q->quartile3) | number_add(object, name, "decile9", q->decile9);
	return rc | number_add(object, name, "max", q->max);
}

int figures_json(json_t *object, const struct figures *f, struct wt_error *errp)
{
	int rc = json_object_set_new(object, "detector", json_string(f->detector));

	rc |= json_object_set_new(object, "runs", json_integer(f->runs));
	rc |= json_object_set_new(object, "runs_with_stragglers", json_integer(f->of[FALSE_NEGATIVE].count));
	rc |= json_object_set_new(object, "tasks_total", json_integer(f->tasks));
	rc |= json_object_set_new(object, "stragglers", json_integer(f->stragglers));
	rc |= json_object_set_new(object, "unknown", json_integer(f->unknown));
	rc |= json_object_set_new(object, "hung", json_integer(f->hung));
	rc |= json_object_set_new(object, "hung_missed", json_integer(f->hung_missed));
	rc |= json_object_set_new(object, "heartbeats", json_integer(f->heartbeats));
	rc |= json_object_set_new(object, "refused", json_integer(f->refused));
	for (int kind = 0; kind < FIGURE_KINDS; kind++)
		rc |= quantiles_add(object, figure_name(kind), &f->of[kind]);
	return rc ? wt_error_set(errp, ENOMEM, "no memory for JSON") : 0;
}

static int detectors_add(json_t *head, const struct figures *figures, size_t count, struct wt_error *errp)
{
	json_t *list;

	if (count == 1)
		return figures_json(head, figures, errp);
	list = json_array();
	if (json_object_set_new(head, "detectors", list) < 0)
		return wt_error_set(errp, ENOMEM, "no memory for JSON");
	for (size_t i = 0; i < count; i++) {
		json_t *one = json_object();

		if (json_array_append_new(list, one) < 0)
			return wt_error_set(errp, ENOMEM, "no memory for JSON");
		if (figures_json(one, &figures[i], errp) < 0)
			return -1;
	}
	return 0;
}

int figures_json_print(json_t *head, const struct figures *figures, size_t count, struct wt_error *errp)
{
	int rc = head ? detectors_add(head, figures, count, errp) : wt_error_set(errp, ENOMEM, "no memory for JSON");

	if (rc == 0 && json_dumpf(head, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) < 0)
		rc = wt_error_set(errp, EIO, "standard output: write failed");
	if (rc == 0)
		putchar('\n');
	json_decref(head);
	return rc;
}
