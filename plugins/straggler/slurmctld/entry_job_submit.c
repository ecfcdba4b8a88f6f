/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plugin that JobSubmitPlugins=straggler loads, from 23.02 on, which have no SlurmctldPlugstack.
 *
 * slurmctld loads it before it has read its jobs, in a backup that is not in charge, too, and never ends it: a
 * reconfiguration executes slurmctld anew.  So a thread looks whether it is in charge.  It does not matter when it notices
 * the end late: a service that another has taken over from grants nothing more (state_file.h). */
#include "compat/controller.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "compat/charge.h"
#include "lib/clock.h"
#include "plugins/straggler/slurmctld/slurmctld_straggler.h"

#define LOOK_US 1000000
#define LOOK_SOON_US 100000	/* of the first looks: a start, or a reconfiguration, is over soon */
#define LOOKS_SOON 100
#define EXPORT __attribute__((visibility("default")))

EXPORT const char plugin_name[] = "windtunnel's speculative copies of slow array tasks";
EXPORT const char plugin_type[] = "job_submit/straggler";
EXPORT const uint32_t plugin_version = SLURM_VERSION_NUMBER;

EXPORT int init(void);
EXPORT int fini(void);
EXPORT int job_submit(job_desc_msg_t *job_desc, uint32_t submit_uid, char **err_msg);
EXPORT int job_modify(job_desc_msg_t *job_desc, job_record_t *job_ptr, uint32_t submit_uid, char **err_msg);

static pthread_t watcher;
static pthread_mutex_t watch_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t watch_cond;
static bool watching, watch_stop;

/* Called with the lock.  Whether to go on. */
static bool look_wait(int64_t wait_us)
{
	int64_t until_us = wt_clock_monotonic_us() + wait_us;
	const struct timespec until = { .tv_sec = until_us / 1000000, .tv_nsec = until_us % 1000000 * 1000 };

	while (!watch_stop && pthread_cond_timedwait(&watch_cond, &watch_lock, &until) != ETIMEDOUT)
		;
	return !watch_stop;
}

static void *watch(void *arg)
{
	bool begun = false;
	unsigned int looks = 0;

	(void) arg;
	pthread_setname_np(pthread_self(), "straggler_watch");
	pthread_mutex_lock(&watch_lock);
	do {
		bool charge = compat_in_charge();

		/* Not held over a beginning or an end, which may take seconds: fini () would wait for them before it
		 * could say so. */
		pthread_mutex_unlock(&watch_lock);
		if (charge && !begun)
			straggler_begin();
		else if (!charge && begun)
			straggler_end();
		begun = charge;
		pthread_mutex_lock(&watch_lock);
	} while (look_wait(!begun && ++looks < LOOKS_SOON ? LOOK_SOON_US : LOOK_US));
	pthread_mutex_unlock(&watch_lock);
	if (begun)
		straggler_end();
	return NULL;
}

/* Without it slurmctld would not start: it succeeds whatever happens. */
int init(void)
{
	pthread_condattr_t attr;
	sigset_t all, old;

	if (watching)
		return SLURM_SUCCESS;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&watch_cond, &attr);
	pthread_condattr_destroy(&attr);
	watch_stop = false;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);	/* signals are slurmctld's own business */
	watching = pthread_create(&watcher, NULL, watch, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!watching)
		error("straggler: no thread; no speculation until slurmctld is started again");
	return SLURM_SUCCESS;
}

int fini(void)
{
	pthread_mutex_lock(&watch_lock);
	watch_stop = true;
	pthread_cond_signal(&watch_cond);
	pthread_mutex_unlock(&watch_lock);
	if (watching)
		pthread_join(watcher, NULL);
	watching = false;
	return SLURM_SUCCESS;
}

/* Jobs are none of its business on the way in. */
int job_submit(job_desc_msg_t *job_desc, uint32_t submit_uid, char **err_msg)
{
	(void) job_desc;
	(void) submit_uid;
	(void) err_msg;
	return SLURM_SUCCESS;
}

int job_modify(job_desc_msg_t *job_desc, job_record_t *job_ptr, uint32_t submit_uid, char **err_msg)
{
	(void) job_desc;
	(void) job_ptr;
	(void) submit_uid;
	(void) err_msg;
	return SLURM_SUCCESS;
}
