/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <jansson.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/clock/active_wait.h"
#include "harness/clock/coordinator.h"
#include "harness/clock/jump_trace.h"
#include "lib/fs.h"
#include "harness/clock/futex.h"

#define STATS_EVERY_NS 1000000000LL
#define REKICK_NS 2000000LL	/* a thread that was woken runs within microseconds, or its wake-up went astray */
#define REPORTS_MAX 20	/* messages of one kind; the statistics count on */
#define PAUSE_LONG_NS 10000000LL
#define ACTIVE_NS 40000LL	/* what a thread that was woken mostly needs until it waits again */
#define UNUSED_NS 1000000000LL		/* between the last participant's end and ours, with --while-used */
#define NEVER_USED_NS 60000000000LL	/* from the start to the first participant */

struct coordinator {
	struct wt_shm *shm;
	struct wt_surveyor *v;
	const struct coordinator_options *options;
	struct wt_advance advance;
	struct clock_trace *trace;
	int64_t kicked_mono_ns;
	int64_t stats_mono_ns;
	uint64_t rekicks;
	/* pauses that were not spent in waiting actively, and those of them that were ended by a poke */
	uint64_t sleeps, pokes;
	uint32_t processes_max;
	int64_t looked_mono_ns;	/* when it was last looked which processes take part */
	int64_t used_mono_ns;	/* when a process took part last */
	char fallback_reason[128];
	bool cpus_are_several;
	struct active_wait active;
	bool stats_failed;
};

static int64_t mono_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void kick_again(struct coordinator *c, uint32_t slot)
{
	struct wt_shm_thread *t = &c->shm->threads[slot];

	c->kicked_mono_ns = mono_ns();
	if (t->wake_kind == WT_WAKE_SIGNAL)
		syscall(SYS_tgkill, t->pid, t->tid, c->shm->wake_signal);
	else
		wt_futex_wake(&t->wake_gen, 1, false);
}

/* The deadline of its wait number 'gen' has come.  Where the clock runs by itself the thread may be in another wait by now,
 * and that must last. */
static void kick(struct coordinator *c, uint32_t slot, uint32_t gen)
{
	wt_surveyor_expect(c->v, slot);
	atomic_store(&c->shm->threads[slot].wake_gen, gen);
	kick_again(c, slot);
}

static double seconds(int64_t ns)
{
	return ns / 1e9;
}

static int64_t fallback_total_ns(const struct wt_advance *a, int64_t now_mono_ns)
{
	return a->fallback_ns + (a->fallback ? now_mono_ns - a->fallback_since_mono_ns : 0);
}

static int write_stats(struct coordinator *c, struct wt_error *errp)
{
	const struct wt_advance *a = &c->advance;
	static const char *const charges[] = { "none", "real", "cpu" };
	int64_t now_ns = mono_ns(), fallback_ns = fallback_total_ns(a, now_ns);
	json_t *unrest = json_object(), *looks, *o;
	struct wt_survey_counts counts;
	char *text;
	int rc;

	for (int i = 0; i < WT_UNREST_COUNT; i++)
		json_object_set_new(unrest, wt_unrest_name(i), json_integer(a->unrest[i]));
	wt_surveyor_counts(c->v, &counts);
	looks = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "hasty", (json_int_t) counts.hasty,
			  "thorough", (json_int_t) counts.thorough, "calls", (json_int_t) counts.calls,
			  "letters", (json_int_t) counts.letters, "clocks", (json_int_t) counts.clocks,
			  "scans", (json_int_t) counts.scans, "sleeps", (json_int_t) c->sleeps,
			  "pokes", (json_int_t) c->pokes, "active_paid", (json_int_t) c->active.paid,
			  "active_vain", (json_int_t) c->active.vain);
	o = json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:I, s:I, s:I, s:I, s:f, s:I, s:f, s:b, s:s, s:i, s:I, s:I, s:o, s:o}",
		      "clock", "virtual", "charge", charges[a->config.charge],
		      "charge_factor", c->options->charge_permille / 1000.0, "timer_slack_s",
		      seconds(c->shm->slack_ns),
		      "virtual_s", seconds(wt_shm_now_ns(c->shm, now_ns) - c->shm->start_ns),
		      "wall_s", seconds(now_ns - c->shm->start_mono_ns),
		      "jumps", (json_int_t) a->jumps, "wakes", (json_int_t) a->wakes, "surveys", (json_int_t) a->surveys,
		      "rekicks", (json_int_t) c->rekicks, "jumped_s", seconds(a->jumped_ns),
		      "fallbacks", (json_int_t) a->fallbacks, "fallback_s", seconds(fallback_ns), "in_fallback", a->fallback,
		      "fallback_reason", c->fallback_reason, "processes_max", c->processes_max,
		      "outsiders", (json_int_t) atomic_load(&c->shm->outsiders_ever),
		      "races", (json_int_t) atomic_load(&c->shm->races), "surveys_by_result", unrest, "looks", looks);
	text = o ? json_dumps(o, JSON_INDENT(2)) : NULL;
	json_decref(o);
	if (!text)
		return wt_error_set(errp, ENOMEM, "out of memory");
	rc = wt_fs_write(c->options->stats, text, strlen(text), 0644, errp);
	free(text);
	return rc;
}

