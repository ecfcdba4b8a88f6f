/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "harness/vnode/model/power.h"

struct powered_node {
	struct wt_power_image now;
	wt_timer_id timer;
	bool changed;		/* it is in the list of those */
	bool touched;		/* it is not as at creation */
};

struct wt_power {
	struct wt_power_conf conf;
	uint32_t node_count, counts[WT_POWER_STATES];
	uint32_t machines_of[WT_ELASTIC_CLASSES_MAX + 1];	/* of each class of nodes: those that are not off */
	struct powered_node *machines;
	uint32_t *changed, changed_count;
	bool used;
};

struct wt_power *wt_power_create(uint32_t node_count, const struct wt_power_conf *conf)
{
	struct wt_power *power = calloc(1, sizeof(*power));

	if (!power)
		return NULL;
	power->conf = *conf;
	power->node_count = node_count;
	power->machines = calloc((size_t) node_count + 1, sizeof(*power->machines));
	/* Each node is in it at most once, so that noting a change needs no memory and cannot fail. */
	power->changed = calloc((size_t) node_count + 1, sizeof(*power->changed));
	if (!power->machines || !power->changed) {
		wt_power_destroy(power);
		return NULL;
	}
	for (uint32_t i = 0; i < node_count; i++) {
		power->machines[i].now.node = i;
		power->machines[i].now.told = true;
		power->machines_of[wt_elastic_class_of(conf->elastic, i)]++;
	}
	power->counts[WT_POWER_ON] = node_count;
	return power;
}

void wt_power_destroy(struct wt_power *power)
{
	int saved_errno = errno;

	if (power) {
		free(power->machines);
		free(power->changed);
		free(power);
	}
	errno = saved_errno;
}

static struct powered_node *powered_node_of(struct wt_power *power, uint32_t node)
{
	return node < power->node_count ? &power->machines[node] : NULL;
}

static void mark(struct wt_power *power, struct powered_node *m)
{
	m->touched = true;
	if (m->changed)
		return;
	m->changed = true;
	power->changed[power->changed_count++] = m->now.node;
}

/* Before it is in that state. */
static void counts_move(struct wt_power *power, const struct powered_node *m, enum wt_power_state state)
{
	uint32_t *of_class = &power->machines_of[wt_elastic_class_of(power->conf.elastic, m->now.node)];

	power->counts[m->now.state]--;
	power->counts[state]++;
	*of_class -= m->now.state != WT_POWER_OFF;
	*of_class += state != WT_POWER_OFF;
}

static void state_set(struct wt_power *power, struct powered_node *m, enum wt_power_state state, int64_t until_us)
{
	counts_move(power, m, state);
	m->now.state = (uint8_t) state;
	m->now.until_us = until_us;
	power->used = true;
	mark(power, m);
}

static void timer_set(struct wt_power *power, struct powered_node *m)
{
	struct wt_timer timer = { .kind = power->conf.timer_kind, .deadline_us = m->now.until_us, .a = m->now.node };

	wt_timerq_cancel(power->conf.timers, m->timer);
	m->timer = m->now.until_us ? wt_timerq_arm(power->conf.timers, &timer) : 0;
}

static void tell(const struct wt_power *power, const struct powered_node *m, int64_t now_us, enum wt_power_event event)
{
	const struct wt_power_happened what = {
		.event = event, .node = m->now.node, .boot = m->now.boot, .job_id = m->now.job_id, .time_us = now_us,
	};

	power->conf.happened(power->conf.arg, &what);
}

static void off_now(struct wt_power *power, struct powered_node *m, int64_t now_us, enum wt_power_event event)
{
	state_set(power, m, WT_POWER_OFF, 0);
	timer_set(power, m);
	tell(power, m, now_us, event);
	m->now.job_id = 0;
}

void wt_power_begin_off(struct wt_power *power, int64_t now_us, uint32_t node)
{
	struct powered_node *m = powered_node_of(power, node);

	if (m && !m->touched)
		off_now(power, m, now_us, WT_POWER_EVENT_OFF);
}

/* Of a class, 0: of all nodes. */
static uint32_t limit_now(const struct wt_power *power, int64_t now_us, uint32_t class_number)
{
	const struct wt_elastic *elastic = power->conf.elastic;

	return wt_limit_at(class_number ? &elastic->classes[class_number - 1].law.limit : &elastic->limit,
			   now_us - power->conf.begin_us);
}

/* Those that stop are still paid for: only a node that is off gives its place to another. */
static uint32_t all_machines(const struct wt_power *power)
{
	return power->node_count - power->counts[WT_POWER_OFF];
}

