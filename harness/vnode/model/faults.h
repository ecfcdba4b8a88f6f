/* faults.h - which nodes are without power when, and how slow each is: the settings applied to the nodes of a cluster.
 *
 * Pure.  Times are microseconds since the epoch of the settings: when all nodes had registered for the first time.
 * One thread at a time. */
#ifndef WT_HARNESS_VNODE_MODEL_FAULTS_H
#define WT_HARNESS_VNODE_MODEL_FAULTS_H

#include "harness/vnode/model/settings.h"

struct wt_faults;	/* opaque */

/* The nodes of a host list; -1 with errno and *errp when it is none, or names other nodes. */
typedef int (*wt_faults_nodes_f)(void *arg, const char *text, struct wt_nodeset *set, struct wt_error *errp);

/* 'settings' must outlive it.  NULL: EINVAL (which setting, and why) or ENOMEM. */
struct wt_faults *wt_faults_create(const struct wt_settings *settings, uint32_t node_count, wt_faults_nodes_f nodes,
				   void *arg, struct wt_error *errp);
void wt_faults_destroy(struct wt_faults *faults);	/* NULL is ignored; errno is preserved */

const float *wt_faults_factors(const struct wt_faults *faults);	/* by node; NULL: no node is slow */
/* Does the Prolog (else: the start of slurmstepd) of this job fail on this node?  The same for each launch of the job
 * there. */
bool wt_faults_refuse(const struct wt_faults *faults, bool prolog, uint32_t job_id, uint32_t node);
bool wt_faults_down(const struct wt_faults *faults, uint32_t node);

/* when the next nodes fail or return; false: never */
bool wt_faults_next(const struct wt_faults *faults, int64_t *at_us);

/* Go to this time.  'changed' hears of each node that has failed ('down') or returned, in the order of time. */
typedef void (*wt_faults_changed_f)(void *arg, uint32_t node, bool down);
void wt_faults_advance(struct wt_faults *faults, int64_t now_us, wt_faults_changed_f changed, void *arg);

#endif
