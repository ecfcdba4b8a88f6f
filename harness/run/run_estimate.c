/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <string.h>

#include "harness/run/run_estimate.h"

/* Idle, 1,024 nodes: 0.87 s for 3,600 virtual s, 0.56 without heartbeats; with charge none 2.30. */
#define SECOND_S 0.00016
#define SECOND_NODE_S 0.00000008
#define EXACT_FACTOR 2.6
/* Light-ESP, whose 230 jobs have 22.85 times the machine's nodes: 4.07 s at 64 nodes, 28.6 at 1,024, 107 at 4,096. */
#define JOB_S 0.009
#define JOB_NODE_S 0.0012

#define SHARE_MIN 0.005		/* before that nothing is foretold */
#define WALL_MIN_S 2

double wt_estimate_job_s(const struct wt_estimate *e, uint32_t cpus)
{
	return e->job_wall_s + ceil((double) cpus / e->node_cpus) * e->node_wall_s;
}

/* A lane's submissions, at their planned times; in a closed loop the replies are taken to cost nothing. */
static double lane_end_s(struct wt_estimate *e, const struct wt_workload *w, const struct wt_lane *lane, double begin_s)
{
	double at_s = begin_s, left_s = 0;

	for (size_t i = lane->first; i < lane->first + lane->count; i++) {
		at_s += w->jobs[i].delay_s;
		e->clock_s = fmax(e->clock_s, at_s + w->jobs[i].run_time_s);
		e->jobs_wall_s += wt_estimate_job_s(e, w->jobs[i].cpus);
	}
	/* What is submitted from a moment on does not fit the machine before: from the last job back. */
	begin_s = at_s;
	for (size_t i = lane->first + lane->count; i-- > lane->first; begin_s -= w->jobs[i].delay_s) {
		left_s += (double) w->jobs[i].cpus * w->jobs[i].run_time_s / e->cpus;
		e->clock_s = fmax(e->clock_s, begin_s + left_s);
	}
	return at_s;
}

void wt_estimate_make(struct wt_estimate *e, const struct wt_workload *w, uint32_t nodes, uint32_t cpus, bool virtual_clock,
		      bool exact)
{
	double stage_s = 0, end_s = 0, factor = exact ? EXACT_FACTOR : 1;

	memset(e, 0, sizeof(*e));
	e->virtual_clock = virtual_clock;
	e->cpus = cpus ? cpus : 1;
	e->node_cpus = nodes && cpus >= nodes ? cpus / nodes : 1;
	e->second_wall_s = (SECOND_S + SECOND_NODE_S * nodes) * factor;
	e->job_wall_s = JOB_S * factor;
	e->node_wall_s = JOB_NODE_S * factor;
	for (size_t i = 0; i < w->lane_count; i++) {
		if (i && w->lanes[i].stage != w->lanes[i - 1].stage)
			stage_s = end_s;
		end_s = fmax(end_s, lane_end_s(e, w, &w->lanes[i], stage_s));
	}
	e->clock_s = fmax(e->clock_s, w->ideal_s);
}

double wt_estimate_wall_s(const struct wt_estimate *e)
{
	return e->virtual_clock ? e->second_wall_s * e->clock_s + e->jobs_wall_s : e->clock_s;
}

bool wt_estimate_sparse(const struct wt_estimate *e)
{
	return e->second_wall_s * e->clock_s > e->jobs_wall_s;
}

/* By the run's clock: the work that is left takes as long as the work before did, and the plan's end is no earlier than
 * planned. */
static double clock_left_s(const struct wt_estimate *e, const struct wt_estimate_state *s)
{
	double left_s = fmax(e->clock_s - s->clock_s, 0);

	if (s->work_done > 0 && s->clock_s > 0)
		left_s = fmax(left_s, fmax(s->work_all - s->work_done, 0) * s->clock_s / s->work_done);
	return left_s;
}

void wt_estimate_look(const struct wt_estimate *e, const struct wt_estimate_state *s, double *share, double *left_s)
{
	double clock_s = clock_left_s(e, s), done = s->clock_s, all = s->clock_s + clock_s;

	if (e->virtual_clock) {
		done = s->clock_s * e->second_wall_s + s->jobs_done_s;
		all = all * e->second_wall_s + e->jobs_wall_s;
	}
	*share = all > 0 ? fmin(fmax(done / all, 0), 1) : 0;
	*left_s = NAN;
	if (*share >= SHARE_MIN && s->wall_s >= WALL_MIN_S)	/* in virtual time by how fast this machine was until now */
		*left_s = e->virtual_clock ? s->wall_s * (1 - *share) / *share : clock_s;
}
