/* willrun.h - Slurm's own answer to WILL_RUN (when could the job start, and where?) from counts.  For the plugin's adapter
 * only.
 *
 * With bestfit_will_run=on, and bestfit=on, or bestfit=off and bestfit_quick given as on or verify.  What is answered is
 * what select/cons_tres would answer, with best fit's choice among nodes in it or without: return code, start time, nodes,
 * total_cpus.  Counts say when too little is free, now or after running jobs have ended one after
 * the other (ends.h); what they do not refuse select/cons_tres is asked itself, on tables as they will be then (future.h);
 * a question that was asked before is not asked again; and what none of this can follow is left to Slurm's own search.
 *
 * Of Slurm 22.05 only (compat/features.h).  Called below slurmctld's write locks of jobs and nodes: not locked again. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_WILLRUN_H
#define WT_PLUGINS_SELECT_BESTFIT_WILLRUN_H

#include "plugins/select_bestfit/quick.h"

#ifdef WT_HAVE_WILL_RUN_BY_ENDS
bool willrun_wanted(const struct bestfit_settings *settings, const struct job_test *call);
/* *rc as of the inner select_p_job_test (), which is 'inner'.  bestfit_quick=verify: both are asked, and Slurm's answer
 * counts.  false: not followed, the caller has to ask Slurm. */
bool willrun_job_test(job_test_f inner, const struct job_test *call, const struct bestfit_settings *settings, int *rc);
void willrun_changed(void);	/* nodes, partitions or settings */
void willrun_clear(void);	/* frees everything */
void willrun_log(void);		/* the counters */
#else
static inline bool willrun_wanted(const struct bestfit_settings *settings, const struct job_test *call)
{
	(void) settings;
	(void) call;
	return false;
}

static inline bool willrun_job_test(job_test_f inner, const struct job_test *call,
				    const struct bestfit_settings *settings, int *rc)
{
	(void) inner;
	(void) call;
	(void) settings;
	(void) rc;
	return false;
}

static inline void willrun_changed(void)
{
}

static inline void willrun_clear(void)
{
}

static inline void willrun_log(void)
{
}
#endif

#endif
