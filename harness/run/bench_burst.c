/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Submits a mixed burst to the slurmctld of SLURM_CONF: half of the jobs of 1 to 8 CPUs, half of 1 to 64 nodes (a third of
 * these alone on their nodes), some that no cluster can run.  Prints, for bench/select, a line for each submission, in the
 * order of the burst: its job's name, what was asked for, and the error code (0: accepted); then the latencies as JSON. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "lib/clock.h"
#include "record/job_env.h"

#define CPUS_MAX 8	/* of a job of CPUs */
#define NODES_MAX 64	/* of a job of nodes */
#define LANES_MAX 64
#define IMPOSSIBLE_CPUS 10000	/* on one node */
#define IMPOSSIBLE_NODES 100000
#define IMPOSSIBLE_MIB 1000000000	/* on each node */

const char *argp_program_version = "bench_burst";

struct submission {
	uint32_t cpus, nodes;	/* nodes 0: wherever they are */
	uint64_t memory_mib;	/* of each node; 0: whatever is usual */
	uint32_t limit_min;	/* 0: what the run time needs */
	bool alone, wants_feature;
	int result;		/* errno of Slurm */
	int64_t took_us;
};

static struct {
	uint32_t jobs, lanes, run_time_s, impossible_pct, limits_min;
	char *feature;		/* of every third job; NULL: of none */
	uint64_t seed;
	struct submission *list;
	atomic_uint next;
} burst = { .jobs = 1000, .lanes = 4, .run_time_s = 3600, .impossible_pct = 2, .seed = 1 };

static const struct argp_option options[] = {
	{ "feature", 'f', "NAME", 0, "A feature that every third job asks for", 0 },
	{ "impossible", 'i', "PERCENT", 0, "Submissions that nothing can run (default: 2)", 0 },
	{ "jobs", 'n', "N", 0, "Submissions (default: 1000)", 0 },
	{ "lanes", 'l', "N", 0, "Threads that submit at the same time (default: 4)", 0 },
	{ "limits", 'm', "MIN", 0, "Time limits up to so many minutes (default: what the run time needs)", 0 },
	{ "run-time", 'r', "S", 0, "Run time of a job in s (default: 3600)", 0 },
	{ "seed", 's', "N", 0, "Of the sizes (default: 1)", 0 },
	{ 0 },
};

static error_t option_read(int key, char *arg, struct argp_state *state)
{
	char *end = NULL;
	unsigned long value = arg ? strtoul(arg, &end, 10) : 0;

	if (key == 'f') {
		burst.feature = arg;
		return 0;
	}
	if (arg && (*arg < '0' || *arg > '9' || *end))
		argp_error(state, "'%s' is not a number", arg);
	if (key == 'i')
		burst.impossible_pct = (uint32_t) value;
	else if (key == 'm')
		burst.limits_min = (uint32_t) value;
	else if (key == 'n')
		burst.jobs = (uint32_t) value;
	else if (key == 'l')
		burst.lanes = (uint32_t) value;
	else if (key == 'r')
		burst.run_time_s = (uint32_t) value;
	else if (key == 's')
		burst.seed = value;
	else if (key != ARGP_KEY_END)
		return ARGP_ERR_UNKNOWN;
	else if (!burst.jobs || !burst.lanes || burst.lanes > LANES_MAX)
		argp_error(state, "at least one job, and 1 to %d lanes", LANES_MAX);
	return 0;
}

/* splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). */
static uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static void impossible_draw(struct submission *s, uint64_t kind)
{
	if (kind == 0) {
		s->nodes = 1;
		s->cpus = IMPOSSIBLE_CPUS;
	} else if (kind == 1) {
		s->nodes = s->cpus = IMPOSSIBLE_NODES;
	} else {
		s->memory_mib = IMPOSSIBLE_MIB;
	}
}

static void burst_draw(void)
{
	uint64_t state = burst.seed;

	for (uint32_t i = 0; i < burst.jobs; i++) {
		struct submission *s = &burst.list[i];

		if (random_next(&state) % 2) {
			s->cpus = 1 + (uint32_t) (random_next(&state) % CPUS_MAX);
		} else {
			s->nodes = s->cpus = 1 + (uint32_t) (random_next(&state) % NODES_MAX);
			s->alone = random_next(&state) % 3 == 0;
		}
		if (random_next(&state) % 100 < burst.impossible_pct)
			impossible_draw(s, random_next(&state) % 3);
		if (burst.limits_min)
			s->limit_min = 1 + (uint32_t) (random_next(&state) % burst.limits_min);
		s->wants_feature = burst.feature && i % 3 == 0;
	}
}

