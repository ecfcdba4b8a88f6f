/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>

#include "harness/run/controller_query.h"
#include "harness/run/run_thread.h"
#include "harness/run/sampler.h"

#define SLICE_US 100000	/* how late a stop may be noticed */
#define SLICE_VIRTUAL_US 10000000

static double now_s(const struct wt_sampler *s)
{
	return wt_clock_now_us(s->clock) / 1e6;
}

static void controller_look(struct wt_sampler *s)
{
	double cpu_s;
	uint64_t rss_kib;
	pid_t pid;

	/* The pid is asked for again only when the process is gone: to find it may mean to open the cluster's files. */
	if (s->controller_pid && wt_process_usage(s->controller_pid, &cpu_s, &rss_kib) == 0) {
		s->cpu_last_s = cpu_s;
		s->rss_last_kib = rss_kib;
		return;
	}
	pid = s->pid ? s->pid(s->pid_arg) : 0;
	if (!pid || pid == s->controller_pid || wt_process_usage(pid, &cpu_s, &rss_kib) < 0)
		return;
	s->cpu_before_s += s->cpu_last_s;	/* what the one before had used when it was last seen */
	s->restarts += s->controller_pid != 0;
	s->controller_pid = pid;
	s->cpu_last_s = cpu_s;
	s->rss_last_kib = rss_kib;
}

/* Jobs that waited when slurmctld answered last. */
static void profile_look(struct wt_sampler *s)
{
	uint64_t pending;

	if (!s->profile)
		return;
	pthread_mutex_lock(s->lock);
	pending = s->answered ? s->answer.jobs_pending : 0;
	pthread_mutex_unlock(s->lock);
	profile_log_look(s->profile, s->controller_pid, now_s(s), pending);
}

static void sample_add(struct wt_sampler *s)
{
	struct wt_sample sample;
	double now = now_s(s);

	controller_look(s);
	profile_look(s);
	pthread_mutex_lock(s->lock);
	if (s->answered) {
		sample = s->answer;
		sample.time_s = now;
		sample.answer_age_s = now - s->answer.time_s;
		sample.controller_cpu_s = s->controller_pid ? s->cpu_before_s + s->cpu_last_s : NAN;
		sample.controller_rss_kib = s->rss_last_kib;
		s->last = sample;
		s->failed |= wt_record_add_sample(s->record, &sample, NULL) < 0;
	}
	pthread_mutex_unlock(s->lock);
}

static bool sampler_answered(struct wt_sampler *s)
{
	bool answered;

	pthread_mutex_lock(s->lock);
	answered = s->answered;
	pthread_mutex_unlock(s->lock);
	return answered;
}

/* The recorder asks at begin_s + k x interval_s: leave slurmctld the time to answer. */
static double due_after(const struct wt_sampler *s, double now)
{
	return s->begin_s + (floor((now - s->begin_s) / s->interval_s - 0.1) + 1.1) * s->interval_s;
}

static void *sampler_main(void *arg)
{
	struct wt_sampler *s = arg;
	double slice_s = (double) wt_clock_poll_us(s->clock, SLICE_US, SLICE_VIRTUAL_US) / 1e6;
	double due_s = due_after(s, now_s(s)), next_s, now;

	while (!s->stop) {
		now = now_s(s);
		if (now >= due_s && sampler_answered(s)) {
			sample_add(s);
			due_s = due_after(s, now);
		}
		now = now_s(s);
		next_s = due_s > now ? due_s : now + 0.01;
		wt_clock_sleep_until_s(s->clock, fmin(next_s, now + slice_s));
	}
	return NULL;
}

int wt_sampler_start(struct wt_sampler *s)
{
	controller_look(s);
	profile_look(s);
	s->cpu_begin_s = s->cpu_last_s;
	s->stop = false;
	return run_thread_create(&s->thread, sampler_main, s);
}

void wt_sampler_answer(struct wt_sampler *s, const struct wt_sample *answer)
{
	pthread_mutex_lock(s->lock);
	s->answer = *answer;
	s->answered = true;
	pthread_mutex_unlock(s->lock);
}

void wt_sampler_stop(struct wt_sampler *s)
{
	if (s->stop)
		return;
	s->stop = true;
	pthread_join(s->thread, NULL);
	controller_look(s);
	profile_look(s);
}

double wt_sampler_cpu_s(const struct wt_sampler *s)
{
	return s->controller_pid ? s->cpu_before_s + s->cpu_last_s - s->cpu_begin_s : NAN;
}

uint64_t wt_sampler_restarts(const struct wt_sampler *s)
{
	return s->restarts;
}
