/* alike.h - select/cons_tres asks only once what a job could have on nodes that are alike.  For the plugin's adapter only.
 *
 * Stands before cons_common_callbacks.can_job_run_on_node () of Slurm 22.05.  Between alike_begin () and alike_end () the
 * calling thread tests one job, and gets the answer of a node that is alike (alike_table.h) where there was one; GRES,
 * specialized cores, nodes that complete, DebugFlags=SelectType and nodes that do not fit a key go to Slurm's own, as do all
 * other threads and times. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_ALIKE_H
#define WT_PLUGINS_SELECT_BESTFIT_ALIKE_H

void alike_attach(void);	/* of slurmctld, after select/cons_tres has been loaded */
void alike_detach(void);

/* slurmctld holds its write lock of jobs meanwhile. */
void alike_begin(void);
void alike_end(void);

#endif
