/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel cluster list, status. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cluster/cmd_cluster.h"
#include "harness/cluster/cluster_private.h"
#include "harness/cluster/folder/clusterdir.h"
#include "harness/cluster/folder/hosts_json.h"
#include "harness/live/live_start.h"
#include "lib/fs.h"
#include "lib/json.h"
#include "harness/cluster/supervisor/nodestates.h"
#include "harness/cluster/folder/slurmenv.h"
#include "lib/table.h"

#define LIST_COLUMNS 6

/* The daemons that "cluster stop" has ended. */
static json_t *stopped_json(const struct wt_state *state)
{
	json_t *list = json_array();

	for (size_t i = 0; i < state->daemon_count; i++)
		if (state->daemons[i].stopped)
			json_array_append_new(list, json_string(state->daemons[i].name));
	if (state->nodes.stopped)
		json_array_append_new(list, json_string("slurmd"));
	return list;
}

static int64_t stats_read(const struct wt_cluster_view *view, const char *key, int64_t otherwise)
{
	char *path = wt_clusterinfo_path(&view->info, "nodes/stats.json");
	json_t *stats = path ? wt_json_load(path, NULL) : NULL;
	int64_t n = otherwise;

	if (stats) {
		wt_json_integer(stats, key, path, &n, NULL);
		json_decref(stats);
	}
	free(path);
	return n;
}

/* 'joined' of the places for nodes that may join: as slurmctld says, or as the nodes know it. */
static void places_set(json_t *v, const struct wt_clusterinfo *info, uint32_t joined)
{
	if (!v || !info->dynamic_nodes)
		return;
	json_object_set_new(v, "nodes", json_integer((json_int_t) info->nodes + joined));
	json_object_set_new(v, "nodes_joined", json_integer(joined));
	json_object_set_new(v, "places", json_integer(info->dynamic_nodes));
	json_object_set_new(v, "places_free", json_integer(info->dynamic_nodes > joined ? info->dynamic_nodes - joined : 0));
}

static uint32_t joined_read(const struct wt_cluster_view *view)
{
	int64_t n = view->info.dynamic_nodes && view->busy ? stats_read(view, "joined", 0) : 0;

	return n > 0 && n <= view->info.dynamic_nodes ? (uint32_t) n : 0;
}

static json_t *view_json(const struct wt_cluster_view *view)
{
	char *conf = wt_clusterinfo_path(&view->info, "slurm.conf");
	json_t *v = json_pack("{s:s, s:s, s:I, s:s, s:s, s:s, s:s, s:f, s:s, s:o}", "name", view->info.name, "status",
			      wt_cluster_view_status(view), "nodes", (json_int_t) view->info.nodes, "backend",
			      view->info.backend, "dir", view->info.dir, "slurm_conf", conf ? conf : "", "message",
			      view->state.message, "created_s", (double) view->info.created_us / 1e6, "clock",
			      view->info.clock ? "virtual" : "real", "stopped", stopped_json(&view->state));
	if (v && view->info.slurm_version)
		json_object_set_new(v, "slurm_version", wt_json_text(view->info.slurm_version));
	places_set(v, &view->info, joined_read(view));
	free(conf);
	return v;
}

static int json_print(json_t *v)
{
	int rc = wt_json_print(stdout, v, NULL);

	json_decref(v);
	return rc == 0 && fflush(stdout) == 0 ? 0 : 1;
}

/* A folder without cluster.json is an "up" at its very beginning, or its remains. */
static int incomplete_row(const char *name, struct wt_table *table)
{
	if (wt_table_cell(table, "%s", name) < 0 || wt_table_cell(table, "incomplete") < 0)
		return -1;
	for (size_t i = 2; i < LIST_COLUMNS; i++)
		if (wt_table_cell(table, "%s", "") < 0)
			return -1;
	return 0;
}