/* A type of machine has its own limit, beside that of all. */
static bool class_is_out(const struct wt_power *power, int64_t now_us, uint32_t node)
{
	uint16_t class_number = wt_elastic_class_of(power->conf.elastic, node);

	return class_number && power->machines_of[class_number] >= limit_now(power, now_us, class_number);
}

/* A limit that falls takes no machine away: who has one keeps it. */
static bool none_to_be_had(const struct wt_power *power, int64_t now_us, const struct powered_node *m)
{
	return all_machines(power) >= limit_now(power, now_us, 0) || class_is_out(power, now_us, m->now.node) ||
	       wt_elastic_stock_out(power->conf.elastic, m->now.node, m->now.boot);
}

static void stock_out(struct wt_power *power, struct powered_node *m, int64_t now_us)
{
	tell(power, m, now_us, WT_POWER_EVENT_STOCK_OUT);
	m->now.job_id = 0;
}

static void boot(struct wt_power *power, struct powered_node *m, int64_t now_us)
{
	const struct wt_elastic *elastic = power->conf.elastic;
	int64_t boot_us;

	/* First: each boot, also one that comes to nothing, draws its own fate. */
	m->now.boot++;
	m->now.again = false;
	mark(power, m);
	if (none_to_be_had(power, now_us, m)) {
		stock_out(power, m, now_us);
		return;
	}
	m->now.fate = (uint8_t) wt_elastic_fate(elastic, m->now.node, m->now.boot);
	boot_us = wt_elastic_boot_us(elastic, m->now.node, m->now.boot);
	m->now.told = false;
	state_set(power, m, WT_POWER_BOOTING, m->now.fate == WT_BOOT_NEVER ? 0 : now_us + boot_us);
	timer_set(power, m);
	tell(power, m, now_us, WT_POWER_EVENT_BOOTING);
}

void wt_power_ask_on(struct wt_power *power, int64_t now_us, uint32_t node, uint32_t job_id)
{
	struct powered_node *m = powered_node_of(power, node);

	if (!m || m->now.state == WT_POWER_BOOTING || m->now.again)
		return;
	m->now.job_id = job_id;
	mark(power, m);
	tell(power, m, now_us, WT_POWER_EVENT_ASKED_ON);
	if (m->now.state == WT_POWER_OFF)
		boot(power, m, now_us);
	else
		m->now.again = m->now.state == WT_POWER_STOPPING;
}

void wt_power_ask_off(struct wt_power *power, int64_t now_us, uint32_t node)
{
	struct powered_node *m = powered_node_of(power, node);

	if (!m)
		return;
	tell(power, m, now_us, WT_POWER_EVENT_ASKED_OFF);
	if (m->now.again)
		mark(power, m);
	m->now.again = false;
	if (m->now.fate == WT_BOOT_LOST) {
		m->now.fate = WT_BOOT_COMES;
		mark(power, m);
	}
	if (m->now.state == WT_POWER_OFF || m->now.state == WT_POWER_STOPPING)
		return;
	/* The number of its boot names this stop, too. */
	state_set(power, m, WT_POWER_STOPPING, now_us + wt_elastic_stop_us(power->conf.elastic, node, m->now.boot));
	timer_set(power, m);
	tell(power, m, now_us, WT_POWER_EVENT_STOPPING);
}

/* ---- a call of the program that switches nodes on ---- */

struct call {			/* a part of it: nodes that belong together */
	const uint32_t *nodes, *job_ids;
	uint32_t count;
	bool *fails;		/* of each: the program does, at this node */
};

static bool is_off(const struct wt_power *power, const struct call *call, uint32_t i)
{
	return call->nodes[i] < power->node_count && !call->fails[i] &&
	       power->machines[call->nodes[i]].now.state == WT_POWER_OFF;
}

static bool limits_suffice(const struct wt_power *power, int64_t now_us, const uint32_t wanted[], uint32_t all_wanted)
{
	if (all_machines(power) + all_wanted > limit_now(power, now_us, 0))
		return false;
	for (uint32_t c = 1; c <= power->conf.elastic->class_count; c++)
		if (wanted[c] && power->machines_of[c] + wanted[c] > limit_now(power, now_us, c))
			return false;
	return true;
}

