/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The way up: munged answers, slurmctld and the nodes run, all nodes have registered, all are IDLE. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/json.h"
#include "harness/cluster/folder/logtail.h"
#include "harness/cluster/folder/munge.h"
#include "harness/cluster/supervisor/nodestates.h"
#include "harness/cluster/supervisor/supervisor_private.h"

/* A start that takes tenths of a second shall not be told late. */
#define TICK_S 0.05
#define ACCOUNTING_START_MS 300000	/* a site's sacctmgr commands are many thousands */
/* Not more often: each answer names all nodes, and slurmctld packs it under its locks. */
#define IDLE_POLL_US 250000
#define TROUBLE_SETTLED_US 2000000	/* nodes in trouble that stay the same for so long are told, */
#define TROUBLE_MAX_US 10000000		/* or after this */
#define IDLE_POLL_SHARE 4	/* of the time, at most one part in so many asks the controller */

/* A slurmd takes up to a second of CPU time to start in the largest clusters. */
static int start_ms(const struct sup *sup)
{
	return wt_supervisor_start_ms(sup->info.nodes) + (wt_clusterinfo_real_nodes(&sup->info) ?
			   (int) sup->info.nodes * 1000 : 0) +
	       (sup->info.accounting ? ACCOUNTING_START_MS : 0);
}

/* ---- the waiter, which asks slurmctld for the nodes' states ---- */

/* What it writes, one line each: "I WAITED-FOR ABSENT" and ends with 0, all are IDLE; "T TEXT" and ends with WAITER_TROUBLE,
 * some never will be; "W TEXT", what it sees meanwhile. */
#define WAITER_TROUBLE 3

struct trouble {
	char *text;			/* NULL: none */
	int64_t since_us, changed_us;	/* since when there is some; since when it is this */
};

/* Registrations come one by one, and the verdict shall name all nodes: it waits until no more are added, but not for
 * long. */
static bool trouble_settled(struct trouble *t, char *text, int64_t now_us)
{
	if (!text || !t->text)
		t->since_us = now_us;
	if (!text || !t->text || strcmp(text, t->text))
		t->changed_us = now_us;
	free(t->text);
	t->text = text;
	return text && (now_us - t->changed_us >= TROUBLE_SETTLED_US || now_us - t->since_us >= TROUBLE_MAX_US);
}

/* The next look; 1: the answer would be the same. */
static int waiter_look(const struct wt_clusterinfo *info, struct wt_nodestates *states, struct trouble *trouble, int fd)
{
	const struct wt_clock *clock = wt_clock_real();
	char *text, words[256];
	struct wt_error err;
	int rc = wt_nodestates_get(states->updated, states, &text, &err);

	/* The places of nodes that may join are told as nodes that are not there. */
	if (rc == 0 && states->total >= info->nodes && states->total <= info->nodes + info->dynamic_nodes &&
	    states->idle + states->absent == states->total) {
		dprintf(fd, "I %" PRIu32 " %" PRIu32 "\n", states->idle,
			states->idle < info->nodes ? info->nodes - states->idle : 0);
		_exit(0);
	}
	/* slurmctld says "nothing has changed": then the trouble is the one of the last look. */
	if (rc == 1 && trouble->text)
		text = strdup(trouble->text);
	if (rc >= 0 && trouble_settled(trouble, text, wt_clock_now_us(clock))) {
		dprintf(fd, "T %s\n", trouble->text);
		_exit(WAITER_TROUBLE);
	}
	wt_nodestates_text(states, words, sizeof(words));
	return rc == 1 ? 0 : dprintf(fd, "W %s\n", rc == 0 ? words : err.text);
}

static void waiter_run(const struct asker *a, int fd)
{
	const struct sup *sup = a->owner;
	const struct wt_clock *clock = wt_clock_real();
	char *conf = wt_clusterinfo_path(&sup->info, "slurm.conf");
	struct wt_nodestates states = { 0 };
	struct trouble trouble = { 0 };

	if (!conf)
		_exit(1);
	wt_nodestates_init(conf);
	for (;;) {
		int64_t began_us = wt_clock_now_us(clock), pause_us;

		if (waiter_look(&sup->info, &states, &trouble, fd) < 0)
			_exit(1);
		/* In proportion to what an answer took: where it takes long the controller is busy with
		 * registrations. */
		pause_us = (wt_clock_now_us(clock) - began_us) * (IDLE_POLL_SHARE - 1);
		pause_us = pause_us > IDLE_POLL_US ? pause_us : IDLE_POLL_US;
		wt_clock_sleep_until_us(clock, wt_clock_now_us(clock) + pause_us);
	}
}

