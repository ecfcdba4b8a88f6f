/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/export/lanes.h"
#include "harness/export/trace_private.h"

/* Threads are numbered through, over all processes: a node's in the order of the switches, one for each of its lanes. */
struct node_tracks {
	const struct trace_plan *plan;
	struct lanes *lanes;		/* [node_count] */
	struct trace_track *tracks;	/* [node_count], of the first lane */
};

static void lanes_drop(struct node_tracks *t)
{
	for (uint32_t i = 0; i < t->plan->gantt.node_count; i++)
		lanes_clear(&t->lanes[i]);
}

/* One job on one node.  Without 'events' it is only counted. */
static int node_slice(struct node_tracks *t, struct trace_events *events, const struct trace_slice *slice, uint32_t node)
{
	const struct page_job *job = &t->plan->run->jobs[slice->job];
	struct trace_track track = t->tracks[node];
	uint32_t lane = lane_take(&t->lanes[node], slice->start_us, slice->end_us);

	if (lane == LANE_NONE)
		return -1;
	if (!events)
		return 0;
	track.tid += lane;
	trace_event_begin(events, 'X', trace_job_name(job), track, slice->start_us);
	trace_field_number(events, "dur", slice->end_us - slice->start_us);
	trace_arg_count(events, "job_id", job->id);
	trace_event_end(events);
	return 0;
}

/* next_node[] jumps over nodes that were not chosen: the cost is that of the slices that are written. */
static int all_slices(struct node_tracks *t, struct trace_events *events)
{
	const struct gantt_run *gantt = &t->plan->gantt;

	for (size_t i = 0; i < t->plan->slice_count; i++) {
		const struct trace_slice *slice = &t->plan->slices[i];
		const struct gantt_range *range = gantt->input.ranges + gantt->jobs[slice->job].range_first;

		for (uint32_t r = 0; r < gantt->jobs[slice->job].range_count; r++, range++)
			for (uint32_t node = t->plan->next_node[range->first]; node < range->first + range->count;
			     node = t->plan->next_node[node + 1])
				if (node_slice(t, events, slice, node) < 0)
					return -1;
	}
	return 0;
}

static void node_names_write(const struct node_tracks *t, struct trace_events *events, uint32_t node)
{
	const char *const *names = t->plan->gantt.input.node_names;
	char *name;

	for (uint32_t lane = 0; lane < t->lanes[node].count; lane++) {
		struct trace_track track = { t->tracks[node].pid, t->tracks[node].tid + lane };

		name = names ? strdup(names[node]) : wt_str_format("node %" PRIu32, node);
		if (name && lane) {
			char *more = wt_str_format("%s (%" PRIu32 ")", name, lane + 1);

			free(name);
			name = more;
		}
		events->failed |= !name;
		trace_name(events, "thread", track, name ? name : "?", track.tid);
		free(name);
	}
}

/* The leaf switch of a place in the order of nodes; places come one after the other. */
static uint32_t switch_of(const struct gantt_input *input, uint32_t place, uint32_t before)
{
	if (!input->node_order || !input->level_count)
		return 0;
	while (before + 1 < input->levels[0].count && input->levels[0].first[before + 1] <= place)
		before++;
	return before;
}

/* Where each node that has a slice stands; and the names of those tracks. */
static void tracks_place(struct node_tracks *t, struct trace_events *events, uint32_t first_tid)
{
	const struct gantt_input *input = &t->plan->gantt.input;
	bool switches = input->node_order && input->level_count;
	uint32_t tid = first_tid, leaf = 0, named = UINT32_MAX;

	for (uint32_t place = 0; place < t->plan->gantt.node_count; place++) {
		uint32_t node = input->node_order ? input->node_order[place] : place;

		leaf = switch_of(input, place, leaf);
		if (!t->lanes[node].count)
			continue;
		t->tracks[node] = (struct trace_track){ TRACE_SWITCHES + leaf, tid };
		tid += t->lanes[node].count;
		if (leaf != named)
			trace_name(events, "process", (struct trace_track){ TRACE_SWITCHES + leaf, 0 },
				   switches ? input->levels[0].names[leaf] : "nodes", TRACE_SWITCHES + leaf);
		named = leaf;
		node_names_write(t, events, node);
	}
}

/* First how many jobs each node has at a time, then the slices themselves. */
int trace_nodes_write(struct trace_events *events, const struct trace_plan *plan)
{
	struct node_tracks t = { .plan = plan };
	int rc = -1;

	if (!plan->next_node)
		return 0;
	t.lanes = calloc(plan->gantt.node_count, sizeof(*t.lanes));
	t.tracks = calloc(plan->gantt.node_count, sizeof(*t.tracks));
	if (t.lanes && t.tracks)
		rc = all_slices(&t, NULL);
	if (rc == 0) {
		tracks_place(&t, events, (uint32_t) (2 * plan->run->job_count) + 3);	/* behind all lanes of jobs */
		lanes_drop(&t);
		rc = all_slices(&t, events);
	}
	if (t.lanes)
		lanes_drop(&t);
	free(t.lanes);
	free(t.tracks);
	return rc;
}