/* Machines for all that are off? */
static bool all_to_be_had(const struct wt_power *power, int64_t now_us, const struct call *call)
{
	uint32_t wanted[WT_ELASTIC_CLASSES_MAX + 1] = { 0 }, all_wanted = 0;

	for (uint32_t i = 0; i < call->count; i++) {
		if (!is_off(power, call, i))
			continue;
		if (wt_elastic_stock_out(power->conf.elastic, call->nodes[i], power->machines[call->nodes[i]].now.boot + 1))
			return false;
		wanted[wt_elastic_class_of(power->conf.elastic, call->nodes[i])]++;
		all_wanted++;
	}
	return limits_suffice(power, now_us, wanted, all_wanted);
}

static void refuse(struct wt_power *power, struct powered_node *m, int64_t now_us, uint32_t job_id)
{
	m->now.job_id = job_id;
	tell(power, m, now_us, WT_POWER_EVENT_ASKED_ON);
	m->now.boot++;
	mark(power, m);
	stock_out(power, m, now_us);
}

/* Of the nodes that now begin to boot for a job one may be to fail. */
static void one_spoil(struct wt_power *power, int64_t now_us, const uint32_t *begun, uint32_t count)
{
	const struct wt_elastic *elastic = power->conf.elastic;
	struct powered_node *m;
	uint32_t which;

	if (!count || !power->machines[begun[0]].now.job_id)
		return;
	which = wt_elastic_one_of(elastic, begun[0], power->machines[begun[0]].now.boot, count);
	if (which >= count)
		return;
	m = &power->machines[begun[which]];
	m->now.fate = WT_BOOT_FAILS;
	state_set(power, m, WT_POWER_BOOTING, now_us + wt_elastic_boot_us(elastic, m->now.node, m->now.boot));
	timer_set(power, m);
}

static void part_ask_on(struct wt_power *power, int64_t now_us, const struct call *call, bool refused, uint32_t *begun)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < call->count; i++) {
		bool was_off = is_off(power, call, i);
		uint32_t node = call->nodes[i];

		if (call->fails[i])
			continue;
		if (was_off && refused)
			refuse(power, &power->machines[node], now_us, call->job_ids[i]);
		else
			wt_power_ask_on(power, now_us, node, call->job_ids[i]);
		if (was_off && power->machines[node].now.state == WT_POWER_BOOTING)
			begun[count++] = node;
	}
	one_spoil(power, now_us, begun, count);
}

/* At which nodes does the program fail? */
static uint32_t fails_find(struct wt_power *power, const uint32_t *nodes, uint32_t count, bool *fails)
{
	uint32_t failed = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct powered_node *m = powered_node_of(power, nodes[i]);

		fails[i] = m && m->now.state == WT_POWER_OFF &&
			   wt_elastic_resume_fails(power->conf.elastic, nodes[i], m->now.boot + 1);
		if (!fails[i])
			continue;
		/* The next request is for another boot, which has luck of its own. */
		m->now.boot++;
		mark(power, m);
		failed++;
	}
	return failed;
}

static void parts_ask_on(struct wt_power *power, int64_t now_us, const struct call *call, uint32_t *begun)
{
	enum wt_elastic_together together = power->conf.elastic->together;
	bool refused = together == WT_TOGETHER_CALL && !all_to_be_had(power, now_us, call);

	for (uint32_t i = 0, end; i < call->count; i = end) {
		struct call part = { .nodes = call->nodes + i, .job_ids = call->job_ids + i, .fails = call->fails + i };

		/* Nodes that are for no job have nothing to do with each other. */
		for (end = i + 1; end < call->count && call->job_ids[i] && call->job_ids[end] == call->job_ids[i];)
			end++;
		part.count = end - i;
		part_ask_on(power, now_us, &part,
			    refused || (together == WT_TOGETHER_JOB && !all_to_be_had(power, now_us, &part)), begun);
	}
}

uint32_t wt_power_program_on(struct wt_power *power, int64_t now_us, const uint32_t *nodes, const uint32_t *job_ids,
			     uint32_t count)
{
	struct call call = { .nodes = nodes, .job_ids = job_ids, .count = count };
	uint32_t *begun = calloc((size_t) count + 1, sizeof(*begun)), failed = count;

	call.fails = calloc((size_t) count + 1, sizeof(*call.fails));
	if (begun && call.fails) {
		failed = fails_find(power, nodes, count, call.fails);
		parts_ask_on(power, now_us, &call, begun);
	}
	free(call.fails);
	free(begun);
	return failed;
}

bool wt_power_program_off(struct wt_power *power, int64_t now_us, uint32_t node)
{
	struct powered_node *m = powered_node_of(power, node);

	if (m && (m->now.state == WT_POWER_ON || m->now.state == WT_POWER_BOOTING) &&
	    wt_elastic_suspend_fails(power->conf.elastic, node, m->now.boot))
		return false;
	wt_power_ask_off(power, now_us, node);
	return true;
}

