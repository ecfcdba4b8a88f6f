/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <slurm/slurm_errno.h>

#include "harness/run/cancel.h"
#include "harness/run/real_clean.h"
#include "harness/run/run_private.h"
#include "harness/run/signals.h"

#define TICK_US 100000
#define TICK_VIRTUAL_US 5000000
#define PROGRESS_JOB_US 1	/* the estimate looks at each job, which takes a fiftieth of this */
#define CANCEL_S 10	/* for jobs that were killed to leave the queue */
#define LOST_S 60	/* for a real slurmctld that does not answer */
#define JOIN_S 10	/* for threads inside libslurm, when a controller does not answer */

static double now_s(const struct wt_run *run)
{
	return wt_clock_now_us(run->clock) / 1e6;
}

static void tick(const struct wt_run *run)
{
	wt_clock_sleep_until_us(run->clock, wt_clock_now_us(run->clock) + wt_clock_poll_us(run->clock, TICK_US,
											   TICK_VIRTUAL_US));
}

/* For so long nothing may happen, and all be well: a trace has pauses. */
static double longest_run_s(const struct wt_workload *w)
{
	double longest = 0, pause = 0;

	for (size_t i = 0; i < w->job_count; i++) {
		longest = fmax(longest, w->jobs[i].run_time_s);
		pause = fmax(pause, w->jobs[i].delay_s);
	}
	/* Jobs may wait for the end of what happens to the cluster. */
	return longest + pause + wt_world_end_s(&w->world);
}

/* Under the lock. */
static struct wt_estimate_state state_look(struct wt_run *run)
{
	double now = now_s(run), first_s = wt_ledger_look(run->ledger).first_sent_s;
	const struct wt_record *record = wt_ledger_record_look(run->ledger);
	struct wt_estimate_state state = { .clock_s = isnan(first_s) ? 0 : fmax(now - first_s, 0) };

	if (!run->first_sent_wall_us && !isnan(first_s))
		run->first_sent_wall_us = wt_clock_wall_us();
	if (run->first_sent_wall_us)
		state.wall_s = (double) (wt_clock_wall_us() - run->first_sent_wall_us) / 1e6;
	for (size_t i = 0; i < record->job_count; i++) {
		const struct wt_job_record *job = &record->jobs[i];
		double work = job->cpus * job->run_time_s;

		state.work_all += work;
		if (wt_job_state_final(job->state)) {
			state.work_done += work;
			state.jobs_done_s += wt_estimate_job_s(&run->estimate, job->cpus);
		} else if (job->state == WT_JOB_RUNNING && job->start_s < now) {
			state.work_done += job->cpus * fmin(now - job->start_s, job->run_time_s);
		}
	}
	return state;
}

/* In virtual time a tick may pass in no time: who watches lives by the machine's, and to look at each of a hundred thousand
 * jobs is no less work than slurmctld has with one. */
static bool progress_due(struct wt_run *run, bool last)
{
	int64_t wall_us = wt_clock_wall_us(), pause_us = TICK_US + (int64_t) run->workload->job_count * PROGRESS_JOB_US;

	if (!last && run->shown_wall_us && wall_us >= run->shown_wall_us && wall_us - run->shown_wall_us < pause_us)
		return false;
	run->shown_wall_us = wall_us;
	return true;
}

static void progress_show(struct wt_run *run, bool last)
{
	struct wt_ledger_counts counts;
	struct wt_estimate_state state;
	struct wt_sample sample;
	double share, left_s;
	char outage[sizeof(run->recorder.outage)];

	if (!progress_due(run, last))
		return;
	pthread_mutex_lock(&run->lock);
	counts = wt_ledger_count(run->ledger);
	state = state_look(run);
	sample = run->recorder.sampler.last;
	memcpy(outage, run->recorder.outage, sizeof(outage));
	pthread_mutex_unlock(&run->lock);
	wt_estimate_look(&run->estimate, &state, &share, &left_s);
	wt_run_live_tell(run, &counts, share, left_s, last);
	wt_progress_run(&run->progress, &counts, run->workload->job_count, &sample, run->target.partition.cpus, outage,
			share, left_s, now_s(run));
}

static void refusal_tell(struct wt_run *run)
{
	const struct wt_record *record;

	pthread_mutex_lock(&run->lock);
	record = wt_ledger_record_look(run->ledger);
	for (size_t i = 0; i < record->job_count; i++) {
		struct wt_entry_state e = wt_ledger_entry_look(run->ledger, i);

		if (e.phase == WT_ENTRY_REFUSED && e.problem)
			wt_run_fail(run, "slurmctld refused %s: %s (--keep-going would go on)", record->jobs[i].name,
				    e.problem);
	}
	pthread_mutex_unlock(&run->lock);
	wt_run_fail(run, "submitting stopped: out of memory or threads");
}

