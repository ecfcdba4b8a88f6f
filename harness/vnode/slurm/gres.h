/* gres.h - generic resources in registrations.  One thread: the loop's. */
#ifndef WT_HARNESS_VNODE_SLURM_GRES_H
#define WT_HARNESS_VNODE_SLURM_GRES_H

#include "compat/full.h"

#include "lib/error.h"
#include "harness/vnode/model/nodetable.h"

struct wt_gres {		/* zeroed: none */
	buf_t **infos;		/* by class of nodes, as a registration has them; never NULL once loaded */
	uint32_t count;
};

/* Of the slurm.conf that was read last: again after a reconfiguration. */
int wt_gres_load(struct wt_gres *gres, const struct wt_nodetable *nodes, struct wt_error *errp);
void wt_gres_free(struct wt_gres *gres);

#endif
