/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run tells the live page: what the recorder knows anyway. */
#include "config.h"

#include <math.h>

#include "harness/run/run_private.h"

static double wall_s(void)
{
	return (double) wt_clock_wall_us() / 1e6;
}

void wt_run_live_begin(struct wt_run *run)
{
	const struct wt_scenario *scenario = run->scenario;

	if (!run->live)
		return;
	run->progress.live = run->live;
	live_feed_begin(run->live, wt_choice_name(scenario), run->dir, wall_s());
	run->live->state.seed = run->seed;
	run->live->state.clock_s = 0;
	live_text_set(run->live->state.clock, sizeof(run->live->state.clock), wt_clock_name(run->clock));
	live_feed_phase(run->live, LIVE_STARTING, scenario->own_cluster.given ? "the cluster" : "", wall_s());
}

static void counts_tell(struct live_state *state, const struct wt_ledger_counts *c, size_t jobs)
{
	state->jobs = jobs;
	state->submitted = c->submitted;
	state->pending = c->pending;
	state->running = c->running;
	state->completing = c->completing;
	state->ended = c->ended;
	state->completed = c->completed;
	state->refused = c->refused;
	state->missing = c->missing;
	state->unsure = c->unsure;
	state->resubmitted = c->resubmitted;
}

void wt_run_live_tell(struct wt_run *run, const struct wt_ledger_counts *counts, double share, double left_s, bool now)
{
	double since_s = run->live ? wall_s() : 0, begin_s;
	struct live_state *state;

	if (!run->live || (!now && !live_feed_due(run->live, since_s)))
		return;
	state = &run->live->state;
	state->phase = LIVE_RUNNING;
	live_text_set(state->doing, sizeof(state->doing), "");
	state->nodes = run->recorder.nodes_there;
	state->cpus = run->target.partition.cpus;
	state->share = share;
	state->left_s = left_s;
	counts_tell(state, counts, run->workload->job_count);
	pthread_mutex_lock(&run->lock);
	begin_s = wt_ledger_look(run->ledger).first_sent_s;
	live_text_set(state->outage, sizeof(state->outage), run->recorder.outage);
	if (isfinite(begin_s))
		live_feed_record(run->live, wt_ledger_record_look(run->ledger), begin_s);
	pthread_mutex_unlock(&run->lock);
	state->clock_s = isfinite(begin_s) ? (double) wt_clock_now_us(run->clock) / 1e6 - begin_s : 0;
	live_feed_put(run->live, since_s, wall_s());
}

void wt_run_live_end(struct wt_run *run)
{
	if (run->live)
		live_text_set(run->live->state.failure, sizeof(run->live->state.failure), run->failure);
	live_feed_phase(run->live, LIVE_FINISHING, "the command ends", wall_s());
}