/* Opened anew for each message, which are few: the folder may not be there yet, or be gone. */
static void __attribute__((format(printf, 2, 3))) say(const struct coordinator *c, const char *fmt, ...)
{
	const char *path = c->options->log;
	FILE *out = path ? fopen(path, "ae") : stderr;
	va_list ap;

	if (!out)
		return;
	va_start(ap, fmt);
	fputs("wt-clockd: ", out);
	vfprintf(out, fmt, ap);
	fputc('\n', out);
	va_end(ap);
	if (path)
		fclose(out);
}

static void report(struct coordinator *c, const struct wt_survey *s, const struct wt_advance_action *act, int64_t now_ns)
{
	if (act->fallback_began)
		wt_surveyor_describe(c->v, s, c->fallback_reason, sizeof(c->fallback_reason));
	if (c->advance.fallbacks > REPORTS_MAX)
		return;
	if (act->fallback_began)
		say(c, "at virtual second %.3f the clock cannot jump (%s): it goes on at the machine's rate",
		    seconds(now_ns - c->shm->start_ns), c->fallback_reason);
	if (act->fallback_ended)
		say(c, "all is quiet again at virtual second %.3f, after %.3f s in all at the machine's rate",
		    seconds(now_ns - c->shm->start_ns), seconds(c->advance.fallback_ns));
	if (act->fallback_ended && c->advance.fallbacks == REPORTS_MAX)
		say(c, "more of this is counted, but not said");
}

static bool cpus_are_several(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 1;
}

/* Poked since it was '*poke', and the hint says that no thread is at work now?  A poke is sent when the last one stops
 * working; if by now one works again, another poke will come. */
static bool is_poked(const struct coordinator *c, uint32_t *poke)
{
	uint32_t now = atomic_load(&c->shm->poke);

	if (now == *poke)
		return false;
	*poke = now;
	return atomic_load(&c->shm->busy) <= 0;
}

/* To sleep and be woken costs as much as most wake-ups do, and in a virtual machine, where an idle CPU is taken away,
 * several times as much.  So where another CPU is there for the thread that works, wait actively a while; where several
 * work, leave it to them. */
static bool is_poked_soon(struct coordinator *c, uint32_t *poke)
{
	int64_t until_ns = c->kicked_mono_ns + ACTIVE_NS;
	bool poked = false;

	if (!c->cpus_are_several || atomic_load(&c->shm->busy) > 1 || mono_ns() >= until_ns || !active_wait_next(&c->active))
		return false;
	while (!poked && atomic_load(&c->shm->busy) <= 1 && mono_ns() < until_ns)
		poked = is_poked(c, poke);
	active_wait_note(&c->active, poked);
	return poked;
}

static void pause_until_poked(struct coordinator *c, uint32_t poke, int64_t pause_ns)
{
	int64_t until_ns = mono_ns() + (pause_ns < PAUSE_LONG_NS ? pause_ns : PAUSE_LONG_NS), left_ns;

	if (pause_ns <= 0 || is_poked_soon(c, &poke))
		return;
	while (!is_poked(c, &poke) && (left_ns = until_ns - mono_ns()) > 0) {
		struct timespec timeout = { .tv_nsec = left_ns };

		c->sleeps++;
		atomic_store(&c->shm->listening, 1);
		c->pokes += wt_futex_wait(&c->shm->poke, poke, false, &timeout) == 0;
		atomic_store(&c->shm->listening, 0);
	}
}