/* Jobs that wait for their turn say nothing of what the first of them waits for. */
static void waits_tell(struct wt_run *run)
{
	const struct wt_record *record = wt_ledger_record_look(run->ledger);
	const char *reason;

	for (size_t i = 0; i < record->job_count; i++) {
		reason = record->jobs[i].state == WT_JOB_PENDING ? wt_ledger_waits_for(run->ledger, i) : NULL;
		if (!reason || !strcmp(reason, "Priority") || !strcmp(reason, "None"))
			continue;
		wt_run_fail_more(run, "%s waits for: %s", record->jobs[i].name, reason);
		return;
	}
}

static void timeout_tell(struct wt_run *run, double timeout_s)
{
	pthread_mutex_lock(&run->lock);
	if (*run->recorder.outage) {
		wt_run_fail(run, "nothing happened for %.0f s (--timeout): slurmctld does not answer: %s", timeout_s,
			    run->recorder.outage);
	} else {
		wt_run_fail(run, "nothing happened for %.0f s (--timeout); %u jobs pending, %u running, %u of %u nodes "
				 "down or drained",
			    timeout_s, run->recorder.sampler.last.jobs_pending, run->recorder.sampler.last.jobs_running,
			    run->recorder.sampler.last.nodes_down, (uint32_t) run->recorder.nodes_there);
		waits_tell(run);
	}
	pthread_mutex_unlock(&run->lock);
}

#define SCANCEL_REQUESTS 10 /* scancel of Slurm 22.05 has as many under way (src/scancel/scancel.c, MAX_THREADS) */

/* --cancel-after: is it time, and what has become of it? */
static void cancel_look(struct wt_run *run)
{
	struct wt_ledger_counts counts;
	struct wt_error error;
	bool due = false;

	if (!run->scenario->cancel || run->cancelling)
		return;
	pthread_mutex_lock(&run->lock);
	counts = wt_ledger_count(run->ledger);
	pthread_mutex_unlock(&run->lock);
	run->calm_s = run_cancel_look(run->calm_s, now_s(run), run->submit.finished, &counts, run->scenario->cancel_after_s,
				      &due);
	if (!due)
		return;
	run->cancelling = true;
	run->cancel = (struct run_cancel){
		.clock = run->clock, .ledger = run->ledger, .lock = &run->lock,
		.requests = run->clock == wt_clock_real() ? SCANCEL_REQUESTS : 1,
	};
	if (run_cancel_start(&run->cancel, &error) < 0)
		wt_run_fail(run, "%s", error.text);
}

/* What was to be measured has to have happened. */
static void cancel_judge(struct wt_run *run)
{
	if (!run->scenario->cancel || run->interrupted || *run->failure)
		return;
	pthread_mutex_lock(&run->lock);
	if (*run->cancel.problem)
		wt_run_fail(run, "%s", run->cancel.problem);
	else if (!run->cancelling || !run->cancel.cancelled)
		wt_run_fail(run, "--cancel-after: all jobs had ended before there was one to cancel: give them longer run "
				 "times, or wait less");
	pthread_mutex_unlock(&run->lock);
}

/* true: nothing more will happen, or it has taken too long. */
static bool run_over(struct wt_run *run, double since_s, double timeout_s)
{
	bool settled, submitted = run->submit.finished, stopped = run->submit.stop;
	double progress_s;

	pthread_mutex_lock(&run->lock);
	settled = wt_ledger_settled(run->ledger);
	progress_s = fmax(fmax(wt_ledger_look(run->ledger).progress_s, run->world.progress_s), since_s);
	pthread_mutex_unlock(&run->lock);
	if (settled && submitted)
		return true;
	if (stopped) {
		refusal_tell(run);
		return true;
	}
	if (now_s(run) - progress_s < timeout_s)
		return false;
	timeout_tell(run, timeout_s);
	return true;
}

/* --max-node-hours: the jobs that are left are cancelled with what a failure leaves. */
static void used_look(struct wt_run *run)
{
	double most = run->scenario->real.max_node_hours, used;
	const struct wt_record *record;

	if (!run->target.real.looked || !(most > 0))
		return;
	pthread_mutex_lock(&run->lock);
	record = wt_ledger_record_look(run->ledger);
	used = real_used_hours(record->jobs, record->job_count, run->target.partition.cpus_per_node, now_s(run));
	pthread_mutex_unlock(&run->lock);
	if (used >= most)
		wt_run_fail(run, "--max-node-hours %g: %.4g were used; the jobs that were left are cancelled", most, used);
}

/* Kill what this run has in the queue, and do not give up at once when slurmctld does not answer: a real cluster goes on
 * with these jobs.  false: it did not. */
