/* registry.h - which nodes have to register, in what order, and when again after a failure.
 *
 * Pure.  One thread at a time.  Source: Slurm 22.05 src/slurmd/slurmd/slurmd.c, _registration_engine (). */
#ifndef WT_HARNESS_VNODE_WIRE_REGISTRY_H
#define WT_HARNESS_VNODE_WIRE_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

#define WT_REGISTRY_MAX_DELAY_S 128	/* slurmd doubles from 1 s up to this */

struct wt_registry;	/* opaque */

struct wt_registry *wt_registry_create(uint32_t node_count);	/* NULL, ENOMEM */
void wt_registry_destroy(struct wt_registry *registry);		/* NULL is ignored; errno is preserved */

/* The node shall register.  Once is enough, however often it is asked for while it waits; asked while its registration is on
 * its way, it registers once more afterwards. */
void wt_registry_want(struct wt_registry *registry, uint32_t node);

/* The next node to register, which is then on its way; false: none waits. */
bool wt_registry_next(struct wt_registry *registry, uint32_t *node);

void wt_registry_acked(struct wt_registry *registry, uint32_t node);
void wt_registry_left(struct wt_registry *registry, uint32_t node);		/* it counts as never acknowledged */
void wt_registry_forget(struct wt_registry *registry, uint32_t node);		/* it is not sent, and not wanted any more */
void wt_registry_put_back(struct wt_registry *registry, uint32_t node);		/* it was not tried at all */
uint32_t wt_registry_failed_s(struct wt_registry *registry, uint32_t node);	/* seconds until it is to be wanted again */

void wt_registry_stop(struct wt_registry *registry, uint32_t node);	/* its slurmd has ended: it never registers again */
void wt_registry_start(struct wt_registry *registry, uint32_t node);	/* it has begun again: it may register */
bool wt_registry_stopped(const struct wt_registry *registry, uint32_t node);

bool wt_registry_waits(const struct wt_registry *registry);	/* wt_registry_next () may have one */
uint32_t wt_registry_registered(const struct wt_registry *registry);	/* nodes acknowledged at least once, and not left */
uint32_t wt_registry_stopped_count(const struct wt_registry *registry);

#endif
