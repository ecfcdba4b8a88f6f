/* sweep.h - what happened to a run's jobs, in the order of time.  Pure. */
#ifndef WT_HARNESS_PAGE_SWEEP_H
#define WT_HARNESS_PAGE_SWEEP_H

#include <stddef.h>
#include <stdint.h>

#include "harness/page/page.h"

/* At equal times CPUs are given back before they are given out, and a job is submitted before it starts. */
enum sweep_kind { SWEEP_END, SWEEP_RELEASE, SWEEP_LEAVE, SWEEP_SUBMIT, SWEEP_START };

struct sweep_event {
	double time_s;
	uint32_t job;		/* index into run->jobs */
	enum sweep_kind kind;
};

/* Events of the jobs whose times are possible (0 <= submit <= start <= end <= release, each as far as it is known).  A job
 * that never started leaves the queue (SWEEP_LEAVE) at its end, if that is known. */
struct sweep {
	struct sweep_event *events;
	size_t count;
	size_t impossible;	/* jobs left out */
};

int sweep_make(struct sweep *sweep, const struct page_run *run, struct wt_error *errp);	/* 0, or -1 with ENOMEM */
void sweep_clear(struct sweep *sweep);

/* What an event of this job adds to a value: to the CPUs that jobs have, to the jobs that wait, to those that run, and to
 * the nodes that complete (node seconds spread evenly from a job's end to its last release).  In one sweep they sum up to
 * what there is at that time. */
typedef double (*sweep_delta)(const struct page_job *job, enum sweep_kind kind);
double sweep_busy(const struct page_job *job, enum sweep_kind kind);
double sweep_waiting(const struct page_job *job, enum sweep_kind kind);
double sweep_running(const struct page_job *job, enum sweep_kind kind);
double sweep_gpus(const struct page_job *job, enum sweep_kind kind);	/* those that are known */
double sweep_completing(const struct page_job *job, enum sweep_kind kind);

#endif