static void submission_send(struct submission *s)
{
	static char script[] = "#!/bin/sh\nsleep \"$" WT_JOB_ENV_RUN_TIME "\"\n", null[] = "/dev/null", path[] = "PATH=/bin",
		work[] = "/";
	char run_time[48], job_name[24], *env[] = { path, run_time, NULL };
	const struct wt_clock *clock = wt_clock_real();
	submit_response_msg_t *reply = NULL;
	job_desc_msg_t msg;
	int64_t began_us;

	snprintf(run_time, sizeof(run_time), WT_JOB_ENV_RUN_TIME "=%u", burst.run_time_s);
	slurm_init_job_desc_msg(&msg);
	msg.user_id = getuid();
	msg.group_id = getgid();
	/* squeue says by it what became of the job */
	snprintf(job_name, sizeof(job_name), "burst-%zu", (size_t) (s - burst.list));
	msg.name = job_name;
	msg.script = script;
	msg.work_dir = work;
	msg.std_in = msg.std_out = msg.std_err = null;
	msg.time_limit = s->limit_min ? s->limit_min : burst.run_time_s / 60 + 1;
	if (s->wants_feature)
		msg.features = burst.feature;
	msg.environment = env;
	msg.env_size = 2;
	msg.num_tasks = msg.min_cpus = s->cpus;
	msg.cpus_per_task = 1;
	if (s->nodes)
		msg.min_nodes = msg.max_nodes = s->nodes;
	if (s->alone)
		msg.shared = 0;
	if (s->memory_mib)
		msg.pn_min_memory = s->memory_mib;
	began_us = wt_clock_now_us(clock);
	s->result = slurm_submit_batch_job(&msg, &reply) ? errno : 0;
	s->took_us = wt_clock_now_us(clock) - began_us;
	if (reply)
		slurm_free_submit_response_response_msg(reply);
}

/* The lanes share one list, as clients do that submit at the same time: which lane sends what is left to chance. */
static void *lane_main(void *arg)
{
	for (unsigned int i; (i = atomic_fetch_add(&burst.next, 1)) < burst.jobs;)
		submission_send(&burst.list[i]);
	return arg;
}

static void figures_print(int64_t took_us)
{
	uint32_t accepted = 0;
	int64_t sum_us = 0, max_us = 0;

	for (uint32_t i = 0; i < burst.jobs; i++) {
		const struct submission *s = &burst.list[i];

		printf("burst-%u cpus=%u nodes=%u memory=%" PRIu64 " alone=%d result=%d\n", i, s->cpus, s->nodes,
		       s->memory_mib, s->alone, s->result);
		accepted += s->result == 0;
		sum_us += s->took_us;
		max_us = s->took_us > max_us ? s->took_us : max_us;
	}
	printf("{\"jobs\": %u, \"accepted\": %u, \"seconds\": %.6f, \"per_second\": %.2f, \"latency_mean_ms\": %.3f, "
	       "\"latency_max_ms\": %.3f}\n", burst.jobs, accepted, (double) took_us / 1e6,
	       burst.jobs / ((double) took_us / 1e6),
	       (double) sum_us / burst.jobs / 1e3, (double) max_us / 1e3);
}

int main(int argc, char **argv)
{
	static const struct argp argp = { options, option_read, NULL, "Submit a mixed burst of jobs; see bench/select.",
					  NULL, NULL, NULL };
	const struct wt_clock *clock = wt_clock_real();
	pthread_t lanes[LANES_MAX];
	int64_t began_us;

	argp_parse(&argp, argc, argv, 0, NULL, NULL);
	burst.list = calloc(burst.jobs, sizeof(*burst.list));
	if (!burst.list) {
		fprintf(stderr, "bench_burst: no memory for %u jobs\n", burst.jobs);
		return 1;
	}
	slurm_init(NULL);
	burst_draw();
	began_us = wt_clock_now_us(clock);
	for (uint32_t l = 0; l < burst.lanes; l++)
		if ((errno = pthread_create(&lanes[l], NULL, lane_main, NULL))) {
			perror("bench_burst: thread");
			return 1;
		}
	for (uint32_t l = 0; l < burst.lanes; l++)
		pthread_join(lanes[l], NULL);
	figures_print(wt_clock_now_us(clock) - began_us);
	free(burst.list);
	slurm_fini();
	return 0;
}
