/* gantt_run.h - a run's jobs on their nodes, as gantt_data.h wants them.  Not locked: one thread at a time. */
#ifndef WT_HARNESS_PAGE_GANTT_RUN_H
#define WT_HARNESS_PAGE_GANTT_RUN_H

#include "harness/page/gantt_data.h"
#include "harness/page/gantt_machine.h"
#include "harness/page/page.h"

struct gantt_run {
	const struct page_run *run;
	struct gantt_input input; /* job k is run->jobs[k]; times in ms after the first submission was sent */
	uint32_t node_count; /* at least as many as jobs name */
	/* private */
	struct gantt_job *jobs;
	struct number_list ranges; /* first, count, first, count, ...: struct gantt_range */
	struct gantt_machine machine;
	const char *states[WT_JOB_STATE_COUNT];
};

/* 'run' must outlive it.  A job whose nodes cannot be read has none.  0, or -1 with ENOMEM; gantt_run_clear () in any case.
 */
int gantt_run_make(struct gantt_run *gantt, const struct page_run *run, struct wt_error *errp);
void gantt_run_clear(struct gantt_run *gantt);

#endif
