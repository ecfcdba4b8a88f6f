/* wt_progress.h - tell the scheduler how far a task is, and publish its output exactly once (libwtprogress).
 *
 * For programs in a job array that was submitted with "sbatch --speculate"; elsewhere reports do nothing and the right to
 * publish is always given, so that a program needs no other version.  Any number of threads and processes of a task; the
 * largest report counts.  Functions return 0, or -1 with errno set. */
#ifndef WT_PLUGINS_STRAGGLER_TASK_WT_PROGRESS_H
#define WT_PLUGINS_STRAGGLER_TASK_WT_PROGRESS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Share of the task's work that is done, 0 to 1.  Never smaller than before.  Costs a small write into a file of /run: call
 * it as often as you like.  EINVAL: outside 0 to 1.  A report that cannot be left behind is an error, too, but harmless. */
int wt_progress(double share);
int wt_progress_of(double done, double total);

/* May this attempt publish its output?  0: yes, no other attempt may until wt_commit_done () or this job's end.
 * -1 with EBUSY: another attempt publishes now; ECANCELED: another one has published, throw yours away; ENOTCONN: there
 * are others, and slurmstepd could not follow this one; other: slurmctld
 * could not be asked (waited for up to 'timeout_s' seconds, as with EBUSY; negative: for ever). */
int wt_commit_begin(double timeout_s);

/* It is published: no other attempt ever may.  In the process that had the right from wt_commit_begin (), or one that it
 * forked later.
 * -1: ECANCELED: the right had been lost; EINVAL: there was no wt_commit_begin () here. */
int wt_commit_done(double timeout_s);

/* It could not be published: others may, unless another wt_commit_begin () of this attempt still has the right. */
int wt_commit_release(double timeout_s);

#ifdef __cplusplus
}
#endif

#endif
