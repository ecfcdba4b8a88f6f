/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The paper's synthetic jobs (section III), and what real clusters add to them. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <gsl/gsl_randist.h>

#include "straggler/trace.h"

/* [P] III.B: "Pareto Distribution of scale 1s and shape 5", forced below 2 s by redrawing.  Read as Lomax, i.e. less the
 * scale: a Pareto proper never falls below 1 s, which contradicts the text around it. */
#define LATENCY_SCALE_S 1.0
#define LATENCY_SHAPE 5.0
#define LATENCY_MAX_S 2.0

struct wt_trace_model wt_trace_model_defaults(void)
{
	return (struct wt_trace_model) {
		.tasks = 50,
		.duration_s = 20,
		.spread = 0.25,
		.window_s = 6,
		.hang_wait_s = 60,
		.slow_min = 1.5,
		.slow_max = 3,
	};
}

static int share_check(const char *name, double value, struct wt_error *errp)
{
	if (!(value >= 0) || !(value <= 1))
		return wt_error_set(errp, EINVAL, "%s of %g: wanted 0 to 1", name, value);
	return 0;
}

int wt_trace_model_check(const struct wt_trace_model *m, struct wt_error *errp)
{
	if (m->tasks < 1 || m->tasks > WT_TRACE_TASKS_MAX)
		return wt_error_set(errp, EINVAL, "%u tasks: wanted 1 to %d", m->tasks, WT_TRACE_TASKS_MAX);
	if (!(m->duration_s > 0) || !isfinite(m->duration_s))
		return wt_error_set(errp, EINVAL, "duration of %g s: wanted more than 0", m->duration_s);
	if (!(m->spread >= 0) || !(m->spread < 1))
		return wt_error_set(errp, EINVAL, "spread of %g: wanted 0 to less than 1", m->spread);
	if (!(m->window_s > 0) || !isfinite(m->window_s))
		return wt_error_set(errp, EINVAL, "window of %g s: wanted more than 0", m->window_s);
	if (!(m->noise >= 0) || !(m->noise < 1))
		return wt_error_set(errp, EINVAL, "noise of %g: wanted 0 to less than 1", m->noise);
	if (!(m->offset_s >= 0) || !isfinite(m->offset_s))
		return wt_error_set(errp, EINVAL, "clock offset of %g s: wanted 0 or more", m->offset_s);
	if (!(m->hang_wait_s >= 0) || !isfinite(m->hang_wait_s))
		return wt_error_set(errp, EINVAL, "wait for hung tasks of %g s: wanted 0 or more", m->hang_wait_s);
	if (share_check("loss", m->loss, errp) < 0 || share_check("share of hung tasks", m->hang_share, errp) < 0 ||
	    share_check("share of slow tasks", m->slow_share, errp) < 0)
		return -1;
	if (!(m->slow_min > 0) || !(m->slow_max >= m->slow_min) || !isfinite(m->slow_max))
		return wt_error_set(errp, EINVAL,
				    "slow tasks take %g to %g times as long: wanted an ascending range above 0",
				    m->slow_min, m->slow_max);
	if (m->duration_s * (1 + m->spread) * fmax(m->slow_max, 1) / m->window_s > WT_TRACE_HEARTBEATS_MAX)
		return wt_error_set(errp, EINVAL, "more than %d heartbeats a task: a longer window or a shorter duration",
				    WT_TRACE_HEARTBEATS_MAX);
	return 0;
}

static double draw_latency_s(const struct wt_trace_model *m, gsl_rng *rng)
{
	double latency_s;

	if (m->latency == WT_LATENCY_NONE)
		return 0;
	do
		latency_s = gsl_ran_pareto(rng, LATENCY_SHAPE, LATENCY_SCALE_S) - LATENCY_SCALE_S;
	while (latency_s > LATENCY_MAX_S);
	return latency_s;
}

/* Draws happen only for what the model has: a job without extras is the same whatever extras exist. */
static bool draw_chance(double share, gsl_rng *rng)
{
	return share > 0 && gsl_rng_uniform(rng) < share;
}

/* Exactly round (share * tasks) of the tasks are chosen: whether the one at 'place' is, when 'chosen' were before it. */
static bool draw_member(double share, uint32_t tasks, uint32_t place, uint32_t *chosen, gsl_rng *rng)
{
	double wanted = round(share * tasks) - *chosen;

	if (!draw_chance(wanted / (tasks - place), rng))
		return false;
	(*chosen)++;
	return true;
}

static double draw_duration_s(const struct wt_trace_model *m, uint32_t place, uint32_t *slow, gsl_rng *rng)
{
	double duration_s = m->duration_s;

	if (m->spread > 0)
		duration_s = gsl_ran_flat(rng, (1 - m->spread) * m->duration_s, (1 + m->spread) * m->duration_s);
	if (draw_member(m->slow_share, m->tasks, place, slow, rng))
		duration_s = m->duration_s * gsl_ran_flat(rng, m->slow_min, m->slow_max);
	return duration_s;
}

