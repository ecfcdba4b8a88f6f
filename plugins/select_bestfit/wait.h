/* wait.h - jobs of slurmctld that wait for a better place.  For the plugin's adapter only; decide.c's lock is held for
 * each. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_WAIT_H
#define WT_PLUGINS_SELECT_BESTFIT_WAIT_H

#include "plugins/select_bestfit/switches.h"
#include "compat/controller.h"

/* New settings.  A thread wakes slurmctld's scheduler when the time of a job is up; it runs as long as jobs may wait. */
void wait_configure(const struct bestfit_settings *settings);
void wait_stop(void);	/* ends the thread and forgets the jobs; without the lock */

/* Whether a job is of those that may wait: not when its user waits for it, it must start with others or in time, or Slurm
 * places it by rules of its own. */
bool wait_allowed(const job_record_t *job);

/* A job that could start on the nodes of its job_resrcs: true: not yet.  'offered': what it could choose from; 'spread':
 * CPUs wherever they are. */
bool wait_judge(struct switches *sw, const struct bestfit_settings *settings, struct bestfit_counters *counters,
		job_record_t *job, const bitstr_t *offered, bool spread);

#endif
