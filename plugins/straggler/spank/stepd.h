/* stepd.h - what the SPANK plugin does in slurmstepd, apart from SPANK. */
#ifndef WT_PLUGINS_STRAGGLER_SPANK_STEPD_H
#define WT_PLUGINS_STRAGGLER_SPANK_STEPD_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "straggler/protocol/progress_file.h"
#include "straggler/protocol/straggler_conf.h"
#include "straggler/protocol/start.h"

struct spank_stepd {
	uint32_t job_id;		/* set by the caller, as this: */
	/* whether slurmctld has ended the job itself (it was cancelled, say).  May take long, and is called in a thread
	 * that stepd_failed () may leave behind; NULL: nobody knows */
	bool (*is_over)(uint32_t job_id);
	/* but for the instance, which stepd_open () draws; restart: PROGRESS_NO_RESTART until stepd_restart () */
	struct start start;
	struct straggler_conf conf;
	char conf_path[PATH_MAX], path[PATH_MAX], lock_path[PATH_MAX];
	int lock_fd;			/* -1: nothing is open */
	uid_t uid;			/* of the job */
};

/* Make the job's progress file for 'uid', and see to it that an agent gathers it.  'conf' and 'agent' (paths) may be
 * NULL. */
int stepd_open(struct spank_stepd *s, const char *conf, const char *agent, const char *node, uid_t uid, const char *policy,
	       struct wt_error *errp);
void stepd_started(struct spank_stepd *s, pid_t pid);
/* How often slurmctld has restarted the job.  After stepd_started (), in the task, as its user: its agent tells nothing
 * before; and in slurmstepd before stepd_failed (). */
void stepd_restart(struct spank_stepd *s, uint32_t restart);
void stepd_ended(struct spank_stepd *s);			/* its process has ended, well */
/* It did not end well: returns when nothing of it publishes any more, and no other attempt can make up for it; at once when
 * slurmctld has ended it. */
void stepd_failed(struct spank_stepd *s, int status);
/* Nothing of it publishes any more: what still does is killed.  slurmctld hears of the job's end afterwards. */
void stepd_close(struct spank_stepd *s);

#endif
