/* future.h - one test of a job by select/cons_tres on tables as they will be.  For the plugin's adapter only.
 *
 * The inner select_p_job_test () looks at select_part_record and select_node_usage: for the time of one call they point to
 * tables made here, of those nodes only that can give the job something.  slurmctld's locks are held by the thread that
 * tests. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_FUTURE_H
#define WT_PLUGINS_SELECT_BESTFIT_FUTURE_H

#include "plugins/select_bestfit/allocs.h"
#include "plugins/select_bestfit/quick.h"

/* When the test is to happen. */
struct future {
	const struct allocs *allocs;
	const struct capacity_node *nodes;	/* as they will be */
	const size_t *taken;			/* jobs of allocs that will have ended */
	size_t taken_count;
};

/* Both: on these nodes (Slurm's indexes, a bit each in 'map', which becomes the choice).  WILL_RUN without a search; as the
 * inner test's return code.  ENOMEM: not asked. */
int future_ask_now(job_test_f inner, const struct job_test *c, bitstr_t *map, const uint32_t *chosen, size_t count);
int future_ask(job_test_f inner, const struct job_test *c, bitstr_t *map, const uint32_t *chosen, size_t count,
	       const struct future *future);
void future_clear(void);

#endif
