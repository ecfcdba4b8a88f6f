/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select_bestfit/willrun_count.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/clock.h"

/* slurmctld's alone */
#pragma weak bitmap2node_name

#define LOGGED_MAX 100		/* differences written to the log */
#define SLURM_GIVES_UP_US 2000000	/* its search ends without an answer */

static struct {
	uint64_t how[WILLRUN_HOWS], left[WILLRUN_LEFT], steps[WILLRUN_STEPS];
	uint64_t answers, ours_us, stock_answers, stock_us, compared, different, ticked, gave_up;
} counters;

static const char *const how_names[WILLRUN_HOWS] = { "cached", "now", "later", "overdue", "not-now", "never", "stock" };
static const char *const step_names[WILLRUN_STEPS] = { "now-refused", "now-asked", "future-refused", "future-asked",
						       "busy-asked", "without-cores" };

void willrun_count(enum willrun_how how, enum willrun_left left, const struct quick_watch *began)
{
	counters.answers++;
	counters.how[how]++;
	counters.left[left] += how == WILLRUN_STOCK;
	if (how != WILLRUN_STOCK)
		counters.ours_us += (uint64_t) (wt_clock_thread_cpu_us() - began->cpu_us);
}

void willrun_count_stock(const struct quick_watch *began)
{
	counters.stock_answers++;
	counters.stock_us += (uint64_t) (wt_clock_thread_cpu_us() - began->cpu_us);
}

void willrun_step(enum willrun_step step)
{
	counters.steps[step]++;
}

static bool is_same(const struct willrun_answer *a, const struct willrun_answer *b)
{
	if (a->rc != b->rc)
		return false;
	return a->rc != SLURM_SUCCESS || (a->start == b->start && a->cpus == b->cpus && bit_equal(a->map, b->map));
}

void willrun_compare(const struct job_test *c, const struct willrun_answer *ours, const struct willrun_answer *stock)
{
	char *our_nodes, *stock_nodes;

	if (!is_same(ours, stock)) {
		/* A second has passed between the two: "now" is another one, and a job's end may have come. */
		if (ours->asked != stock->answered) {
			counters.ticked++;
			return;
		}
		if (stock->rc != SLURM_SUCCESS && stock->spent_us >= SLURM_GIVES_UP_US) {
			counters.gave_up++;
			return;
		}
	}
	counters.compared++;
	if (is_same(ours, stock) || counters.different++ >= LOGGED_MAX)
		return;
	our_nodes = bitmap2node_name(ours->map);
	stock_nodes = bitmap2node_name(stock->map);
	error("windtunnel bestfit: verify: JobId=%u will-run %s: ours rc=%d start=%ld cpus=%u nodes=%s, Slurm's rc=%d "
	      "start=%ld cpus=%u nodes=%s", c->job->job_id, how_names[ours->how], ours->rc, (long) ours->start, ours->cpus,
	      our_nodes, stock->rc, (long) stock->start, stock->cpus, stock_nodes);
	xfree(our_nodes);
	xfree(stock_nodes);
}

uint64_t willrun_answers(void)
{
	return counters.answers;
}

static void append(char *text, size_t size, const char *key, uint64_t value)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, " %s=%" PRIu64, key, value);
}

void willrun_count_log(void)
{
	uint64_t ours = counters.answers - counters.how[WILLRUN_STOCK];
	char text[1024] = "";

	append(text, sizeof(text), "answers", counters.answers);
	append(text, sizeof(text), "cpu-mean-us", ours ? counters.ours_us / ours : 0);
	for (int h = 0; h < WILLRUN_HOWS; h++)
		append(text, sizeof(text), how_names[h], counters.how[h]);
	for (int s = 0; s < WILLRUN_STEPS; s++)
		append(text, sizeof(text), step_names[s], counters.steps[s]);
	for (int l = WILLRUN_OURS + 1; l < WILLRUN_LEFT; l++)
		if (counters.left[l])
			append(text, sizeof(text), willrun_left_names[l], counters.left[l]);
	append(text, sizeof(text), "stock-answers", counters.stock_answers);
	append(text, sizeof(text), "stock-cpu-mean-us",
	       counters.stock_answers ? counters.stock_us / counters.stock_answers : 0);
	append(text, sizeof(text), "compared", counters.compared);
	append(text, sizeof(text), "different", counters.different);
	append(text, sizeof(text), "ticked", counters.ticked);
	append(text, sizeof(text), "gave-up", counters.gave_up);
	info("windtunnel bestfit: will-run:%s", text);
}
