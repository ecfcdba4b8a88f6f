/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/run/recorder.h"

#define DEADLINE_S 60

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic pid_t controller;

static pid_t controller_pid(void *arg)
{
	(void) arg;
	return controller;
}

/* A process in the place of slurmctld that uses CPU time until it is killed. */
static pid_t process_start(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		for (volatile unsigned int i = 0; ; i++)
			;
	return pid;
}

static void process_end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void sampler_begin(struct wt_sampler *s)
{
	*s = (struct wt_sampler) {
		.clock = wt_clock_real(), .interval_s = 0.02, .lock = &lock, .record = wt_record_create(NULL, NULL),
		.pid = controller_pid,
	};
	assert_non_null(s->record);
	assert_int_equal(wt_sampler_start(s), 0);
}

static struct wt_sample sample_of(struct wt_sampler *s, size_t *count)
{
	struct wt_sample sample;

	pthread_mutex_lock(&lock);
	*count = s->record->sample_count;
	sample = s->last;
	pthread_mutex_unlock(&lock);
	return sample;
}

static void samples_wait(struct wt_sampler *s, size_t wanted)
{
	int64_t until_us = wt_clock_now_us(s->clock) + DEADLINE_S * 1000000LL;
	size_t count = 0;

	while (sample_of(s, &count), count < wanted && wt_clock_now_us(s->clock) < until_us)
		wt_clock_sleep_until_us(s->clock, wt_clock_now_us(s->clock) + 5000);
	assert_true(count >= wanted);
}

static void answer(struct wt_sampler *s, uint32_t jobs_pending)
{
	struct wt_sample a = { .time_s = wt_clock_now_us(s->clock) / 1e6, .jobs_pending = jobs_pending };

	wt_sampler_answer(s, &a);
}

static void test_goes_on_without_answers(void **state)
{
	struct wt_sampler s;
	const struct wt_sample *samples;
	size_t count;

	(void) state;
	controller = process_start();
	sampler_begin(&s);
	answer(&s, 7);
	samples_wait(&s, 20);
	wt_sampler_stop(&s);
	process_end(controller);
	samples = s.record->samples;
	count = s.record->sample_count;
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(samples[i].jobs_pending, 7);
		assert_true(samples[i].controller_rss_kib > 0);
		assert_true(samples[i].answer_age_s >= 0);
		assert_true(!i || (samples[i].time_s > samples[i - 1].time_s &&
				   samples[i].answer_age_s > samples[i - 1].answer_age_s &&
				   samples[i].controller_cpu_s >= samples[i - 1].controller_cpu_s));
	}
	assert_true(samples[count - 1].controller_cpu_s > samples[0].controller_cpu_s);
	assert_true(wt_sampler_cpu_s(&s) > 0);
	assert_int_equal(wt_sampler_restarts(&s), 0);
	wt_record_destroy(s.record);
}

static void test_follows_a_restart(void **state)
{
	struct wt_sampler s;
	double before_s;
	size_t count;
	pid_t first;

	(void) state;
	first = controller = process_start();
	sampler_begin(&s);
	answer(&s, 0);
	samples_wait(&s, 10);
	process_end(first);
	before_s = sample_of(&s, &count).controller_cpu_s;
	controller = process_start();
	samples_wait(&s, count + 10);
	wt_sampler_stop(&s);
	process_end(controller);
	assert_int_equal(wt_sampler_restarts(&s), 1);
	assert_true(s.last.controller_cpu_s >= before_s);
	wt_record_destroy(s.record);
}

static void test_no_process_here(void **state)
{
	struct wt_sampler s;

	(void) state;
	controller = 0;
	sampler_begin(&s);
	answer(&s, 1);
	samples_wait(&s, 2);
	wt_sampler_stop(&s);
	assert_true(isnan(s.last.controller_cpu_s));
	assert_int_equal(s.last.controller_rss_kib, 0);
	assert_true(isnan(wt_sampler_cpu_s(&s)));
	wt_record_destroy(s.record);
}

static void test_nothing_before_the_first_answer(void **state)
{
	struct wt_sampler s;

	(void) state;
	controller = 0;
	sampler_begin(&s);
	wt_sampler_stop(&s);
	assert_int_equal(s.record->sample_count, 0);
	wt_record_destroy(s.record);
}

/* slurmctld does not answer any more when the run ends. */
static void test_the_last_outage_counts(void **state)
{
	struct wt_recorder r = { .clock = wt_clock_real(), .outages = 1, .outage_s = 2 };

	(void) state;
	wt_recorder_outage_cut(&r);
	assert_true(r.outage_s == 2);
	r.outage_since_s = (double) wt_clock_now_us(r.clock) / 1e6 - 100;
	r.outage[0] = '?';
	wt_recorder_outage_cut(&r);
	assert_true(r.outage_s >= 102 && r.outage_s < 102 + DEADLINE_S);
	wt_recorder_outage_cut(&r);
	assert_true(r.outage_s < 102 + DEADLINE_S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_goes_on_without_answers), cmocka_unit_test(test_follows_a_restart),
		cmocka_unit_test(test_no_process_here), cmocka_unit_test(test_nothing_before_the_first_answer),
		cmocka_unit_test(test_the_last_outage_counts),
	};

	return cmocka_run_group_tests_name("sampler", tests, NULL, NULL);
}
