/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/cluster/folder/epilog.h"
#include "harness/cluster/folder/state_json.h"
#include "harness/live/live_cluster.h"
#include "lib/fs.h"

/* Limits for one look: what is longer is damage, or is read at the next look. */
#define FILE_BYTES_MAX (1u << 20)
#define EVENTS_BYTES_MAX (1u << 20)
#define EVENTS_BLOCK 65536

/* ---- state.json ---- */

static uint64_t whole_of(const json_t *object, const char *key)
{
	json_int_t n = json_integer_value(json_object_get(object, key));

	return n > 0 ? (uint64_t) n : 0;
}

static struct wt_proc proc_of(const json_t *object)
{
	uint64_t pid = whole_of(object, "pid");

	return (struct wt_proc){ .pid = pid <= INT32_MAX ? (pid_t) pid : 0, .start_time = whole_of(object, "start_time") };
}

void live_cluster_take_state(struct live_cluster *cluster, struct live_state *state, const char *json, size_t len)
{
	json_t *v = json_loadb(json, len, 0, NULL), *one;
	size_t i;

	if (!json_is_object(v)) {
		json_decref(v);
		return;
	}
	cluster->supervisor = proc_of(json_object_get(v, "supervisor"));
	state->daemon_count = 0;
	json_array_foreach(json_object_get(v, "daemons"), i, one) {
		struct live_daemon *d = &state->daemons[state->daemon_count];
		struct wt_proc proc = proc_of(one);

		if (state->daemon_count == LIVE_DAEMONS)
			break;
		state->daemon_count++;
		live_text_set(d->name, sizeof(d->name), json_string_value(json_object_get(one, "name")));
		d->alive = proc.pid > 0;
		d->restarts = whole_of(one, "restarts");
		if (!strcmp(d->name, "slurmctld"))
			cluster->controller = proc;
	}
	live_text_set(state->doing, sizeof(state->doing), json_string_value(json_object_get(v, "message")));
	json_decref(v);
}

/* ---- nodes/stats.json ---- */

void live_cluster_take_nodes(struct live_state *state, const char *json, size_t len)
{
	json_t *v = json_loadb(json, len, 0, NULL);

	if (json_is_object(v)) {
		state->nodes_known = true;
		state->registered = (uint32_t) whole_of(v, "registered");
		state->may_join = (uint32_t) whole_of(v, "may_join");
		state->joined = (uint32_t) whole_of(v, "joined");
		state->nodes_busy = (uint32_t) whole_of(v, "nodes_allocated");
		state->nodes_completing = (uint32_t) whole_of(v, "nodes_completing");
		state->running = whole_of(v, "jobs_running");
		state->heartbeats = whole_of(v, "heartbeats");
		state->heartbeat_reports_lost = whole_of(v, "heartbeat_reports_lost");
		state->messages_sent = whole_of(v, "sent");
		state->messages_retried = whole_of(v, "retried");
		state->messages_lost = whole_of(v, "lost");
	}
	json_decref(v);
}

/* ---- nodes/events.csv ---- */

static void event_take(struct live_cluster *cluster, struct live_state *state, const struct wt_event *event)
{
	struct live_job job = { .id = event->job_id, .state = WT_JOB_RUNNING, .wait_s = NAN, .run_s = NAN };

	if (event->kind != WT_EVENT_START && event->kind != WT_EVENT_END)
		return;
	if (!cluster->began_s)
		cluster->began_s = event->time_s;
	job.time_s = event->time_s - cluster->began_s;
	live_text_set(job.name, sizeof(job.name), event->node);
	if (event->kind == WT_EVENT_START) {
		job.nodes = event->value >= 0 && event->value <= UINT32_MAX ? (uint32_t) event->value : 0;
		state->started++;
	} else {
		job.state = event->value == 0 ? WT_JOB_COMPLETED : WT_JOB_FAILED;
		state->ended++;
		state->completed += event->value == 0;
	}
	live_state_job_add(state, &job);
}