static bool jobs_cancel(const struct wt_run *run)
{
	double until_s = now_s(run) + (run->target.real.looked ? LOST_S : 0);
	size_t left;

	while (real_jobs_kill(run->tag, run->target.cluster, &left, NULL) < 0) {
		if (wt_signals_count > 1 || now_s(run) >= until_s)
			return false;
		tick(run);
	}
	return true;
}

/* How the user ends what is left. */
static void left_tell(struct wt_run *run, size_t left)
{
	char *dir = wt_str_shell_quote(run->dir);

	if (run->target.real.looked)
		wt_run_fail_more(run, "%zu jobs of this run may still be there: windtunnel %s --clean %s ends them", left,
				 wt_scenario_verb(run->scenario), dir ? dir : run->dir);
	else
		wt_run_fail_more(run, "%zu jobs of this run may still be there: squeue -h -o '%%i %%k' | grep %s", left,
				 run->tag);
	free(dir);
}

static size_t jobs_left(struct wt_run *run)
{
	struct wt_ledger_counts counts;

	pthread_mutex_lock(&run->lock);
	counts = wt_ledger_count(run->ledger);
	pthread_mutex_unlock(&run->lock);
	return counts.pending + counts.running + counts.unsure;
}

static size_t missing(struct wt_run *run)
{
	struct wt_ledger_counts counts;

	pthread_mutex_lock(&run->lock);
	counts = wt_ledger_count(run->ledger);
	pthread_mutex_unlock(&run->lock);
	return counts.missing;
}

/* By what slurmctld says of the run's jobs; and of those that it has lost sight of, or never knew. */
static size_t own_left(struct wt_run *run)
{
	if (run->target.real.looked && (run->own_strange || missing(run)))
		return wt_run_own_cancel(run);
	return jobs_left(run);
}

/* After a failure or a signal, on a cluster that goes on: kill, and see the jobs go. */
static void remainder_cancel(struct wt_run *run)
{
	double until_s;
	size_t left;

	if (run->target.own_name)	/* it ends with its cluster */
		return;
	/* A second signal: the user does not want to wait, not even for this. */
	if (wt_signals_count < 2 && jobs_cancel(run)) {
		until_s = now_s(run) + CANCEL_S;
		do
			tick(run);
		while (own_left(run) && now_s(run) < until_s && wt_signals_count < 2);
		jobs_cancel(run);	/* what was being submitted meanwhile */
	}
	left = own_left(run);
	if (left)
		left_tell(run, left);
}

/* A second signal ends the wait. */
static bool submit_join(struct wt_run *run, double until_s)
{
	while (!wt_submit_join(&run->submit, TICK_US / 1e6))
		if (now_s(run) >= until_s || wt_signals_count > 1)
			return false;
	return true;
}

static bool recorder_join(struct wt_run *run, double until_s)
{
	while (!wt_recorder_join(&run->recorder, TICK_US / 1e6))
		if (now_s(run) >= until_s || wt_signals_count > 1)
			return false;
	return true;
}

/* Behind the last job: those that are cancelled may hold a reservation. */
static void world_back(struct wt_run *run)
{
	world_acts_take_back(&run->world);
	if (*run->world.back_problem)
		wt_run_fail_more(run, "%s", run->world.back_problem);
}

void wt_run_wait(struct wt_run *run)
{
	double timeout_s = wt_scenario_timeout_s(run->scenario, longest_run_s(run->workload));
	double since_s = now_s(run);
	bool world_over;

	run->calm_s = NAN;
	while (!wt_signals_count && !*run->failure && !run_over(run, since_s, timeout_s)) {
		progress_show(run, false);
		cancel_look(run);
		used_look(run);
		wt_run_own_look(run);
		wt_run_provision_look(run);
		tick(run);
	}
	run->interrupted = wt_signals_count;
	if (run->interrupted) {
		wt_run_fail(run, "interrupted");
		wt_progress_note(&run->progress, "windtunnel %s: stopping", wt_scenario_verb(run->scenario));
	}
	/* Threads that send requests end before the recorder, whose last views have to tell what became of them. */
	run->stuck |= !run_cancel_join(&run->cancel, JOIN_S);
	run->stuck |= !job_acts_join(&run->acts, JOIN_S);
	world_over = world_acts_join(&run->world, JOIN_S);
	run->stuck |= !world_over;
	run->stuck |= !provisioner_join(&run->provisioner, JOIN_S);
	cancel_judge(run);
	run->stuck |= !submit_join(run, now_s(run) + JOIN_S);
	/* Before the recorder ends: its views tell which jobs have left the queue. */
	if (*run->failure || (run->target.real.looked && missing(run)))
		remainder_cancel(run);
	run->stuck |= !recorder_join(run, now_s(run) + JOIN_S);
	if (world_over)
		world_back(run);
	progress_show(run, true);
	if (run->recorder.sampler.failed)
		wt_run_fail(run, "out of memory for series.csv");
}
