/* task_graph.h - tasks and which of them wait for which, made into jobs: the workflows of DAX and WfCommons files.
 *
 * A task becomes a job of one task with as many CPUs as it has cores, submitted at 0, which Slurm starts when all that it
 * waits for have completed ("afterok").  Jobs stand behind those they wait for, else in the file's order.  Pure; foreign
 * texts; one thread at a time. */
#ifndef WT_WORKLOAD_TASK_GRAPH_H
#define WT_WORKLOAD_TASK_GRAPH_H

#include <stddef.h>

#include "lib/error.h"
#include "workload/swf_trace.h"

#define WT_TASK_EDGES_MAX 10000000	/* waits of one task for another */
#define WT_TASK_CORES_MAX 65000
#define WT_TASK_SECONDS_MAX 1e10
#define WT_TASK_BYTES_MAX 1e18

struct wt_task_graph;

struct wt_task {
	/* What it runs: "mProject"; NULL: not known.  Control characters become '?', and what is long is cut. */
	const char *class_name;
	size_t line;		/* of the file, or the place in it */
	double run_s;		/* 0 to WT_TASK_SECONDS_MAX */
	double data_bytes;	/* read and written, together */
	double cores;		/* a whole number from 1 to WT_TASK_CORES_MAX */
};

struct wt_task_graph *wt_task_graph_create(void);	/* NULL with ENOMEM */
void wt_task_graph_destroy(struct wt_task_graph *graph);	/* NULL is ignored; errno is preserved */

/* The number of the task that the file calls 'id', which may be told of later; 'line' is where it is named.  -1 with EINVAL
 * (an id that is empty, or has more than 255 bytes), EFBIG (more than 10 million) or ENOMEM. */
ssize_t wt_task_graph_find(struct wt_task_graph *graph, const char *id, size_t line, struct wt_error *errp);

/* The task is as *task says.  0, or -1 with EINVAL (a value out of its range; it was told of before) or ENOMEM. */
int wt_task_graph_tell(struct wt_task_graph *graph, size_t number, const struct wt_task *task, struct wt_error *errp);

/* 'child' waits for 'parent'; to say so twice is once.  0, or -1 with EFBIG or ENOMEM. */
int wt_task_graph_wait(struct wt_task_graph *graph, size_t child, size_t parent, struct wt_error *errp);

/* All jobs into the empty *trace.  Ids of 1 to 64 letters, digits, '.', '_' and '-' are kept; another is "taskN", by its
 * place.  0, or -1 with EINVAL: no task; a task that is waited for and not told of; a circle; two tasks with one id; more
 * waits of one task than slurmctld takes; "NAME:LINE: ..." says where.  Or ENOMEM.  *trace is empty then. */
int wt_task_graph_jobs(struct wt_task_graph *graph, struct wt_swf_trace *trace, const char *name, struct wt_error *errp);

#endif
