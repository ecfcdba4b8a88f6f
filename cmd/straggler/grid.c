/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "cmd/straggler/grid.h"
#include "lib/table.h"

static int count_late(const struct wt_trace *trace, size_t run, void *arg, struct wt_error *errp)
{
	struct cell *cell = arg;

	(void) run;
	(void) errp;
	for (size_t i = 0; i < trace->count; i++)
		cell->late += trace->heartbeats[i].received_s - trace->heartbeats[i].sent_s > 1;
	return 0;
}

static int cell_run(struct cell *cell, size_t runs, uint32_t seed, struct wt_error *errp)
{
	struct wt_tally tallies[CELL_DETECTORS] = { 0 };
	struct wt_study study = {
		.model = cell->model, .runs = runs, .seed = seed, .detectors = cell->detectors,
		.options = cell->options, .watch = count_late, .arg = cell,
	};
	int rc = wt_study_run(&study, tallies, errp);

	for (size_t i = 0; i < cell->detectors; i++) {
		cell->figures[i] = figures_of(cell->names[i], &tallies[i]);
		wt_tally_fini(&tallies[i]);
	}
	return rc;
}

int grid_run(struct cell *cells, size_t count, size_t runs, uint32_t seed, const char *name, struct wt_error *errp)
{
	int rc = 0;

	for (size_t i = 0; i < count && rc == 0; i++) {
		if (name)
			fprintf(stderr, "\r%s: %zu of %zu cells", name, i, count);
		/* A seed for each cell: a cell that is left out, or added at the end, changes no other. */
		rc = cell_run(&cells[i], runs, seed + i, errp);
	}
	if (name)
		fprintf(stderr, "\r%*s\r", (int) strlen(name) + 32, "");
	return rc;
}

void grid_paper(struct cell cells[PAPER_CELLS])
{
	static const double durations_s[] = { 10, 20, 50, 100 }, spreads[] = { 0, 0.1, 0.25 };
	static const int methods[] = { WT_STRAGGLER_SCORE, WT_STRAGGLER_RATE, WT_STRAGGLER_FRESH };

	for (size_t i = 0; i < PAPER_CELLS; i++) {
		struct cell *c = &cells[i];
		struct wt_trace_model m = wt_trace_model_defaults();

		/* From the fastest to the slowest: spread, duration, latency, starts, tasks. */
		m.tasks = i / 48 ? 10 : 50;
		m.starts = i / 24 % 2 ? WT_STARTS_SKEWED : WT_STARTS_UNIFORM;
		m.latency = i / 12 % 2 ? WT_LATENCY_PARETO : WT_LATENCY_NONE;
		m.duration_s = durations_s[i / 3 % 4];
		m.spread = spreads[i % 3];
		*c = (struct cell) { .model = m, .detectors = CELL_DETECTORS };
		snprintf(c->label, sizeof(c->label), "%g-%g s", m.duration_s * (1 - m.spread),
			 m.duration_s * (1 + m.spread));
		for (size_t d = 0; d < CELL_DETECTORS; d++) {
			c->options[d] = wt_trial_defaults(methods[d]);
			c->names[d] = wt_straggler_method_name(methods[d]);
		}
	}
}

static int value_cell(struct wt_table *table, const struct wt_quantiles *q)
{
	if (!q->count)
		return wt_table_cell(table, "-");
	return wt_table_cell(table, "%.2f (%.2f)", 100 * q->mean, 100 * q->median);
}

