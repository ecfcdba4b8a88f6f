/* step_client.h - the sruns of steps: from the launch, and out of the journal and into it.  One thread: the loop's. */
#ifndef WT_HARNESS_VNODE_SLURM_STEP_CLIENT_H
#define WT_HARNESS_VNODE_SLURM_STEP_CLIENT_H

#include <netinet/in.h>

#include "lib/str.h"
#include "harness/vnode/model/model_step.h"
#include "harness/vnode/wire/outgoing.h"
#include "harness/vnode/wire/requestq.h"
#include "harness/vnode/wire/stepio.h"

struct wt_call;

#define WT_STEP_ALL_TASKS -1	/* instead of a task's number */
#define WT_STEP_NO_TASK -2

struct wt_step_client {		/* the srun of one step, and which tasks it wants where */
	wt_step_ref step;	/* 0: none */
	uint32_t count;		/* nodes */
	in_addr_t address;
	uint16_t version;	/* that srun speaks */
	uint32_t uid, flags;
	uint16_t *resp_ports, *io_ports, resp_port_count, io_port_count;
	uint32_t *task_offsets, *task_ids;	/* of rank r: task_ids[task_offsets[r]] ... [task_offsets[r + 1] - 1] */
	int64_t stdout_task, stderr_task;	/* whose output srun wants: a task, or one of the values above */
	uint8_t *key;
	uint32_t key_len;
	char *complaint;	/* of each task, on stderr; NULL: none */
	struct wt_stepio_conn **conns;		/* by rank; NULL: none */
};

struct wt_sruns {
	struct wt_step_client *all;	/* by slot: the low half of a wt_step_ref */
	uint32_t count;
	struct wt_outgoing *outgoing;	/* messages to them, */
	struct wt_requestq queue;	/* which wait here */
	struct wt_stepio *io;		/* input and output of their tasks */
};

/* Remember which srun launched the step; does nothing when that is known.  0, or -1 with ENOMEM. */
int wt_step_client_add(struct wt_sruns *sruns, wt_step_ref step, const struct wt_call *call);
/* A step without a srun that listens. */
int wt_step_client_add_none(struct wt_sruns *sruns, wt_step_ref step, uint32_t node_count, uint32_t uid);
struct wt_step_client *wt_step_client_find(const struct wt_sruns *sruns, wt_step_ref step);	/* NULL: not known */
void wt_step_client_clear(struct wt_step_client *client);
/* For the journal: struct wt_store_conf, with a struct wt_sruns as its 'arg'. */
void wt_step_client_pack(void *sruns, wt_step_ref step, struct wt_str *out);
void wt_step_client_unpack(void *sruns, wt_step_ref step, const void *bytes, size_t len);

#endif