static int list_row(const char *name, struct wt_table *table)
{
	struct wt_cluster_view view;
	int rc;

	if (wt_cluster_look(name, &view, NULL) < 0)
		return incomplete_row(name, table);
	rc = wt_table_cell(table, "%s", name) < 0 || wt_table_cell(table, "%s", wt_cluster_view_status(&view)) < 0 ||
	     wt_table_cell(table, "%" PRIu32, view.info.nodes + joined_read(&view)) < 0 ||
	     wt_table_cell(table, "%s", view.info.backend) < 0 ||
	     wt_table_cell(table, "%s", view.info.slurm_version ? view.info.slurm_version : "") < 0 ||
	     wt_table_cell(table, "%s", view.info.dir) < 0 ? -1 : 0;
	wt_cluster_view_clear(&view);
	return rc;
}

static int list_print(char *const *names, size_t count)
{
	static const char *const heads[LIST_COLUMNS] = { "NAME", "STATUS", "NODES", "BACKEND", "SLURM", "FOLDER" };
	struct wt_table *table = wt_table_create("llrlll");
	int rc = table ? 0 : -1;

	if (!count)
		fputs("no clusters\n", stderr);	/* stdout has the list only */
	for (size_t i = 0; rc == 0 && count && i < sizeof(heads) / sizeof(heads[0]); i++)
		rc = wt_table_cell(table, "%s", heads[i]);
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = list_row(names[i], table);
	if (rc == 0)
		wt_table_print(table, stdout, "");
	wt_table_destroy(table);
	return rc == 0 && fflush(stdout) == 0 ? 0 : 1;
}

static int list_json(char *const *names, size_t count)
{
	json_t *list = json_array();
	struct wt_cluster_view view;

	for (size_t i = 0; i < count; i++) {
		if (wt_cluster_look(names[i], &view, NULL) < 0) {
			json_array_append_new(list, json_pack("{s:s, s:s}", "name", names[i], "status", "incomplete"));
			continue;
		}
		json_array_append_new(list, view_json(&view));
		wt_cluster_view_clear(&view);
	}
	return json_print(list);
}

int cmd_cluster_list(int argc, char **argv)
{
	struct cmd_cluster_args args;
	struct wt_error err;
	char **names;
	size_t count;
	int status;

	cmd_cluster_parse(argc, argv, "j", 0,
			  "List this user's clusters: name, status (starting, up, stopping, failed, outage, stopped, dead), "
			  "nodes, folder.", &args);
	if (wt_clusterdir_list(&names, &count, &err) < 0) {
		fprintf(stderr, "%s: %s\n", argv[0], err.text);
		return 1;
	}
	status = args.json ? list_json(names, count) : list_print(names, count);
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
	return status;
}

static json_t *daemons_json(const struct wt_state *state)
{
	json_t *list = json_array();

	for (size_t i = 0; i < state->daemon_count; i++) {
		const struct wt_state_daemon *d = &state->daemons[i];

		json_array_append_new(list,
				      json_pack("{s:s, s:I, s:b, s:I, s:s, s:b}", "name", d->name, "pid",
						(json_int_t) d->proc.pid, "alive", wt_proc_alive(&d->proc), "restarts",
						(json_int_t) d->restarts, "last_exit", d->last_exit, "stopped", d->stopped));
	}
	return list;
}

static json_t *nodes_json(const struct wt_nodestates *s)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "total", (json_int_t) s->total, "idle",
			 (json_int_t) s->idle, "allocated", (json_int_t) s->allocated, "mixed", (json_int_t) s->mixed,
			 "completing", (json_int_t) s->completing, "down", (json_int_t) s->down, "drained",
			 (json_int_t) s->drained, "not_responding", (json_int_t) s->not_responding, "other",
			 (json_int_t) s->other, "not_there", (json_int_t) s->absent);
}

/* Of real nodes those that listen; slurmctld knows the rest. */
static int64_t registered_read(const struct wt_cluster_view *view)
{
	return stats_read(view, "registered", view->state.nodes.running);
}

