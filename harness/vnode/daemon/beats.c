/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Heartbeats of scripts that speculate: what the wt-agentd of each node would gather, and when
 * (plugins/straggler/agent/gather.c). */
#include "harness/vnode/daemon/daemon.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/vnode/daemon/beatsend.h"

#define LOOK_US 500000		/* between two looks of an agent at its node's tasks */
#define NODE_JOBS_MAX 4096	/* as an agent */

struct beat_node {
	bool active;		/* its agent runs: there is a script to tell of */
	int64_t begun_us, sent_us, window_us;	/* sent_us: when it told of all scripts */
	wt_timer_id timer;
	int64_t look_us;	/* when that is due */
	struct wt_beatsend_record *news;	/* begun and ended scripts: told at the next look */
	uint32_t count, capacity;
};

struct wt_beats {
	struct wt_beatsend *send;
	struct beat_node *nodes;
	uint64_t drawn, lost;
	bool said;
};

/* The agent looks at whole multiples of LOOK_US since it began. */
static void look_arm(struct wt_daemon *daemon, uint32_t number, int64_t not_before_us)
{
	struct beat_node *node = &daemon->main->beats->nodes[number];
	int64_t since_us = not_before_us - node->begun_us;
	int64_t look_us = node->begun_us + (since_us + LOOK_US - 1) / LOOK_US * LOOK_US;
	struct wt_timer timer = { .kind = WT_TIMER_BEAT, .deadline_us = look_us, .a = number };

	/* The earlier of two looks tells both. */
	if (node->timer && node->look_us <= look_us)
		return;
	wt_timerq_cancel(daemon->time.timers, node->timer);
	node->look_us = look_us;
	node->timer = wt_timerq_arm(daemon->time.timers, &timer);
}

static bool agent_begin(struct wt_daemon *daemon, struct beat_node *node)
{
	struct wt_beats *beats = daemon->main->beats;
	struct wt_error err;

	if (node->active)
		return true;
	node->window_us = wt_beatsend_follow(beats->send, &err);
	if (node->window_us < 0) {
		if (!beats->said)
			error("jobs speculate, but their heartbeats have no place to go: %s", err.text);
		beats->said = true;
		return false;
	}
	beats->said = false;
	node->active = true;
	/* An agent's looks are counted from its start: so nodes do not report all at one moment. */
	node->begun_us = node->sent_us = wt_daemon_now_us(daemon);
	return true;
}

static bool news_room(struct beat_node *node)
{
	uint32_t capacity = node->capacity ? 2 * node->capacity : 8;
	struct wt_beatsend_record *more;

	if (node->count < node->capacity)
		return true;
	more = realloc(node->news, capacity * sizeof(*more));
	if (!more)
		return false;
	node->news = more;
	node->capacity = capacity;
	return true;
}

void wt_beats_news(struct wt_daemon *daemon, const struct wt_action *action)
{
	struct beat_node *node = &daemon->main->beats->nodes[action->node];

	if (wt_fault_silent(daemon, action->node) || !agent_begin(daemon, node) || !news_room(node))
		return;
	node->news[node->count++] = (struct wt_beatsend_record){
		.job_id = action->job_id,
		.restart = action->restart,
		.elapsed_us = action->elapsed_us,
		.progress = action->value,
		.ended = action->ended,
	};
	look_arm(daemon, action->node, wt_daemon_now_us(daemon));
}

/* A report may be lost, or late, on its way. */
static void report_go(struct wt_daemon *daemon, struct wt_beatsend_report *report)
{
	const struct wt_settings *settings = daemon->options.settings;
	struct wt_beats *beats = daemon->main->beats;
	struct wt_timer timer = { .kind = WT_TIMER_BEAT_SEND, .b = (uintptr_t) report };
	uint64_t number = beats->drawn++;

	if (settings->beat_loss > 0 && wt_settings_draw(settings, WT_DRAW_BEAT_LOSS, number,
							report->node) < settings->beat_loss) {
		beats->lost++;
		free(report);
		return;
	}
	timer.deadline_us = wt_daemon_now_us(daemon);
	if (settings->beat.kind != WT_DELAY_NONE)
		timer.deadline_us += wt_delay_us(&settings->beat, wt_settings_draw(settings, WT_DRAW_BEAT_DELAY, number,
										   report->node));
	/* Without memory for its timer the report goes at once: early is better than lost. */
	if (settings->beat.kind == WT_DELAY_NONE || !wt_timerq_arm(daemon->time.timers, &timer))
		wt_beatsend_put(beats->send, report);
}

