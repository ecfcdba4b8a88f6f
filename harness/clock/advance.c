/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <string.h>

#include "harness/clock/advance.h"

/* A thread that works pokes the coordinator when it blocks: look now and then, for it may block where no wrapper sees it. */
#define PAUSE_FIRST_NS 200000
#define PAUSE_WORK_NS 250000
/* A thread that is about to sleep, and has poked, needs microseconds for it: look at once some times; but it may wait for a
 * CPU, so look ever less often; and leave the CPU to a helper at once. */
#define LOOKS_AT_ONCE 8
#define PAUSE_MIN_NS 20000
#define PAUSE_MAX_NS 1000000
#define PAUSE_DOUBLINGS 6

enum wt_activity wt_thread_activity(const struct wt_seen_thread *seen)
{
	if (seen->kernel == WT_KERNEL_GONE)
		return WT_ACTIVITY_DEAD;
	/* A thread that ends is a zombie for a moment while its parent or joiner is about to run: only one that was
	 * seen so twice is dead. */
	if (seen->kernel == WT_KERNEL_ZOMBIE)
		return seen->zombie_before ? WT_ACTIVITY_DEAD : WT_ACTIVITY_BUSY;
	/* A slot that is claimed has a thread that is being born, which the kernel may not show yet. */
	if (seen->kernel == WT_KERNEL_BUSY || seen->woken || seen->state <= WT_SLOT_CLAIMED)
		return WT_ACTIVITY_BUSY;
	/* Its timer in the kernel only serves to notice a coordinator's death. */
	if (seen->state == WT_SLOT_WAITING)
		return WT_ACTIVITY_QUIET;
	return seen->kernel == WT_KERNEL_TIMED ? WT_ACTIVITY_REAL_WAIT : WT_ACTIVITY_QUIET;
}

void wt_advance_init(struct wt_advance *a, const struct wt_advance_config *config)
{
	memset(a, 0, sizeof(*a));
	a->config = *config;
}

void wt_advance_close(struct wt_advance *a)
{
	a->closed = true;
}

static int64_t doubled_ns(int64_t pause_ns, uint32_t times)
{
	/* The shift is bounded, too: a count that goes on for hours would shift everything out. */
	pause_ns <<= times < PAUSE_DOUBLINGS ? times : PAUSE_DOUBLINGS;
	return pause_ns < PAUSE_MAX_NS ? pause_ns : PAUSE_MAX_NS;
}

static int64_t pause_ns(struct wt_advance *a, const struct wt_survey *s)
{
	/* After a wake the thread nearly always works for longer than this, then pokes: the first look rarely has to
	 * come at all. */
	if (a->looks++ == 0)
		return PAUSE_FIRST_NS;
	/* Another thread in passing begins a row of its own: this one may be microseconds from sleep, however long
	 * the last took. */
	if (!s->passing || s->slot != a->passing_slot)
		a->passing_looks = 0;
	a->passing_slot = s->slot;
	if (s->unrest == WT_UNREST_HELPER && a->passing_looks < LOOKS_AT_ONCE)
		a->passing_looks = LOOKS_AT_ONCE;
	if (!s->passing)
		return doubled_ns(PAUSE_WORK_NS, a->work_looks++);
	return a->passing_looks++ < LOOKS_AT_ONCE ? 0 : doubled_ns(PAUSE_MIN_NS, a->passing_looks - LOOKS_AT_ONCE - 1);
}

static bool may_jump(const struct wt_advance *a, const struct wt_survey *s)
{
	return !a->closed && (a->config.idle == WT_IDLE_RUN || s->drivers > 0);
}

static bool runs(const struct wt_advance *a, const struct wt_survey *s)
{
	/* The clock begins with the first participant: how long that one takes to come is not the experiment's. */
	if (!a->used && !a->closed)
		return false;
	/* An outsider's time limits are in real time, and so are then those that are set for it. */
	if (a->fallback || a->closed || s->outsiders > 0)
		return true;
	if (!may_jump(a, s) && (s->unrest == WT_UNREST_NONE || a->config.charge != WT_CHARGE_REAL))
		return a->config.idle == WT_IDLE_REAL;
	return a->config.charge == WT_CHARGE_REAL;
}

/* Computing is what a busy thread is supposed to do; when the other kinds of unrest end, only a peer
 * knows, or no process at all. */
static bool is_stuck(const struct wt_survey *s)
{
	return s->unrest >= WT_UNREST_REAL_WAIT;
}

/* Has the clock stood, or run for want of quiet, for longer than any setting allows? */
static bool is_stalled(const struct wt_advance *a, const struct wt_survey *s, int64_t mono_ns)
{
	/* Where computing costs time the clock runs meanwhile, so patience is counted from the begin of the unrest,
	 * not of the stand. */
	if (a->config.charge == WT_CHARGE_REAL)
		return (is_stuck(s) && mono_ns - a->stuck_since_mono_ns > a->config.patience_ns)
		       || mono_ns - a->busy_since_mono_ns > a->config.controller_patience_ns;
	/* A moment ago a thread computed: that the clock stood meanwhile is not this one's fault. */
	if (is_stuck(s) && mono_ns - a->stuck_since_mono_ns <= a->config.patience_ns)
		return false;
	/* Where computing costs nothing a thread may compute for long, and time must not pass for that: only a thread
	 * that spins (reads the clock until it moves) would wait for ever. */
	if (a->config.charge == WT_CHARGE_NONE && (!is_stuck(s) || s->works) && !s->spinning)
		return mono_ns - a->stands_since_mono_ns > a->config.controller_patience_ns;
	if (s->unrest == WT_UNREST_THREAD && s->controller && !s->spinning)
		return mono_ns - a->stands_since_mono_ns > a->config.controller_patience_ns;
	return mono_ns - a->stands_since_mono_ns > a->config.patience_ns;
}

