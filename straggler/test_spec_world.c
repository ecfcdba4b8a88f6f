/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "straggler/test_spec_world.h"

struct spec_world w;

static void job_start(uint32_t id, uint32_t task, uint32_t number, uint32_t copy_of, double duration_s)
{
	w.jobs[id - FIRST_JOB] = (struct spec_world_job) {
		.known = true, .start_s = w.now_s, .duration_s = duration_s, .task = task, .number = number,
		.copy_of = copy_of, .state = WT_SPEC_RUNNING,
	};
}

int world_start(void **state)
{
	struct wt_spec_options options = wt_spec_defaults();

	(void) state;
	memset(&w, 0, sizeof(w));
	options.owner_uid = ADMIN;
	options.policy.copies = 1;
	w.s = wt_spec_create(&options, NULL);
	assert_non_null(w.s);
	w.now_s = 1000;
	for (uint32_t i = 0; i < TASK_COUNT; i++)
		job_start(FIRST_JOB + i, i, 1, 0, 60 + i % 4);
	w.next = FIRST_JOB + TASK_COUNT;
	return 0;
}

int world_end(void **state)
{
	wt_spec_destroy(w.s);
	return state == NULL;
}

struct port_message *beat_of(uint32_t id, double progress, double elapsed_s)
{
	static struct port_message message;

	memset(&message, 0, sizeof(message));
	message.kind = PORT_REPORT;
	message.count = 1;
	strcpy(message.node, "n1");
	message.records[0] = (struct beat_record) { id, id < FIRST_JOB + JOBS ? w.jobs[id - FIRST_JOB].restart : 0, 0,
						    (uint64_t) (elapsed_s * 1e6), progress };
	return &message;
}

void tell(uint32_t id)
{
	struct wt_spec_fact fact = { .job_id = id, .state = WT_SPEC_GONE };
	struct spec_world_job *j = id >= FIRST_JOB && id < FIRST_JOB + JOBS ? &w.jobs[id - FIRST_JOB] : NULL;
	char node[16];

	if (j && j->known) {
		snprintf(node, sizeof(node), "n%u", j->task);
		fact = (struct wt_spec_fact){ .job_id = id,
					      .state = j->state,
					      .policy = w.policy ? w.policy : "on",
					      .copy_of = j->copy_of,
					      .number = j->number,
					      .uid = ARRAY_OWNER,
					      .array_job_id = FIRST_JOB,
					      .array_task_id = j->task,
					      .tasks = TASK_COUNT,
					      .restart = j->restart,
					      .exit_code = j->exit_code,
					      .completing = j->completing,
					      .run_time_s = w.now_s - j->start_s,
					      .node = node,
					      .seen_s = (int64_t) w.now_s };
	}
	wt_spec_fact(w.s, &fact, w.now_s, NULL);
}

static void cramp(void)
{
	struct wt_spec_options options = wt_spec_defaults();

	options.owner_uid = ADMIN;
	options.attempts_max = 1;
	assert_int_equal(wt_spec_configure(w.s, &options, NULL), 0);
}

static void act(const struct wt_spec_action *a)
{
	struct spec_world_job *j = &w.jobs[a->job_id - FIRST_JOB];

	switch (a->kind) {
	case WT_SPEC_COPY:
		w.copies++;
		job_start(w.next, a->array_task_id, a->number, a->job_id, 60);
		w.jobs[w.next - FIRST_JOB].exit_code = w.copies_fail;
		if (w.cramped)
			cramp();
		wt_spec_copied(w.s, a, w.next++, NULL, w.now_s);
		break;
	case WT_SPEC_COMPLETE:
		w.completed++;
		j->state = WT_SPEC_OK;
		j->exit_code = 15;	/* its script is killed */
		j->killed = true;
		break;
	case WT_SPEC_REPAIR:
		w.repaired++;
		j->exit_code = 0;
		break;
	case WT_SPEC_CANCEL:
		w.cancelled++;
		j->state = WT_SPEC_CANCELLED;
	}
}

void second(void)
{
	struct wt_spec_action actions[8];
	const uint32_t *ids;
	size_t count;

	w.now_s++;
	for (uint32_t id = FIRST_JOB; id < w.next; id++) {
		struct spec_world_job *j = &w.jobs[id - FIRST_JOB];
		double elapsed_s = w.now_s - j->start_s;

		if (j->known && j->state == WT_SPEC_RUNNING && elapsed_s >= j->duration_s)
			j->state = j->exit_code ? WT_SPEC_FAILED : WT_SPEC_OK;
		if (j->known && j->state == WT_SPEC_RUNNING && fmod(elapsed_s, 6) == id % 6)
			wt_spec_report(w.s, 0, beat_of(id, elapsed_s / j->duration_s, elapsed_s), w.now_s);
	}
	count = wt_spec_watch(w.s, w.now_s, &ids);
	if (count) {
		uint32_t *copy = calloc(count, sizeof(*copy));

		memcpy(copy, ids, count * sizeof(*copy));
		for (size_t i = 0; i < count; i++)
			tell(copy[i]);
		free(copy);
	}
	if (!w.unsaved)
		wt_spec_saved(w.s, (int64_t) w.now_s + 1);
	count = wt_spec_decide(w.s, w.now_s, actions, 8);
	for (size_t i = 0; i < count; i++)
		act(&actions[i]);
	assert_int_equal(wt_spec_check(w.s, NULL), 0);
}

void run(double seconds)
{
	for (double end_s = w.now_s + seconds; w.now_s < end_s; )
		second();
}

enum port_code ask(enum port_kind kind, uint32_t uid, uint32_t id, uint32_t what)
{
	struct spec_world_job *j = &w.jobs[id - FIRST_JOB];
	enum port_code code;
	struct port_message message = { .kind = kind, .job_id = id, .operation = what, .restart = j->restart,
				.instance = j->instance,
				.array_job_id = FIRST_JOB, .array_task_id = j->task };

	/* As if each had asked for itself: an acquisition is over with its release. */
	w.acquisition += what == WT_COMMIT_ACQUIRE;
	message.acquisition = what == WT_COMMIT_ACQUIRE ? w.acquisition : j->acquisition;
	code = kind == PORT_EXIT ? wt_spec_exit(w.s, uid, &message, w.now_s) : wt_spec_commit(w.s, uid, &message, w.now_s,
		&w.newest);
	if (what == WT_COMMIT_ACQUIRE && code == PORT_OK)
		j->acquisition = message.acquisition;
	return code;
}

uint32_t with_copy(void)
{
	w.jobs[7].duration_s = 180;
	run(60);
	assert_int_equal(w.copies, 1);
	return w.next - 1;
}
