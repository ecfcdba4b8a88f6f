/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "harness/provision/fleet.h"

#define SAME_S  1e-6
#define AGAIN_S 120	/* slurmctld's own thread of power takes ten seconds, and more under ResumeRate */

enum task_phase { TASK_UNREADY, TASK_READY, TASK_QUEUED, TASK_SENT, TASK_ELSEWHERE, TASK_ENDED };

struct queued_task {
	enum task_phase phase;
	bool waits_told;
	uint32_t node, next;	/* next: in the node's queue */
	double run_time_s, sent_s;
};

struct fleet_machine {
	enum fleet_power power;	/* of a rented one BOOTING or ON */
	double rented_s, timer_s;
	double asked_s;		/* to be switched on or off, last */
	bool ignored;		/* it was last seen as if that had never been asked */
	uint32_t current, first, last;	/* tasks */
};

struct fleet {
	struct fleet_settings settings;
	struct fleet_machine *nodes;
	struct queued_task *tasks;
	struct provision_vm *vms;	/* room for a view */
	uint32_t node_count, task_count;
	uint32_t ready_from;	/* no task before it is READY */
	struct fleet_counts counts;
	double boot_sum_s, overhead_sum_s;
	uint32_t walltimes;
};

const char *fleet_do_name(enum fleet_do what)
{
	static const char *const names[] = { "rent", "use", "wait", "send", "stop" };

	return (unsigned int) what < sizeof(names) / sizeof(names[0]) ? names[what] : "impossible";
}

struct fleet *fleet_create(const struct fleet_settings *settings, uint32_t nodes, uint32_t tasks, struct wt_error *errp)
{
	struct fleet *f = calloc(1, sizeof(*f));

	if (f) {
		f->nodes = calloc(nodes + (size_t) 1, sizeof(*f->nodes));
		f->vms = calloc(nodes + (size_t) 1, sizeof(*f->vms));
		f->tasks = calloc(tasks + (size_t) 1, sizeof(*f->tasks));
	}
	if (!f || !f->nodes || !f->vms || !f->tasks) {
		fleet_destroy(f);
		wt_error_errno(errp, ENOMEM, "provisioning");
		return NULL;
	}
	f->settings = *settings;
	f->node_count = nodes;
	f->task_count = tasks;
	f->counts.boot_s = settings->boot_s;
	for (uint32_t i = 0; i < nodes; i++)
		f->nodes[i].current = f->nodes[i].first = f->nodes[i].last = FLEET_NONE;
	return f;
}

void fleet_destroy(struct fleet *f)
{
	if (!f)
		return;
	free(f->nodes);
	free(f->tasks);
	free(f->vms);
	free(f);
}

static bool rented(const struct fleet_machine *n)
{
	return n->power == FLEET_BOOTING || n->power == FLEET_ON;
}

void fleet_task_ready(struct fleet *f, uint32_t task, double run_time_s)
{
	if (f->tasks[task].phase != TASK_UNREADY)
		return;
	f->tasks[task].phase = TASK_READY;
	f->tasks[task].run_time_s = run_time_s;
	if (task < f->ready_from)
		f->ready_from = task;
}

/* Of a queue that it is in, wherever. */
static void task_unqueue(struct fleet *f, uint32_t task)
{
	struct fleet_machine *n = &f->nodes[f->tasks[task].node];
	uint32_t *at = &n->first, before = FLEET_NONE;

	while (*at != FLEET_NONE && *at != task) {
		before = *at;
		at = &f->tasks[*at].next;
	}
	if (*at == FLEET_NONE)
		return;
	*at = f->tasks[task].next;
	if (n->last == task)
		n->last = before;
}

static void overhead_learn(struct fleet *f, const struct queued_task *t, double now_s)
{
	f->overhead_sum_s += now_s - t->sent_s - t->run_time_s;
	f->counts.overhead_s = f->overhead_sum_s / ++f->walltimes;
}

