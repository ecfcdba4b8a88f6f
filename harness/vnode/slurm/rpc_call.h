/* rpc_call.h - one message for one or more nodes, its answers, and the handlers that give them.  One thread: the loop's. */
#ifndef WT_HARNESS_VNODE_SLURM_RPC_CALL_H
#define WT_HARNESS_VNODE_SLURM_RPC_CALL_H

#include "harness/vnode/slurm/codec.h"
#include "harness/vnode/slurm/node_process.h"

struct wt_call {		/* one message, for all nodes it is for */
	struct wt_msg msg;
	const uint8_t *frame;	/* that it came in */
	size_t len;
	uint32_t *foreign, foreign_count;	/* those of its nodes that other processes have; malloc ()'ed */
	bool privileged;	/* from root or SlurmUser */
	struct rpc_counters *counters;
	struct wt_kill kill;	/* prepared by the first node's turn */
	bool kill_ready;
	in_addr_t peer;		/* where it comes from; of a forwarded one, where that comes from */
	struct wt_step_launch launch;	/* prepared by the first node's turn; its nodes are malloc ()'s */
	uint32_t launch_rc;
	bool launch_ready;
	/* what the tasks write to stderr when their program cannot be run; malloc ()'ed, NULL: nothing */
	char *complaint;
};

struct wt_answer {		/* one node's; 'data' is Slurm's, of xmalloc () */
	uint16_t type;		/* 0: no answer */
	void *data;
	uint32_t err;		/* for a node that cannot be reached */
};

/* rpc_answer.c */
void wt_answer_rc(struct wt_answer *answer, uint32_t rc);
uint32_t wt_rpc_rc(enum wt_rc rc);	/* Slurm's number */

/* rpc_job.c */
void wt_rpc_launch(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer);
void wt_rpc_prolog(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer);
void wt_rpc_terminate(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer);
void wt_rpc_timelimit(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer);
void wt_rpc_abort(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer);
void wt_rpc_signal(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer);
void wt_rpc_terminate_step(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer);
void wt_rpc_suspend(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer);
void wt_rpc_step_stat(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer);
void wt_rpc_step_pids(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer);

/* rpc_step.c */
void wt_rpc_step_complete(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer);
struct wt_rpc_command {		/* of tasks; all is borrowed */
	uint32_t uid, gid;
	char *const *argv, *const *environment;
	size_t argc, environment_count;
	const char *cwd;	/* NULL: "/" */
	bool hidden;		/* its program is not to be looked at: as one that runs */
};

/* How long it runs, and how it ends.  *complaint, if its program cannot be run: malloc ()'ed words for stderr. */
void rpc_behaviour_read(const struct wt_daemon *daemon, const struct wt_rpc_command *command,
			struct job_behaviour *behaviour, char **complaint);
void wt_rpc_launch_tasks(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer);
void wt_rpc_reattach(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer);

#endif
