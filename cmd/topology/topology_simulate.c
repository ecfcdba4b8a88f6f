/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel topology simulate: policies side by side on an ESP workload. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/topology/topology_options.h"
#include "cmd/topology/topology_verb.h"
#include "topology/bound.h"
#include "topology/hindsight.h"
#include "topology/simulate_record.h"
#include "esp/esp.h"
#include "lib/options.h"
#include "lib/str.h"
#include "lib/table.h"

struct placement_simulation {
	struct topology_options asked;
	struct wt_esp_options esp;
	uint64_t seed_first, seed_last;
	double end_weight;
	int exact_limits, bound, by_size;
	uint64_t rounds;	/* of a search in hindsight; 0: none */
	/* of the run */
	struct wt_tree *tree;
	uint32_t *capacity;
	struct wt_sim_machine machine;
};

#define SIZES_MAX 64	/* an ESP workload has some ten */

/* The jobs of one size, of all seeds. */
struct size_tally {
	uint64_t units;
	struct wt_score_tally tally;
};

/* Means over the seeds, and the extremes of what counts. */
struct means {
	double runs, makespan_s, utilization, wait_mean_s;
	struct wt_score_tally sum;
	struct wt_bound bound;		/* sums, too */
	double found;			/* in hindsight, on the highest level */
	struct size_tally sizes[SIZES_MAX];	/* rising */
	size_t size_count;
};

enum {
	KEY_VARIANT = 256, KEY_UNIT, KEY_SEEDS, KEY_END, KEY_RELEASE, KEY_WAIT, KEY_COMPLETING, KEY_CYCLE, KEY_BACKFILL,
	KEY_BOUND, KEY_BY_SIZE, KEY_HINDSIGHT, KEY_EXACT
};

static const struct argp_option options[] = {
	TOPOLOGY_ROW_POLICY("all"),
	{ "variant", KEY_VARIANT, "esp|light|parallel-light", 0, "The workload (default: light)", 0 },
	{ "unit", KEY_UNIT, "nodes|cpus", 0, "Whole nodes (default), or CPUs of shared nodes", 0 },
	TOPOLOGY_ROW_CPUS("With --unit cpus (default: 16)"),
	{ "seeds", KEY_SEEDS, "FIRST-LAST", 0, "Orders of the workload (default: 1-10); figures are means over them", 0 },
	{ "end-weight", KEY_END, "W", WT_OPTION_RARE, "Best fit looks at planned ends (default: 0.1; 0: not)", 0 },
	{ "wait", KEY_WAIT, "S,S,...", 0,
	  "Hold a job back up to S seconds while it would touch more switches of a level than its "
	  "size needs; the leaves first: 0,20 waits for intermediate switches (default: 0)", 0 },
	{ "wait-completing", KEY_COMPLETING, "S,S,...", 0,
	  "The same, but only while fewer would do if the nodes that complete were free already (default: 0)", 0 },
	{ "epilog-msg-time", KEY_RELEASE, "US", 0,
	  "Nodes of a job become free one after the other, so many microseconds apart "
	  "(default: 0; Slurm's is 2000)", 0 },
	{ "cycle-period", KEY_CYCLE, "S", WT_OPTION_RARE,
	  "While jobs wait, the queue is looked at every S seconds (default: 0, with each event; "
	  "slurmctld under load: 3)", 0 },
	{ "backfill-period", KEY_BACKFILL, "S", WT_OPTION_RARE, "The same of backfill (default: 0; slurmctld: 30)", 0 },
	{ "bound", KEY_BOUND, NULL, 0,
	  "How many jobs could be optimal absolutely at most, starting and ending as they did, on whatever nodes", 0 },
	{ "hindsight", KEY_HINDSIGHT, "ROUNDS", WT_OPTION_RARE,
	  "How many jobs a search of so many rounds places optimally on the highest level, with the same starts and "
	  "ends", 0 },
	{ "by-size", KEY_BY_SIZE, NULL, WT_OPTION_RARE, "A second table: the jobs of each size", 0 },
	{ "exact-limits", KEY_EXACT, NULL, WT_OPTION_RARE, "Time limits are the run times, not rounded up to minutes", 0 },
	TOPOLOGY_ROW_JSON("Print JSON"),
	{ 0 }
};

