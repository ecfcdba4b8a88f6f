/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat/controller.h"

#include <pthread.h>
#include <stdlib.h>

#include "plugins/select_bestfit/hold.h"
#include "plugins/select_bestfit/job_rules.h"
#include "plugins/select_bestfit/wait.h"
#include "lib/clock.h"

/* Of slurmctld alone: the plugin also loads in clients. */
#pragma weak avail_node_bitmap
#pragma weak cg_node_bitmap
#pragma weak idle_node_bitmap
#pragma weak find_job_record
#pragma weak queue_job_scheduler

static struct hold *hold;

/* The waker: sleeps until wake_us, the first moment at which the time of a job is up. */
static pthread_mutex_t wake_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake_cond = PTHREAD_COND_INITIALIZER;
static pthread_t waker;
static bool waker_runs, waker_stop;
static int64_t wake_us = INT64_MAX;

/* Its only deed takes a lock of slurmctld's that is held for a moment only: the scheduler's thread does the work. */
static void *waker_run(void *arg)
{
	(void) arg;
	pthread_mutex_lock(&wake_lock);
	while (!waker_stop) {
		struct timespec until = { .tv_sec = wake_us / 1000000, .tv_nsec = wake_us % 1000000 * 1000 };

		if (wake_us == INT64_MAX) {
			pthread_cond_wait(&wake_cond, &wake_lock);
			continue;
		}
		if (wt_clock_now_us(wt_clock_real()) < wake_us) {
			pthread_cond_timedwait(&wake_cond, &wake_lock, &until);
			continue;
		}
		/* Before the scheduler runs: it asks for each job that is held back, and wait_judge () sets the next
		 * moment. */
		wake_us = INT64_MAX;
		pthread_mutex_unlock(&wake_lock);
		queue_job_scheduler();
		pthread_mutex_lock(&wake_lock);
	}
	pthread_mutex_unlock(&wake_lock);
	return NULL;
}

static void wake_at(int64_t at_us)
{
	pthread_mutex_lock(&wake_lock);
	if (at_us < wake_us) {
		wake_us = at_us;
		pthread_cond_signal(&wake_cond);
	}
	pthread_mutex_unlock(&wake_lock);
}

static bool is_pending(uint32_t job_id, void *arg)
{
	const job_record_t *job = find_job_record(job_id);

	(void) arg;
	return job && IS_JOB_PENDING(job);
}

/* The jobs that wait are kept: their time goes on, with new settings.  Without memory, or a thread, no job waits. */
void wait_configure(const struct bestfit_settings *settings)
{
	if (!bestfit_settings_wait(settings) || !queue_job_scheduler || !find_job_record || !&avail_node_bitmap)
		return;
	if (!hold)
		hold = hold_create();
	if (hold && !waker_runs)
		/* Only where jobs may wait: else slurmctld has no thread of ours. */
		waker_runs = !pthread_create(&waker, NULL, waker_run, NULL);
	if (!hold || !waker_runs)
		error("windtunnel bestfit: no memory or thread for waits: jobs do not wait");
}

void wait_stop(void)
{
	if (waker_runs) {
		pthread_mutex_lock(&wake_lock);
		waker_stop = true;
		pthread_cond_signal(&wake_cond);
		pthread_mutex_unlock(&wake_lock);
		pthread_join(waker, NULL);
	}
	waker_runs = waker_stop = false;
	wake_us = INT64_MAX;
	hold_destroy(hold);
	hold = NULL;
}

bool wait_allowed(const job_record_t *job)
{
	if (!hold || !waker_runs || !job->batch_flag || job->het_job_id || job->resv_name)
		return false;	/* srun and salloc: a user waits, or --immediate would refuse the job */
	if (job->deadline && job->deadline != NO_VAL)
		return false;
	return job_is_plain(job) && job_refusal(job, 0, false, 0) == BESTFIT_CHOSEN;
}

static int index_compare(const void *a, const void *b)
{
	const uint32_t *one = a, *two = b;

	return *one < *two ? -1 : *one > *two;
}

/* The tree's nodes of the placement, ascending; 0: one of them is below no switch. */
static size_t nodes_read(const struct switches *sw, const bitstr_t *map, uint32_t *nodes)
{
	size_t count = 0;

	for (int64_t i = bit_ffs((bitstr_t *) map), last = bit_fls((bitstr_t *) map); i >= 0 && i <= last; i++) {
		if (!bit_test((bitstr_t *) map, i))
			continue;
		if (sw->tree_of[i] == WT_TREE_NONE)
			return 0;
		nodes[count++] = sw->tree_of[i];
	}
	qsort(nodes, count, sizeof(*nodes), index_compare);
	return count;
}

static uint32_t weight_of(uint32_t n)
{
	return node_record_table_ptr[n] && node_record_table_ptr[n]->config_ptr ?
		node_record_table_ptr[n]->config_ptr->weight : 0;
}

/* Nodes of the partition that are up and not reserved for others, without those that the user excludes, and no heavier than
 * the heaviest that the job has.  Not by exc_node_bitmap: backfill adds to it whatever is busy. */
static void usable_read(const struct switches *sw, const job_record_t *job, bool *usable)
{
	const bitstr_t *has = job->job_resrcs->node_bitmap;
	bitstr_t *excluded = NULL;
	uint32_t heaviest = 0;

	for (uint32_t i = 0; i < sw->slurm_nodes; i++)
		if (bit_test((bitstr_t *) has, i) && weight_of(i) > heaviest)
			heaviest = weight_of(i);
	if (job->details->exc_nodes)
		compat_names_to_bitmap(job->details->exc_nodes, &excluded);
	for (uint32_t i = 0; i < sw->slurm_nodes; i++)
		if (sw->tree_of[i] != WT_TREE_NONE)
			usable[sw->tree_of[i]] = bit_test(avail_node_bitmap, i) && bit_test(job->part_ptr->node_bitmap, i) &&
						 weight_of(i) <= heaviest && !(excluded && bit_test(excluded, i));
	FREE_NULL_BITMAP(excluded);
}