static void task_end(struct fleet *f, uint32_t task)
{
	struct queued_task *t = &f->tasks[task];

	if (t->phase == TASK_ENDED)
		return;
	if (t->phase == TASK_SENT && f->nodes[t->node].current == task)
		f->nodes[t->node].current = FLEET_NONE;
	else if (t->phase == TASK_QUEUED)
		task_unqueue(f, task);
	t->phase = TASK_ENDED;
	f->counts.ended++;
}

void fleet_task_ended(struct fleet *f, uint32_t task, double now_s)
{
	if (f->tasks[task].phase == TASK_SENT)
		overhead_learn(f, &f->tasks[task], now_s);
	task_end(f, task);
}

void fleet_task_lost(struct fleet *f, uint32_t task)
{
	task_end(f, task);
}

static void task_again(struct fleet *f, uint32_t task)
{
	f->tasks[task].phase = TASK_READY;
	f->tasks[task].waits_told = false;
	if (task < f->ready_from)
		f->ready_from = task;
}

void fleet_task_runs(struct fleet *f, uint32_t task)
{
	if (f->tasks[task].phase >= TASK_SENT)
		return;
	if (f->tasks[task].phase == TASK_QUEUED)
		task_unqueue(f, task);
	f->tasks[task].phase = TASK_ELSEWHERE;
}

void fleet_task_back(struct fleet *f, uint32_t task)
{
	struct queued_task *t = &f->tasks[task];

	if (t->phase == TASK_ELSEWHERE)
		t->phase = TASK_UNREADY;	/* perhaps it never was ready */
	if (t->phase != TASK_SENT)
		return;
	if (f->nodes[t->node].current == task)
		f->nodes[t->node].current = FLEET_NONE;
	task_again(f, task);
}

/* Its queue goes to others, and so does what it ran: Slurm gives that back, too. */
static void node_lose(struct fleet *f, struct fleet_machine *n)
{
	if (n->current != FLEET_NONE)
		fleet_task_back(f, n->current);
	while (n->first != FLEET_NONE) {
		uint32_t task = n->first;

		n->first = f->tasks[task].next;
		task_again(f, task);
	}
	n->last = FLEET_NONE;
}

static void boot_learn(struct fleet *f, const struct fleet_machine *n, double now_s)
{
	f->boot_sum_s += now_s - n->rented_s;
	f->counts.boot_s = f->boot_sum_s / ++f->counts.boots;
}

/* One that was given up, or never rented: it came late, or somebody resumed its node, or switched it on.  It is paid for as
 * others are, and would be so to the end if nobody gave it back. */
static void node_adopt(const struct fleet *f, struct fleet_machine *n, double now_s)
{
	if (n->power == FLEET_OFF || n->rented_s <= 0) {
		n->rented_s = now_s;
		n->timer_s = now_s + f->settings.unit_s - f->settings.margin_s;
	}
	while (n->timer_s <= now_s)
		n->timer_s += f->settings.unit_s;
	n->power = FLEET_ON;
}

void fleet_node_seen(struct fleet *f, uint32_t node, enum fleet_power power, double now_s)
{
	struct fleet_machine *n = &f->nodes[node];

	if (power == FLEET_DOWN) {
		node_lose(f, n);
		n->power = FLEET_DOWN;
	} else if (n->power == FLEET_BOOTING && power == FLEET_ON) {
		boot_learn(f, n, now_s);
		n->power = FLEET_ON;
	} else if (n->power == FLEET_ON && (power == FLEET_OFF || power == FLEET_STOPPING)) {
		node_lose(f, n);	/* somebody else did it */
		n->power = power;
	} else if (!rented(n) && power == FLEET_OFF) {
		n->power = FLEET_OFF;
	} else if ((n->power == FLEET_OFF || n->power == FLEET_DOWN) && power == FLEET_ON) {
		node_adopt(f, n, now_s);
	}
	n->ignored = (n->power == FLEET_BOOTING && power == FLEET_OFF) ||
		     (n->power == FLEET_STOPPING && (power == FLEET_ON || power == FLEET_BOOTING));
}