static int seeds_read(struct placement_simulation *s, const char *arg, struct wt_error *errp)
{
	char *dash = strchr(arg, '-'), first[32];
	size_t len = dash ? (size_t) (dash - arg) : strlen(arg);

	snprintf(first, sizeof(first), "%.*s", (int) (len < sizeof(first) ? len : sizeof(first)), arg);
	if (wt_str_to_u64(first, 0, UINT32_MAX, "--seeds", &s->seed_first, errp) < 0)
		return -1;
	s->seed_last = s->seed_first;
	if (dash && wt_str_to_u64(dash + 1, s->seed_first, UINT32_MAX, "--seeds", &s->seed_last, errp) < 0)
		return -1;
	return 0;
}

static int number_read(const char *arg, const char *option, double *value, struct wt_error *errp)
{
	char *end;

	*value = strtod(arg, &end);
	if (end == arg || *end || !isfinite(*value) || *value < 0)
		return wt_error_set(errp, EINVAL, "%s: '%s' is not a number from 0 up", option, arg);
	return 0;
}

static int waits_read(double *waits_s, const char *arg, const char *option, struct wt_error *errp)
{
	const char *at = arg;
	char *end;

	for (uint32_t l = 0; l < WT_TREE_LEVELS_MAX; l++) {
		double wait_s = strtod(at, &end);

		if (end == at || !isfinite(wait_s) || wait_s < 0 || (*end && *end != ','))
			break;
		waits_s[l] = wait_s;
		if (!*end)
			return 0;
		at = end + 1;
	}
	return wt_error_set(errp, EINVAL, "%s: '%s' is not a list of seconds like 0,20", option, arg);
}

static int option_read(struct placement_simulation *s, int key, char *arg, struct wt_error *errp)
{
	uint64_t value;
	int rc = 0;

	switch (key) {
	case KEY_VARIANT:
		return wt_esp_variant_parse(arg, &s->esp.variant, errp);
	case KEY_UNIT:
		return wt_esp_unit_parse(arg, &s->esp.unit, errp);
	case KEY_SEEDS:
		return seeds_read(s, arg, errp);
	case KEY_END:
		return number_read(arg, "--end-weight", &s->end_weight, errp);
	case KEY_WAIT:
		return waits_read(s->machine.wait_s, arg, "--wait", errp);
	case KEY_COMPLETING:
		return waits_read(s->machine.completing_wait_s, arg, "--wait-completing", errp);
	case KEY_RELEASE:
		rc = wt_str_to_u64(arg, 0, 1000000, "--epilog-msg-time", &value, errp);
		s->machine.release_step_s = rc == 0 ? (double) value / 1e6 : 0;
		break;
	case KEY_CYCLE:
		return number_read(arg, "--cycle-period", &s->machine.cycle_period_s, errp);
	case KEY_BACKFILL:
		return number_read(arg, "--backfill-period", &s->machine.backfill_period_s, errp);
	case KEY_BOUND:
		s->bound = 1;
		break;
	case KEY_HINDSIGHT:
		rc = wt_str_to_u64(arg, 1, 1000000000, "--hindsight", &s->rounds, errp);
		break;
	case KEY_BY_SIZE:
		s->by_size = 1;
		break;
	case KEY_EXACT:
		s->exact_limits = 1;
		break;
	}
	return rc;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct placement_simulation *s = state->input;
	struct wt_error err;

	if (key < KEY_VARIANT || key > KEY_EXACT)
		return topology_option_read(&s->asked, key, arg, state);
	if (option_read(s, key, arg, &err) < 0)
		argp_error(state, "%s", err.text);
	return 0;
}

static int job_order(const void *a, const void *b)
{
	const struct wt_sim_job *x = a, *y = b;

	return (x->submit_s > y->submit_s) - (x->submit_s < y->submit_s);
}

/* The jobs of a workload at their times of submission, with replies that take no time.  Z, which is every node alone, is
 * left out, as in Table 2 of Georgiou and Hautreux 2012.  Caller frees. */
static struct wt_sim_job *jobs_make(const struct placement_simulation *s, const struct wt_workload *w, size_t *count)
{
	struct wt_sim_job *jobs = calloc(w->job_count, sizeof(*jobs));

	*count = 0;
	for (size_t l = 0; jobs && l < w->lane_count; l++) {
		double now_s = 0;

		for (size_t i = w->lanes[l].first; i < w->lanes[l].first + w->lanes[l].count; i++) {
			const struct wt_job *from = &w->jobs[i];
			struct wt_sim_job *job = &jobs[*count];

			now_s += from->delay_s;
			if (w->lanes[l].stage > 0)
				continue;
			job->submit_s = now_s;
			job->run_time_s = from->run_time_s;
			/* Slurm keeps limits in whole minutes, and backfill plans with them. */
			job->time_limit_s = s->exact_limits ? from->run_time_s : ceil(from->time_limit_s / 60) * 60;
			job->units = from->nodes ? from->nodes : from->cpus;
			job->nodes_min = from->nodes ? from->nodes : 1;
			(*count)++;
		}
	}
	if (jobs)
		qsort(jobs, *count, sizeof(*jobs), job_order);
	return jobs;
}

