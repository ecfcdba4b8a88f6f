/* plans.h - the sizes of jobs that backfill has planned, until best fit learns them.  Pure. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_PLANS_H
#define WT_PLUGINS_SELECT_BESTFIT_PLANS_H

#include "plugins/select_bestfit/bestfit.h"

#define PLANS_MAX 256	/* kept; of more the last ones */

/* Zeroed: empty. */
struct plans {
	struct bestfit_want wants[PLANS_MAX];
	size_t count;		/* ever: wants[] is a ring */
};

void plans_add(struct plans *p, const struct bestfit_want *want);
size_t plans_count(const struct plans *p);	/* that are kept */
/* The i-th of these, the oldest first; valid until plans_add ().  NULL: there are not so many. */
const struct bestfit_want *plans_at(const struct plans *p, size_t i);
void plans_forget(struct plans *p);

#endif