static double task_s(const struct fleet *f, uint32_t task)
{
	return fmax(f->tasks[task].run_time_s + f->counts.overhead_s, 0);
}

/* When it is expected to have done all that it has. */
static double node_free_s(const struct fleet *f, const struct fleet_machine *n, double now_s)
{
	double free_s = now_s;

	if (n->power == FLEET_BOOTING)
		free_s = fmax(now_s, n->rented_s + f->counts.boot_s);
	else if (n->current != FLEET_NONE)
		free_s = fmax(now_s, f->tasks[n->current].sent_s + task_s(f, n->current));
	for (uint32_t i = n->first; i != FLEET_NONE; i = f->tasks[i].next)
		free_s += task_s(f, i);
	return free_s;
}

static struct provision_view view_make(struct fleet *f, double now_s, uint32_t *spare)
{
	struct provision_view view = { .now_s = now_s, .boot_s = f->counts.boot_s, .vms = f->vms };
	uint32_t machines = 0;

	*spare = FLEET_NONE;
	for (uint32_t i = 0; i < f->node_count; i++) {
		const struct fleet_machine *n = &f->nodes[i];

		if (n->power == FLEET_OFF && *spare == FLEET_NONE)
			*spare = i;
		machines += rented(n) || n->power == FLEET_STOPPING;
		if (rented(n)) {
			double free_s = node_free_s(f, n, now_s);

			f->vms[view.vm_count++] = (struct provision_vm) { i, free_s,
				provision_stop_s(n->rented_s, free_s, f->settings.unit_s, f->settings.margin_s) };
		}
	}
	view.can_rent = *spare != FLEET_NONE && (!f->settings.quota || machines < f->settings.quota);
	return view;
}

static int choose(struct fleet *f, const struct provision_view *view, uint32_t task, struct provision_choice *choice,
		  struct wt_error *errp)
{
	struct fleet_task t = { task, task_s(f, task) };

	if (!f->settings.choose) {
		*choice = provision_choose(f->settings.strategy, f->settings.full, view, t.expected_s);
		return 0;
	}
	if (f->settings.choose(f->settings.choose_arg, view, &t, choice, errp) < 0)
		return -1;
	if (choice->verdict == PROVISION_RENT && !view->can_rent)
		return wt_error_set(errp, EPROTO, "a machine is to be rented, and none can be");
	if (choice->verdict == PROVISION_USE && choice->vm >= view->vm_count)
		return wt_error_set(errp, EPROTO, "a machine is to be used that is not rented");
	return 0;
}

static void node_rent(struct fleet *f, uint32_t node, double now_s)
{
	struct fleet_machine *n = &f->nodes[node];
	uint32_t machines = 0;

	n->power = FLEET_BOOTING;
	n->rented_s = n->asked_s = now_s;
	n->ignored = false;
	n->timer_s = now_s + f->settings.unit_s - f->settings.margin_s;
	f->counts.rented++;
	for (uint32_t i = 0; i < f->node_count; i++)
		machines += rented(&f->nodes[i]);
	if (machines > f->counts.rented_most)
		f->counts.rented_most = machines;
}

static void task_queue(struct fleet *f, uint32_t task, uint32_t node)
{
	struct fleet_machine *n = &f->nodes[node];

	f->tasks[task].phase = TASK_QUEUED;
	f->tasks[task].node = node;
	f->tasks[task].next = FLEET_NONE;
	if (n->first == FLEET_NONE)
		n->first = task;
	else
		f->tasks[n->last].next = task;
	n->last = task;
}

