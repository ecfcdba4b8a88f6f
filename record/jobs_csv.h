/* jobs_csv.h - jobs.csv: Batsim's columns in Batsim's order, then ours.
 *
 * Batsim: https://batsim.readthedocs.io/en/latest/output-jobs.html.  Times are seconds after the first submission was sent
 * (begin_s), empty where unknown.  A resource is a node: requested_number_of_resources counts nodes (where a job asked for
 * CPUs only, the least number of nodes that have them), allocated_resources is a set of node indexes.  job_id is Slurm's (0:
 * the submission failed), profile the class, consumed_energy -1 (not modelled), metadata empty.  Ours: node_list, cpus
 * (asked for), then what it takes to recompute every figure.  windtunnel-run(5) has all columns.  Pure. */
#ifndef WT_RECORD_JOBS_CSV_H
#define WT_RECORD_JOBS_CSV_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/error.h"
#include "record/record.h"

#define WT_JOBS_CSV_HEADER \
	"job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success," \
	"final_state,"              \
	"starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources," \
	"consumed_energy,metadata," \
	"node_list,cpus,name,state,exit_code,requested_nodes,requested_run_time_s,allocated_nodes," \
	"allocated_cpus,"                    \
	"submit_latency_s,release_time_s,released_nodes,completing_node_s,probe_latency_s,trace_job_id," \
	"node_cpus,"                    \
	"partition,account,user,qos,allocated_gpus,pending_reason,pending_times"

/* For wt_outfile_write: 'record' is a struct wt_record *.  0 (look at ferror). */
int wt_jobs_csv_write(FILE *out, const void *record, struct wt_error *errp);

/* Fill record->jobs (empty before) from foreign bytes.  record->begin_s must be set.  Columns are found by name; unknown
 * ones are ignored, and trace_job_id and those behind it may be missing (older records).  0, or -1 with EINVAL ("NAME:LINE:
 * ...") or ENOMEM; the rows before the damaged one stay, whole and with their ids. */
int wt_jobs_csv_read(struct wt_record *record, FILE *in, const char *name, struct wt_error *errp);

/* The same, or of a file that has Batsim's columns only as wt_batsim_jobs_read () does; *ours says which.  Sets begin_s to
 * 0.  'strict': of ours, times that are above 1e10 s, durations that are negative, and what is no number in columns that
 * nothing is taken from, are refused, too; without it whoever looks at a damaged run sees what there is. */
int wt_jobs_csv_read_any(struct wt_record *record, FILE *in, const char *name, bool strict, bool *ours,
			 struct wt_error *errp);

#endif
