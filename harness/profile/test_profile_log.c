/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "harness/profile/profile_log.h"

/* Two threads, with so much CPU time each; 'more' that of threads that have ended. */
static struct thread_times times_of(double main_s, double backfill_s, double more_s)
{
	struct thread_times times = { .cpu_s = main_s + backfill_s + more_s, .count = 2 };

	times.list = calloc(2, sizeof(*times.list));
	assert_non_null(times.list);
	times.list[0] = (struct thread_time) { .tid = 7, .start_time = 1, .name = "slurmctld", .cpu_s = main_s };
	times.list[1] = (struct thread_time) { .tid = 8, .start_time = 2, .name = "bckfl", .cpu_s = backfill_s };
	return times;
}

static void look(struct profile_log *log, pid_t pid, struct thread_times times, double now_s, uint64_t pending)
{
	profile_log_take(log, pid, &times, now_s, pending);
	assert_null(times.list);
}

static void queues(void **state)
{
	static const uint64_t from[PROFILE_QUEUES] = { 0, 1, 10, 100, 1000, 10000 };

	(void) state;
	for (size_t q = 0; q < PROFILE_QUEUES; q++) {
		assert_int_equal(profile_queue_from(q), from[q]);
		assert_int_equal(profile_queue_of(from[q]), q);
		if (q)
			assert_int_equal(profile_queue_of(from[q] - 1), q - 1);
	}
	assert_int_equal(profile_queue_of(UINT64_MAX), PROFILE_QUEUES - 1);
}

static double use_of(const struct profile_uses *uses, const char *name)
{
	for (size_t i = 0; i < uses->count; i++)
		if (!strcmp(uses->list[i].name, name))
			return uses->list[i].cpu_s;
	return NAN;
}

/* What was used since the look before counts for the queue of that look. */
static void spans(void **state)
{
	struct profile_log log = { .looks = 0 };

	(void) state;
	look(&log, 5, times_of(1, 2, 0), 100, 0);
	assert_true(log.all.count == 0 && log.all.cpu_s == 0);
	look(&log, 5, times_of(1.5, 2, 0.25), 110, 500);
	look(&log, 5, times_of(1.5, 6, 0.25), 130, 3);
	assert_float_equal(log.all.time_s, 30, 1e-9);
	assert_float_equal(log.all.cpu_s, 4.75, 1e-9);
	assert_float_equal(log.queues[0].time_s, 10, 1e-9);
	assert_float_equal(use_of(&log.queues[0], "slurmctld"), 0.5, 1e-9);
	assert_float_equal(use_of(&log.queues[0], THREADS_ENDED), 0.25, 1e-9);
	assert_float_equal(log.queues[3].time_s, 20, 1e-9);
	assert_float_equal(use_of(&log.queues[3], "bckfl"), 4, 1e-9);
	assert_true(log.queues[1].count == 0 && log.queues[1].time_s == 0);
	/* started again: what the new process had used before it was seen is not known */
	look(&log, 6, times_of(50, 50, 0), 140, 0);
	assert_float_equal(log.all.cpu_s, 4.75, 1e-9);
	look(&log, 6, times_of(51, 50, 0), 141, 0);
	assert_float_equal(log.all.cpu_s, 5.75, 1e-9);
	assert_float_equal(log.all.time_s, 31, 1e-9);
	/* not there for a while */
	profile_log_look(&log, 0, 150, 0);
	look(&log, 6, times_of(60, 50, 0), 160, 0);
	assert_float_equal(log.all.cpu_s, 5.75, 1e-9);
	profile_log_clear(&log);
}

static void own_process(void **state)
{
	struct profile_log log = { .looks = 0 };

	(void) state;
	profile_log_look(&log, getpid(), 0, 12);
	profile_log_look(&log, getpid(), 1, 12);
	assert_int_equal(log.looks, 2);
	assert_float_equal(log.queues[2].time_s, 1, 1e-9);
	assert_true(log.all.count >= 1 && log.all.cpu_s >= 0);
	profile_log_clear(&log);
}

static void told(void **state)
{
	static const char text[] = "bckfl 5\n\t1 inner (/usr/lib/a.so)\n\t2 outer (/usr/lib/a.so)\n\n"
				   "bckfl 5\n\t2 outer (/usr/lib/a.so)\n\n";
	struct profile_log log = { .looks = 0 };
	struct stacks stacks;
	const json_t *queue;
	json_t *v;

	(void) state;
	look(&log, 5, times_of(1, 2, 0), 100, 20000);
	look(&log, 5, times_of(2, 5, 0), 104, 0);
	assert_int_equal(stacks_parse(text, strlen(text), &stacks, NULL), 0);
	v = profile_log_json(&log, &stacks, 49, NULL);
	assert_non_null(v);
	assert_int_equal(json_array_size(json_object_get(v, "queues")), PROFILE_QUEUES);
	queue = json_array_get(json_object_get(v, "queues"), 5);
	assert_int_equal(json_integer_value(json_object_get(queue, "from")), 10000);
	assert_true(json_is_null(json_object_get(queue, "to")));
	assert_float_equal(json_real_value(json_object_get(queue, "cpu_s")), 4, 1e-9);
	queue = json_array_get(json_object_get(queue, "threads"), 0);
	assert_string_equal(json_string_value(json_object_get(queue, "name")), "bckfl");
	assert_int_equal(json_integer_value(json_object_get(v, "samples")), 2);
	assert_int_equal(json_array_size(json_object_get(v, "functions")), 2);
	assert_true(json_is_null(json_object_get(v, "functions_missing")));
	json_decref(v);
	v = profile_log_json(&log, NULL, 49, "there is no perf");
	assert_string_equal(json_string_value(json_object_get(v, "functions_missing")), "there is no perf");
	assert_true(json_is_null(json_object_get(v, "functions")));
	json_decref(v);
	stacks_clear(&stacks);
	profile_log_clear(&log);
}

/* What stacks_print () writes is read again; what is no stack is passed over. */
static void stacks_again(void **state)
{
	static const char text[] = "b;c 2\nnothing\nb 1\nb;c;d 3\na x;y 4\n;; 1\nbad -1\nbad 0\nbad 99999999999999999999\n"
				   "last;z 5";
	struct stacks stacks;
	char *printed;
	size_t size;
	FILE *out = open_memstream(&printed, &size);

	(void) state;
	assert_int_equal(stacks_read(text, strlen(text), &stacks, NULL), 0);
	assert_int_equal(stacks.samples, 15);
	stacks_print(&stacks, out);
	fclose(out);
	assert_string_equal(printed, "a x;y 4\nb 1\nb;c 2\nb;c;d 3\nlast;z 5\n");
	free(printed);
	stacks_clear(&stacks);
	assert_int_equal(stacks_read("", 0, &stacks, NULL), 0);
	assert_int_equal(stacks.count, 0);
	stacks_clear(&stacks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queues),
		cmocka_unit_test(spans),
		cmocka_unit_test(own_process),
		cmocka_unit_test(told),
		cmocka_unit_test(stacks_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