static struct wt_beatsend_report *report_make(struct wt_daemon *daemon, uint32_t number, const struct wt_model_beat *beats,
					      uint32_t count)
{
	struct beat_node *node = &daemon->main->beats->nodes[number];
	struct wt_beatsend_report *report = malloc(sizeof(*report) + (node->count + count) * sizeof(report->records[0]));

	if (!report)
		return NULL;
	report->node = number;
	report->count = node->count + count;
	snprintf(report->name, sizeof(report->name), "%s", wt_nodetable_name(daemon->nodes, number));
	if (node->count)
		memcpy(report->records, node->news, node->count * sizeof(report->records[0]));
	for (uint32_t i = 0; i < count; i++) {
		report->records[node->count + i] = (struct wt_beatsend_record) {
			.job_id = beats[i].job_id, .restart = beats[i].restart, .elapsed_us = beats[i].elapsed_us,
			.progress = beats[i].progress,
		};
	}
	return report;
}

void wt_beats_look(struct wt_daemon *daemon, uint32_t number)
{
	static struct wt_model_beat all[NODE_JOBS_MAX];	/* too large for a stack, and only the loop's thread comes here */
	struct beat_node *node = &daemon->main->beats->nodes[number];
	int64_t now_us = wt_daemon_now_us(daemon);
	bool tell_all = node->look_us - node->sent_us >= node->window_us;
	struct wt_beatsend_report *report;
	uint32_t count, alive;

	node->timer = 0;
	count = wt_model_beats(daemon->model, now_us, number, all, NODE_JOBS_MAX, &alive);
	/* A node without power has no agent: what it had gathered is lost with it. */
	if (wt_fault_silent(daemon, number))
		alive = node->count = 0;
	if (tell_all)
		node->sent_us = node->look_us;	/* when it was due: being late does not add up */
	if (!tell_all || !alive)
		count = 0;
	if (node->count + count && (report = report_make(daemon, number, all, count < NODE_JOBS_MAX ? count :
							 NODE_JOBS_MAX)))
		report_go(daemon, report);
	node->count = 0;
	node->active = alive > 0;
	/* When the next report is due, or at once where that is past: news make it earlier. */
	if (node->active)
		look_arm(daemon, number, node->sent_us + node->window_us > now_us ? node->sent_us + node->window_us :
			 now_us + 1);
}

void wt_beats_send(struct wt_daemon *daemon, uint64_t report)
{
	wt_beatsend_put(daemon->main->beats->send, (struct wt_beatsend_report *) (uintptr_t) report);
}

/* The scripts of an earlier process of ours go on, and so do their agents. */
void wt_beats_resume(struct wt_daemon *daemon)
{
	struct wt_model_beat beat;

	for (uint32_t i = 0; i < daemon->nodes->count; i++) {
		struct beat_node *node = &daemon->main->beats->nodes[i];
		uint32_t alive;

		wt_model_beats(daemon->model, wt_daemon_now_us(daemon), i, &beat, 1, &alive);
		if (alive && agent_begin(daemon, node))
			look_arm(daemon, i, node->sent_us + node->window_us);
	}
}

void wt_beats_count(struct wt_daemon *daemon)
{
	struct wt_beatsend_counts counts = wt_beatsend_counts(daemon->main->beats->send);

	daemon->counters.beats = counts.beats;
	daemon->counters.heartbeat_reports = counts.reports;
	daemon->counters.heartbeat_reports_failed = counts.failed;
	daemon->counters.heartbeat_reports_lost = daemon->main->beats->lost;
}

int wt_beats_init(struct wt_daemon *daemon, struct wt_error *errp)
{
	char *folder = xstrdup(daemon->options.conf), *slash = strrchr(folder, '/'), *path;
	struct wt_beats *beats = calloc(1, sizeof(*beats));

	if (slash)
		*slash = '\0';
	path = xstrdup_printf("%s/straggler.conf", slash ? folder : ".");
	daemon->main->beats = beats;
	if (beats)
		beats->nodes = calloc(daemon->nodes->count, sizeof(*beats->nodes));
	if (!beats || !beats->nodes)
		wt_error_errno(errp, ENOMEM, "heartbeats of %u nodes", daemon->nodes->count);
	else
		beats->send = wt_beatsend_create(path, daemon->nodes->count, errp);
	xfree(folder);
	xfree(path);
	return beats && beats->send ? 0 : -1;
}

void wt_beats_fini(struct wt_daemon *daemon)
{
	struct wt_beats *beats = daemon->main->beats;

	if (!beats)
		return;
	wt_beatsend_destroy(beats->send);
	for (uint32_t i = 0; beats->nodes && i < daemon->nodes->count; i++)
		free(beats->nodes[i].news);
	free(beats->nodes);
	free(beats);
	daemon->main->beats = NULL;
}
