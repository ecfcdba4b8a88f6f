/* small.h - the best fit for a whole call of select_p_job_test (), from counts that are kept.  For the plugin's adapter
 * only. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_SMALL_H
#define WT_PLUGINS_SELECT_BESTFIT_SMALL_H

#include "plugins/select_bestfit/quick.h"
#include "plugins/select_bestfit/supply.h"

struct small {
	struct supply_kind kind;
	bitstr_t *map;		/* the caller frees it */
	uint32_t *chosen;	/* the same: Slurm's indexes */
	size_t count;
	bool hopeless;		/* no choice, and Slurm cannot find one either: so little is free */
};

/* chosen[] has room for all nodes.  False: the job is not of a kind that counts decide, or nothing fits it. */
bool small_choose(const struct job_test *c, enum wt_tie tie, uint32_t *chosen, struct small *small);

/* Best fit learns the size of a job that is asked about a start to come once for each question, however it is answered;
 * and only when the next job is to start or is submitted: until then the same question has the same answer. */
void small_plan(const struct job_test *c, enum wt_tie tie);
void small_plans_learn(enum wt_tie tie);

#endif
