/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The node settings carried out, where messages come and go: silent nodes, lost messages, late answers. */
#include "harness/vnode/slurm/node_process.h"

#include <errno.h>
#include <stdlib.h>

#include "harness/vnode/model/model_plan.h"

static int host_list_read(void *arg, const char *text, struct wt_nodeset *set, struct wt_error *errp)
{
	const struct wt_daemon *daemon = arg;
	compat_hostlist names = hostlist_create(text);
	int count = names ? hostlist_count(names) : 0;

	if (names)
		hostlist_destroy(names);
	if (count < 1)
		return wt_error_set(errp, EINVAL, "this is no host list");
	if (wt_daemon_nodeset(daemon, text, set) < 0)
		return wt_error_errno(errp, ENOMEM, "host list");
	if (set->count == (uint32_t) count)
		return 0;
	wt_nodeset_clear(set);
	return wt_error_set(errp, EINVAL, "it names nodes that slurm.conf does not have, or one of them twice");
}

int wt_fault_init(struct wt_daemon *daemon, struct wt_error *errp)
{
	const struct wt_settings *settings = daemon->options.settings;
	struct wt_node_faults *own = &daemon->faults;

	own->drawn = calloc(daemon->nodes->count, sizeof(*own->drawn));
	if (!own->drawn)
		return wt_error_errno(errp, ENOMEM, "nodes");
	own->faults = wt_faults_create(settings, daemon->nodes->count, host_list_read, daemon, errp);
	if (!own->faults)
		return wt_error_prefix(errp, "--node");
	wt_model_faults(daemon->model, settings, wt_faults_factors(own->faults));
	if (settings->epilog.kind != WT_DELAY_NONE && !slurm_conf.epilog)
		error("--node epilog-time has no effect: slurm.conf has no Epilog");
	return 0;
}

void wt_fault_fini(struct wt_node_faults *faults)
{
	wt_faults_destroy(faults->faults);
	free(faults->drawn);
}

static void timer_arm(struct wt_daemon *daemon)
{
	struct wt_timer timer = { .kind = WT_TIMER_FAULT };
	int64_t at_us;

	if (!wt_faults_next(daemon->faults.faults, &at_us))
		return;
	timer.deadline_us = wt_store_epoch_us(daemon->store) + at_us;
	wt_timerq_arm(daemon->time.timers, &timer);
}

struct changes {
	struct wt_daemon *daemon;
	uint32_t count[2];	/* nodes that have booted, that have lost power */
};

static void node_changed(void *arg, uint32_t node, bool down)
{
	struct changes *changes = arg;
	struct wt_daemon *daemon = changes->daemon;

	if (!wt_nodetable_is_own(daemon->nodes, node))
		return;
	verbose("%s %s", wt_nodetable_name(daemon->nodes, node), down ? "loses power" : "has booted");
	changes->count[down]++;
	if (down) {
		wt_model_crash(daemon->model, wt_daemon_now_us(daemon), node);
		return;
	}
	daemon->power.boots.booted_us[node] = wt_daemon_now_us(daemon);
	wt_registry_want(daemon->registration.registry, node);
}

static void node_skipped(void *arg, uint32_t node, bool down)
{
	(void) arg;	/* of the life before */
	(void) node;
	(void) down;
}

void wt_fault_timer(struct wt_daemon *daemon)
{
	struct changes changes = { .daemon = daemon };

	wt_faults_advance(daemon->faults.faults, wt_daemon_now_us(daemon) - wt_store_epoch_us(daemon->store), node_changed,
			  &changes);
	if (changes.count[true])
		info("%u nodes lose power", changes.count[true]);
	if (changes.count[false])
		info("%u nodes have booted", changes.count[false]);
	timer_arm(daemon);
}