static void progress_tell(struct sup *sup)
{
	static const char *const words[] = { "munged", "accounting", "slurmctld", "nodes", "idle", "up" };

	sup_tell(sup, "P %s %" PRIu32 " %" PRIu32 "\n", words[sup->step], sup->registered, sup->awaited);
}

static void reached_up(struct sup *sup)
{
	uint32_t absent = 0;

	sscanf(sup->idle_text, "I %" SCNu32 " %" SCNu32, &sup->awaited, &absent);
	sup->registered = sup->awaited;
	sup->step = SUP_STEP_UP;
	sup_start_end(sup);
	sup->state.phase = WT_PHASE_UP;
	sup_state_save(sup);
	if (absent)
		sup_log(sup, "up: %" PRIu32 " nodes are IDLE, %" PRIu32 " are not there (State=CLOUD or FUTURE)",
			sup->awaited, absent);
	else
		sup_log(sup, "up: all %" PRIu32 " nodes are IDLE", sup->awaited);
	progress_tell(sup);
	sup_tell(sup, "U\n");
}

static void waiter_failed(struct sup *sup, int status)
{
	const char *text = sup->idle_text[0] ? sup->idle_text + 2 : "";
	char *log = wt_clusterinfo_path(&sup->info, "ctld/slurmctld.log");

	if (WIFEXITED(status) && WEXITSTATUS(status) == WAITER_TROUBLE)
		sup_fail(sup, EHOSTDOWN, "not all nodes become IDLE: %s (%s)", text, log ? log : "slurmctld.log");
	else
		sup_fail(sup, EIO, "asking slurmctld for the nodes' states failed: %s", text);
	free(log);
}

static void waiter_ended(struct asker *a, int status)
{
	struct sup *sup = a->owner;

	if (sup->stopping)
		sup->frame->ended(sup);
	else if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		reached_up(sup);
	else
		waiter_failed(sup, status);
}

static void waiter_told(struct asker *a)
{
	struct sup *sup = a->owner;
	char buf[PIPE_BUF + 1], *line;
	ssize_t n = asker_read(a, buf, sizeof(buf) - 1);

	if (n <= 0)
		return;
	buf[n] = '\0';
	if (buf[n - 1] == '\n')
		buf[n - 1] = '\0';
	/* Only the last line counts; those before it were overtaken. */
	line = strrchr(buf, '\n');
	snprintf(sup->idle_text, sizeof(sup->idle_text), "%.*s", (int) sizeof(sup->idle_text) - 1, line ? line + 1 : buf);
}

static int waiter_start(struct sup *sup)
{
	struct wt_error err;

	if (asker_start(&sup->waiter, waiter_run, &err) == 0)
		return 0;
	sup_fail(sup, errno, "watching the nodes: %s", err.text);
	return -1;
}

/* ---- steps ---- */

static uint32_t stats_number(const json_t *stats, const char *key, const char *path, uint32_t max, uint32_t before)
{
	int64_t n;

	return wt_json_integer(stats, key, path, &n, NULL) == 0 && n >= 0 && n <= max ? (uint32_t) n : before;
}

/* Of virtual nodes their process knows how many will register: not those that are off, as those with State=CLOUD or FUTURE
 * are. */
static void registered_read(struct sup *sup)
{
	char *path = sup->nodes || sup->hosts ? NULL : wt_clusterinfo_path(&sup->info, "nodes/stats.json");
	json_t *stats = path ? wt_json_load(path, NULL) : NULL;
	uint32_t all = sup->info.nodes + sup->info.dynamic_nodes;

	if (stats) {
		sup->awaited = stats_number(stats, "nodes", path, all, sup->awaited);
		sup->awaited -= stats_number(stats, "off", path, sup->awaited, 0);
		sup->registered = stats_number(stats, "registered", path, all, sup->registered);
		json_decref(stats);
	}
	if (sup->nodes) {
		/* Also here: slurmctld may switch those off that have registered first, before the last have. */
		sup->awaited = sup->state.nodes.total - sup->state.nodes.off;
		sup->registered = sup->state.nodes.running;
	} else if (sup->hosts) {
		sup->registered = sup_hosts_ready(sup);
	}
	free(path);
}

static int nodes_start(struct sup *sup)
{
	if (sup->hosts)
		sup_hosts_begin(sup);
	else if (sup->nodes)
		sup_nodes_begin(sup);
	else
		return sup_daemon_start(sup, SUP_VNODED);
	return 0;
}

