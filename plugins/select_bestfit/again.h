/* again.h - Slurm's own choice for a job that best fit's nodes would keep from starting.  For the plugin's adapter only.
 *
 * select/cons_tres chooses among nodes by the CPUs that each can give, and finds out only afterwards what the job takes of
 * the chosen ones: with CR_Socket whole sockets, and with --mem-per-cpu the memory for all of their CPUs.  What it refuses
 * then it does not choose again. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_AGAIN_H
#define WT_PLUGINS_SELECT_BESTFIT_AGAIN_H

#include "compat/job_test.h"

/* As the inner select_p_job_test (), which is 'inner'.  RUN_NOW with bestfit=on is asked a second time where nodes of ours
 * were refused after the choice, and before jobs are preempted for that. */
int again_job_test(job_test_f inner, const struct job_test *call);

#endif
