/* features.h - what differs among the releases of Slurm, by name.
 *
 * Slurm's version is looked at here and, for whether there are plugins at all, by configure: code that has to differ asks
 * for a feature, and stands in this folder.
 * Each line says since which release Slurm has it; source: Slurm's headers at the tags 22.05.8 to 26.05.3. */
#ifndef WT_COMPAT_FEATURES_H
#define WT_COMPAT_FEATURES_H

#include "slurm/slurm_version.h"

#define WT_SLURM_SINCE(year, month) (SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(year, month, 0))

/* The oldest release whose headers this was read with. */
#if !WT_SLURM_SINCE(22, 5)
#error "Windtunnel needs Slurm 22.05 or newer"
#endif

#if WT_SLURM_SINCE(23, 2)
#define WT_HAVE_STEP_ARRAY_TASK 1	/* a request for a step may name a task of a job array */
#define WT_HAVE_INTERFACES 1		/* headers of plugin interfaces stand in src/interfaces; plugstack.h is spank.h */
#else
#define WT_HAVE_PLUGSTACK 1		/* SlurmctldPlugstack, plugins of no other kind */
#define WT_HAVE_CHOOSE_NODES 1		/* cons_common_callbacks.choose_nodes: select/cons_tres chooses among nodes */
#define WT_HAVE_WILL_RUN_BY_ENDS 1	/* select/cons_tres looks for a start as plugins/select_bestfit/ends.h says */
#endif

#if WT_SLURM_SINCE(23, 11)
#define WT_HAVE_LIST_POINTERS 1		/* list_t * and hostlist_t *, in place of types that hide the pointer */
#define WT_HAVE_TRES_SLASH 1		/* a job asks for "gres/gpu:2", before that for "gres:gpu:2" */
#define WT_HAVE_CRED_IDS 1		/* uid and gid of a launch stand in its credential, no longer in the message */
#define WT_HAVE_PEER_NAMES 1		/* slurmctld resolves the address of each peer (fd_resolve_peer ()) */
#define WT_HAVE_BARE_ANSWERS 1		/* answers carry no credential (SLURM_NO_AUTH_CRED) */
#define WT_HAVE_G_INIT 1		/* auth_g_init (), cred_g_init () */
#else
#define WT_HAVE_CRED_CONTEXT 1		/* a context remembers which credentials were seen and revoked */
#endif

#if WT_SLURM_SINCE(24, 5)
#define WT_HAVE_TOPOLOGY_EVAL 1		/* topology_p_eval_nodes (): the topology plugin chooses among nodes */
#define WT_HAVE_PORT_REQUESTS 1		/* a job asks for ports of MPI itself */
#define WT_HAVE_SWITCH_INIT 1		/* switch_g_init (), before that switch_init () */
#define WT_HAVE_JOB_STATE_REASON 1	/* job_state_reason_string (), before that job_reason_string () */
#endif

#if WT_SLURM_SINCE(24, 11)
#define WT_HAVE_INVALID_HOSTS 1		/* node_name2bitmap () tells which names are no nodes */
#define WT_HAVE_WILL_RUN_DATA 1		/* select_p_job_test () gets a will_run_data_t */
#define WT_HAVE_ONE_TEST 1		/* a job that shares no cores is not tested on empty nodes before it is on these */
#define WT_HAVE_OPAQUE_JOB_RESOURCES 1	/* slurm_job_cpus_allocated_on_node_id () has left the public library */
#else
#define WT_HAVE_DATABASE_ERRNO 1	/* slurmctld without slurmdbd takes any errno for that of a connection to it */
#endif

#if WT_SLURM_SINCE(25, 5)
#define WT_HAVE_TOPOLOGY_LIST 1		/* several topologies, each with a context */
#define WT_HAVE_DAEMON_FLAG 1		/* only a process with slurm_daemon = IS_SLURMD verifies credentials */
#define WT_HAVE_PLAIN_SELECT_INIT 1	/* select_g_init () takes no argument */
#define WT_HAVE_TIMED_WORDS 1		/* a daemon's words on standard error begin with the time, not its name */
#define WT_HAVE_STEP_NOT_RUNNING 1	/* ESLURMD_STEP_NOTRUNNING, before that ESLURMD_JOB_NOTRUNNING */
#endif

#if WT_SLURM_SINCE(25, 11)
#define WT_HAVE_STEP_ID_MESSAGES 1	/* messages, and job_complete (), name jobs by a slurm_step_id_t */
#define WT_HAVE_SELECT_WORDS 1		/* SELECT_CORE and its like, before that CR_CORE; avail_res_t has a product */
#define WT_HAVE_ONLY_BARE_ANSWERS 1	/* no release that it speaks with expects a credential on answers */
#endif

#if WT_SLURM_SINCE(26, 5)
#define WT_HAVE_STEP_ID_CALLS 1		/* slurm_load_job () and its like take a slurm_step_id_t */
#define WT_HAVE_FREE_CONF 1		/* slurm_free_conf (), before that slurm_free_ctl_conf () */
#else
#define WT_HAVE_REASON_UID 1		/* who gives a node's reason says who he is, before slurmctld knew by itself */
#define WT_HAVE_RECORD_COPY_ERROR 1	/* ESLURM_ERROR_ON_DESC_TO_RECORD_COPY, which slurmctld had long given up */
#endif

#endif
