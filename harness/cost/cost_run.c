/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cost/cost_run.h"
#include "lib/fs.h"
#include "lib/str.h"
#include "topology/hostlist.h"

int cost_power_read(const char *dir, struct wt_power_log *log, struct wt_error *errp)
{
	char *path = wt_str_format("%s/" WT_POWER_FILE, dir);
	struct wt_error error;
	FILE *in = path ? wt_fs_stream_regular(path, &error) : NULL;
	int rc = -1;

	*log = (struct wt_power_log) { 0 };
	if (!path)
		wt_error_errno(errp, ENOMEM, "%s", dir);
	else if (in)
		rc = wt_power_log_read(log, in, path, errp);
	else if (errno == ENOENT)
		rc = 0;
	else
		wt_error_set(errp, errno, "%s", error.text);
	if (in)
		fclose(in);
	free(path);
	return rc;
}

/* ---- when jobs had which nodes ------------------------------------------------------------------------------------ */

struct taken {			/* a node by a job */
	uint32_t node;
	struct cost_span span;
};

struct taking {
	struct cost_run *run;
	struct taken *list;
	size_t count, capacity;
};

static int64_t us(double seconds)
{
	return llround(seconds * 1e6);
}

/* A hundred years from the begin are a fault of the file, and no time of this run. */
static bool near(double time_s, double begin_s)
{
	return isfinite(time_s) && fabs(time_s - begin_s) < 100 * 366 * 86400.0;
}

/* NAN or far: it has not ended.  What was released of a life before, the job being pending again, does not count. */
static double job_over_s(const struct wt_job_record *job, double begin_s)
{
	return near(job->release_s, begin_s) && job->release_s > job->end_s ? job->release_s : job->end_s;
}

static int window_make(struct cost_run *run, const struct wt_record *record, struct wt_error *errp)
{
	double last_s = NAN;

	for (size_t i = 0; i < record->job_count; i++) {
		double over_s = job_over_s(&record->jobs[i], record->begin_s);

		if (near(over_s, record->begin_s))
			last_s = fmax(last_s, over_s);
	}
	if (!isfinite(record->begin_s) || fabs(record->begin_s) > 1e12 || !(last_s > record->begin_s))
		return wt_error_set(errp, EINVAL, "no job has ended: there is no time to bill");
	run->window = (struct cost_span) { us(record->begin_s), us(last_s) };
	return 0;
}

static int taken_add(struct taking *t, uint32_t node, const struct cost_span *span)
{
	size_t capacity = t->capacity ? 2 * t->capacity : 256;
	struct taken *more;

	if (t->count == t->capacity) {
		more = reallocarray(t->list, capacity, sizeof(*more));
		if (!more)
			return -1;
		t->list = more;
		t->capacity = capacity;
	}
	t->list[t->count++] = (struct taken) { node, *span };
	return 0;
}

static int job_take(struct taking *t, const struct wt_job_record *job, double begin_s, struct wt_error *errp)
{
	double over_s = job_over_s(job, begin_s);
	struct cost_span span = { 0, t->run->window.to_us };
	struct wt_hostlist *nodes;
	int rc = 0;

	if (!job->node_list || !*job->node_list || !near(job->start_s, begin_s))
		return 0;
	span.from_us = us(job->start_s);
	if (near(over_s, begin_s))
		span.to_us = us(over_s);
	nodes = wt_hostlist_parse(job->node_list, strlen(job->node_list), COST_CLASS_NODES_MAX, errp);
	if (!nodes)
		return wt_error_prefix(errp, "nodes of job %u", job->job_id);
	if (t->count + wt_hostlist_count(nodes) > COST_NODES_MAX || t->run->power.name_count > COST_NAMES_MAX)
		rc = wt_error_set(errp, E2BIG, "jobs had more than %d nodes in all, or more than %d names of nodes",
				  COST_NODES_MAX, COST_NAMES_MAX);
	for (size_t i = 0; rc == 0 && i < wt_hostlist_count(nodes); i++) {
		uint32_t node = wt_power_log_node_add(&t->run->power, wt_hostlist_name(nodes, i));

		if (node == WT_POWER_NODE_NONE || taken_add(t, node, &span) < 0)
			rc = wt_error_errno(errp, ENOMEM, "costs");
	}
	wt_hostlist_destroy(nodes);
	return rc;
}

static int taken_compare(const void *a, const void *b)
{
	const struct taken *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return (x->span.from_us > y->span.from_us) - (x->span.from_us < y->span.from_us);
}

/* Where each node's part of the two lists begins. */
static int places_make(struct cost_run *run, const struct taken *taken, struct wt_error *errp)
{
	size_t nodes = run->power.name_count, row = 0, busy = 0;

	run->busy_first = calloc(nodes + 1, sizeof(*run->busy_first));
	run->row_first = calloc(nodes + 1, sizeof(*run->row_first));
	run->busy = calloc(run->busy_count + 1, sizeof(*run->busy));
	if (!run->busy_first || !run->row_first || !run->busy)
		return wt_error_errno(errp, ENOMEM, "costs");
	for (size_t node = 0; node < nodes; node++) {
		run->row_first[node] = row;
		run->busy_first[node] = busy;
		while (row < run->power.count && run->power.rows[row].node == node)
			row++;
		for (; busy < run->busy_count && taken[busy].node == node; busy++)
			run->busy[busy] = taken[busy].span;
	}
	run->row_first[nodes] = row;
	run->busy_first[nodes] = busy;
	return 0;
}