/* Where computing costs nothing a cycle of backfill that takes minutes, behind a long queue, is one moment. */
static bool is_computing(const struct wt_advance *a, const struct wt_survey *s, int64_t mono_ns)
{
	return a->config.charge == WT_CHARGE_NONE && s->unrest == WT_UNREST_THREAD && s->controller && s->computes
	       && !s->spinning && mono_ns - a->busy_since_mono_ns <= a->config.computing_patience_ns;
}

static void note_busy(struct wt_advance *a, const struct wt_survey *s, int64_t now_ns, int64_t mono_ns,
		      struct wt_advance_action *act)
{
	if (!a->busy)
		a->busy_since_mono_ns = mono_ns;
	if (!is_stuck(s))
		a->stuck_since_mono_ns = 0;
	else if (!a->stuck_since_mono_ns)
		a->stuck_since_mono_ns = mono_ns;
	/* The clock has moved since the last look, by charges or by itself: it does not stand.  Nor is anybody to blame
	 * while the controller computes. */
	if (!a->busy || now_ns != a->stands_at_ns || is_computing(a, s, mono_ns)) {
		a->stands_since_mono_ns = mono_ns;
		a->stands_at_ns = now_ns;
	}
	a->busy = true;
	if (a->fallback || !may_jump(a, s) || !is_stalled(a, s, mono_ns))
		return;
	a->fallback = act->fallback_began = true;
	a->fallback_since_mono_ns = mono_ns;
	a->fallbacks++;
}

static void note_quiet(struct wt_advance *a, int64_t mono_ns, struct wt_advance_action *act)
{
	a->busy = false;
	a->stuck_since_mono_ns = 0;
	if (!a->fallback)
		return;
	a->fallback = false;
	act->fallback_ended = true;
	a->fallback_ns += mono_ns - a->fallback_since_mono_ns;
}

static void set_wake(struct wt_advance *a, const struct wt_survey *s, struct wt_advance_action *act)
{
	act->kind = WT_ADVANCE_WAKE;
	act->slot = s->earliest_slot;
	a->looks = a->work_looks = a->passing_looks = 0;
	a->wakes++;
}

static void set_jump(struct wt_advance *a, const struct wt_survey *s, int64_t now_ns, struct wt_advance_action *act)
{
	int64_t length_ns = (s->latest_ns > s->earliest_ns ? s->latest_ns : s->earliest_ns) - now_ns;

	act->kind = WT_ADVANCE_JUMP;
	act->slot = s->earliest_slot;
	a->looks = a->work_looks = a->passing_looks = 0;
	/* A bounded jump ends before the deadline: then no thread is woken, and the next survey goes on from there. */
	if (a->config.jump_max_ns > 0 && length_ns > a->config.jump_max_ns) {
		length_ns = a->config.jump_max_ns;
		act->slot = WT_ADVANCE_NOBODY;
	} else {
		a->wakes++;
	}
	act->at_ns = now_ns + length_ns;
	a->jumps++;
	a->jumped_ns += length_ns;
}

static void set_look(struct wt_advance *a, const struct wt_survey *s, int64_t now_ns, struct wt_advance_action *act)
{
	act->kind = WT_ADVANCE_LOOK;
	/* All quiet and no deadline: only a poke can change that, so there is nothing to look for. */
	act->pause_ns = s->unrest == WT_UNREST_NONE ? INT64_MAX : pause_ns(a, s);
	/* The clock itself brings the deadline nearer. */
	if (act->running && s->waiter && act->pause_ns > s->earliest_ns - now_ns)
		act->pause_ns = s->earliest_ns - now_ns;
}

struct wt_advance_action wt_advance_next(struct wt_advance *a, const struct wt_survey *s, int64_t now_ns, int64_t mono_ns)
{
	struct wt_advance_action act = { .slot = WT_ADVANCE_NOBODY, .at_ns = now_ns };
	bool quiet = s->unrest == WT_UNREST_NONE;

	a->surveys++;
	a->used |= s->processes > 0;
	a->unrest[s->unrest]++;
	if (quiet)
		note_quiet(a, mono_ns, &act);
	else
		note_busy(a, s, now_ns, mono_ns, &act);
	act.running = runs(a, s);
	/* A deadline reached by a running clock or by charges fires as timers do, whichever other threads are busy.  One
	 * that a jump has reached exactly waits its turn: threads with one deadline wake one after the other, in a fixed
	 * order. */
	if (s->waiter && (s->earliest_ns < now_ns || (quiet && s->earliest_ns == now_ns)))
		set_wake(a, s, &act);
	else if (quiet && s->waiter && may_jump(a, s))
		set_jump(a, s, now_ns, &act);
	else
		set_look(a, s, now_ns, &act);
	return act;
}

const char *wt_unrest_name(enum wt_unrest unrest)
{
	static const char *const names[] = {
		[WT_UNREST_NONE] = "quiet",
		[WT_UNREST_THREAD] = "thread",
		[WT_UNREST_BIRTH] = "birth",
		[WT_UNREST_CHANGED] = "changed",
		[WT_UNREST_REAL_WAIT] = "real_wait",
		[WT_UNREST_STRANGER] = "stranger",
		[WT_UNREST_OUTSIDER] = "outsider",
		[WT_UNREST_GUEST] = "guest",
		[WT_UNREST_HELPER] = "helper",
	};

	return (unsigned int) unrest < WT_UNREST_COUNT ? names[unrest] : "impossible";
}