/* After a restart: what is past has happened; a node without power has no script. */
void wt_fault_resume(struct wt_daemon *daemon)
{
	int64_t now_us = wt_daemon_now_us(daemon);

	if (!wt_store_epoch_us(daemon->store))
		return;
	wt_faults_advance(daemon->faults.faults, now_us - wt_store_epoch_us(daemon->store), node_skipped, NULL);
	for (uint32_t i = 0; i < daemon->nodes->count; i++) {
		if (wt_faults_down(daemon->faults.faults, i))
			wt_model_crash(daemon->model, now_us, i);
	}
	timer_arm(daemon);
}

void wt_fault_registered(struct wt_daemon *daemon)
{
	/* Those that are off are not waited for. */
	if (wt_store_epoch_us(daemon->store) ||
	    wt_registry_registered(daemon->registration.registry) < wt_daemon_nodes_on(daemon))
		return;
	wt_store_epoch_set(daemon->store, wt_daemon_now_us(daemon));
	timer_arm(daemon);
}

bool wt_fault_silent(const struct wt_daemon *daemon, uint32_t node)
{
	const struct wt_power_control *power = &daemon->power;

	return power->boots.until_us[node] || wt_faults_down(daemon->faults.faults, node) ||
	       !wt_power_is_on(power->power, node);
}

bool wt_fault_refuses(const struct wt_node_faults *faults, bool prolog, uint32_t job_id, uint32_t node)
{
	return wt_faults_refuse(faults->faults, prolog, job_id, node);
}

/* For the next random decision about a message of this node: in which order nodes have messages does not matter. */
static uint64_t draw_next(struct wt_node_faults *faults, uint32_t node)
{
	return (uint64_t) node << 32 | faults->drawn[node]++;
}

bool wt_fault_lost(struct wt_daemon *daemon, uint32_t node)
{
	const struct wt_settings *settings = daemon->options.settings;

	if (!(settings->loss > 0) || wt_settings_draw(settings, WT_DRAW_LOSS, draw_next(&daemon->faults, node),
						      node) >= settings->loss)
		return false;
	daemon->counters.lost++;
	return true;
}

/* The answer of a message that is also for 'count' other nodes; each level of the tree below takes its time. */
void wt_fault_late(struct wt_daemon *daemon, uint32_t node, uint32_t count)
{
	const struct wt_settings *settings = daemon->options.settings;
	uint32_t levels;

	if (settings->hop.kind == WT_DELAY_NONE)
		return;
	levels = 1 + wt_settings_levels(count, slurm_conf.tree_width);
	for (uint32_t i = 0; i < levels; i++) {
		double draw = wt_settings_draw(settings, WT_DRAW_HOP, draw_next(&daemon->faults, node), i);

		daemon->serving.answer_delay_us += wt_delay_us(&settings->hop, draw);
	}
}

/* A process that talks to a node without power waits for its own connection to fail. */
void wt_fault_unreachable(struct wt_serving *serving)
{
	int64_t timeout_us = slurm_conf.tcp_timeout * 1000000LL;

	if (serving->answer_delay_us < timeout_us)
		serving->answer_delay_us = timeout_us;
}

bool wt_fault_void(const struct wt_daemon *daemon, const struct wt_outgoing_request *request)
{
	/* The script may have ended, or been killed, since the question was queued. */
	if (request->kind == WT_SEND_SCRIPT_ASK || request->kind == WT_SEND_SCRIPT_LOOK)
		return !wt_model_script_step(daemon->model, request->job, request->first);
	/* Where nodes never lose power nothing in the queues can be void: the usual case, and asked for each message. */
	if (!daemon->options.settings->fail_count && !daemon->power.boots.rebooted && !wt_power_used(daemon->power.power))
		return false;
	if (wt_fault_silent(daemon, request->node))
		return true;
	switch (request->kind) {
	case WT_SEND_PROBE: return !wt_model_awaits(daemon->model, WT_ACTION_PROBE, request->job, request->node);
	case WT_SEND_BATCH_COMPLETE:
		return !wt_model_awaits(daemon->model, WT_ACTION_BATCH_COMPLETE, request->job, request->node);
	case WT_SEND_EPILOG_COMPLETE:
		return !wt_model_awaits(daemon->model, WT_ACTION_EPILOG_COMPLETE, request->job, request->node);
	default: return false;
	}
}