static void slurmds_print(const struct wt_state_nodes *n)
{
	char off[32] = "";

	if (n->off)
		snprintf(off, sizeof(off), ", %" PRIu32 " are off", n->off);
	printf("%-10s %" PRIu32 " of %" PRIu32 " run%s%s, %" PRIu32 " restarts on %" PRIu32 " nodes%s%s%s%s\n", "slurmd",
	       n->running, n->total, n->stopped ? " (stopped)" : "", off, n->restarts, n->nodes_restarted,
	       n->last_node[0] ? ", last " : "", n->last_node, n->last_node[0] ? " " : "", n->last_exit);
}

static json_t *slurmds_json(const struct wt_state_nodes *n)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:s, s:s, s:b}", "total", (json_int_t) n->total, "running",
			 (json_int_t) n->running, "off", (json_int_t) n->off,
			 "restarts", (json_int_t) n->restarts, "nodes_restarted", (json_int_t) n->nodes_restarted,
			 "last_node", n->last_node, "last_exit", n->last_exit, "stopped", n->stopped);
}

/* Each with nodes, and how it is. */
static void hosts_print(const struct wt_cluster_view *view)
{
	struct wt_host_state *states;
	size_t count;

	if (!view->info.hosts.count || wt_hosts_json_load(view->info.dir, &states, &count, NULL) < 0)
		return;
	for (size_t i = 0; i < count; i++) {
		const struct wt_host_state *s = &states[i];

		if (s->phase == WT_HOST_NONE)
			continue;
		printf("host       %s (%s): %s%s, %" PRIu32 " of %" PRIu32 " nodes run, lost %" PRIu32 " times%s%s\n",
				   s->name,
		       s->address, wt_host_phase_name(s->phase), s->stopped ? " (nodes stopped)" : "", s->running, s->nodes,
		       s->losses, s->why[0] ? ", last: " : "", s->why);
	}
	free(states);
}

static json_t *hosts_json(const struct wt_cluster_view *view)
{
	char *path = wt_clusterinfo_path(&view->info, WT_HOSTS_STATE_FILE);
	json_t *v = path && view->info.hosts.count ? wt_json_load(path, NULL) : NULL;
	json_t *list = v ? json_incref(json_object_get(v, "hosts")) : json_array();

	json_decref(v);
	free(path);
	return list;
}

/* Of "up --serve"; only its owner can read it. */
static void live_page_print(const struct wt_cluster_view *view)
{
	char *path = wt_clusterinfo_path(&view->info, LIVE_URL_FILE), *url = NULL;

	if (view->busy && path && wt_fs_read(path, LIVE_URL_SIZE, &url, NULL, NULL) == 0)
		printf("live page  %s", url);
	free(url);
	free(path);
}

/* ", 2 of them joined, 1 of 3 places free"; "": no node can join. */
static void places_text(const struct wt_clusterinfo *info, uint32_t joined, char *text, size_t size)
{
	char who[48] = "";

	if (joined)
		snprintf(who, sizeof(who), ", %" PRIu32 " of them joined", joined);
	*text = '\0';
	if (info->dynamic_nodes)
		snprintf(text, size, "%s, %" PRIu32 " of %" PRIu32 " places free", who,
			 info->dynamic_nodes > joined ? info->dynamic_nodes - joined : 0, info->dynamic_nodes);
}

