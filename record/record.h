/* record.h - what became of each submitted job, and the series sampled beside it: the input of every figure.
 *
 * Pure: no Slurm, no clock.  Times are seconds since the epoch (double, suffix _s); NAN where unknown.  Fields are open: the
 * recorder fills them.  Strings are malloc'd and belong to the record.  Not locked: one writer, or many readers. */
#ifndef WT_RECORD_RECORD_H
#define WT_RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "workload/workload.h"

enum wt_job_state {
	WT_JOB_UNKNOWN,		/* never seen, or lost: the run fails and names it */
	WT_JOB_PENDING, WT_JOB_RUNNING, WT_JOB_COMPLETING,
	WT_JOB_COMPLETED, WT_JOB_FAILED, WT_JOB_TIMEOUT, WT_JOB_CANCELLED, WT_JOB_NODE_FAIL,
	WT_JOB_OTHER,		/* another final state: BOOT_FAIL, DEADLINE, OUT_OF_MEMORY, PREEMPTED */
};
#define WT_JOB_STATE_COUNT (WT_JOB_OTHER + 1)

struct wt_job_record {
	char *name;		/* of the workload's job */
	char *class_name;
	char *trace_id;		/* what the trace calls it; NULL: no trace, or not known */
	size_t line;		/* of the jobs.csv that it was read from, from 1; 0: none */
	uint32_t job_id;	/* 0: the submission failed */
	enum wt_job_state state;
	uint32_t cpus;		/* asked for */
	uint32_t nodes;		/* whole nodes asked for, or 0: any nodes, shared */
	uint32_t alloc_cpus, alloc_nodes;
	uint32_t exit_code;
	double run_time_s, time_limit_s;	/* asked for */
	double submit_s;	/* reply to the submission */
	double submit_latency_s;
	double ran_s;		/* how long it ran, of a record that may tell it without start_s (Batsim's); NAN */
	double start_s, end_s;	/* node side where it is known, else slurmctld's whole seconds */
	double release_s;	/* last node released; NAN when the nodes' side is not visible */
	uint32_t released_nodes;	/* release events seen */
	double release_sum_s;	/* sum over them of (their time - start_s): gives the node seconds spent completing */
	double probe_latency_s;	/* NAN: no probe */
	char *node_list;	/* Slurm host list, NULL when it never ran */
	/* CPUs on each, in the order of node_list (node_cpus.h); NULL: not known, or all that they have */
	char *node_cpus;
	char *node_intervals;	/* node_list as indexes (from 0) in the cluster's order: wt_intervals_format; or NULL */
	/* the one that it ran in, or those asked for; this and the following: foreign text, NULL: not known */
	char *partition;
	char *account, *user, *qos;
	uint32_t alloc_gpus;	/* WT_GPUS_UNKNOWN: not known */
	char *pending_reason, *pending_times;	/* wt_pending_tell (); NULL: no look saw it wait */
};

#define WT_GPUS_UNKNOWN UINT32_MAX

struct wt_sample {		/* one row of series.csv */
	double time_s;
	uint32_t nodes_idle, nodes_allocated, nodes_completing, nodes_down;	/* mixed is allocated; completing wins */
	uint32_t cpus_allocated;
	uint32_t jobs_pending, jobs_running, jobs_completing;
	double controller_cpu_s;	/* since it started; NAN: not on this machine */
	uint64_t controller_rss_kib;
	uint32_t rpc_queue, server_threads, agent_queue, agent_count;	/* sdiag */
	uint64_t rpc_count, rpc_time_us;	/* sums over all message types (sdiag) */
	uint64_t schedule_cycle_last_us, backfill_cycle_last_us;
	double answer_age_s;	/* how long ago slurmctld was asked for what is not its CPU time and memory */
	/* What sdiag tells of the main and of the backfill scheduler, WT_COUNT_UNKNOWN where it did not: cycles, their time
	 * and the jobs looked at in them are sums, which begin again at 0 when slurmctld starts, and at midnight UTC; queue
	 * and backfill_depth are of the last cycle. */
	uint64_t schedule_cycles, schedule_cycle_sum_us, schedule_depth_sum, schedule_queue;
	uint64_t backfill_cycles, backfill_cycle_sum_us, backfill_depth, backfill_queue;
	/* Of jobs_pending by Slurm's reason; WT_COUNT_UNKNOWN: not looked at.  Limit: of a QOS, an association or a
	 * partition. */
	uint64_t pending_resources, pending_priority, pending_dependency, pending_limit, pending_other;
	/* What Slurm believes of the power of nodes; WT_COUNT_UNKNOWN: not looked at. */
	uint64_t nodes_powered_down, nodes_powering_up, nodes_powering_down;
};

#define WT_COUNT_UNKNOWN UINT64_MAX