void live_cluster_take_events(struct live_cluster *cluster, struct live_state *state, const char *bytes, size_t len)
{
	struct wt_event event;
	int rc;

	if (!cluster->events)
		cluster->events = wt_event_reader_create(WT_EVENTS_FILE);
	if (!cluster->events || wt_event_reader_feed(cluster->events, bytes, len, NULL) < 0)
		return;
	while ((rc = wt_event_reader_next(cluster->events, &event, NULL)) != 0)
		if (rc > 0)	/* a malformed line is none of ours: real nodes' scripts write there, too */
			event_take(cluster, state, &event);
}

static void events_read(struct live_cluster *cluster, struct live_state *state)
{
	/* The folder is its user's: a FIFO or a link put there must neither block the server nor lead it elsewhere. */
	int fd = open(WT_NODE_EVENTS, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char block[EVENTS_BLOCK];
	ssize_t n = 1;

	for (size_t all = 0; fd >= 0 && n > 0 && all < EVENTS_BYTES_MAX; all += (size_t) n) {
		n = pread(fd, block, sizeof(block), cluster->events_offset);
		if (n <= 0)
			break;
		cluster->events_offset += n;
		live_cluster_take_events(cluster, state, block, (size_t) n);
	}
	if (fd >= 0)
		close(fd);
}

/* ---- all ---- */

/* Has it another time of change than 'before'?  Both files are replaced as a whole. */
static bool file_is_new(const char *path, struct timespec *before)
{
	struct stat st;

	if (stat(path, &st) < 0 || (st.st_mtim.tv_sec == before->tv_sec && st.st_mtim.tv_nsec == before->tv_nsec))
		return false;
	*before = st.st_mtim;
	return true;
}

static void controller_look(const struct live_cluster *cluster, struct live_state *state)
{
	unsigned long long user, system;
	char path[64], *text = NULL;
	const char *rest;
	long pages;

	if (cluster->controller.pid <= 0)
		return;
	snprintf(path, sizeof(path), "/proc/%ld/stat", (long) cluster->controller.pid);
	rest = wt_fs_read(path, 4096, &text, NULL, NULL) == 0 ? strrchr(text, ')') : NULL;	/* proc(5) */
	if (rest && sscanf(rest + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %*d %*d %*d %*d %*d %*d %*u "
			   "%*u %ld", &user, &system, &pages) == 3) {
		state->controller_cpu_s = (double) (user + system) / (double) sysconf(_SC_CLK_TCK);
		state->controller_rss_kib = (uint64_t) pages * (uint64_t) sysconf(_SC_PAGESIZE) / 1024;
	}
	free(text);
}

static void sample_add(struct live_state *state)
{
	struct wt_sample sample = {
		.time_s = state->wall_s, .nodes_allocated = state->nodes_busy, .nodes_completing = state->nodes_completing,
		.jobs_running = (uint32_t) state->running, .controller_cpu_s = state->controller_cpu_s,
	};

	live_state_sample_add(state, &sample);
}

void live_cluster_look(struct live_cluster *cluster, struct live_state *state)
{
	char *text = NULL;
	size_t len;

	if (file_is_new(WT_STATE_FILE, &cluster->state_changed) &&
	    wt_fs_read(WT_STATE_FILE, FILE_BYTES_MAX, &text, &len, NULL) == 0)
		live_cluster_take_state(cluster, state, text, len);
	free(text);
	text = NULL;
	if (file_is_new("nodes/stats.json", &cluster->nodes_changed) &&
	    wt_fs_read("nodes/stats.json", FILE_BYTES_MAX, &text, &len, NULL) == 0)
		live_cluster_take_nodes(state, text, len);
	free(text);
	events_read(cluster, state);
	controller_look(cluster, state);
	sample_add(state);
}

void live_cluster_clear(struct live_cluster *cluster)
{
	wt_event_reader_destroy(cluster->events);
	cluster->events = NULL;
}
