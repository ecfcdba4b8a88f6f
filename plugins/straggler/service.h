/* service.h - what slurmctld's plugin does apart from Slurm: the shared state behind one lock, messages, the state file.
 *
 * The lock is never held while one of slurmctld's is waited for, nor during I/O or a call of munge. */
#ifndef WT_STRAGGLER_SERVICE_H
#define WT_STRAGGLER_SERVICE_H

#include <pthread.h>

#include "specconf.h"
#include "wt_spec.h"

enum service_level { SERVICE_INFO, SERVICE_ERROR };

struct service {
	pthread_mutex_t lock;
	struct wt_spec *spec;
	struct specconf conf;		/* under the lock */
	char state_path[PATH_MAX];
	pthread_mutex_t save_lock;	/* one writer of the state file at a time; under it: */
	uint64_t saves;			/* how often it was written */
	size_t file_len, whole_len;	/* bytes of the state file, and of that when all was written; 0: all is to be written */
	void (*log)(enum service_level level, const char *text);
	struct ring *ring;		/* the latest heartbeats, under the lock; NULL: none are kept */
};

int service_init(struct service *service, const struct specconf *conf, const char *state_path, struct wt_error *errp);
void service_fini(struct service *service);

double service_now_s(void);	/* monotonic */

/* New settings, unless they are broken. */
int service_configure(struct service *service, const struct specconf *conf, struct wt_error *errp);

/* Read what an earlier slurmctld left; a file that makes no sense is put aside.  0 also when there is none. */
int service_load(struct service *service, struct wt_error *errp);

/* If something has changed: put it behind what the file has, or write all of it anew, when it grows or is broken.  On the disk when it returns. */
int service_save(struct service *service, struct wt_error *errp);

/* Answer a message whose sender munge has told.  *text is malloc'ed, or NULL.  What a COMMIT is answered is told only after
 * service_commits_save (): a slurmctld killed at any moment gives the right to no other. */
enum wt_beat_code service_answer(struct service *service, uint32_t uid, const struct wt_beat *beat, char **text, size_t *text_len);

/* Write all rights to publish that were given, with one wait for the disk.  False, and logged: none of them may be told, BUSY is. */
bool service_commits_save(struct service *service);

#endif
