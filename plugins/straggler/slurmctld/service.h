/* service.h - what slurmctld's plugin does apart from Slurm: the shared state behind one lock, messages, the state file.
 *
 * The lock is never held while one of slurmctld's is waited for, nor during I/O or a call of munge. */
#ifndef WT_PLUGINS_STRAGGLER_SLURMCTLD_SERVICE_H
#define WT_PLUGINS_STRAGGLER_SLURMCTLD_SERVICE_H

#include <pthread.h>

#include "straggler/protocol/straggler_conf.h"
#include "plugins/straggler/slurmctld/state_file.h"
#include "straggler/spec.h"

enum service_level { SERVICE_INFO, SERVICE_ERROR };

enum service_phase {
	SERVICE_SHUT,		/* what earlier slurmctlds left was not read: no task may publish */
	SERVICE_READ,		/* it was, but not all is known of the jobs that are there: no task may publish */
	SERVICE_READY
};

struct service {
	pthread_mutex_t lock;
	struct wt_spec *spec;
	struct straggler_conf conf;		/* under the lock */
	uint32_t owner_uid;		/* conf.spec.owner_uid of the first one: SlurmUser stays the same */
	enum service_phase phase;	/* too */
	pthread_mutex_t save_lock;	/* one writer of the state file at a time; under it: */
	struct store store;
	uint64_t saves;			/* how often it was written */
	/* bytes of the state file, and of that when all was written; 0: all is to be written */
	size_t file_len, whole_len;
	bool save_failed;		/* it was said */
	void (*log)(enum service_level level, const char *text);
	struct ring *ring;		/* the latest heartbeats, under the lock; NULL: none are kept */
};

int service_init(struct service *service, const struct straggler_conf *conf, const char *state_path, struct wt_error *errp);
void service_fini(struct service *service);

double service_now_s(void);	/* monotonic */

/* New settings, unless they are broken. */
int service_configure(struct service *service, const struct straggler_conf *conf, struct wt_error *errp);

/* Take the state file, and read what an earlier slurmctld left.  0; 1: that is lost (*errp says how), and was put aside if
 * there was anything (ENOENT: there was not): all that the scheduler knows of when service_begin () is called is in doubt
 * (wt_spec_doubt ()).  -1: neither; to be tried again. */
int service_open(struct service *service, struct wt_error *errp);

/* The spec has been told of all jobs that are there: from now on rights are given.  Returns how many tasks are in doubt, or
 * -1: to be opened anew. */
int service_begin(struct service *service, struct wt_error *errp);

/* If something has changed: put it behind what the file has, or write all of it anew, when it grows or is broken.  On the
 * disk, and the file still ours, when it returns 0.  Else it is logged, once, and once when it works again; nothing that it
 * has may be told.  ESTALE: the file is another slurmctld's now, for good, and nothing may be done any more. */
int service_save(struct service *service);

/* What is to be done now: at most 'room' actions.  Which attempt has won is on the disk before it is told here; while it
 * cannot be written, no job is completed nor repaired by it, which is decided again each time.  0 as well when the file is
 * another slurmctld's now. */
size_t service_decide(struct service *service, struct wt_spec_action *actions, size_t room);

/* Answer a message whose sender munge has told.  *text is malloc'ed, or NULL.  What a COMMIT is answered is told only after
 * service_commits_save (): a slurmctld killed at any moment gives the right to no other. */
enum port_code service_answer(struct service *service, uint32_t uid, const struct port_message *message, char **text,
				 size_t *text_len);

/* Write all rights to publish that were given, with one wait for the disk.  False: none of them may be told, BUSY is. */
bool service_commits_save(struct service *service);

#endif
