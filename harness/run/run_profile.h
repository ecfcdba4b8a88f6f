/* run_profile.h - --profile: where slurmctld's CPU time goes in a run, by thread and queue length, and by function where
 * perf(1) may look.
 *
 * Zeroed memory is one that was not begun.  Unless noted: 0, or -1 with errno and *errp set. */
#ifndef WT_HARNESS_RUN_RUN_PROFILE_H
#define WT_HARNESS_RUN_RUN_PROFILE_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

#include "harness/profile/perf.h"
#include "harness/profile/profile_log.h"

#define RUN_PROFILE_HZ	   49	/* samples in a second of CPU time; 99, twice the disk, tells a run's functions no better */
#define RUN_PROFILE_HZ_MAX 1000
#define RUN_PROFILE_FILE   "profile.json"
#define RUN_PROFILE_STACKS "profile.stacks"

struct run_profile {
	struct profile_log log;	/* the sampler's until it has ended */
	/* private */
	bool begun;
	volatile sig_atomic_t ended;
	pthread_t thread;
	pid_t pid;
	unsigned int rate_hz;
	struct perf_recording recording;
	int recorded;		/* what perf_record () returned */
	struct wt_error why;	/* functions are not known; "" */
};

/* perf begins to look at slurmctld, which has the process 'pid' (0: it is not on this machine). */
int run_profile_start(struct run_profile *p, pid_t pid, unsigned int rate_hz, struct wt_error *errp);

/* perf ends.  Further calls do nothing. */
void run_profile_stop(struct run_profile *p);

/* Behind run_profile_stop (): what was seen, into the folder; without 'functions', which may take a while to be read, only
 * the threads. */
int run_profile_write(struct run_profile *p, const char *dir, bool functions, struct wt_error *errp);

/* What perf has kept is removed. */
void run_profile_clear(struct run_profile *p);

#endif
