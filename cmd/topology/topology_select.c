/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel topology select: one job, chosen nodes, policy beside policy. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/topology/topology_options.h"
#include "cmd/topology/topology_verb.h"
#include "topology/hostlist.h"
#include "topology/policy.h"
#include "lib/options.h"
#include "lib/str.h"
#include "lib/table.h"

struct selection {
	struct topology_options asked;
	uint64_t size;
	/* of the run */
	struct wt_tree *tree;
	uint32_t *capacity;
	struct wt_room *room;
	struct wt_score *score;
	uint32_t *nodes;
};

static const struct argp_option options[] = {
	{ "size", 'n', "N", 0, "The job: N whole nodes, or with --cpus-per-node N CPUs", 0 },
	TOPOLOGY_ROWS_FREE,
	TOPOLOGY_ROW_CPUS("Nodes are shared and have N CPUs each"),
	TOPOLOGY_ROW_POLICY("bestfit"),
	TOPOLOGY_ROW_JSON("Print JSON"),
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct selection *s = state->input;
	struct wt_error err;

	if (key == 'n') {
		if (wt_str_to_u64(arg, 1, UINT32_MAX, "--size", &s->size, &err) < 0)
			argp_error(state, "%s", err.text);
		return 0;
	}
	if (key == ARGP_KEY_END && !s->size)
		argp_error(state, "a topology.conf (or the word curie) and --size are needed");
	return topology_option_read(&s->asked, key, arg, state);
}

static char *choice_format(const struct selection *s, size_t count, struct wt_error *errp)
{
	const char **names = calloc(count, sizeof(*names));
	char *text;

	if (!names) {
		wt_error_errno(errp, ENOMEM, "selection");
		return NULL;
	}
	for (size_t i = 0; i < count; i++)
		names[i] = wt_tree_node_name(s->tree, s->nodes[i]);
	text = wt_hostlist_format(names, count, errp);
	free(names);
	return text;
}

static json_t *choice_json(const struct selection *s, const char *policy, const char *nodes, const struct wt_verdict *v)
{
	json_t *levels = json_array();

	for (uint32_t l = 0; l + 1 < wt_tree_levels(s->tree); l++)
		json_array_append_new(levels, json_pack("{s:i, s:i, s:i, s:i}", "level", (int) l, "switches",
							(int) v->touched[l], "least_absolute", (int) v->absolute[l],
							"least_relative", (int) v->relative[l]));
	return json_pack("{s:s, s:s, s:o}", "policy", policy, "nodes", nodes, "levels", levels);
}

static void choice_row(struct wt_table *table, const struct selection *s, const char *policy, const char *nodes,
		       const struct wt_verdict *v)
{
	wt_table_cell(table, "%s", policy);
	for (uint32_t l = wt_tree_levels(s->tree) - 1; l-- > 0;)
		wt_table_cell(table, "%u/%u/%u", v->touched[l], v->relative[l], v->absolute[l]);
	wt_table_cell(table, "%s", nodes);
}

static int policy_run(struct selection *s, const char *name, struct wt_table *table, json_t *rows, struct wt_error *errp)
{
	struct wt_policy *policy = wt_policy_create(name, s->tree, s->capacity, 0, errp);
	struct select_request request = { .units = s->size };
	struct wt_verdict verdict;
	struct select_choice choice;
	char *nodes = NULL;
	int rc = -1;

	if (!policy)
		return -1;
	if (wt_policy_pick(policy, s->room, &request, s->asked.cpus_per_node > 1 ? 1 : (uint32_t) s->size, &choice) < 0) {
		wt_error_set(errp, errno, "only %llu of the %llu that the job needs are free",
			     (unsigned long long) wt_room_total(s->room), (unsigned long long) s->size);
		goto out;
	}
	for (size_t i = 0; i < choice.count; i++)
		s->nodes[i] = choice.picks[i].node;
	if (wt_score_job(s->score, s->room, s->nodes, choice.count, s->size, &verdict, errp) < 0)
		goto out;
	qsort(s->nodes, choice.count, sizeof(*s->nodes), wt_tree_node_order);
	nodes = choice_format(s, choice.count, errp);
	if (!nodes)
		goto out;
	choice_row(table, s, name, nodes, &verdict);
	json_array_append_new(rows, choice_json(s, name, nodes, &verdict));
	rc = 0;
out:
	free(nodes);
	wt_policy_destroy(policy);
	return rc;
}

static struct wt_table *table_create(uint32_t levels)
{
	char align[WT_TREE_LEVELS_MAX + 4] = "l";
	struct wt_table *table;

	for (uint32_t l = 0; l < levels; l++)
		strcat(align, "r");
	table = wt_table_create(strcat(align, "l"));
	if (!table)
		return NULL;
	wt_table_cell(table, "policy");
	for (uint32_t l = levels; l-- > 0;)
		wt_table_cell(table, "level %u", l);
	wt_table_cell(table, "nodes");
	return table;
}

static int prepare(struct selection *s, struct wt_error *errp)
{
	uint32_t nodes;

	s->tree = topology_load(s->asked.file, errp);
	if (!s->tree)
		return -1;
	nodes = wt_tree_nodes(s->tree);
	s->capacity = calloc(nodes, sizeof(*s->capacity));
	s->nodes = calloc(nodes, sizeof(*s->nodes));
	s->room = wt_room_create(s->tree);
	if (!s->capacity || !s->nodes || !s->room)
		return wt_error_errno(errp, ENOMEM, "selection");
	if (topology_free_apply(&s->asked.free, s->tree, s->asked.cpus_per_node, s->capacity, errp) < 0)
		return -1;
	wt_room_fill(s->room, s->capacity);
	for (uint32_t i = 0; i < nodes; i++)
		s->capacity[i] = s->asked.cpus_per_node;
	s->score = wt_score_create(s->tree, s->capacity, errp);
	return s->score ? 0 : -1;
}

static int policies_run(struct selection *s, struct wt_error *errp)
{
	struct wt_table *table = table_create(wt_tree_levels(s->tree) - 1);
	json_t *rows = json_array();
	int rc = table && rows ? 0 : wt_error_errno(errp, ENOMEM, "selection");

	for (size_t i = 0; rc == 0 && i < s->asked.policy_count; i++)
		rc = policy_run(s, s->asked.policies[i], table, rows, errp);
	if (rc == 0 && s->asked.json) {
		rc = topology_json_print(json_pack("{s:O}", "choices", rows), errp);
	} else if (rc == 0) {
		wt_table_print(table, stdout, "");
		printf("Switches touched / least with what is free / least on an idle machine.\n");
	}
	wt_table_destroy(table);
	json_decref(rows);
	return rc;
}

int topology_select(int argc, char **argv)
{
	static const struct argp argp = {
		options, parse, "TOPOLOGY", "Choose nodes for one job, and show what each policy touches.", NULL, NULL, NULL
	};
	struct selection s = { .asked.cpus_per_node = 1 };
	struct wt_error err;
	int rc;

	if (wt_options_parse(&argp, argc, argv, 0, &s))
		return 2;
	if (!s.asked.policy_count)
		s.asked.policies[s.asked.policy_count++] = "bestfit";
	rc = prepare(&s, &err);
	if (rc == 0)
		rc = policies_run(&s, &err);
	wt_score_destroy(s.score);
	wt_room_destroy(s.room);
	wt_tree_destroy(s.tree);
	free(s.capacity);
	free(s.nodes);
	return rc < 0 ? topology_fail(argv[0], &err, 1) : 0;
}