static void means_add(struct means *m, const struct wt_sim_result *r)
{
	m->runs++;
	m->makespan_s += r->makespan_s;
	m->utilization += r->utilization;
	m->wait_mean_s += r->wait_mean_s;
	m->sum.jobs += r->tally.jobs;
	m->sum.levels = r->tally.levels;
	for (uint32_t l = 0; l < r->tally.levels; l++) {
		m->sum.absolute[l] += r->tally.absolute[l];
		m->sum.relative[l] += r->tally.relative[l];
	}
	m->sum.absolute_all += r->tally.absolute_all;
	m->sum.relative_all += r->tally.relative_all;
	m->sum.guessed += r->tally.guessed;
}

static struct size_tally *size_find(struct means *m, uint64_t units)
{
	size_t i = 0;

	while (i < m->size_count && m->sizes[i].units < units)
		i++;
	if (i < m->size_count && m->sizes[i].units == units)
		return &m->sizes[i];
	if (m->size_count == SIZES_MAX)
		return NULL;
	memmove(m->sizes + i + 1, m->sizes + i, (m->size_count++ - i) * sizeof(*m->sizes));
	m->sizes[i] = (struct size_tally) { .units = units };
	return &m->sizes[i];
}

static void sizes_add(struct means *m, const struct wt_tree *t, const struct wt_sim_job *jobs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct size_tally *size = size_find(m, jobs[i].units);

		if (size)
			wt_score_add(&size->tally, t, &jobs[i].verdict);
	}
}

static void bound_add(struct means *m, const struct wt_bound *b)
{
	for (uint32_t l = 0; l < b->levels; l++)
		m->bound.absolute[l] += b->absolute[l];
	m->bound.absolute_all += b->absolute_all;
}

/* What the same starts and ends would have allowed. */
static int record_add(struct placement_simulation *s, const struct wt_sim_record *record, struct means *m,
		      struct wt_error *errp)
{
	struct wt_bound bound;
	uint64_t found;

	if (s->bound) {
		if (wt_bound(s->tree, s->capacity, record->jobs, record->count, &bound, errp) < 0)
			return -1;
		bound_add(m, &bound);
	}
	if (s->rounds) {
		if (wt_hindsight(s->tree, s->capacity, record->jobs, record->count, s->rounds, 1, &found, errp) < 0)
			return -1;
		m->found += (double) found;
	}
	return 0;
}

/* One order of the jobs. */
static int jobs_run(struct placement_simulation *s, struct wt_policy *policy, struct wt_sim_job *jobs, size_t count,
		    struct means *m, struct wt_error *errp)
{
	struct wt_sim_result result;
	struct wt_sim_record record;
	int rc;

	if (wt_sim_record_init(&record, jobs, count, s->machine.release_step_s) < 0)
		return wt_error_errno(errp, errno, "simulation");
	s->machine.watch = s->bound || s->rounds ? &record.watch : NULL;
	rc = wt_simulate(&s->machine, policy, jobs, count, &result, errp);
	if (rc == 0) {
		means_add(m, &result);
		sizes_add(m, s->tree, jobs, count);
	}
	if (rc == 0)
		rc = record_add(s, &record, m, errp);
	wt_sim_record_clear(&record);
	return rc;
}

static int seed_run(struct placement_simulation *s, const char *policy_name, uint64_t seed, struct means *m,
		    struct wt_error *errp)
{
	struct wt_policy *policy = NULL;
	struct wt_sim_job *jobs = NULL;
	struct wt_workload *w;
	size_t count;
	int rc = -1;

	s->esp.shared.seed = seed;
	w = wt_esp_create(&s->esp, errp);
	if (!w)
		return -1;
	jobs = jobs_make(s, w, &count);
	wt_workload_destroy(w);
	if (!jobs)
		return wt_error_errno(errp, ENOMEM, "simulation");
	policy = wt_policy_create(policy_name, s->tree, s->capacity, s->end_weight, errp);
	if (policy)
		rc = jobs_run(s, policy, jobs, count, m, errp);
	wt_policy_destroy(policy);
	free(jobs);
	return rc;
}

