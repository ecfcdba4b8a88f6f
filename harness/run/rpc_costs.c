/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/run/rpc_costs.h"
#include "harness/run/rpc_name.h"

static struct wt_rpc_cost *cost_find(const struct wt_rpc_costs *costs, uint16_t type)
{
	for (size_t i = 0; i < costs->count; i++)
		if (costs->types[i].type == type)
			return &costs->types[i];
	return NULL;
}

static struct wt_rpc_cost *cost_get(struct wt_rpc_costs *costs, uint16_t type)
{
	struct wt_rpc_cost *cost = cost_find(costs, type), *types;

	if (cost)
		return cost;
	types = reallocarray(costs->types, costs->count + 1, sizeof(*types));
	if (!types) {
		costs->failed = true;
		return NULL;
	}
	costs->types = types;
	types[costs->count] = (struct wt_rpc_cost) { .type = type };
	return &types[costs->count++];
}

static size_t type_place(size_t count, const uint16_t *types, uint16_t type)
{
	size_t i = 0;

	while (i < count && types[i] != type)
		i++;
	return i;
}

/* One number that went back is enough: others may have grown beyond what they were meanwhile. */
static bool counting_anew(const struct wt_rpc_costs *costs, size_t count, const uint16_t *types, const uint32_t *counts,
			  const uint64_t *times_us)
{
	for (size_t i = 0; i < costs->count; i++) {
		const struct wt_rpc_cost *cost = &costs->types[i];
		size_t at = type_place(count, types, cost->type);

		if (at == count ? cost->seen_count : counts[at] < cost->seen_count || times_us[at] < cost->seen_us)
			return true;
	}
	return false;
}

void wt_rpc_costs_see(struct wt_rpc_costs *costs, size_t count, const uint16_t *types, const uint32_t *counts,
		      const uint64_t *times_us)
{
	/* slurmctld counts from 0 again after a restart and after "sdiag --reset". */
	if (counting_anew(costs, count, types, counts, times_us))
		for (size_t i = 0; i < costs->count; i++)
			costs->types[i].seen_count = costs->types[i].seen_us = 0;
	for (size_t i = 0; i < count; i++) {
		struct wt_rpc_cost *cost = cost_get(costs, types[i]);

		if (!cost)
			return;
		if (costs->begun) {
			cost->count += counts[i] - cost->seen_count;
			cost->total_us += times_us[i] - cost->seen_us;
		}
		cost->seen_count = counts[i];
		cost->seen_us = times_us[i];
	}
	costs->begun = true;
}

static int dearer(const void *a, const void *b)
{
	const struct wt_rpc_cost *x = a, *y = b;

	if (x->total_us != y->total_us)
		return x->total_us < y->total_us ? 1 : -1;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return (int) x->type - (int) y->type;
}

static json_t *cost_json(const struct wt_rpc_cost *cost)
{
	const char *name = wt_rpc_name(cost->type);
	char number[8];

	snprintf(number, sizeof(number), "%u", cost->type);
	return json_pack("{s:s, s:I, s:I}", "type", name ? name : number, "count", (json_int_t) cost->count,
			 "total_us", (json_int_t) cost->total_us);
}

json_t *wt_rpc_costs_json(const struct wt_rpc_costs *costs)
{
	struct wt_rpc_cost *sorted;
	json_t *list;

	if (!costs->begun && !costs->failed)
		return json_null();
	sorted = calloc(costs->count + 1, sizeof(*sorted));
	list = sorted && !costs->failed ? json_array() : NULL;
	if (list && costs->count) {
		memcpy(sorted, costs->types, costs->count * sizeof(*sorted));
		qsort(sorted, costs->count, sizeof(*sorted), dearer);
	}
	for (size_t i = 0; list && i < costs->count; i++)
		if (sorted[i].count && json_array_append_new(list, cost_json(&sorted[i])) < 0) {
			json_decref(list);
			list = NULL;
		}
	free(sorted);
	if (!list)
		errno = ENOMEM;
	return list;
}

void wt_rpc_costs_clear(struct wt_rpc_costs *costs)
{
	free(costs->types);
	*costs = (struct wt_rpc_costs) { 0 };
}
