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
#include "topology/simulate.h"
#include "esp/esp.h"
#include "lib/options.h"
#include "lib/str.h"
#include "lib/table.h"

struct placement_simulation {
	struct topology_options asked;
	struct wt_esp_options esp;
	uint64_t seed_first, seed_last;
	double end_weight;
	int exact_limits;
	/* of the run */
	struct wt_tree *tree;
	uint32_t *capacity;
	struct wt_sim_machine machine;
};

/* Means over the seeds, and the extremes of what counts. */
struct means {
	double runs, makespan_s, utilization, wait_mean_s;
	struct wt_score_tally sum;
};

enum { KEY_VARIANT = 256, KEY_UNIT, KEY_SEEDS, KEY_END, KEY_RELEASE, KEY_WAIT, KEY_CYCLE, KEY_BACKFILL, KEY_EXACT };

static const struct argp_option options[] = {
	TOPOLOGY_ROW_POLICY("all"),
	{ "variant", KEY_VARIANT, "esp|light|parallel-light", 0, "The workload (default: light)", 0 },
	{ "unit", KEY_UNIT, "nodes|cpus", 0, "Whole nodes (default), or CPUs of shared nodes", 0 },
	TOPOLOGY_ROW_CPUS("With --unit cpus (default: 16)"),
	{ "seeds", KEY_SEEDS, "FIRST-LAST", 0, "Orders of the workload (default: 1-10); figures are means over them", 0 },
	{ "end-weight", KEY_END, "W", 0, "Best fit looks at planned ends (default: 0.1; 0: not)", 0 },
	{ "wait", KEY_WAIT, "S,S,...", 0,
	  "Hold a job back up to S seconds while it would touch more switches of a level than its "
	  "size needs; the leaves first: 0,20 waits for intermediate switches (default: 0)", 0 },
	{ "epilog-msg-time", KEY_RELEASE, "US", 0,
	  "Nodes of a job become free one after the other, so many microseconds apart "
	  "(default: 0; Slurm's is 2000)", 0 },
	{ "cycle-period", KEY_CYCLE, "S", 0,
	  "While jobs wait, the queue is looked at every S seconds (default: 0, with each event; "
	  "slurmctld under load: 3)", 0 },
	{ "backfill-period", KEY_BACKFILL, "S", 0, "The same of backfill (default: 0; slurmctld: 30)", 0 },
	{ "exact-limits", KEY_EXACT, NULL, 0, "Time limits are the run times, not rounded up to minutes", 0 },
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

static int waits_read(struct placement_simulation *s, const char *arg, struct wt_error *errp)
{
	const char *at = arg;
	char *end;

	for (uint32_t l = 0; l < WT_TREE_LEVELS_MAX; l++) {
		double wait_s = strtod(at, &end);

		if (end == at || !isfinite(wait_s) || wait_s < 0 || (*end && *end != ','))
			break;
		s->machine.wait_s[l] = wait_s;
		if (!*end)
			return 0;
		at = end + 1;
	}
	return wt_error_set(errp, EINVAL, "--wait: '%s' is not a list of seconds like 0,20", arg);
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
		return waits_read(s, arg, errp);
	case KEY_RELEASE:
		rc = wt_str_to_u64(arg, 0, 1000000, "--epilog-msg-time", &value, errp);
		s->machine.release_step_s = rc == 0 ? (double) value / 1e6 : 0;
		break;
	case KEY_CYCLE:
		return number_read(arg, "--cycle-period", &s->machine.cycle_period_s, errp);
	case KEY_BACKFILL:
		return number_read(arg, "--backfill-period", &s->machine.backfill_period_s, errp);
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

static int seed_run(struct placement_simulation *s, const char *policy_name, uint64_t seed, struct means *m,
		    struct wt_error *errp)
{
	struct wt_policy *policy = NULL;
	struct wt_sim_job *jobs = NULL;
	struct wt_sim_result result;
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
		rc = wt_simulate(&s->machine, policy, jobs, count, &result, errp);
	if (rc == 0)
		means_add(m, &result);
	wt_policy_destroy(policy);
	free(jobs);
	return rc;
}

static void row_print(struct wt_table *table, const char *name, const struct means *m)
{
	double n = m->runs;

	wt_table_cell(table, "%s", name);
	for (uint32_t l = m->sum.levels; l-- > 0;)
		wt_table_cell(table, "%.1f", (double) m->sum.absolute[l] / n);
	wt_table_cell(table, "%.1f", (double) m->sum.absolute_all / n);
	for (uint32_t l = m->sum.levels; l-- > 0;)
		wt_table_cell(table, "%.1f", (double) m->sum.relative[l] / n);
	wt_table_cell(table, "%.1f", (double) m->sum.relative_all / n);
	wt_table_cell(table, "%.1f", m->makespan_s / n);
	wt_table_cell(table, "%.3f", m->utilization / n);
	wt_table_cell(table, "%.1f", m->wait_mean_s / n);
}

static struct wt_table *table_create(uint32_t levels)
{
	char align[2 * WT_TREE_LEVELS_MAX + 8] = "l";
	struct wt_table *table;

	for (uint32_t i = 0; i < 2 * levels + 5; i++)
		strcat(align, "r");
	table = wt_table_create(align);
	if (!table)
		return NULL;
	wt_table_cell(table, "policy");
	for (int relative = 0; relative < 2; relative++) {
		for (uint32_t l = levels; l-- > 0;)
			wt_table_cell(table, "%s%u", relative ? "rel" : "abs", l);
		wt_table_cell(table, "%s", relative ? "rel-all" : "abs-all");
	}
	wt_table_cell(table, "makespan_s");
	wt_table_cell(table, "utilization");
	wt_table_cell(table, "wait_mean_s");
	return table;
}

static json_t *row_json(const char *name, const struct means *m)
{
	json_t *levels = json_array();
	double n = m->runs;

	for (uint32_t l = 0; l < m->sum.levels; l++)
		json_array_append_new(levels, json_pack("{s:i, s:f, s:f}", "level", (int) l, "optimal_absolute",
							(double) m->sum.absolute[l] / n, "optimal_relative",
							(double) m->sum.relative[l] / n));
	return json_pack("{s:s, s:f, s:o, s:{s:f, s:f}, s:f, s:f, s:f, s:I}", "policy", name, "jobs",
			 (double) m->sum.jobs / n, "levels", levels, "all_levels", "optimal_absolute",
			 (double) m->sum.absolute_all / n, "optimal_relative", (double) m->sum.relative_all / n,
			 "makespan_s", m->makespan_s / n, "utilization", m->utilization / n, "wait_mean_s",
			 m->wait_mean_s / n, "guessed", (json_int_t) m->sum.guessed);
}

static int policies_run(struct placement_simulation *s, struct wt_table *table, json_t *rows, struct wt_error *errp)
{
	for (size_t p = 0; p < s->asked.policy_count; p++) {
		struct means m = { 0 };

		for (uint64_t seed = s->seed_first; seed <= s->seed_last; seed++)
			if (seed_run(s, s->asked.policies[p], seed, &m, errp) < 0)
				return -1;
		row_print(table, s->asked.policies[p], &m);
		json_array_append_new(rows, row_json(s->asked.policies[p], &m));
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
	s->machine.capacity = s->capacity;
	for (size_t i = 0; !s->asked.policies[0] && wt_policy_names[i]; i++)
		s->asked.policy_count = i + 1;
	if (!s->asked.policies[0])
		memcpy(s->asked.policies, wt_policy_names, s->asked.policy_count * sizeof(*s->asked.policies));
	table = table_create(wt_tree_levels(s->tree) - 1);
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
