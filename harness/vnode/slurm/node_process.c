/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time, timers and nodes of this process. */
#include "harness/vnode/slurm/node_process.h"

#include <stdlib.h>

int64_t wt_daemon_now_us(const struct wt_daemon *daemon)
{
	return wt_clock_now_us(daemon->time.clock);
}

void wt_daemon_arm(struct wt_daemon *daemon, enum wt_daemon_timer kind, int64_t delay_us)
{
	struct wt_timer timer = { .kind = kind, .deadline_us = wt_daemon_now_us(daemon) + delay_us };

	wt_timerq_arm(daemon->time.timers, &timer);
}

int wt_daemon_nodeset(const struct wt_daemon *daemon, const char *text, struct wt_nodeset *set)
{
	compat_hostlist names = hostlist_create(text);
	size_t count, unused;
	uint32_t *numbers;
	char *name;
	int rc = -1;

	if (!names)
		return -1;
	count = unused = (size_t) hostlist_count(names);
	numbers = malloc((count + 1) * sizeof(*numbers));
	/* From the end, because taking the first of a long list moves all the others. */
	while (numbers && unused && (name = hostlist_pop(names))) {
		uint32_t node = wt_nodetable_by_name(daemon->nodes, name);

		if (node != WT_NODE_NONE)
			numbers[--unused] = node;
		free(name);
	}
	if (numbers)
		rc = wt_nodeset_fill(set, numbers + unused, count - unused);
	free(numbers);
	hostlist_destroy(names);
	return rc;
}

uint32_t wt_daemon_nodes_on(const struct wt_daemon *daemon)
{
	/* Other processes' nodes are on, as far as is known here. */
	return wt_power_count(daemon->power.power, WT_POWER_ON) -
	       (daemon->nodes->count - wt_nodetable_own_count(daemon->nodes));
}

void wt_daemon_joining_count(const struct wt_daemon *daemon, uint32_t *places, uint32_t *joined)
{
	const struct wt_nodetable *nodes = daemon->nodes;
	bool any = false;

	*places = *joined = 0;
	for (uint32_t i = 0; i < nodes->class_count; i++)
		any |= nodes->classes[i].joins;
	for (uint32_t i = 0; any && i < nodes->count; i++)
		if (wt_nodetable_class(nodes, i)->joins) {
			++*places;
			*joined += wt_power_has_registered(daemon->power.power, i);
		}
}
