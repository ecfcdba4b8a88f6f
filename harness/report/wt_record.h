/* wt_record.h - what became of each submitted job, and the series sampled beside it: the input of every figure.
 *
 * Pure: no Slurm, no clock.  Times are seconds since the epoch (double, suffix _s); NAN where unknown. */
#ifndef WT_RECORD_H
#define WT_RECORD_H

#include <stddef.h>
#include <stdint.h>

enum wt_job_state {
	WT_JOB_UNKNOWN,		/* never seen, or lost: the run fails and names it */
	WT_JOB_PENDING, WT_JOB_RUNNING, WT_JOB_COMPLETING,
	WT_JOB_COMPLETED, WT_JOB_FAILED, WT_JOB_TIMEOUT, WT_JOB_CANCELLED, WT_JOB_NODE_FAIL, WT_JOB_OTHER,
};

struct wt_job_record {
	char *name;		/* of the workload's job */
	char class_name[16];
	uint32_t job_id;	/* 0: the submission failed */
	enum wt_job_state state;
	uint32_t cpus;		/* asked for */
	uint32_t alloc_cpus, alloc_nodes;
	uint32_t exit_code;
	double run_time_s, time_limit_s;	/* asked for */
	double submit_s;	/* reply to the submission */
	double submit_latency_s;
	double start_s, end_s;	/* node side where it is known, else slurmctld's whole seconds */
	double release_s;	/* last node released; NAN when the nodes' side is not visible */
	double probe_latency_s;	/* NAN: no probe */
	char *node_list;	/* Slurm host list, NULL when it never ran */
};

struct wt_sample {		/* one row of series.csv */
	double time_s;
	uint32_t nodes_idle, nodes_allocated, nodes_completing, nodes_down;	/* mixed counts as allocated; completing first */
	uint32_t cpus_allocated;
	uint32_t jobs_pending, jobs_running, jobs_completing;
	double controller_cpu_s;	/* since it started; NAN: not on this machine */
	uint64_t controller_rss_kib;
	uint32_t rpc_queue, server_threads, agent_queue, agent_count;	/* sdiag */
	uint64_t rpc_count, rpc_time_us;	/* sums over all message types (sdiag) */
	uint64_t schedule_cycle_last_us, backfill_cycle_last_us;
};

struct wt_record {
	size_t job_count, sample_count;
	struct wt_job_record *jobs;
	struct wt_sample *samples;
	/* the cluster and the run */
	uint32_t nodes, cpus;		/* the partition's */
	char *backend;		/* "virtual", "slurmd", "real" */
	char *clock;		/* wt_clock_name () */
	char *workload;
	uint64_t seed;
	double ideal_s, time_scale;
	double begin_s;		/* first submission was sent */
	double wall_s;		/* whole command */
	double controller_cpu_s;	/* the workload's part; NAN: unknown */
};

#endif
