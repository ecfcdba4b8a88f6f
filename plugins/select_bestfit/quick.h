/* quick.h - select_p_job_test () at a cost that does not grow with the cluster.  For the plugin's adapter only.
 *
 * TEST_ONLY (can the job ever run?) is answered from a cache when the same request was made for the same nodes; then from
 * the proof that as many nodes of the same hardware have satisfied the same request.  Else, and for RUN_NOW and WILL_RUN,
 * the best fit is chosen from counts that are kept, and select/cons_tres is asked with these few nodes only.  When it says
 * no, or the job is of a kind that is not for us, it is asked with all nodes, as without this.
 *
 * Called below slurmctld's write locks of jobs and nodes, as select_p_job_test () itself: not locked again. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_QUICK_H
#define WT_PLUGINS_SELECT_BESTFIT_QUICK_H

#include "plugins/select_bestfit/bestfit.h"
#include "compat/job_test.h"

bool quick_attach(void);	/* before anything of the inner plugin runs; false: something of it is missing */

/* As the inner select_p_job_test (), which is 'inner'. */
int quick_job_test(job_test_f inner, const struct job_test *call);

/* Nodes, partitions, switches or settings changed.  'report': log the counters. */
void quick_configure(bool report);
/* A node's hardware was reported anew. */
void quick_node_changed(void);
void quick_clear(void);		/* frees everything */

#endif