static int row_add(struct wt_table *table, const struct cell *c, size_t d)
{
	const struct figures *f = &c->figures[d];
	int rc = 0;

	rc |= wt_table_cell(table, "%s", d ? "" : c->label) | wt_table_cell(table, d ? "" : "%u", c->model.tasks);
	rc |= wt_table_cell(table, "%s", d ? "" : c->model.starts == WT_STARTS_SKEWED ? "skewed" : "uniform");
	rc |= wt_table_cell(table, "%s", d ? "" : c->model.latency == WT_LATENCY_PARETO ? "pareto" : "none");
	rc |= wt_table_cell(table, "%s", c->names[d]);
	rc |= value_cell(table, &f->of[FALSE_POSITIVE]) | value_cell(table, &f->of[FALSE_NEGATIVE]);
	rc |= value_cell(table, &f->of[LIFE_LEFT]);
	return rc | (f->hung ? wt_table_cell(table, "%.2f", 100.0 * f->hung_missed / f->hung) :
		     wt_table_cell(table, "-"));
}

static int table_fill(struct wt_table *table, const struct cell *cells, size_t count)
{
	static const char *const head[] = { "durations", "tasks", "starts", "latency", "detector", "false pos. %",
					    "false neg. %", "life left %", "hung missed %" };
	int rc = 0;

	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		rc |= wt_table_cell(table, "%s", head[i]);
	for (size_t i = 0; i < count; i++)
		for (size_t d = 0; d < cells[i].detectors; d++)
			rc |= row_add(table, &cells[i], d);
	return rc;
}

static int part_print(FILE *out, const struct cell *cells, size_t count, struct wt_error *errp)
{
	struct wt_table *table = wt_table_create("lrlllrrrr");

	if (!table || table_fill(table, cells, count) < 0) {
		wt_table_destroy(table);
		return wt_error_set(errp, ENOMEM, "no memory for a table");
	}
	if (cells[0].table)
		fprintf(out, "\n%s\n", cells[0].table);
	wt_table_print(table, out, "");
	wt_table_destroy(table);
	return 0;
}

int grid_print(FILE *out, const struct cell *cells, size_t count, struct wt_error *errp)
{
	/* Cells of one table stand beside each other, and point to the same text. */
	for (size_t i = 0, part; i < count; i += part) {
		for (part = 1; i + part < count && cells[i + part].table == cells[i].table; part++)
			;
		if (part_print(out, &cells[i], part, errp) < 0)
			return -1;
	}
	return 0;
}

static json_t *cell_json(const struct cell *c)
{
	json_t *row = json_pack("{s:s, s:i, s:f, s:f, s:s, s:s}", "label", c->label, "tasks", (int) c->model.tasks,
				"duration_s", c->model.duration_s, "spread", c->model.spread, "starts",
				c->model.starts == WT_STARTS_SKEWED ? "skewed" : "uniform", "latency",
				c->model.latency == WT_LATENCY_PARETO ? "pareto" : "none");

	if (row && c->table)
		json_object_set_new(row, "table", json_string(c->table));
	return row;
}

json_t *grid_json(const struct cell *cells, size_t count, struct wt_error *errp)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < count; i++) {
		for (size_t d = 0; d < cells[i].detectors; d++) {
			json_t *row = cell_json(&cells[i]);

			if (json_array_append_new(rows, row) < 0) {
				wt_error_set(errp, ENOMEM, "no memory for JSON");
				goto fail;
			}
			if (figures_json(row, &cells[i].figures[d], errp) < 0)
				goto fail;
		}
	}
	return rows;
fail:
	json_decref(rows);
	return NULL;
}

void grid_csv(FILE *out, const struct cell *cells, size_t count)
{
	char columns[200];

	figures_csv_header(out, "table,label,tasks,duration_s,spread,starts,latency,");
	for (size_t i = 0; i < count; i++) {
		const struct wt_trace_model *m = &cells[i].model;

		snprintf(columns, sizeof(columns), "\"%s\",\"%s\",%u,%g,%g,%s,%s,", cells[i].table ? cells[i].table : "",
			 cells[i].label, m->tasks, m->duration_s, m->spread,
			 m->starts == WT_STARTS_SKEWED ? "skewed" : "uniform",
			 m->latency == WT_LATENCY_PARETO ? "pareto" : "none");
		for (size_t d = 0; d < cells[i].detectors; d++)
			figures_csv(out, columns, &cells[i].figures[d]);
	}
}
