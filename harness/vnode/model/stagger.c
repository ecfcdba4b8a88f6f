/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stddef.h>

#include "harness/vnode/model/stagger.h"

uint32_t wt_stagger_delay_us(int64_t now_us, uint32_t rank, uint32_t node_count, uint32_t epilog_msg_time_us)
{
	uint32_t now = (uint32_t) (now_us % 1000000000);	/* slurmd keeps 9 digits */
	uint32_t cycle = node_count * epilog_msg_time_us;
	uint32_t target = rank * epilog_msg_time_us;
	uint32_t offset;

	if (node_count < WT_STAGGER_MIN_NODES || !cycle)
		return 0;
	offset = now % cycle;
	return target < offset ? target - offset + cycle : target - offset;
}

int64_t wt_stagger_poll_us(int64_t told_us, int64_t end_us)
{
	static const int64_t looks_us[] = { 0, 20000, 70000, 170000, 670000 };
	const size_t count = sizeof(looks_us) / sizeof(looks_us[0]);
	int64_t waited_us = end_us - told_us, rest_us;

	for (size_t i = 0; i < count; i++) {
		if (waited_us <= looks_us[i])
			return told_us + looks_us[i];
	}
	rest_us = waited_us - looks_us[count - 1];
	return told_us + looks_us[count - 1] + (rest_us + 999999) / 1000000 * 1000000;
}
