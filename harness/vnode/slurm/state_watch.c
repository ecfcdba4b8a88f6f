/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state_watch [SECONDS] - for the tests: ask slurmctld for all jobs and nodes every SECONDS (0.02) and print a line for each
 * change, fields separated by tabs, until SIGTERM:
 *	TIME job ID NAME STATE[,FLAG...] REASON EXIT_CODE DERIVED_EXIT_CODE RESTARTS NODES
 *	TIME node NAME STATE REASON
 *	TIME gap SINCE		it did not look between these two times: what lasted less than GAP_US may not have been seen
 * Its first line is "ready", when both were read.  Times in seconds since the epoch.  While slurmctld is away it goes on
 * asking. */
#include "compat/message.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"

#define PERIOD_S 0.02
#define GAP_US 700000

struct seen_state {
	char *key, *text;
};

static struct seen_state *all;
static size_t count, capacity;
static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	(void) sig;
	stopped = 1;
}

static struct seen_state *seen_find(const char *key)
{
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(all[i].key, key))
			return &all[i];
	}
	if (count == capacity) {
		capacity = capacity ? capacity * 2 : 64;
		all = realloc(all, capacity * sizeof(*all));
		if (!all)
			abort();
	}
	all[count] = (struct seen_state) { .key = xstrdup(key) };
	return &all[count++];
}

/* 'text' is taken over. */
static void seen_put(const char *key, char *text)
{
	struct seen_state *seen = seen_find(key);

	if (seen->text && !strcmp(seen->text, text)) {
		xfree(text);
		return;
	}
	xfree(seen->text);
	seen->text = text;
	printf("%.6f\t%s\t%s\n", (double) wt_clock_now_us(wt_clock_real()) / 1e6, key, text);
}

static void job_put(const job_info_t *job)
{
	char key[32], *text = NULL, *state = job_state_string_complete(job->job_state);

	snprintf(key, sizeof(key), "job\t%u", job->job_id);
	xstrfmtcat(text, "%s\t%s\t%s\t%d:%d\t%d:%d\t%u\t%s", job->name ? job->name : "", state,
		   compat_reason_text(job->state_reason), WEXITSTATUS(job->exit_code),
		   WIFSIGNALED(job->exit_code) ? WTERMSIG(job->exit_code) : 0, WEXITSTATUS(job->derived_ec),
		   WIFSIGNALED(job->derived_ec) ? WTERMSIG(job->derived_ec) : 0, job->restart_cnt, job->nodes ? job->nodes :
		   "");
	xfree(state);
	seen_put(key, text);
}

static void node_put(const node_info_t *node)
{
	char key[128], *text = NULL, *state = node_state_string_complete(node->node_state);

	if (!node->name)
		return;
	snprintf(key, sizeof(key), "node\t%s", node->name);
	xstrfmtcat(text, "%s\t%s", state, node->reason ? node->reason : "");
	xfree(state);
	seen_put(key, text);
}

static bool jobs_look(job_info_msg_t **jobs)
{
	job_info_msg_t *new_jobs = NULL;

	if (slurm_load_jobs(*jobs ? (*jobs)->last_update : 0, &new_jobs, SHOW_ALL) != SLURM_SUCCESS)
		return errno == SLURM_NO_CHANGE_IN_DATA;
	slurm_free_job_info_msg(*jobs);
	*jobs = new_jobs;
	for (uint32_t i = 0; i < new_jobs->record_count; i++)
		job_put(&new_jobs->job_array[i]);
	return true;
}

static bool nodes_look(node_info_msg_t **nodes)
{
	node_info_msg_t *new_nodes = NULL;

	if (slurm_load_node(*nodes ? (*nodes)->last_update : 0, &new_nodes, SHOW_ALL) != SLURM_SUCCESS)
		return errno == SLURM_NO_CHANGE_IN_DATA;
	slurm_free_node_info_msg(*nodes);
	*nodes = new_nodes;
	for (uint32_t i = 0; i < new_nodes->record_count; i++)
		node_put(&new_nodes->node_array[i]);
	return true;
}

/* Look until SIGTERM.  A state that lasted from before one look began until after the next one ended was seen. */
static void watch(double period_s, job_info_msg_t **jobs, node_info_msg_t **nodes)
{
	const struct wt_clock *clock = wt_clock_real();
	int64_t last_us = 0, begin_us, end_us;

	while (!stopped) {
		begin_us = wt_clock_now_us(clock);
		if (jobs_look(jobs) && nodes_look(nodes)) {
			end_us = wt_clock_now_us(clock);
			if (!last_us)
				puts("ready");
			else if (end_us - last_us > GAP_US)
				printf("%.6f\tgap\t%.6f\n", (double) end_us / 1e6, (double) last_us / 1e6);
			last_us = begin_us;
		}
		wt_clock_sleep_until_us(clock, wt_clock_now_us(clock) + (int64_t) (period_s * 1e6));
	}
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = stop };
	double period_s = argc > 1 ? strtod(argv[1], NULL) : PERIOD_S;
	job_info_msg_t *jobs = NULL;
	node_info_msg_t *nodes = NULL;

	if (period_s <= 0) {
		fprintf(stderr, "state_watch: %s: seconds are wanted\n", argv[1]);
		return 2;
	}
	slurm_init(NULL); /* and the plugins that messages need, which from 23.11 on are not loaded by themselves */
	sigaction(SIGTERM, &action, NULL);
	setvbuf(stdout, NULL, _IOLBF, 0);
	watch(period_s, &jobs, &nodes);
	slurm_free_job_info_msg(jobs);
	slurm_free_node_info_msg(nodes);
	return 0;
}