/* Work through one task: its heartbeats, with elapsed time and progress only.  Returns the real duration. */
static double task_work(struct wt_trace *trace, const struct wt_trace_model *m, uint32_t task, double duration_s,
			gsl_rng *rng, struct wt_error *errp)
{
	struct wt_heartbeat hb = { .task = task };
	double done_s = 0, speed;	/* work done, in seconds at full speed */

	for (uint32_t j = 0;; j++) {
		hb.elapsed_s = j * m->window_s;
		hb.progress = done_s / duration_s;
		if (wt_trace_add(trace, &hb, errp) < 0)
			return NAN;
		speed = 1;
		if (m->noise > 0)
			speed = gsl_ran_flat(rng, 1 - m->noise, 1 + m->noise);
		if (done_s + speed * m->window_s >= duration_s)
			break;
		/* Without noise not as a sum, whose rounding errors would grow from window to window. */
		done_s = m->noise > 0 ? done_s + speed * m->window_s : (j + 1) * m->window_s;
	}
	hb.elapsed_s += (duration_s - done_s) / speed;
	hb.progress = 1;
	hb.end = true;
	return wt_trace_add(trace, &hb, errp) < 0 ? NAN : hb.elapsed_s;
}

static void draw_starts(struct wt_trace *trace, const struct wt_trace_model *m, gsl_rng *rng)
{
	for (uint32_t i = 0; i < m->tasks; i++)
		trace->task[i].start_s = m->starts == WT_STARTS_SKEWED ? trace->task[i].duration_s : 0;
	if (m->starts == WT_STARTS_UNIFORM)
		return;
	for (uint32_t i = m->tasks - 1; i > 0; i--) {
		uint32_t j = gsl_rng_uniform_int(rng, i + 1);
		double start_s = trace->task[i].start_s;

		trace->task[i].start_s = trace->task[j].start_s;
		trace->task[j].start_s = start_s;
	}
}

static void draw_hangs(struct wt_trace *trace, const struct wt_trace_model *m, gsl_rng *rng)
{
	uint32_t hung = 0;

	for (uint32_t i = 0; i < m->tasks; i++) {
		struct wt_trace_task *task = &trace->task[i];

		if (!draw_member(m->hang_share, m->tasks, i, &hung, rng))
			continue;
		task->hang_s = task->start_s + gsl_rng_uniform(rng) * task->duration_s;
		task->duration_s = INFINITY;
	}
}

/* Send what task_work () prepared: 'count' heartbeats of one task from 'first' on.  Returns how many are left. */
static size_t task_send(struct wt_trace *trace, const struct wt_trace_model *m, size_t first, size_t count, size_t to,
			gsl_rng *rng)
{
	const struct wt_trace_task *task = &trace->task[trace->heartbeats[first].task];
	double offset_s = m->offset_s > 0 ? gsl_ran_flat(rng, -m->offset_s, m->offset_s) : 0;
	size_t left = 0;

	for (size_t i = first; i < first + count; i++) {
		struct wt_heartbeat hb = trace->heartbeats[i];
		double sent_s = task->start_s + hb.elapsed_s;

		if (!isnan(task->hang_s) && (sent_s > task->hang_s || hb.end))
			break;
		hb.sent_s = sent_s + offset_s;
		hb.received_s = sent_s + draw_latency_s(m, rng);
		/* The first and the last one always arrive: without them nothing would be known of the task at all. */
		if (i > first && !hb.end && draw_chance(m->loss, rng))
			continue;
		trace->heartbeats[to + left++] = hb;
	}
	return left;
}

static void send_all(struct wt_trace *trace, const struct wt_trace_model *m, gsl_rng *rng)
{
	size_t left = 0;

	for (size_t first = 0, count; first < trace->count; first += count) {
		for (count = 1; first + count < trace->count; count++)
			if (trace->heartbeats[first + count].task != trace->heartbeats[first].task)
				break;
		left += task_send(trace, m, first, count, left, rng);
	}
	trace->count = left;
}

static void trace_close(struct wt_trace *trace, const struct wt_trace_model *m)
{
	bool hung = false;

	for (uint32_t i = 0; i < trace->tasks; i++) {
		const struct wt_trace_task *task = &trace->task[i];

		hung = hung || !isnan(task->hang_s);
		if (isnan(task->hang_s))
			trace->first_finish_s = fmin(trace->first_finish_s, task->start_s + task->duration_s);
	}
	trace->end_s = trace->heartbeats[trace->count - 1].received_s + (hung ? m->hang_wait_s : 0);
}

int wt_trace_generate(struct wt_trace *trace, const struct wt_trace_model *m, gsl_rng *rng, struct wt_error *errp)
{
	uint32_t slow = 0;
	double sum_s = 0;

	if (wt_trace_model_check(m, errp) < 0 || wt_trace_reset(trace, m->tasks, m->window_s, errp) < 0)
		return -1;
	for (uint32_t i = 0; i < m->tasks; i++) {
		double duration_s = task_work(trace, m, i, draw_duration_s(m, i, &slow, rng), rng, errp);

		if (isnan(duration_s))
			return -1;
		trace->task[i].duration_s = duration_s;
		sum_s += duration_s;
	}
	draw_starts(trace, m, rng);
	draw_hangs(trace, m, rng);
	wt_trace_judge(trace, sum_s / m->tasks);
	send_all(trace, m, rng);
	wt_trace_sort(trace);
	trace_close(trace, m);
	return 0;
}
