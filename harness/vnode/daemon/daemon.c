/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop: timers, signals, statistics. */
#include "harness/vnode/daemon/daemon.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "harness/vnode/slurm/slurmconf.h"

#define STATS_AFTER_US 1000000	/* after the first change: statistics are written; an idle process sleeps on */
/* Long enough to put thousands of rows into one write, short enough for a reader that follows the file. */
#define FLUSH_PERIOD_S 0.2

static void stats_collect(struct wt_daemon *daemon)
{
	struct wt_counters *stats = &daemon->counters;
	struct wt_model_counts counts;

	wt_model_counts(daemon->model, &counts);
	stats->nodes = wt_nodetable_own_count(daemon->nodes);
	stats->off = stats->nodes - wt_daemon_nodes_on(daemon);
	stats->registered = wt_registry_registered(daemon->registration.registry);
	wt_daemon_joining_count(daemon, &stats->may_join, &stats->joined);
	stats->stopped = wt_registry_stopped_count(daemon->registration.registry);
	stats->jobs_running = counts.jobs_running;
	stats->jobs_known = counts.jobs_known;
	stats->stepds_running = counts.stepds_running;
	stats->nodes_allocated = counts.nodes_allocated;
	stats->nodes_completing = counts.nodes_completing;
	stats->outgoing_in_flight = wt_outgoing_in_flight(daemon->send.outgoing);
	wt_beats_count(daemon);
	stats->outgoing_waiting = daemon->send.queues[WT_QUEUE_JOB].count + daemon->send.queues[WT_QUEUE_EPILOG].count;
}

static void stats_write(struct wt_daemon *daemon)
{
	struct wt_main_loop *own = daemon->main;
	struct wt_error err;

	stats_collect(daemon);
	if (!memcmp(&daemon->counters, &own->written, sizeof(daemon->counters)))
		return;
	if (counters_write(&daemon->counters, own->stats_path, &err) < 0)
		error("%s", err.text);
	else
		own->written = daemon->counters;
}

static void timers_run(struct wt_daemon *daemon)
{
	int64_t now_us = wt_daemon_now_us(daemon);
	struct wt_timer timer;

	while (wt_timerq_pop(daemon->time.timers, now_us, &timer)) {
		if (timer.kind < WT_MODEL_TIMERS) {
			wt_model_timer(daemon->model, now_us, &timer);
		} else if (timer.kind == WT_TIMER_REGISTER) {
			wt_registry_want(daemon->registration.registry, timer.a);
		} else if (timer.kind == WT_TIMER_RETRY) {
			wt_send_retry(&daemon->send, now_us);
		} else if (timer.kind == WT_TIMER_FAULT) {
			wt_fault_timer(daemon);
		} else if (timer.kind == WT_TIMER_BOOTED) {
			wt_reboot_done(daemon, timer.a);
		} else if (timer.kind == WT_TIMER_POWER) {
			wt_power_timer(daemon->power.power, now_us, timer.a);
		} else if (timer.kind == WT_TIMER_BEAT) {
			wt_beats_look(daemon, timer.a);
		} else if (timer.kind == WT_TIMER_BEAT_SEND) {
			wt_beats_send(daemon, timer.b);
		} else if (timer.kind == WT_TIMER_TURN) {
			wt_turns_take(daemon);
		} else if (timer.kind == WT_TIMER_RECONFIGURE) {
			wt_reconfigure_now(daemon);
		} else {
			daemon->main->stats_armed = false;
			stats_write(daemon);
		}
	}
}

/* What has happened is on the disk before slurmctld or srun hears of it. */
static void daemon_commit(struct wt_daemon *daemon)
{
	struct wt_error err;
	bool bad = wt_store_commit(daemon->store, &err) < 0;

	if (bad && !daemon->main->store_failing)
		error("%s (a restart would not know of what happens until it can be written)", err.text);
	daemon->main->store_failing = bad;
}

/* A timer that went on for ever would wake an idle cluster each second, which in virtual time is most of what it does. */
static void stats_arm(struct wt_daemon *daemon)
{
	if (daemon->main->stats_armed)
		return;
	stats_collect(daemon);
	if (!memcmp(&daemon->counters, &daemon->main->written, sizeof(daemon->counters)))
		return;
	wt_daemon_arm(daemon, WT_TIMER_STATS, STATS_AFTER_US);
	daemon->main->stats_armed = true;
}

