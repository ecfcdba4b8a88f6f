/* queue.h - the jobs that wait behind one, for those that leave room to them.  For the plugin's adapter only.
 *
 * A hint: of at most QUEUE_KEPT jobs, read from all of slurmctld's now and then, so that a decision costs little however
 * many jobs there are.  What has begun, ended, or been held since is left out; what is new may be missing.  Not locked:
 * slurmctld's own write lock of jobs is held whenever a job is started. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_QUEUE_H
#define WT_PLUGINS_SELECT_BESTFIT_QUEUE_H

#include "plugins/select_bestfit/bestfit.h"
#include "compat/controller.h"

#define QUEUE_KEPT 64

/* The jobs behind 'job' in its partition, by priority: to[0 .. WT_SELECT_NEXT_MAX); their number.  0 when it is not about to
 * start. */
size_t queue_next(const job_record_t *job, uint16_t mode, struct bestfit_job *to);

#endif