bool wt_power_program_drop(struct wt_power *power, int64_t now_us, uint32_t node)
{
	struct powered_node *m = powered_node_of(power, node);

	if (m && wt_elastic_drop_fails(power->conf.elastic, node, m->now.boot))
		return false;
	wt_power_ask_off(power, now_us, node);
	return true;
}

void wt_power_fail(struct wt_power *power, int64_t now_us, uint32_t node)
{
	struct powered_node *m = powered_node_of(power, node);

	if (!m || m->now.state == WT_POWER_OFF)
		return;
	m->now.again = false;
	m->now.fate = WT_BOOT_LOST;
	if (m->now.state != WT_POWER_STOPPING) {
		state_set(power, m, WT_POWER_STOPPING, 0);
		tell(power, m, now_us, WT_POWER_EVENT_STOPPING);
	}
	off_now(power, m, now_us, WT_POWER_EVENT_OFF);
}

void wt_power_repair(struct wt_power *power, int64_t now_us, uint32_t node)
{
	struct powered_node *m = powered_node_of(power, node);

	if (!m || m->now.state != WT_POWER_OFF || m->now.fate != WT_BOOT_LOST)
		return;
	m->now.boot++;
	m->now.fate = WT_BOOT_COMES;
	m->now.told = false;
	state_set(power, m, WT_POWER_BOOTING, 0);
	tell(power, m, now_us, WT_POWER_EVENT_BOOTING);
	m->now.booted_us = now_us;
	state_set(power, m, WT_POWER_ON, 0);
	tell(power, m, now_us, WT_POWER_EVENT_UP);
}

static void taken(struct wt_power *power, struct powered_node *m, int64_t now_us)
{
	m->now.fate = WT_BOOT_COMES;	/* of this machine there is nothing to be repaired */
	tell(power, m, now_us, WT_POWER_EVENT_TAKEN);
	state_set(power, m, WT_POWER_STOPPING, 0);
	tell(power, m, now_us, WT_POWER_EVENT_STOPPING);
	off_now(power, m, now_us, WT_POWER_EVENT_OFF);
}

static void notice(struct wt_power *power, struct powered_node *m, int64_t now_us, int64_t left_us)
{
	const struct wt_power_happened what = {
		.event = WT_POWER_EVENT_NOTICE, .node = m->now.node, .boot = m->now.boot, .job_id = m->now.job_id,
		.time_us = now_us, .left_us = left_us,
	};

	m->now.fate = WT_BOOT_NOTICED;
	state_set(power, m, WT_POWER_ON, now_us + left_us);
	timer_set(power, m);
	power->conf.happened(power->conf.arg, &what);
}

/* No longer than the machine is there. */
static int64_t notice_us(const struct wt_power *power, const struct powered_node *m)
{
	int64_t us = wt_elastic_notice_us(power->conf.elastic, m->now.node);
	int64_t taken_us = wt_elastic_taken_us(power->conf.elastic, m->now.node, m->now.boot);

	return us < taken_us ? us : taken_us;
}

void wt_power_take(struct wt_power *power, int64_t now_us, uint32_t node)
{
	struct powered_node *m = powered_node_of(power, node);
	int64_t left_us;

	if (!m || m->now.state != WT_POWER_ON || m->now.fate == WT_BOOT_NOTICED)
		return;
	left_us = wt_elastic_notice_us(power->conf.elastic, node);
	if (left_us)
		notice(power, m, now_us, left_us);
	else
		taken(power, m, now_us);
}

void wt_power_reboot(struct wt_power *power, uint32_t node, int64_t booted_us)
{
	struct powered_node *m = powered_node_of(power, node);

	if (!m || m->now.state != WT_POWER_ON)
		return;
	m->now.booted_us = booted_us;
	mark(power, m);
}

static void up(struct wt_power *power, struct powered_node *m, int64_t now_us)
{
	int64_t taken_us = 0;

	/* A reboot that the power did not let come to its end was none. */
	if (m->now.fate != WT_BOOT_OLD || m->now.booted_us > now_us)
		m->now.booted_us = now_us;
	if (m->now.fate == WT_BOOT_TAKEN)
		taken_us = now_us - notice_us(power, m) +
			   wt_elastic_taken_us(power->conf.elastic, m->now.node, m->now.boot);
	state_set(power, m, WT_POWER_ON, taken_us);
	timer_set(power, m);
	tell(power, m, now_us, WT_POWER_EVENT_UP);
}