/* Nodes of a class that neither ran a job nor were switched are among those that the machine has besides. */
static int class_names_add(struct cost_run *run, const char *text, uint32_t nodes_max, struct wt_error *errp)
{
	struct wt_hostlist *nodes = wt_hostlist_parse(text, strlen(text), COST_CLASS_NODES_MAX, errp);
	int rc = nodes ? 0 : -1;

	for (size_t i = 0; rc == 0 && i < wt_hostlist_count(nodes); i++) {
		const char *name = wt_hostlist_name(nodes, i);

		if (wt_power_log_node(&run->power, name) != WT_POWER_NODE_NONE)
			continue;
		if (run->power.name_count >= nodes_max)
			rc = wt_error_set(errp, EINVAL, "%s: the machine has no node %s", text, name);
		else if (wt_power_log_node_add(&run->power, name) == WT_POWER_NODE_NONE)
			rc = wt_error_errno(errp, ENOMEM, "costs");
	}
	wt_hostlist_destroy(nodes);
	return rc;
}

int cost_run_make(struct cost_run *run, const struct wt_record *record, const struct cost_settings *settings,
		  struct wt_power_log *power, struct wt_error *errp)
{
	struct taking t = { .run = run };
	int rc;

	*run = (struct cost_run) { .power = *power };
	*power = (struct wt_power_log) { 0 };
	rc = window_make(run, record, errp);
	for (size_t i = 0; rc == 0 && i < record->job_count; i++)
		rc = job_take(&t, &record->jobs[i], record->begin_s, errp);
	for (size_t c = 1; rc == 0 && c < settings->class_count; c++)
		rc = class_names_add(run, settings->classes[c].nodes, record->nodes, errp);
	if (rc == 0 && t.count)
		qsort(t.list, t.count, sizeof(*t.list), taken_compare);
	run->busy_count = t.count;
	if (rc == 0)
		rc = places_make(run, t.list, errp);
	if (rc == 0 && record->nodes > run->power.name_count)
		run->others = record->nodes - run->power.name_count;
	free(t.list);
	return rc;
}

void cost_run_clear(struct cost_run *run)
{
	wt_power_log_clear(&run->power);
	free(run->busy);
	free(run->busy_first);
	free(run->row_first);
	*run = (struct cost_run) { 0 };
}

struct cost_node cost_run_node(const struct cost_run *run, uint32_t at)
{
	return (struct cost_node) {
		.rows = &run->power.rows[run->row_first[at]], .row_count = run->row_first[at + 1] - run->row_first[at],
		.busy = &run->busy[run->busy_first[at]], .busy_count = run->busy_first[at + 1] - run->busy_first[at],
	};
}

/* ---- by class ----------------------------------------------------------------------------------------------------- */

static int class_nodes_take(const struct cost_run *run, const char *text, uint32_t class, uint32_t *class_of,
			    struct wt_error *errp)
{
	struct wt_hostlist *nodes = wt_hostlist_parse(text, strlen(text), COST_CLASS_NODES_MAX, errp);

	if (!nodes)
		return -1;
	for (size_t i = 0; i < wt_hostlist_count(nodes); i++)
		class_of[wt_power_log_node(&run->power, wt_hostlist_name(nodes, i))] = class;
	wt_hostlist_destroy(nodes);
	return 0;
}

/* Nodes without a name are all alike, and may be many. */
static void others_add(const struct cost_run *run, const struct cost_tariff *tariff, struct cost_sums *sums)
{
	static const struct cost_node nothing;
	struct cost_sums others = { 0 };

	if (!run->others)
		return;
	cost_node_add(&others, tariff, &nothing, &run->window);
	cost_sums_times(&others, run->others);
	cost_sums_add(sums, &others);
}

static void sums_fill(const struct cost_run *run, const struct cost_settings *settings, const uint32_t *class_of,
		      struct cost_sums *sums)
{
	size_t classes = settings->class_count ? settings->class_count : 1;
	struct cost_tariff tariff;

	for (size_t c = 0; c < classes; c++) {
		cost_tariff_make(settings, c, &tariff);
		sums[c] = (struct cost_sums) { 0 };
		for (uint32_t n = 0; n < run->power.name_count; n++) {
			struct cost_node node = cost_run_node(run, n);

			if (class_of[n] == c)
				cost_node_add(&sums[c], &tariff, &node, &run->window);
		}
		if (c == 0)
			others_add(run, &tariff, &sums[c]);
	}
}

int cost_run_bill(const struct cost_run *run, const struct cost_settings *settings, struct cost_sums *sums,
		  struct wt_error *errp)
{
	uint32_t *class_of = calloc((size_t) run->power.name_count + 1, sizeof(*class_of));
	int rc = class_of ? 0 : wt_error_errno(errp, ENOMEM, "costs");