static void wait_bound(struct wt_daemon *daemon)
{
	ev_timer *timer = &daemon->main->timer;
	struct ev_loop *loop = daemon->time.loop;
	int64_t deadline_us, wait_us;

	/* Set anew before each wait: what ran before may have brought an earlier deadline, or taken the last one away. */
	ev_timer_stop(loop, timer);
	if (!wt_timerq_next(daemon->time.timers, &deadline_us))
		return;
	wait_us = deadline_us - wt_daemon_now_us(daemon);
	/* libev counts from the time at which it woke, which the work since then has left behind. */
	ev_now_update(loop);
	ev_timer_set(timer, wait_us > 0 ? (double) wait_us / 1e6 : 0., 0.);
	ev_timer_start(loop, timer);
	if (daemon->time.in_order)
		/* libev rounds: the clock learns the deadline in microseconds, so that a jump meets it exactly. */
		wt_clock_hint_us(daemon->time.clock, deadline_us);
}

/* Before each wait of the loop: what has become due or possible is done, and the wait is bounded by the next deadline. */
static void before_wait(struct ev_loop *loop, ev_prepare *prepare, int events)
{
	struct wt_daemon *daemon = prepare->data;
	struct wt_main_loop *own = daemon->main;

	(void) events;
	timers_run(daemon);
	wt_actions_run(daemon);
	daemon_commit(daemon);
	wt_power_control_tell(daemon);
	/* Connections only now: a message must not leave before the event that it tells of is committed. */
	wt_outgoing_kick(daemon->send.outgoing);
	wt_outgoing_kick(daemon->sruns.outgoing);
	wt_outgoing_kick(daemon->forwards.outgoing);
	wt_actions_run(daemon);
	daemon_commit(daemon);
	/* In virtual time messages leave one at a time, in their order, or the machine would decide which arrives
	 * first. */
	if (daemon->time.in_order && wt_send_waits(daemon))
		wt_turns_arm(daemon);
	if ((event_log_waiting(own->events) || event_log_waiting(daemon->power.rows)) && !ev_is_active(&own->flush)) {
		ev_timer_set(&own->flush, FLUSH_PERIOD_S, 0.);
		ev_timer_start(loop, &own->flush);
	}
	stats_arm(daemon);
	wait_bound(daemon);
	if (daemon->serving.all_stopped && !wt_forward_busy(&daemon->forwards)) {
		info("all nodes were shut down");
		ev_break(loop, EVBREAK_ALL);
	}
}

static void timer_due(struct ev_loop *loop, ev_timer *timer, int events)
{
	(void) loop;	/* the work is done before the next wait */
	(void) timer;
	(void) events;
}

static void flush_due(struct ev_loop *loop, ev_timer *timer, int events)
{
	struct wt_daemon *daemon = timer->data;
	struct wt_error err;
	bool bad;

	(void) loop;
	(void) events;
	daemon_commit(daemon);
	bad = event_log_flush(daemon->main->events, &err) < 0;
	/* The first error is told. */
	if (event_log_flush(daemon->power.rows, bad ? NULL : &err) < 0)
		bad = true;
	if (bad && !daemon->main->events_failing)
		error("%s (rows are kept and written later)", err.text);
	daemon->main->events_failing = bad;
}

static void signalled(struct ev_loop *loop, ev_signal *watcher, int events)
{
	(void) events;
	info("signal %d: ending", watcher->signum);
	ev_break(loop, EVBREAK_ALL);
}

static void request(void *arg, const struct sockaddr_in *local, in_addr_t peer, const uint8_t *frame, size_t len,
		    struct wt_server_answer *out)
{
	struct wt_daemon *daemon = arg;
	struct wt_bytes answer = { 0 };

	daemon->serving.answer_delay_us = 0;
	daemon->serving.later = 0;
	wt_rpc_serve(arg, local, peer, frame, len, &answer);
	/* Before the answer: slurmctld may act upon it at once, and a restarted process has to know of it. */
	wt_actions_run(arg);
	daemon_commit(arg);
	out->data = answer.data;
	out->len = answer.len;
	out->later = daemon->serving.later;
	out->delay_s = (double) daemon->serving.answer_delay_us / 1e6;
}

