/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wall time and CPU time of the thread: the first has what slurmctld's other threads take on a busy machine, the second
 * has not. */
#include "plugins/select_bestfit/quick_count.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/clock.h"

#define MODES 3
#define START_S 2		/* two tests right after each other may see the clock go on */
#define LOGGED_MAX 100		/* differences written to the log */

struct sum {
	uint64_t count, total_us, max_us, cpu_total_us, cpu_max_us;
};

static struct {
	struct sum ours[MODES], stock[MODES];
	uint64_t how[MODES][QUICK_HOWS], failed[MODES], compared, mismatches, different;
} counters;

static const char *const mode_names[MODES] = { "run-now", "test-only", "will-run" };	/* by SELECT_MODE_... */
static const char *const how_names[QUICK_HOWS] = { "cached", "proven", "small", "refused", "full" };

struct quick_watch quick_watch_start(void)
{
	return (struct quick_watch) { .wall_us = wt_clock_monotonic_us(), .cpu_us = wt_clock_thread_cpu_us() };
}

static void sum_add(struct sum *s, const struct quick_watch *began)
{
	uint64_t us = (uint64_t) (wt_clock_monotonic_us() - began->wall_us);
	uint64_t cpu_us = (uint64_t) (wt_clock_thread_cpu_us() - began->cpu_us);

	s->count++;
	s->total_us += us;
	s->max_us = us > s->max_us ? us : s->max_us;
	s->cpu_total_us += cpu_us;
	s->cpu_max_us = cpu_us > s->cpu_max_us ? cpu_us : s->cpu_max_us;
}

void quick_count(uint16_t mode, enum quick_how how, const struct quick_watch *began)
{
	sum_add(&counters.ours[mode], began);
	counters.how[mode][how]++;
}

void quick_count_failed(uint16_t mode)
{
	counters.failed[mode]++;
}

void quick_count_stock(uint16_t mode, const struct quick_watch *began)
{
	sum_add(&counters.stock[mode], began);
}

void quick_side_fill(struct quick_side *side, const job_record_t *job, int rc, const bitstr_t *map)
{
	*side = (struct quick_side) {
		.rc = rc, .nodes = bit_set_count((bitstr_t *) map), .cpus = job->total_cpus, .start = job->start_time,
	};
}

void quick_compare(const struct quick_pair *p)
{
	bool ours_yes = p->ours.rc == SLURM_SUCCESS, stock_yes = p->stock.rc == SLURM_SUCCESS;

	counters.compared++;
	/* Not a mismatch: best fit may choose other nodes than Slurm, and so other numbers of them; and with --switches it
	 * finds nodes on few enough of them where Slurm's own choice does not. */
	if (ours_yes && stock_yes && (p->ours.nodes != p->stock.nodes || p->ours.cpus != p->stock.cpus ||
				      (p->mode == SELECT_MODE_WILL_RUN &&
				       labs((long) (p->ours.start - p->stock.start)) > START_S)))
		counters.different++;
	if (ours_yes == stock_yes || (ours_yes && p->how == QUICK_FULL && p->job->req_switch))
		return;
	counters.mismatches++;
	if (counters.mismatches <= LOGGED_MAX)
		error("windtunnel bestfit: verify: JobId=%u %s %s: ours rc=%d nodes=%d cpus=%u, Slurm's rc=%d nodes=%d "
		      "cpus=%u",
		      p->job->job_id, mode_names[p->mode], how_names[p->how], p->ours.rc, p->ours.nodes, p->ours.cpus,
		      p->stock.rc,
		      p->stock.nodes, p->stock.cpus);
}

static int sum_print(char *buf, size_t size, const char *who, const struct sum *s)
{
	uint64_t count = s->count ? s->count : 1;

	return snprintf(buf, size, " %s-count=%" PRIu64 " %s-mean-us=%" PRIu64 " %s-max-us=%" PRIu64 " %s-cpu-mean-us=%"
			PRIu64
			" %s-cpu-max-us=%" PRIu64, who, s->count, who, s->total_us / count, who, s->max_us, who,
			s->cpu_total_us / count, who, s->cpu_max_us);
}

uint64_t quick_count_tests(void)
{
	uint64_t tests = 0;

	for (int m = 0; m < MODES; m++)
		tests += counters.ours[m].count;
	return tests;
}

/* A line for each mode. */
void quick_count_log(void)
{
	for (int m = 0; m < MODES; m++) {
		char text[1024];
		int used = sum_print(text, sizeof(text), "ours", &counters.ours[m]);

		for (int h = 0; h < QUICK_HOWS; h++)
			used += snprintf(text + used, sizeof(text) - (size_t) used, " %s=%" PRIu64, how_names[h],
					 counters.how[m][h]);
		used += snprintf(text + used, sizeof(text) - (size_t) used, " small-failed=%" PRIu64, counters.failed[m]);
		sum_print(text + used, sizeof(text) - (size_t) used, "stock", &counters.stock[m]);
		info("windtunnel bestfit: quick: %s%s", mode_names[m], text);
	}
	info("windtunnel bestfit: quick: compared=%" PRIu64 " mismatches=%" PRIu64 " other-size=%" PRIu64, counters.compared,
	     counters.mismatches, counters.different);
}