/* How many ticks munged takes until it answers is the machine's whim, because it lives beside a virtual clock.  slurmdbd
 * does some things at full hours: so that runs repeat themselves, what follows begins at a whole second. */
static bool at_whole_second(const struct sup *sup)
{
	const struct wt_clock *clock = wt_clock_own();

	return !sup->info.accounting || clock == wt_clock_real() ||
	       wt_clock_now_us(clock) % 1000000 < (int64_t) (TICK_S * 1e6);
}

/* A host's part is up when its nodes listen: whether they are IDLE is the cluster's to see. */
static void part_up(struct sup *sup)
{
	sup->step = SUP_STEP_UP;
	sup_start_end(sup);
	sup->state.phase = WT_PHASE_UP;
	sup_state_save(sup);
	sup_part_up(sup);
}

static void step_next(struct sup *sup)
{
	uint32_t before = sup->registered;
	enum sup_step step = sup->step;

	switch (step) {
	case SUP_STEP_MUNGE:
		if (wt_munge_check(&sup->info, NULL) < 0 || !at_whole_second(sup))
			break;
		sup->step = SUP_STEP_ACCOUNTING;
		sup_accounting_begin(sup);
		break;
	case SUP_STEP_ACCOUNTING:
		/* slurmctld and the nodes read slurm.conf at the same time: at 65,536 nodes that takes seconds in each. */
		if (sup_accounting_ready(sup) && (sup->part || sup_daemon_start(sup, SUP_SLURMCTLD) == 0) &&
		    nodes_start(sup) == 0)
			sup->step = SUP_STEP_CONTROLLER;
		break;
	case SUP_STEP_CONTROLLER:
	case SUP_STEP_NODES:
		registered_read(sup);
		if (sup->registered > 0)
			sup->step = SUP_STEP_NODES;
		if (sup->registered >= sup->awaited && sup->part)
			part_up(sup);
		else if (sup->registered >= sup->awaited && waiter_start(sup) == 0)
			sup->step = SUP_STEP_IDLE;
		break;
	case SUP_STEP_IDLE:
	case SUP_STEP_UP:
		break;
	}
	if (step != sup->step || before != sup->registered)
		progress_tell(sup);
}

static void tick_cb(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct sup *sup = w->data;

	(void) loop;
	(void) revents;
	if (!sup->stopping)
		step_next(sup);
}

static void deadline_cb(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct sup *sup = w->data;
	char *ctld = wt_logtail_file(sup->services[SUP_SLURMCTLD].log, 1);
	char *nodes = wt_logtail_file(sup->nodes ? sup_nodes_log(sup) : sup->hosts ? sup_hosts_log(sup) :
				      sup->services[SUP_VNODED].log, 1);

	(void) loop;
	(void) revents;
	sup_fail(sup, ETIMEDOUT, "%" PRIu32 " of %"
		 PRIu32 " nodes registered%s%s after %d s; slurmctld's last word: %s; the nodes': %s",
		 sup->registered, sup->awaited, sup->idle_text[0] ? ", " : "", sup->idle_text[0] ? sup->idle_text + 2 : "",
		 start_ms(sup) / 1000, ctld ? ctld : "none", nodes ? nodes : "none");
	free(ctld);
	free(nodes);
}

void sup_start_begin(struct sup *sup)
{
	asker_init(&sup->waiter, sup->loop, waiter_told, waiter_ended, sup);
	sup->awaited = (sup->part ? sup->info.part->count : sup->nodes ? sup->state.nodes.total : sup->info.nodes) -
		       sup->state.nodes.off;
	ev_timer_init(&sup->tick, tick_cb, TICK_S, TICK_S);
	sup->tick.data = sup;
	ev_timer_start(sup->loop, &sup->tick);
	ev_timer_init(&sup->deadline, deadline_cb, start_ms(sup) / 1e3, 0.0);
	sup->deadline.data = sup;
	ev_timer_start(sup->loop, &sup->deadline);
	if (sup_daemon_start(sup, SUP_MUNGED) == 0)
		progress_tell(sup);
}

void sup_start_end(struct sup *sup)
{
	ev_timer_stop(sup->loop, &sup->tick);
	ev_timer_stop(sup->loop, &sup->deadline);
	asker_deafen(&sup->waiter);
	asker_kill(&sup->waiter);	/* it may wait for slurmctld */
}