static void row_print(struct wt_table *table, const char *name, const struct means *m,
		      const struct placement_simulation *s)
{
	double n = m->runs;

	wt_table_cell(table, "%s", name);
	for (uint32_t l = m->sum.levels; l-- > 0;)
		wt_table_cell(table, "%.1f", (double) m->sum.absolute[l] / n);
	wt_table_cell(table, "%.1f", (double) m->sum.absolute_all / n);
	for (uint32_t l = m->sum.levels; s->bound && l-- > 0;)
		wt_table_cell(table, "%.1f", (double) m->bound.absolute[l] / n);
	if (s->bound)
		wt_table_cell(table, "%.1f", (double) m->bound.absolute_all / n);
	if (s->rounds)
		wt_table_cell(table, "%.1f", m->found / n);
	for (uint32_t l = m->sum.levels; l-- > 0;)
		wt_table_cell(table, "%.1f", (double) m->sum.relative[l] / n);
	wt_table_cell(table, "%.1f", (double) m->sum.relative_all / n);
	wt_table_cell(table, "%.1f", m->makespan_s / n);
	wt_table_cell(table, "%.3f", m->utilization / n);
	wt_table_cell(table, "%.1f", m->wait_mean_s / n);
}

/* A column for each level, the highest first, and one for all of them. */
static void columns_add(struct wt_table *table, const char *what, uint32_t levels)
{
	for (uint32_t l = levels; l-- > 0;)
		wt_table_cell(table, "%s%u", what, l);
	wt_table_cell(table, "%s-all", what);
}

/* Printed at once: the table of the policies comes behind it. */
static int sizes_print(const char *name, const struct means *m)
{
	char align[WT_TREE_LEVELS_MAX + 8] = "rr";
	struct wt_table *table;

	for (uint32_t l = 0; l <= m->sum.levels; l++)
		strcat(align, "r");
	table = wt_table_create(align);
	if (!table)
		return -1;
	wt_table_cell(table, "%s: size", name);
	wt_table_cell(table, "jobs");
	columns_add(table, "abs", m->sum.levels);
	for (size_t i = 0; i < m->size_count; i++) {
		const struct wt_score_tally *tally = &m->sizes[i].tally;

		wt_table_cell(table, "%llu", (unsigned long long) m->sizes[i].units);
		wt_table_cell(table, "%.1f", (double) tally->jobs / m->runs);
		for (uint32_t l = m->sum.levels; l-- > 0;)
			wt_table_cell(table, "%.1f", (double) tally->absolute[l] / m->runs);
		wt_table_cell(table, "%.1f", (double) tally->absolute_all / m->runs);
	}
	wt_table_print(table, stdout, "");
	wt_table_destroy(table);
	return 0;
}

static struct wt_table *table_create(uint32_t levels, const struct placement_simulation *s)
{
	char align[3 * WT_TREE_LEVELS_MAX + 8] = "l";
	struct wt_table *table;

	for (uint32_t i = 0; i < (s->bound ? 3 : 2) * (levels + 1) + 3 + (s->rounds > 0); i++)
		strcat(align, "r");
	table = wt_table_create(align);
	if (!table)
		return NULL;
	wt_table_cell(table, "policy");
	columns_add(table, "abs", levels);
	if (s->bound)
		columns_add(table, "max", levels);
	if (s->rounds)
		wt_table_cell(table, "found%u", levels - 1);
	columns_add(table, "rel", levels);
	wt_table_cell(table, "makespan_s");
	wt_table_cell(table, "utilization");
	wt_table_cell(table, "wait_mean_s");
	return table;
}

static json_t *sizes_json(const struct means *m)
{
	json_t *sizes = json_array();

	for (size_t i = 0; i < m->size_count; i++) {
		const struct wt_score_tally *tally = &m->sizes[i].tally;
		json_t *levels = json_array();

		for (uint32_t l = 0; l < m->sum.levels; l++)
			json_array_append_new(levels, json_real((double) tally->absolute[l] / m->runs));
		json_array_append_new(sizes, json_pack("{s:I, s:f, s:o, s:f}", "size", (json_int_t) m->sizes[i].units,
						       "jobs", (double) tally->jobs / m->runs, "optimal_absolute", levels,
						       "optimal_absolute_all", (double) tally->absolute_all / m->runs));
	}
	return sizes;
}

