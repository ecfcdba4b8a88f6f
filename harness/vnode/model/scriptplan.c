/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/vnode/model/job_behaviour.h"
#include "harness/vnode/model/scriptplan.h"

enum { ITEM_SIZE = 17 };	/* packed, without its request */
enum { FLAG_BACKGROUND = 1, FLAG_KEEPS = 2, FLAG_HIDES = 4, FLAG_ENDS = 8, FLAG_IMMEDIATE = 16, FLAG_IGNORES_TERM = 32 };

int wt_plan_add(struct wt_script_plan *plan, const struct wt_plan_item *item)
{
	if (plan->count == WT_PLAN_ITEMS_MAX) {
		free(item->request);
		errno = E2BIG;
		return -1;
	}
	if (plan->count == plan->capacity) {
		uint32_t capacity = plan->capacity ? plan->capacity * 2 : 8;
		struct wt_plan_item *items = realloc(plan->items, capacity * sizeof(*items));

		if (!items) {
			free(item->request);
			errno = ENOMEM;
			return -1;
		}
		plan->items = items;
		plan->capacity = capacity;
	}
	plan->items[plan->count++] = *item;
	plan->steps += item->kind == WT_PLAN_STEP;
	return 0;
}

void wt_plan_cut(struct wt_script_plan *plan, uint32_t count)
{
	while (plan->count > count) {
		struct wt_plan_item *item = &plan->items[--plan->count];

		plan->steps -= item->kind == WT_PLAN_STEP;
		free(item->request);
	}
}

void wt_script_plan_clear(struct wt_script_plan *plan)
{
	wt_plan_cut(plan, 0);
	free(plan->items);
	*plan = (struct wt_script_plan) { 0 };
}

static void number_pack(uint8_t *at, uint64_t number, unsigned int size)
{
	for (unsigned int i = 0; i < size; i++)
		at[i] = (uint8_t) (number >> (8 * (size - 1 - i)));
}

static uint64_t number_unpack(const uint8_t *at, unsigned int size)
{
	uint64_t number = 0;

	for (unsigned int i = 0; i < size; i++)
		number = number << 8 | at[i];
	return number;
}

void wt_plan_pack(const struct wt_script_plan *plan, struct wt_str *out)
{
	for (uint32_t i = 0; i < plan->count; i++) {
		const struct wt_plan_item *item = &plan->items[i];
		uint8_t bytes[ITEM_SIZE] = { item->kind, item->when, item->status };

		bytes[3] = (uint8_t) (item->background * FLAG_BACKGROUND | item->keeps * FLAG_KEEPS |
				      item->hides * FLAG_HIDES | item->ends * FLAG_ENDS |
				      item->immediate * FLAG_IMMEDIATE | item->ignores_term * FLAG_IGNORES_TERM);
		number_pack(bytes + 4, item->wait_status, 2);
		number_pack(bytes + 6, (uint64_t) item->run_time_us, 8);
		number_pack(bytes + 14, item->request_len, 3);
		wt_str_add_bytes(out, (const char *) bytes, ITEM_SIZE);
		if (item->request_len)
			wt_str_add_bytes(out, item->request, item->request_len);
	}
}

static int item_unpack(struct wt_plan_item *item, const uint8_t *bytes, size_t len)
{
	*item = (struct wt_plan_item) {
		.kind = bytes[0], .when = bytes[1], .status = bytes[2], .background = bytes[3] & FLAG_BACKGROUND,
		.keeps = bytes[3] & FLAG_KEEPS, .hides = bytes[3] & FLAG_HIDES, .ends = bytes[3] & FLAG_ENDS,
		.immediate = bytes[3] & FLAG_IMMEDIATE, .ignores_term = bytes[3] & FLAG_IGNORES_TERM,
		.wait_status = (uint16_t) number_unpack(bytes + 4, 2), .run_time_us = (int64_t) number_unpack(bytes + 6, 8),
		.request_len = (uint32_t) number_unpack(bytes + 14, 3),
	};
	if (item->kind >= WT_PLAN_KINDS || item->when >= WT_PLAN_WHENS || item->run_time_us < 0 ||
	    item->run_time_us > JOB_BEHAVIOUR_MAX_RUN_TIME_US || item->request_len > WT_PLAN_REQUEST_MAX ||
	    item->request_len > len - ITEM_SIZE) {
		errno = EINVAL;
		return -1;
	}
	item->request = malloc(item->request_len + 1);
	if (!item->request)
		return -1;
	memcpy(item->request, bytes + ITEM_SIZE, item->request_len);
	return 0;
}

int wt_plan_unpack(struct wt_script_plan *plan, const uint8_t *bytes, size_t len)
{
	struct wt_plan_item item;

	*plan = (struct wt_script_plan) { 0 };
	while (len) {
		errno = EINVAL;
		if (len < ITEM_SIZE || item_unpack(&item, bytes, len) < 0 || wt_plan_add(plan, &item) < 0) {
			int saved_errno = errno;

			wt_script_plan_clear(plan);
			errno = saved_errno;
			return -1;
		}
		bytes += ITEM_SIZE + item.request_len;
		len -= ITEM_SIZE + item.request_len;
	}
	return 0;
}
