/* test_spec_world.h - a small scheduler for tests of wt_spec: TASK_COUNT tasks, each a job of its own, report every window;
 * copies run as fast as most. */
#ifndef WT_STRAGGLER_TEST_SPEC_WORLD_H
#define WT_STRAGGLER_TEST_SPEC_WORLD_H

#include "straggler/spec.h"

enum { TASK_COUNT = 20, FIRST_JOB = 100, ARRAY_OWNER = 1000, ADMIN = 990, JOBS = 400 };

struct spec_world_job {
	bool known, killed;
	double start_s, duration_s, end_s;
	uint32_t task, number, copy_of, restart, exit_code;
	enum wt_spec_state state;
	bool completing;
	uint64_t instance, acquisition;	/* the acquisition that had the right last */
};

struct spec_world {
	struct wt_spec *s;
	struct spec_world_job jobs[JOBS];	/* by id - FIRST_JOB */
	uint32_t next, copies, completed, cancelled, repaired;
	double now_s;
	uint64_t acquisition, newest;	/* the last that was drawn; of the last COMMIT's answer */
	const char *policy;	/* NULL: "on" */
	bool copies_fail, unsaved;	/* unsaved: the scheduler does not write its file any more */
	bool cramped;		/* MaxAttempts is lowered to 1 while a copy is made */
};

extern struct spec_world w;

int world_start(void **state);	/* of cmocka: before and after each test */
int world_end(void **state);
#define WORLD(test) cmocka_unit_test_setup_teardown(test, world_start, world_end)

struct port_message *beat_of(uint32_t id, double progress, double elapsed_s);	/* a report, good until the next call */
void tell(uint32_t id);		/* what the scheduler knows of the job */
void second(void);		/* one second passes */
void run(double seconds);
/* COMMIT (what: operation) or EXIT */
enum port_code ask(enum port_kind kind, uint32_t uid, uint32_t id, uint32_t what);
uint32_t with_copy(void);	/* task 7 is slow until it has a copy, whose id this is */

#endif
