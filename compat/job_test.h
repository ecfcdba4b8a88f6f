/* job_test.h - select_p_job_test (), whose last arguments differ among releases.  For our plugins. */
#ifndef WT_COMPAT_JOB_TEST_H
#define WT_COMPAT_JOB_TEST_H

#include "compat/controller.h"

#ifdef WT_HAVE_LIST_POINTERS
typedef list_t *compat_job_list;
#else
typedef List compat_job_list;
#endif

/* Its arguments. */
struct job_test {
	job_record_t *job;
	bitstr_t *map;
	uint32_t min_nodes, max_nodes, req_nodes;
	uint16_t mode;
	compat_job_list preemptable, *preempted;
#ifdef WT_HAVE_LIST_POINTERS
	resv_exc_t *reserved;
#else
	bitstr_t **excluded_cores;
#endif
#ifdef WT_HAVE_WILL_RUN_DATA
	will_run_data_t *will_run;
#endif
};

#ifdef WT_HAVE_WILL_RUN_DATA
#define JOB_TEST_LAST , resv_exc_t *reserved, will_run_data_t *will_run
#define JOB_TEST_LAST_SET .reserved = reserved, .will_run = will_run
#define JOB_TEST_LAST_OF(t) , (t)->reserved, (t)->will_run
#elif defined(WT_HAVE_LIST_POINTERS)
#define JOB_TEST_LAST , resv_exc_t *reserved
#define JOB_TEST_LAST_SET .reserved = reserved
#define JOB_TEST_LAST_OF(t) , (t)->reserved
#else
#define JOB_TEST_LAST , bitstr_t **excluded_cores
#define JOB_TEST_LAST_SET .excluded_cores = excluded_cores
#define JOB_TEST_LAST_OF(t) , (t)->excluded_cores
#endif

#define JOB_TEST_PARAMETERS \
	job_record_t *job, bitstr_t *map, uint32_t min_nodes, uint32_t max_nodes, uint32_t req_nodes, uint16_t mode, \
	compat_job_list preemptable, compat_job_list *preempted JOB_TEST_LAST

/* Of a function that has these parameters. */
#define JOB_TEST_SET \
	{ .job = job, .map = map, .min_nodes = min_nodes, .max_nodes = max_nodes, .req_nodes = req_nodes, .mode = mode, \
	  .preemptable = preemptable, .preempted = preempted, JOB_TEST_LAST_SET }

typedef int (*job_test_f)(JOB_TEST_PARAMETERS);

static inline int job_test_call(job_test_f f, const struct job_test *t)
{
	return f(t->job, t->map, t->min_nodes, t->max_nodes, t->req_nodes, t->mode, t->preemptable, t->preempted
		 JOB_TEST_LAST_OF(t));
}

#endif
