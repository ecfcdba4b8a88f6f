/* registration.h - which nodes register, when again, and what they say of themselves.  One thread: the loop's. */
#ifndef WT_HARNESS_VNODE_SLURM_REGISTRATION_H
#define WT_HARNESS_VNODE_SLURM_REGISTRATION_H

#include "harness/vnode/slurm/codec.h"
#include "harness/vnode/slurm/gres.h"
#include "harness/vnode/slurm/reconfigure.h"
#include "harness/vnode/wire/outgoing.h"
#include "harness/vnode/wire/registry.h"

struct wt_daemon;

struct wt_registration {
	struct wt_registry *registry;
	struct wt_reconfigure reconfigure;
	struct wt_gres gres;
	char *os, *arch;	/* xmalloc ()'ed: of the machine that this process runs on */
};

/* 0, or -1 with ENOMEM.  wt_gres_load () comes besides. */
int wt_registration_init(struct wt_registration *registration, uint32_t node_count, struct wt_error *errp);
void wt_registration_fini(struct wt_registration *registration);

/* WT_SEND_REGISTRATION, WT_SEND_FAULT */
int wt_registration_pack(const struct wt_daemon *daemon, const struct wt_outgoing_request *request, struct wt_bytes *bytes);

#endif