static void act_on(struct coordinator *c, const struct wt_advance_action *act, uint32_t gen, uint32_t poke,
		   int64_t now_mono_ns)
{
	uint32_t sleepy;

	switch (act->kind) {
	case WT_ADVANCE_JUMP:
		wt_shm_jump(c->shm, act->at_ns, now_mono_ns, act->running);
		wt_view_update(c->options->view, c->shm, now_mono_ns);
		if (act->slot != WT_ADVANCE_NOBODY)
			kick(c, act->slot, gen);
		return;
	case WT_ADVANCE_WAKE:
		wt_shm_set_running(c->shm, act->running, now_mono_ns);
		wt_view_update(c->options->view, c->shm, now_mono_ns);
		kick(c, act->slot, gen);
		return;
	case WT_ADVANCE_LOOK:
		wt_shm_set_running(c->shm, act->running, now_mono_ns);
		wt_view_update(c->options->view, c->shm, now_mono_ns);
		sleepy = wt_surveyor_sleepy(c->v);
		if (sleepy != WT_ADVANCE_NOBODY && now_mono_ns - c->kicked_mono_ns > REKICK_NS) {
			c->rekicks++;
			kick_again(c, sleepy);
		}
		pause_until_poked(c, poke, act->pause_ns);
		return;
	}
}

static void note_use(struct coordinator *c, int64_t now_mono_ns)
{
	uint32_t count = wt_surveyor_processes(c->v);

	c->looked_mono_ns = now_mono_ns;
	if (count > c->processes_max)
		c->processes_max = count;
	if (count > 0)
		c->used_mono_ns = now_mono_ns;
}

/* As of the last look, not as of now: we may have waited long for a CPU since. */
static bool is_unused(const struct coordinator *c)
{
	int64_t limit_ns = c->processes_max > 0 ? UNUSED_NS : NEVER_USED_NS;

	return c->options->while_used && c->looked_mono_ns - c->used_mono_ns > limit_ns;
}

static void publish_counts(struct coordinator *c, int64_t now_mono_ns)
{
	struct wt_shm_counts *counts = &c->shm->counts;

	atomic_store_explicit(&counts->jumps, c->advance.jumps, memory_order_relaxed);
	atomic_store_explicit(&counts->wakes, c->advance.wakes, memory_order_relaxed);
	atomic_store_explicit(&counts->jumped_ns, c->advance.jumped_ns, memory_order_relaxed);
	atomic_store_explicit(&counts->fallbacks, c->advance.fallbacks, memory_order_relaxed);
	atomic_store_explicit(&counts->fallback_ns, fallback_total_ns(&c->advance, now_mono_ns), memory_order_relaxed);
}

/* Statistics that cannot be written now, as on a full disk, are no reason to end the experiment: a second later they are
 * written again. */
static void stats_try(struct coordinator *c)
{
	struct wt_error error;
	bool written = write_stats(c, &error) == 0;

	if (!written && !c->stats_failed)
		say(c, "%s", error.text);
	c->stats_failed = !written;
}

static void look_and_act(struct coordinator *c)
{
	/* Read before the look: a poke that comes during it ends the pause at once. */
	uint32_t poke = atomic_load(&c->shm->poke);
	struct wt_advance_action act;
	struct wt_survey survey;
	int64_t now_mono_ns, now_ns;

	wt_surveyor_look(c->v, &survey);
	now_mono_ns = mono_ns();
	now_ns = wt_shm_now_ns(c->shm, now_mono_ns);
	act = wt_advance_next(&c->advance, &survey, now_ns, now_mono_ns);
	report(c, &survey, &act, now_ns);
	note_use(c, now_mono_ns);
	publish_counts(c, now_mono_ns);
	clock_trace_action(c->trace, c->shm, &survey, &act, now_ns);
	act_on(c, &act, survey.earliest_gen, poke, now_mono_ns);
	if (c->options->stats && now_mono_ns - c->stats_mono_ns > STATS_EVERY_NS) {
		c->stats_mono_ns = now_mono_ns;
		stats_try(c);
	}
}

int coordinate(struct wt_shm *shm, struct wt_surveyor *v, const struct coordinator_options *options,
	       const volatile sig_atomic_t *ending, const volatile sig_atomic_t *closing, struct wt_error *errp)
{
	struct coordinator c = { .shm = shm, .v = v, .options = options, .used_mono_ns = mono_ns(),
				 .cpus_are_several = cpus_are_several() };

	wt_advance_init(&c.advance, &options->advance);
	c.trace = clock_trace_open();
	while (!*ending && !is_unused(&c)) {
		if (*closing)
			wt_advance_close(&c.advance);
		look_and_act(&c);
	}
	clock_trace_close(c.trace);
	return options->stats ? write_stats(&c, errp) : 0;
}