void wt_power_timer(struct wt_power *power, int64_t now_us, uint32_t node)
{
	struct powered_node *m = powered_node_of(power, node);
	bool again;

	/* A timer of a state that has been left meanwhile says nothing. */
	if (!m || !m->now.until_us || m->now.until_us > now_us)
		return;
	m->timer = 0;
	if (m->now.state == WT_POWER_BOOTING && m->now.fate == WT_BOOT_FAILS) {
		off_now(power, m, now_us, WT_POWER_EVENT_FAILED);
	} else if (m->now.state == WT_POWER_BOOTING) {
		up(power, m, now_us);
	} else if (m->now.state == WT_POWER_ON && m->now.fate == WT_BOOT_TAKEN && notice_us(power, m)) {
		notice(power, m, now_us, notice_us(power, m));
	} else if (m->now.state == WT_POWER_ON) {
		taken(power, m, now_us);
	} else if (m->now.state == WT_POWER_STOPPING) {
		uint32_t job_id = m->now.job_id;

		again = m->now.again;
		off_now(power, m, now_us, WT_POWER_EVENT_OFF);
		m->now.job_id = again ? job_id : 0;
		if (again)
			boot(power, m, now_us);
	}
}

void wt_power_registered(struct wt_power *power, int64_t now_us, uint32_t node)
{
	struct powered_node *m = powered_node_of(power, node);

	if (!m || m->now.told || m->now.state != WT_POWER_ON)
		return;
	m->now.told = true;
	mark(power, m);
	tell(power, m, now_us, WT_POWER_EVENT_REGISTERED);
}

bool wt_power_has_registered(const struct wt_power *power, uint32_t node)
{
	return wt_power_is_on(power, node) && power->machines[node].now.told;
}

enum wt_power_state wt_power_state(const struct wt_power *power, uint32_t node)
{
	return node < power->node_count ? power->machines[node].now.state : WT_POWER_OFF;
}

uint32_t wt_power_boot(const struct wt_power *power, uint32_t node)
{
	const struct wt_power_image *now = &power->machines[node].now;

	return now->boot + now->again;
}

bool wt_power_tells_address(const struct wt_power *power, uint32_t node)
{
	const struct wt_power_image *now = &power->machines[node].now;

	if (now->state == WT_POWER_OFF || (now->state == WT_POWER_STOPPING && !now->again))
		return false;
	return !wt_elastic_no_address(power->conf.elastic, node, wt_power_boot(power, node));
}

int64_t wt_power_booted_us(const struct wt_power *power, uint32_t node)
{
	return power->machines[node].now.booted_us;
}

uint32_t wt_power_count(const struct wt_power *power, enum wt_power_state state)
{
	return power->counts[state];
}

bool wt_power_used(const struct wt_power *power)
{
	return power->used;
}

const char *wt_power_state_name(enum wt_power_state state)
{
	static const char *const names[] = {
		[WT_POWER_ON] = "on", [WT_POWER_OFF] = "off", [WT_POWER_BOOTING] = "booting",
		[WT_POWER_STOPPING] = "stopping",
	};

	return names[state];
}

bool wt_power_changed(struct wt_power *power, struct wt_power_image *image)
{
	struct powered_node *m;

	if (!power->changed_count)
		return false;
	m = &power->machines[power->changed[--power->changed_count]];
	m->changed = false;
	*image = m->now;
	return true;
}

bool wt_power_image(const struct wt_power *power, uint32_t *at, struct wt_power_image *image)
{
	while (*at < power->node_count) {
		const struct powered_node *m = &power->machines[(*at)++];

		if (!m->touched)
			continue;
		*image = m->now;
		return true;
	}
	return false;
}

int wt_power_restore(struct wt_power *power, const struct wt_power_image *image)
{
	struct powered_node *m = powered_node_of(power, image->node);

	errno = EINVAL;
	if (!m || image->state >= WT_POWER_STATES || image->fate >= WT_BOOT_FATES || image->until_us < 0 ||
	    image->until_us >= INT64_MAX / 2 || image->booted_us < 0)
		return -1;
	/* No event is told and no timer armed: the journal may hold this node again; wt_power_resume () does it once. */
	counts_move(power, m, image->state);
	m->now = *image;
	m->touched = true;
	power->used = true;
	return 0;
}

void wt_power_resume(struct wt_power *power)
{
	for (uint32_t i = 0; i < power->node_count; i++)
		if (power->machines[i].touched)
			timer_set(power, &power->machines[i]);
}
