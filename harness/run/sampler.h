/* sampler.h - one row of the series each interval, whether slurmctld answers or not: its CPU time and memory come from
 * /proc, all else is what it answered last, with the age of that answer. */
#ifndef WT_HARNESS_RUN_SAMPLER_H
#define WT_HARNESS_RUN_SAMPLER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "harness/profile/profile_log.h"
#include "lib/clock.h"
#include "record/record.h"

/* Where slurmctld's process is now: it changes when a supervisor restarts it.  0: not on this machine.  Must not ask
 * slurmctld. */
typedef pid_t (*wt_sampler_pid_f)(void *arg);

struct wt_sampler {		/* filled by the caller, constant while it runs, except where noted */
	const struct wt_clock *clock;
	double begin_s, interval_s;	/* rows are due a tenth of an interval after begin_s + k x interval_s */
	pthread_mutex_t *lock;		/* around *record, 'answer', 'last' and 'failed' */
	struct wt_record *record;	/* gets the samples */
	wt_sampler_pid_f pid;
	void *pid_arg;
	struct wt_sample answer;	/* what slurmctld answered last; set by wt_sampler_answer () */
	bool answered;
	struct wt_sample last;		/* for the progress display */
	bool failed;			/* out of memory */
	struct profile_log *profile;	/* NULL: not wanted.  Looked at until wt_sampler_stop () */
	/* private */
	atomic_bool stop;
	pthread_t thread;
	pid_t controller_pid;
	double cpu_begin_s, cpu_before_s, cpu_last_s;
	uint64_t rss_last_kib, restarts;
};

/* Reads the controller's CPU time once, so that only what comes after is the workload's part, and starts the thread, which
 * samples from the first answer on.  0, or the error of pthread_create (3). */
int wt_sampler_start(struct wt_sampler *s);

/* slurmctld's state, asked for at answer->time_s; its fields controller_cpu_s, controller_rss_kib and answer_age_s do not
 * matter. */
void wt_sampler_answer(struct wt_sampler *s, const struct wt_sample *answer);

/* It never waits for slurmctld: ends within 0.1 s.  Further calls do nothing. */
void wt_sampler_stop(struct wt_sampler *s);

/* After wt_sampler_stop: CPU seconds of slurmctld since the start, over its restarts, NAN when it is not on this machine;
 * and how many new slurmctld processes were seen. */
double wt_sampler_cpu_s(const struct wt_sampler *s);
uint64_t wt_sampler_restarts(const struct wt_sampler *s);

#endif
