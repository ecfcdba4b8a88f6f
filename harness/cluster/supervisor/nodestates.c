/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cluster/supervisor/nodestates.h"
#include "harness/cluster/supervisor/nodetrouble.h"

void wt_nodestates_init(const char *slurm_conf)
{
	slurm_init(slurm_conf);
}

static uint32_t *state_counter(struct wt_nodestates *s, uint32_t state)
{
	uint32_t base = state & NODE_STATE_BASE;

	if (base == NODE_STATE_FUTURE || state & (NODE_STATE_POWERED_DOWN | NODE_STATE_POWERING_DOWN))
		return &s->absent;
	if (state & NODE_STATE_NO_RESPOND)
		return &s->not_responding;
	if (base == NODE_STATE_DOWN)
		return &s->down;
	if (state & (NODE_STATE_DRAIN | NODE_STATE_FAIL))
		return &s->drained;
	if (state & NODE_STATE_COMPLETING)
		return &s->completing;
	if (base == NODE_STATE_IDLE)
		return &s->idle;
	if (base == NODE_STATE_ALLOCATED)
		return &s->allocated;
	return base == NODE_STATE_MIXED ? &s->mixed : &s->other;
}

/* What waiting does not cure; NULL: it may. */
static const char *trouble_word(uint32_t state)
{
	if (state & (NODE_STATE_POWERED_DOWN | NODE_STATE_POWERING_DOWN))
		return NULL;
	if (state & NODE_STATE_INVALID_REG)
		return "refused";
	if (state & (NODE_STATE_DRAIN | NODE_STATE_FAIL))
		return "drained";
	return (state & NODE_STATE_BASE) == NODE_STATE_DOWN ? "down" : NULL;
}

static char *trouble_find(const node_info_msg_t *msg)
{
	struct wt_nodetrouble *list = calloc(msg->record_count + 1, sizeof(*list));
	size_t count = 0;
	char *text = NULL;

	for (uint32_t i = 0; list && i < msg->record_count; i++) {
		const node_info_t *node = &msg->node_array[i];
		const char *word = node->name ? trouble_word(node->node_state) : NULL;

		if (word)
			list[count++] = (struct wt_nodetrouble) { .name = node->name, .word = word, .reason = node->reason };
	}
	if (count)
		text = wt_nodetrouble_text(list, count);
	free(list);
	return text;
}

int wt_nodestates_get(time_t since, struct wt_nodestates *states, char **trouble, struct wt_error *errp)
{
	node_info_msg_t *msg = NULL;

	if (trouble)
		*trouble = NULL;
	if (slurm_load_node(since, &msg, SHOW_ALL) != SLURM_SUCCESS) {
		int e = errno;

		return e == SLURM_NO_CHANGE_IN_DATA ? 1 : wt_error_set(errp, EIO, "slurmctld: %s", slurm_strerror(e));
	}
	memset(states, 0, sizeof(*states));
	states->updated = msg->last_update;
	for (uint32_t i = 0; i < msg->record_count; i++) {
		states->total++;
		if (msg->node_array[i].name && msg->node_array[i].node_state & NODE_STATE_DYNAMIC_NORM)
			states->joined++;
		if (!msg->node_array[i].name)	/* slurmctld shows no nodes that are FUTURE, or powered down and CLOUD */
			states->absent++;
		else
			(*state_counter(states, msg->node_array[i].node_state))++;
	}
	if (trouble)
		*trouble = trouble_find(msg);
	slurm_free_node_info_msg(msg);
	return 0;
}

void wt_nodestates_places_told(struct wt_nodestates *states, uint32_t nodes)
{
	uint32_t known = nodes + states->joined, told = states->total > known ? states->total - known : 0;

	told = told < states->absent ? told : states->absent;
	states->total -= told;
	states->absent -= told;
}

void wt_nodestates_text(const struct wt_nodestates *s, char *text, size_t size)
{
	const struct {
		const char *word;
		uint32_t count;
	} parts[] = {
		{ "idle", s->idle }, { "allocated", s->allocated }, { "mixed", s->mixed }, { "completing", s->completing },
		{ "down", s->down }, { "drained", s->drained }, { "not responding", s->not_responding },
		{ "other", s->other },
		{ "not there", s->absent },
	};
	size_t at = 0;

	snprintf(text, size, "no nodes");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && at < size; i++)
		if (parts[i].count)
			at += (size_t) snprintf(text + at, size - at, "%s%" PRIu32 " %s", at ? ", " : "", parts[i].count,
						parts[i].word);
}