/* What a whole-node job can have now, and what when the nodes that complete are free, too, of what it might ever have. */
static void soon_read(const struct switches *sw, const job_record_t *job, const bitstr_t *offered, const bool *usable,
		      bool *now, bool *soon)
{
	const bitstr_t *has = job->job_resrcs->node_bitmap;

	for (uint32_t i = 0; i < sw->slurm_nodes; i++) {
		bool completes = bit_test(cg_node_bitmap, i);
		uint32_t n = sw->tree_of[i];

		if (n == WT_TREE_NONE || !node_record_table_ptr[i])
			continue;
		now[n] = bit_test((bitstr_t *) has, i) ||
			 (bit_test((bitstr_t *) offered, i) && bit_test(idle_node_bitmap, i) && !completes);
		/* Others may run on a node on which one job completes. */
		soon[n] = now[n] || (completes && usable[n] && !node_record_table_ptr[i]->run_job_cnt);
	}
}

/* The levels on which nodes that complete would bring fewer switches; 0 also when it cannot be told. */
static uint32_t fewer_soon(struct switches *sw, const job_record_t *job, const bitstr_t *offered,
			   const struct bestfit_placement *placed)
{
	uint32_t tree_nodes = wt_tree_nodes(bestfit_tree(sw->bestfit)), result = 0;
	bool *now = calloc(tree_nodes + 1, sizeof(*now)), *soon = calloc(tree_nodes + 1, sizeof(*soon));
	struct bestfit_placement p = *placed;

	/* Of nodes that jobs share it is not known here how much of them is free. */
	if (now && soon && job_is_whole(job) && &cg_node_bitmap && cg_node_bitmap && &idle_node_bitmap && idle_node_bitmap &&
	    bit_ffs(cg_node_bitmap) >= 0) {
		soon_read(sw, job, offered, placed->usable, now, soon);
		p.usable = now;
		result = bestfit_fewer_soon(sw->bestfit, &p, soon);
	}
	free(now);
	free(soon);
	return result;
}

/* Whether nodes that complete can make a job wait longer than it may anyway. */
static bool completing_matters(const struct bestfit_settings *settings)
{
	for (uint32_t l = 0; l < WT_TREE_LEVELS_MAX; l++)
		if (settings->completing_s[l] > settings->wait_s[l])
			return true;
	return false;
}

/* How long the job may be held back for each level on which it would be beyond its least number (bits, returned); of
 * settings->completing_s where nodes that complete are worth it.  0 also when it cannot be told: the job starts then. */
static uint32_t beyond(struct switches *sw, const struct bestfit_settings *settings, const job_record_t *job,
		       const bitstr_t *offered, bool spread, uint32_t *wait_s)
{
	uint32_t tree_nodes = wt_tree_nodes(bestfit_tree(sw->bestfit)), result = 0, soon = 0;
	uint32_t *nodes = calloc(sw->slurm_nodes + 1, sizeof(*nodes));
	bool *usable = calloc(tree_nodes + 1, sizeof(*usable));
	uint16_t per_task = job->details->cpus_per_task;
	struct bestfit_placement p = {
		.nodes = nodes, .by_cpus = spread, .cpus = job->job_resrcs->ncpus, .usable = usable,
		.cpus_per_task = per_task && per_task != NO_VAL16 ? per_task : 1,
	};

	if (nodes && usable && sw->slurm_nodes == (uint32_t) node_record_count && avail_node_bitmap) {
		p.count = nodes_read(sw, job->job_resrcs->node_bitmap, nodes);
		usable_read(sw, job, usable);
		/* One node is on the fewest switches wherever it is. */
		result = p.count > 1 ? bestfit_beyond(sw->bestfit, &p) : 0;
		soon = result && !spread && completing_matters(settings) ? fewer_soon(sw, job, offered, &p) : 0;
	}
	for (uint32_t l = 0; l < WT_TREE_LEVELS_MAX; l++) {
		wait_s[l] = settings->wait_s[l];
		if ((soon & UINT32_C(1) << l) && settings->completing_s[l] > wait_s[l])
			wait_s[l] = settings->completing_s[l];
	}
	free(nodes);
	free(usable);
	return result;
}

bool wait_judge(struct switches *sw, const struct bestfit_settings *settings, struct bestfit_counters *counters,
		job_record_t *job, const bitstr_t *offered, bool spread)
{
	int64_t now_us = wt_clock_now_us(wt_clock_real());
	uint32_t levels = wt_tree_levels(bestfit_tree(sw->bestfit)), wait_s[WT_TREE_LEVELS_MAX], bits;
	enum hold_verdict verdict;

	if (!hold || !job->job_resrcs || !job->job_resrcs->node_bitmap || !job->part_ptr || !job->part_ptr->node_bitmap)
		return false;
	if (hold_full(hold))
		hold_purge(hold, is_pending, NULL);
	bits = beyond(sw, settings, job, offered, spread, wait_s);
	verdict = hold_judge(hold, job->job_id, bits, wait_s, levels, now_us);
	counters->held_better += verdict == HOLD_BETTER;
	counters->held_expired += verdict == HOLD_EXPIRED;
	if (verdict != HOLD_FIRST && verdict != HOLD_AGAIN)
		return false;
	counters->held_jobs += verdict == HOLD_FIRST;
	counters->held_starts++;
	wake_at(hold_next_us(hold, now_us));
	return true;
}
