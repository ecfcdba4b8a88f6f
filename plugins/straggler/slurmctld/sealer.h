/* sealer.h - munge in threads of its own: a munged that hangs stops neither the port nor slurmctld's end.
 *
 * Jobs are put and taken by one thread, which never waits here.  A munged that does not answer is left alone: what waits
 * fails at once, and so does what is put, but for one job in SEALER_AGAIN_S that finds out whether it answers again. Threads
 * that hang in munge when the sealer is stopped are left behind: they touch only what they then free themselves.  The object
 * that they run in must stay in memory (-z nodelete). */
#ifndef WT_PLUGINS_STRAGGLER_SLURMCTLD_SEALER_H
#define WT_PLUGINS_STRAGGLER_SLURMCTLD_SEALER_H

#include <stdbool.h>
#include <sys/queue.h>

#include "straggler/protocol/seal.h"

#define SEALER_THREADS 2
#define SEALER_QUEUE 64		/* credentials that wait, at most; with those of trusted connections: twice as many */
#define SEALER_SLOW_S 2.	/* a call of munge that takes longer is taken for one that hangs */
#define SEALER_AGAIN_S 1.
#define SEALER_STOP_S .5	/* to wait for threads */

struct sealer_job {
	void *owner;		/* the asker's; NULL: no connection waits for it any more */
	/* 'bytes' for user 'uid'; else they are a credential, and uid and bytes become those of what is in it */
	bool seal;
	uid_t uid;
	void *bytes;		/* malloc'ed, the job's; NULL when rc is not EMUNGE_SUCCESS */
	size_t len;
	munge_err_t rc;
	STAILQ_ENTRY(sealer_job) next;
};

/* Frees 'bytes'; NULL with ENOMEM. */
struct sealer_job *sealer_job_create(void *owner, bool seal, uid_t uid, void *bytes, size_t len);
void sealer_job_free(struct sealer_job *job);	/* wiped: it may have been a key.  NULL is ignored */

struct sealer;	/* opaque */

struct sealer *sealer_start(const char *munge_socket, struct wt_error *errp);
void sealer_stop(struct sealer *sealer);	/* jobs that were not taken are freed; NULL is ignored */

int sealer_fd(const struct sealer *sealer);	/* readable when there may be something to take */
/* for a credential; for what is to be sealed, which is done first, there always is */
bool sealer_room(struct sealer *sealer, bool trusted);
/* Takes the job.  False: there is no room, or munged does not answer; it is still the caller's. */
bool sealer_put(struct sealer *sealer, struct sealer_job *job, bool trusted, double now_s);
struct sealer_job *sealer_take(struct sealer *sealer);	/* one that is done, or NULL */
bool sealer_busy(struct sealer *sealer);		/* a credential is worked at, or waits */
/* Whether munged does not answer; to be asked now and then: it also finds calls that hang, and lets the jobs behind them
 * fail. */
bool sealer_down(struct sealer *sealer, double now_s);

#endif