/* No more switches, by its size alone: on all levels, on all levels as the nodes that were free at its start allowed, on the
 * leaf switches, on the level above them. */
enum wt_placed { WT_PLACED_FEWEST, WT_PLACED_FREE, WT_PLACED_LEAVES, WT_PLACED_LEVEL1, WT_PLACED_COUNT };

/* What nodes did and cost, modelled (windtunnel-run(5)): node seconds in each state, boots, and what is billed. */
enum wt_cost { WT_COST_NODES_BUSY, WT_COST_NODES_IDLE, WT_COST_NODES_BOOTING, WT_COST_NODES_STOPPING, WT_COST_NODES_OFF,
	       WT_COST_BOOTS, WT_COST_BOOTS_LOST, WT_COST_UNITS, WT_COST_BILLED, WT_COST_PRICE, WT_COST_PRICE_ALWAYS,
	       WT_COST_ENERGY, WT_COST_ENERGY_ALWAYS, WT_COST_COUNT };

struct wt_record {
	size_t job_count, sample_count, sample_capacity;
	struct wt_job_record *jobs;
	struct wt_sample *samples;
	/* the cluster and the run */
	uint32_t nodes, cpus;		/* the partition's */
	char *backend;		/* "virtual", "slurmd", "real" */
	char *clock;		/* wt_clock_name () */
	char *workload;
	char *slurm_version;	/* slurmctld's; NULL: not known */
	uint64_t seed;
	double ideal_s, time_scale;
	double begin_s;		/* first submission was sent */
	double cancel_s;	/* first request was sent to cancel what was left; NAN: none */
	/* shares of the jobs with nodes that touch no more switches than they must; NAN: no tree, or not looked at */
	double placed[WT_PLACED_COUNT];
	double costs[WT_COST_COUNT];	/* NAN: nothing of it is known, or it was not asked for */
	double wall_s;		/* whole command */
	double controller_cpu_s;	/* the workload's part; NAN: unknown */
	void *by_id;		/* private: tree for wt_record_find */
};

/* One record for each job of 'workload' in its order, sizes and times copied, everything unknown NAN, 0 or NULL, and
 * workload, seed, ideal_s, time_scale set.  'workload' may be NULL: no jobs (add them with jobs and job_count before the
 * first wt_record_set_job_id).  wt_record_destroy frees.  NULL with ENOMEM. */
struct wt_record *wt_record_create(const struct wt_workload *workload, struct wt_error *errp);
void wt_record_destroy(struct wt_record *record);	/* NULL is ignored; errno is preserved */

void wt_job_record_init(struct wt_job_record *job);	/* all unknown */
void wt_job_record_clear(struct wt_job_record *job);	/* free its strings; all unknown again.  Not of a job with an id */

/* Set the id and make the job findable.  0, or -1 with EINVAL (id 0, job has an id, EEXIST: another job has it) or
 * ENOMEM. */
int wt_record_set_job_id(struct wt_record *record, struct wt_job_record *job, uint32_t job_id, struct wt_error *errp);
struct wt_job_record *wt_record_find(const struct wt_record *record, uint32_t job_id);	/* NULL: not one of ours */

/* Append a copy.  0, or -1 with ENOMEM. */
int wt_record_add_sample(struct wt_record *record, const struct wt_sample *sample, struct wt_error *errp);

/* What every figure relies on: sizes, begin_s, strings, unique ids, submit <= start <= end <= release for each job (to 2 us;
 * to
 * 1 s where one is a whole second, as slurmctld's are), samples in order of time.  Jobs
 * that are not final are no error here.  0, or -1 with EINVAL and the first that is broken. */
int wt_record_check(const struct wt_record *record, struct wt_error *errp);

/* The order of one job's times, as above.  0, or -1 with EINVAL. */
int wt_job_times_check(const struct wt_job_record *job, struct wt_error *errp);

/* "Every job submitted is accounted for": 0 when each job is in a final state, else -1 with ECHILD and a text that counts
 * and names the missing (as many names as fit). */
int wt_record_accounted(const struct wt_record *record, struct wt_error *errp);

/* When the submission was sent: where a job's waiting begins.  NAN when it never was. */
double wt_job_sent_s(const struct wt_job_record *job);

/* Node seconds spent completing: over the released nodes, the time from the job's end to the node's release.  NAN:
 * unknown. */
double wt_job_completing_node_s(const struct wt_job_record *job);

bool wt_job_state_final(enum wt_job_state state);
const char *wt_job_state_name(enum wt_job_state state);		/* Slurm's words: "COMPLETED"; "UNKNOWN", "OTHER" */
int wt_job_state_parse(const char *name, enum wt_job_state *state);	/* 0, or -1 with EINVAL */

#endif