static int task_place(struct fleet *f, uint32_t task, double now_s, struct fleet_act *act, struct wt_error *errp)
{
	struct provision_choice choice;
	uint32_t spare;
	struct provision_view view = view_make(f, now_s, &spare);

	if (choose(f, &view, task, &choice, errp) < 0)
		return -1;
	*act = (struct fleet_act) { FLEET_WAIT, task, FLEET_NONE, choice.why };
	if (choice.verdict == PROVISION_WAIT)
		return 0;
	act->what = choice.verdict == PROVISION_RENT ? FLEET_RENT : FLEET_USE;
	act->node = choice.verdict == PROVISION_RENT ? spare : f->vms[choice.vm].node;
	if (act->what == FLEET_RENT)
		node_rent(f, spare, now_s);
	task_queue(f, task, act->node);
	return 1;
}

/* The tasks that are ready, in order.  One that waits does not keep others from being looked at. */
static int ready_next(struct fleet *f, double now_s, struct fleet_act *act, struct wt_error *errp)
{
	bool waits = false;

	for (uint32_t i = f->ready_from; i < f->task_count; i++) {
		struct queued_task *t = &f->tasks[i];
		int rc;

		if (t->phase != TASK_READY)
			continue;
		rc = task_place(f, i, now_s, act, errp);
		if (rc)
			return rc;
		if (!waits)
			f->ready_from = i;
		waits = true;
		if (!t->waits_told) {
			t->waits_told = true;
			return 1;
		}
	}
	if (!waits)
		f->ready_from = f->task_count;
	return 0;
}

static bool send_next(struct fleet *f, double now_s, struct fleet_act *act)
{
	for (uint32_t i = 0; i < f->node_count; i++) {
		struct fleet_machine *n = &f->nodes[i];
		uint32_t task = n->first;

		if (n->power != FLEET_ON || n->current != FLEET_NONE || task == FLEET_NONE)
			continue;
		n->first = f->tasks[task].next;
		if (n->first == FLEET_NONE)
			n->last = FLEET_NONE;
		n->current = task;
		f->tasks[task].phase = TASK_SENT;
		f->tasks[task].sent_s = now_s;
		*act = (struct fleet_act) { FLEET_SEND, task, i, "its-turn" };
		return true;
	}
	return false;
}

static bool stop_next(struct fleet *f, double now_s, struct fleet_act *act)
{
	for (uint32_t i = 0; i < f->node_count; i++) {
		struct fleet_machine *n = &f->nodes[i];
		bool idle = n->power == FLEET_ON && n->current == FLEET_NONE && n->first == FLEET_NONE;

		if (!rented(n) || now_s < n->timer_s - SAME_S)
			continue;
		while (!idle && now_s >= n->timer_s - SAME_S)
			n->timer_s += f->settings.unit_s;
		if (!idle)
			continue;
		n->power = FLEET_STOPPING;
		n->asked_s = now_s;
		n->ignored = false;
		*act = (struct fleet_act) { FLEET_STOP, FLEET_NONE, i, "unit-ends" };
		return true;
	}
	return false;
}

/* A controller that crashes forgets what it was asked for in its last seconds. */
static bool again_next(struct fleet *f, double now_s, struct fleet_act *act)
{
	for (uint32_t i = 0; i < f->node_count; i++) {
		struct fleet_machine *n = &f->nodes[i];

		if (!n->ignored || now_s < n->asked_s + AGAIN_S)
			continue;
		n->asked_s = now_s;
		n->ignored = false;
		*act = (struct fleet_act) { n->power == FLEET_BOOTING ? FLEET_RENT : FLEET_STOP, FLEET_NONE, i, "again" };
		return true;
	}
	return false;
}

int fleet_next(struct fleet *f, double now_s, struct fleet_act *act, struct wt_error *errp)
{
	int rc = ready_next(f, now_s, act, errp);

	if (rc)
		return rc;
	return send_next(f, now_s, act) || stop_next(f, now_s, act) || again_next(f, now_s, act);
}

struct fleet_counts fleet_count(const struct fleet *f)
{
	return f->counts;
}

double fleet_timer_s(const struct fleet *f)
{
	double timer_s = INFINITY;

	for (uint32_t i = 0; i < f->node_count; i++)
		if (rented(&f->nodes[i]))
			timer_s = fmin(timer_s, f->nodes[i].timer_s);
	return timer_s;
}
