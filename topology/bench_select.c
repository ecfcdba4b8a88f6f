/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench_select [POLICY...] - CPU time per decision and per tree, on this machine.  Not a test: it asserts nothing.
 *
 * For each tree: rooms at random loads with ragged leaves, jobs of 1 node to half of what is free (log-uniform), with others
 * of up to a sixteenth behind them.  A decision is filling the room from free counts by node (what a plugin gets) and the
 * choice. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "topology/policy.h"

#define NANO 1e9

/* What other work on the machine takes does not count. */
static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double) ts.tv_sec + (double) ts.tv_nsec / NANO;
}

static double uniform(unsigned int *seed)
{
	return rand_r(seed) / (RAND_MAX + 1.0);
}

/* A leaf in ten is idle, a few are full, the others in part, as after some hours of many jobs. */
static void units_random(const struct wt_tree *t, uint32_t capacity, unsigned int *seed, uint32_t *units)
{
	double load = 0.3 + 0.69 * uniform(seed);

	for (uint32_t leaf = 0; leaf < wt_tree_switches(t, 0); leaf++) {
		struct wt_span nodes = wt_tree_switch_nodes(t, 0, leaf);
		double kind = uniform(seed), part = kind < 0.1 ? 0 : kind < load ? 1 : uniform(seed);

		for (uint32_t n = nodes.first; n < nodes.first + nodes.count; n++) {
			if (capacity == 1)
				units[n] = n - nodes.first >= part * nodes.count;
			else
				units[n] = uniform(seed) < part ? (uint32_t) (uniform(seed) * capacity) : capacity;
		}
	}
}

static uint64_t size_random(uint64_t most, unsigned int *seed)
{
	return (uint64_t) exp(uniform(seed) * log((double) most));
}

struct policy_times {
	double sum_s, max_s;
	int count;
};

static void policy_time(const char *name, const struct wt_tree *t, uint32_t capacity, int rounds, double budget_s)
{
	uint32_t nodes = wt_tree_nodes(t), *full = malloc(nodes * sizeof(*full)), *units = malloc(nodes * sizeof(*units));
	struct wt_room *room = wt_room_create(t);
	struct wt_policy *policy;
	struct policy_times times = { 0 };
	double begin_s = now_s();
	unsigned int seed = 1;

	for (uint32_t n = 0; full && n < nodes; n++)
		full[n] = capacity;
	policy = wt_policy_create(name, t, full, 0, NULL);
	if (!full || !units || !room || !policy)
		abort();
	for (int i = 0; i < rounds && now_s() - begin_s < budget_s; i++) {
		struct select_request request = { .units = 1 };
		struct select_choice choice;
		uint64_t next[WT_SELECT_NEXT_MAX];
		double start_s;

		units_random(t, capacity, &seed, units);
		wt_room_fill(room, units);
		if (wt_room_total(room) < 2)
			continue;
		request.units = size_random(wt_room_total(room) / 2, &seed);
		for (request.next_count = 0; request.next_count < WT_SELECT_NEXT_MAX; request.next_count++)
			next[request.next_count] = size_random(wt_room_total(room) / 16 + 2, &seed);
		request.next_units = next;
		start_s = now_s();
		wt_room_fill(room, units);
		wt_policy_pick(policy, room, &request, capacity == 1 ? (uint32_t) request.units : 1, &choice);
		start_s = now_s() - start_s;
		times.sum_s += start_s;
		times.max_s = start_s > times.max_s ? start_s : times.max_s;
		times.count++;
	}
	printf("  %-14s %10.1f %10.1f %8d\n", name, 1e6 * times.sum_s / times.count, 1e6 * times.max_s, times.count);
	wt_policy_destroy(policy);
	wt_room_destroy(room);
	free(full);
	free(units);
}

static void tree_time(const char *const *policies, const char *arity, uint32_t nodes, uint32_t capacity)
{
	const struct wt_tree_shape shape = { .arity = arity, .nodes = nodes };
	struct wt_tree *made = wt_tree_fat(&shape, NULL), *t;
	char *text = wt_tree_format(made, NULL);
	size_t len = 0;
	double start_s;

	while (text[len])
		len++;
	start_s = now_s();
	t = wt_tree_parse(text, len, NULL);
	printf("%s: %u nodes of %u, %u leaves; topology.conf read and built in %.1f ms\n", arity, wt_tree_nodes(t), capacity,
	       wt_tree_switches(t, 0), 1e3 * (now_s() - start_s));
	printf("  %-14s %10s %10s %8s\n", "policy", "mean us", "max us", "choices");
	for (size_t i = 0; policies[i]; i++)
		policy_time(policies[i], t, capacity, 2000, 5);
	free(text);
	wt_tree_destroy(t);
	wt_tree_destroy(made);
}

int main(int argc, char **argv)
{
	const char *const *policies = argc > 1 ? (const char *const *) argv + 1 : wt_policy_names;

	tree_time(policies, "18,18,16", 5040, 1);
	tree_time(policies, "18,18,16", 5040, 16);
	tree_time(policies, "32,16,32", 0, 1);
	tree_time(policies, "32,32,64", 0, 1);
	tree_time(policies, "32,32,64", 0, 64);
	tree_time(policies, "32,16,16,8", 0, 1);
	tree_time(policies, "16,16,16,4,4", 0, 1);
	return 0;
}