static void dropped(void *arg, enum wt_drop why)
{
	struct wt_daemon *daemon = arg;

	daemon->counters.dropped[why]++;
}

static void descriptors_raise(void)
{
	struct rlimit limit;

	/* A failure is not told: with fewer descriptors connections wait, and the nodes are slower. */
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		/* Each connection of each virtual node is a descriptor of this one process. */
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static int files_init(struct wt_daemon *daemon, struct wt_error *errp)
{
	char *path = xstrdup_printf("%s/" WT_EVENTS_FILE, daemon->options.dir);

	daemon->main->events = event_log_open(path, WT_EVENTS_HEADER "\n", errp);
	xfree(path);
	daemon->main->stats_path = xstrdup_printf("%s/stats.json", daemon->options.dir);
	return daemon->main->events ? 0 : -1;
}

static int model_init(struct wt_daemon *daemon, struct wt_error *errp)
{
	struct wt_model_conf conf;

	wt_slurmconf_model(&conf);
	daemon->time.timers = wt_timerq_create();
	if (daemon->time.timers)
		daemon->model = wt_model_create(daemon->nodes->count, &conf, daemon->time.timers);
	if (!daemon->model)
		return wt_error_errno(errp, ENOMEM, "tables of %u nodes", daemon->nodes->count);
	if (daemon->options.own)
		wt_model_own(daemon->model, daemon->nodes->own_first, daemon->nodes->own_count);
	return 0;
}

static int store_init(struct wt_daemon *daemon, struct wt_error *errp)
{
	char *path = xstrdup_printf("%s/journal", daemon->options.dir);
	const struct wt_store_conf conf = {
		.path = path, .nodes_id = wt_nodetable_id(daemon->nodes), .model = daemon->model,
		.events = daemon->main->events, .power = daemon->power.power, .power_rows = daemon->power.rows,
		.client_pack = wt_step_client_pack, .client_unpack = wt_step_client_unpack, .arg = &daemon->sruns,
	};
	struct wt_store_found found;

	daemon->store = wt_store_open(&conf, &found, errp);
	xfree(path);
	if (!daemon->store)
		return -1;
	if (found.note.text[0])
		error("%s", found.note.text);
	/* Timers that became due while no process was there fire now, in the order of their deadlines. */
	wt_model_resume(daemon->model, wt_daemon_now_us(daemon));
	wt_fault_resume(daemon);
	if (found.images) {
		struct wt_model_counts counts;

		wt_model_counts(daemon->model, &counts);
		info("restarted: %u running jobs go on, and %u slurmstepds of steps", counts.jobs_running,
		     counts.stepds_running);
	}
	return 0;
}

static int server_init(struct wt_daemon *daemon, uint16_t port, struct wt_error *errp)
{
	const struct wt_server_calls calls = { .request = request, .waits = wt_turns_arm, .dropped = dropped,
					       .arg = daemon };
	const struct wt_server_conf conf = {
		.port = port ? port : daemon->nodes->ports[daemon->nodes->own_first],
		.any_device = daemon->options.any_device, .max_connections = 2048,
		.timeout_s = wt_slurmconf_message_timeout_s(), .in_order = daemon->time.in_order,
		.addresses = !port || wt_power_control_wanted(daemon->nodes) ? daemon->nodes->addresses : NULL,
		.ports = port ? NULL : daemon->nodes->ports, .address_count = daemon->nodes->count,
	};

	if (!port && wt_power_control_sockets(daemon->nodes, errp) < 0)
		return -1;
	daemon->serving.server = wt_server_create(daemon->time.loop, &conf, &calls, errp);
	return daemon->serving.server ? 0 : -1;
}

static void watchers_init(struct wt_daemon *daemon)
{
	struct wt_main_loop *own = daemon->main;
	struct ev_loop *loop = daemon->time.loop;

	ev_init(&own->timer, timer_due);
	ev_init(&own->flush, flush_due);
	ev_prepare_init(&own->prepare, before_wait);
	ev_signal_init(&own->sigterm, signalled, SIGTERM);
	ev_signal_init(&own->sigint, signalled, SIGINT);
	own->flush.data = own->prepare.data = daemon;
	ev_prepare_start(loop, &own->prepare);
	ev_signal_start(loop, &own->sigterm);
	ev_signal_start(loop, &own->sigint);
}

static void time_init(struct wt_daemon_time *time)
{
	time->clock = wt_clock_own();
	time->in_order = wt_clock_is_exact(time->clock);
	time->start_us = wt_clock_now_us(time->clock);
	time->loop = ev_default_loop(0);
}

/* The order matters: tables of nodes, the port, the journal, and connections last. */
static int parts_init(struct wt_daemon *daemon, uint16_t port, struct wt_error *errp)
{
	uint32_t count = daemon->nodes->count;

	if (wt_gres_load(&daemon->registration.gres, daemon->nodes, errp) < 0 ||
	    wt_registration_init(&daemon->registration, count, errp) < 0 || model_init(daemon, errp) < 0 ||
	    wt_boots_init(&daemon->power.boots, count, errp) < 0 || wt_fault_init(daemon, errp) < 0 ||
	    wt_power_control_init(daemon, errp) < 0)
		return -1;
	/* The port before the journal: a second process must not touch the first one's. */
	if (server_init(daemon, port, errp) < 0 || wt_beats_init(daemon, errp) < 0 || store_init(daemon, errp) < 0)
		return -1;
	if (wt_power_control_begin(daemon, errp) < 0 || wt_send_init(daemon, errp) < 0 || wt_step_init(daemon, errp) < 0)
		return -1;
	return wt_forward_init(daemon, errp);
}

int wt_daemon_init(struct wt_daemon *daemon, struct wt_main_loop *loop, const struct wt_options *options,
		   struct wt_error *errp)
{
	uint16_t port;

	memset(daemon, 0, sizeof(*daemon));
	memset(loop, 0, sizeof(*loop));
	daemon->main = loop;
	daemon->options = *options;
	time_init(&daemon->time);
	descriptors_raise();
	if (wt_slurmconf_init(options->conf, errp) < 0 || files_init(daemon, errp) < 0)
		return -1;
	daemon->nodes = wt_slurmconf_nodes(options->own, options->dynamic, &port, errp);
	if (!daemon->nodes || parts_init(daemon, port, errp) < 0)
		return -1;
	wt_beats_resume(daemon);
	watchers_init(daemon);
	/* A slurmd registers when it starts: so do all nodes, also after a restart. */
	for (uint32_t i = 0; i < daemon->nodes->count; i++)
		if (wt_nodetable_is_own(daemon->nodes, i) && wt_power_is_on(daemon->power.power, i))
			wt_registry_want(daemon->registration.registry, i);
	loop->written.nodes = UINT32_MAX;	/* the first are written in any case, also those of no nodes */
	wt_daemon_arm(daemon, WT_TIMER_STATS, 0);
	loop->stats_armed = true;
	if (port)
		info("%u nodes on port %u", wt_nodetable_own_count(daemon->nodes), port);
	else
		info("%u of %u nodes, on a port each from %u on", wt_nodetable_own_count(daemon->nodes),
		     daemon->nodes->count, daemon->nodes->ports[daemon->nodes->own_first]);
	return 0;
}

void wt_daemon_run(struct wt_daemon *daemon)
{
	ev_run(daemon->time.loop, 0);
}

void wt_daemon_fini(struct wt_daemon *daemon)
{
	struct wt_error err;

	/* An init that failed in the middle is cleared here, too. */
	if (daemon->model && daemon->send.outgoing && daemon->main->beats && daemon->power.power)
		stats_write(daemon);
	/* Before the rows' files, because its last commit is of them, too. */
	wt_store_close(daemon->store);
	if (event_log_close(daemon->main->events, &err) < 0)
		error("%s", err.text);
	wt_power_control_fini(&daemon->power);
	wt_server_destroy(daemon->serving.server);
	wt_send_fini(&daemon->send);
	wt_step_fini(&daemon->sruns);
	wt_forward_fini(&daemon->forwards);
	wt_beats_fini(daemon);
	wt_model_destroy(daemon->model);
	wt_registration_fini(&daemon->registration);
	wt_timerq_destroy(daemon->time.timers);
	wt_nodetable_destroy(daemon->nodes);
	wt_fault_fini(&daemon->faults);
	xfree(daemon->main->stats_path);
}