static json_t *row_json(const char *name, const struct means *m, const struct placement_simulation *s)
{
	json_t *levels = json_array(), *row;
	double n = m->runs;

	for (uint32_t l = 0; l < m->sum.levels; l++)
		json_array_append_new(levels, json_pack("{s:i, s:f, s:f}", "level", (int) l, "optimal_absolute",
							(double) m->sum.absolute[l] / n, "optimal_relative",
							(double) m->sum.relative[l] / n));
	for (uint32_t l = 0; s->bound && l < m->sum.levels; l++)
		json_object_set_new(json_array_get(levels, l), "bound_absolute",
				    json_real((double) m->bound.absolute[l] / n));
	if (s->rounds)
		json_object_set_new(json_array_get(levels, m->sum.levels - 1), "found_absolute", json_real(m->found / n));
	row = json_pack("{s:s, s:f, s:o, s:{s:f, s:f}, s:f, s:f, s:f, s:I}", "policy", name, "jobs",
			 (double) m->sum.jobs / n, "levels", levels, "all_levels", "optimal_absolute",
			 (double) m->sum.absolute_all / n, "optimal_relative", (double) m->sum.relative_all / n,
			 "makespan_s", m->makespan_s / n, "utilization", m->utilization / n, "wait_mean_s",
			 m->wait_mean_s / n, "guessed", (json_int_t) m->sum.guessed);
	if (s->bound)
		json_object_set_new(json_object_get(row, "all_levels"), "bound_absolute",
				    json_real((double) m->bound.absolute_all / n));
	if (s->by_size)
		json_object_set_new(row, "sizes", sizes_json(m));
	return row;
}

static int policies_run(struct placement_simulation *s, struct wt_table *table, json_t *rows, struct wt_error *errp)
{
	for (size_t p = 0; p < s->asked.policy_count; p++) {
		struct means m = { 0 };

		for (uint64_t seed = s->seed_first; seed <= s->seed_last; seed++)
			if (seed_run(s, s->asked.policies[p], seed, &m, errp) < 0)
				return -1;
		row_print(table, s->asked.policies[p], &m, s);
		if (s->by_size && !s->asked.json && sizes_print(s->asked.policies[p], &m) < 0)
			return wt_error_errno(errp, ENOMEM, "simulation");
		json_array_append_new(rows, row_json(s->asked.policies[p], &m, s));
	}
	return 0;
}

static int simulate(struct placement_simulation *s, struct wt_error *errp)
{
	struct wt_table *table;
	json_t *rows;
	int rc;

	s->tree = topology_load(s->asked.file, errp);
	if (!s->tree)
		return -1;
	s->esp.nodes = wt_tree_nodes(s->tree);
	s->esp.cpus = s->esp.nodes * s->asked.cpus_per_node;
	if (s->esp.unit == WT_ESP_CPUS) {
		s->capacity = calloc(s->esp.nodes, sizeof(*s->capacity));
		for (uint32_t i = 0; s->capacity && i < s->esp.nodes; i++)
			s->capacity[i] = s->asked.cpus_per_node;
	}
	s->machine.tree = s->tree;
	if (wt_tree_levels(s->tree) == 1)
		s->rounds = 0;		/* there is no level below the root */
	s->machine.capacity = s->capacity;
	for (size_t i = 0; !s->asked.policies[0] && wt_policy_names[i]; i++)
		s->asked.policy_count = i + 1;
	if (!s->asked.policies[0])
		memcpy(s->asked.policies, wt_policy_names, s->asked.policy_count * sizeof(*s->asked.policies));
	table = table_create(wt_tree_levels(s->tree) - 1, s);
	rows = json_array();
	rc = !table || !rows ? wt_error_errno(errp, ENOMEM, "simulation") : policies_run(s, table, rows, errp);
	if (rc == 0 && s->asked.json)
		rc = topology_json_print(json_pack("{s:s, s:I, s:I, s:O}", "kind", "modelled", "seed_first",
						   (json_int_t) s->seed_first, "seed_last", (json_int_t) s->seed_last,
						   "policies", rows), errp);
	else if (rc == 0)
		wt_table_print(table, stdout, "");
	wt_table_destroy(table);
	json_decref(rows);
	return rc;
}

int topology_simulate(int argc, char **argv)
{
	static const struct argp argp = {
		options, parse, "TOPOLOGY",
		"Run an ESP workload over a tree with several policies, on a model of FIFO and backfill, and count the "
		"jobs that "
		"were placed optimally.  All figures are modelled.", NULL, NULL, NULL
	};
	struct placement_simulation s = { .asked.cpus_per_node = 16, .seed_first = 1, .seed_last = 10, .end_weight = 0.1 };
	struct wt_error err;
	int rc;

	wt_esp_options_init(&s.esp);
	s.esp.unit = WT_ESP_NODES;
	if (wt_options_parse(&argp, argc, argv, 0, &s))
		return 2;
	rc = simulate(&s, &err);
	wt_tree_destroy(s.tree);
	free(s.capacity);
	return rc < 0 ? topology_fail(argv[0], &err, 1) : 0;
}