	for (size_t c = 1; rc == 0 && c < settings->class_count; c++)
		rc = class_nodes_take(run, settings->classes[c].nodes, (uint32_t) c, class_of, errp);
	if (rc == 0)
		sums_fill(run, settings, class_of, sums);
	free(class_of);
	return rc;
}

/* ---- what is told ------------------------------------------------------------------------------------------------- */

static void all_add(struct cost_sums *all, const struct cost_settings *settings, const struct cost_sums *sums)
{
	*all = (struct cost_sums) { 0 };
	for (size_t c = 0; c < (settings->class_count ? settings->class_count : 1); c++)
		if (sums[c].nodes)	/* a class without nodes may be without a price */
			cost_sums_add(all, &sums[c]);
}

void cost_figures_fill(struct wt_record *record, const struct cost_settings *settings, const struct cost_sums *sums)
{
	struct cost_sums all;
	double *to = record->costs;

	all_add(&all, settings, sums);
	to[WT_COST_NODES_BUSY] = all.node_s[COST_BUSY];
	to[WT_COST_NODES_IDLE] = all.node_s[COST_IDLE];
	to[WT_COST_NODES_BOOTING] = all.node_s[COST_BOOTING];
	to[WT_COST_NODES_STOPPING] = all.node_s[COST_STOPPING];
	to[WT_COST_NODES_OFF] = all.node_s[COST_OFF];
	to[WT_COST_BOOTS] = (double) all.boots;
	to[WT_COST_BOOTS_LOST] = (double) all.boots_lost;
	to[WT_COST_UNITS] = all.units;
	to[WT_COST_BILLED] = all.billed_node_s;
	to[WT_COST_PRICE] = all.cost;
	to[WT_COST_PRICE_ALWAYS] = all.always_cost;
	to[WT_COST_ENERGY] = all.energy_kwh;
	to[WT_COST_ENERGY_ALWAYS] = all.always_energy_kwh;
}

static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *tariff_json(const struct cost_tariff *t)
{
	return json_pack("{s:o, s:f, s:f, s:b, s:b, s:o, s:o, s:o, s:o, s:o}", "price_per_node_hour", number(t->price),
			 "unit_s", (double) t->unit_us / 1e6, "minimum_s", (double) t->minimum_us / 1e6, "boot_paid",
			 (int) t->boot_paid, "stop_paid", (int) t->stop_paid, "busy_watts", number(t->watts[COST_BUSY]),
			 "idle_watts", number(t->watts[COST_IDLE]), "boot_watts", number(t->watts[COST_BOOTING]),
			 "stop_watts", number(t->watts[COST_STOPPING]), "off_watts", number(t->watts[COST_OFF]));
}

static json_t *sums_json(const struct cost_sums *s)
{
	return json_pack("{s:I, s:f, s:f, s:f, s:f, s:f, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:o, s:o, s:f, s:f, s:o, "
			 "s:o}",
			 "nodes", (json_int_t) s->nodes, "node_busy_s", s->node_s[COST_BUSY], "node_idle_s",
			 s->node_s[COST_IDLE], "node_booting_s", s->node_s[COST_BOOTING], "node_stopping_s",
			 s->node_s[COST_STOPPING], "node_off_s", s->node_s[COST_OFF], "machines", (json_int_t) s->rentals,
			 "boots", (json_int_t) s->boots, "boots_lost", (json_int_t) s->boots_lost, "stock_outs",
			 (json_int_t) s->stock_outs, "taken", (json_int_t) s->taken, "node_unseen_s",
			 s->unseen_node_s, "billed_units", s->units,
			 "node_billed_s", s->billed_node_s, "cost", number(s->cost), "energy_kwh", number(s->energy_kwh),
			 "always_on_units", s->always_units, "node_always_on_s", s->always_billed_node_s, "cost_always_on",
			 number(s->always_cost), "energy_always_on_kwh", number(s->always_energy_kwh));
}

static json_t *class_json(const struct cost_settings *settings, size_t class, const struct cost_sums *sums)
{
	const char *nodes = settings->class_count ? settings->classes[class].nodes : NULL;
	json_t *json = sums_json(sums);
	struct cost_tariff tariff;

	cost_tariff_make(settings, class, &tariff);
	if (json && json_object_set_new(json, "node_list", nodes ? json_string(nodes) : json_null()) == 0 &&
	    json_object_set_new(json, "tariff", tariff_json(&tariff)) == 0)
		return json;
	json_decref(json);
	return NULL;
}

json_t *cost_json(const struct cost_run *run, const struct cost_settings *settings, const struct cost_sums *sums)
{
	json_t *classes = json_array(), *json;

	for (size_t c = 0; classes && c < (settings->class_count ? settings->class_count : 1); c++)
		if (json_array_append_new(classes, class_json(settings, c, &sums[c])) < 0) {
			json_decref(classes);
			classes = NULL;
		}
	json = classes ? json_pack("{s:f, s:o}", "billed_time_s",
				   (double) (run->window.to_us - run->window.from_us) / 1e6, "classes", classes) : NULL;
	if (!json)
		errno = ENOMEM;
	return json;
}