static void status_print(const struct wt_cluster_view *view, int64_t registered, uint32_t joined, const char *states)
{
	char places[128];

	places_text(&view->info, joined, places, sizeof(places));
	printf("cluster    %s\nstatus     %s%s%s\nfolder     %s\nbackend    %s\n", view->info.name,
	       wt_cluster_view_status(view),
	       view->state.message[0] ? ": " : "", view->state.message, view->info.dir, view->info.backend);
	if (view->info.slurm_version)
		printf("slurm      %s\n", view->info.slurm_version);
	if (view->info.clock)
		printf("clock      virtual\n");
	printf("nodes      %" PRIu32 "%s (%s), %" PRIu32 " CPUs and %" PRIu64 " MiB %s; %" PRId64 " registered\n",
	       view->info.nodes + joined, places, states, view->info.shape.cpus, view->info.shape.memory_mib,
	       view->info.site ? "in the largest" : "each", registered);
	printf("controller %s:%u%s\n", view->info.controller_addr, view->info.controller_port,
	       view->info.listens_everywhere ? ", and on all other addresses" : "");
	printf("supervisor pid %ld, %s\n", (long) view->state.supervisor.pid,
	       wt_proc_alive(&view->state.supervisor) ? "alive" : "ended");
	for (size_t i = 0; i < view->state.daemon_count; i++) {
		const struct wt_state_daemon *d = &view->state.daemons[i];

		printf("%-10s pid %ld, %s, %u restarts%s%s\n", d->name, (long) d->proc.pid,
		       wt_proc_alive(&d->proc) ? "alive" : d->stopped ? "stopped" : "ended",
		       d->restarts, d->last_exit[0] ? ", last " : "", d->last_exit);
	}
	if (view->state.nodes.total)
		slurmds_print(&view->state.nodes);
	hosts_print(view);
	live_page_print(view);
}

/* 0, or -1 with the reason in 'text': then the counts are zero. */
static int states_ask(const struct wt_cluster_view *view, struct wt_nodestates *states, char *text, size_t size)
{
	char *conf = wt_clusterinfo_path(&view->info, "slurm.conf");
	struct wt_error err;
	int rc = -1;

	memset(states, 0, sizeof(*states));
	snprintf(text, size, "not asked");
	if (wt_state_stopped(&view->state, "slurmctld") || wt_state_stopped(&view->state, "munged")) {
		snprintf(text, size, "not asked: slurmctld or munged is stopped");
	} else if (conf && view->busy && view->state.phase == WT_PHASE_UP && wt_slurmenv_use(conf) < 0) {
		snprintf(text, size, "not asked: %s: %s", conf, strerror(errno));
	} else if (conf && view->busy && view->state.phase == WT_PHASE_UP) {
		wt_nodestates_init(conf);
		rc = wt_nodestates_get(0, states, NULL, &err);
		if (rc < 0)
			snprintf(text, size, "%s", err.text);
		if (rc == 0 && view->info.dynamic_nodes)
			wt_nodestates_places_told(states, view->info.nodes);
		if (rc == 0)
			wt_nodestates_text(states, text, size);
	}
	free(conf);
	return rc;
}

int cmd_cluster_status(int argc, char **argv)
{
	struct cmd_cluster_args args;
	struct wt_cluster_view view;
	struct wt_nodestates states;
	struct wt_error err;
	char text[1200];
	uint32_t joined;
	int asked, status;

	cmd_cluster_parse(argc, argv, "j", 1,
			  "Show a cluster's daemons, their restarts, and how many nodes are in which state.  Exit "
			  "status 0 when it is up and nothing of it is stopped.", &args);
	if (wt_cluster_look(args.name, &view, &err) < 0) {
		fprintf(stderr, "%s: %s\n", argv[0], err.text);
		return errno == EINVAL ? 2 : 1;
	}
	asked = states_ask(&view, &states, text, sizeof(text));
	joined = asked == 0 && view.info.dynamic_nodes ? states.joined : joined_read(&view);
	status = view.busy && view.state.phase == WT_PHASE_UP && !wt_state_stopped(&view.state, NULL) ? 0 : 1;
	if (args.json) {
		json_t *v = view_json(&view);

		places_set(v, &view.info, joined);
		json_object_set_new(v, "registered", json_integer(registered_read(&view)));
		json_object_set_new(v, "daemons", daemons_json(&view.state));
		if (view.state.nodes.total)
			json_object_set_new(v, "slurmds", slurmds_json(&view.state.nodes));
		if (view.info.hosts.count)
			json_object_set_new(v, "hosts", hosts_json(&view));
		json_object_set_new(v, "node_states", asked == 0 ? nodes_json(&states) : json_null());
		status |= json_print(v);
	} else {
		status_print(&view, registered_read(&view), joined, text);
	}
	wt_cluster_view_clear(&view);
	return status;
}
