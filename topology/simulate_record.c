/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "topology/simulate_record.h"

static int started(void *arg, size_t job, const struct wt_pick *picks, size_t count, double first_s)
{
	struct wt_sim_record *r = arg;
	uint32_t *nodes = calloc(count, sizeof(*nodes)), *units = calloc(count, sizeof(*units));
	double *release_s = calloc(count, sizeof(*release_s));

	r->jobs[job] = (struct wt_replay_job) {
		.start_s = r->from[job].start_s, .units = r->from[job].units, .nodes = nodes, .release_s = release_s,
		.node_count = (uint32_t) count, .node_units = units,
	};
	if (!nodes || !units || !release_s) {
		errno = ENOMEM;
		return -1;
	}
	for (size_t i = 0; i < count; i++) {
		nodes[i] = picks[i].node;
		units[i] = picks[i].units;
		release_s[i] = first_s + (double) i * r->release_step_s;
	}
	return 0;
}

int wt_sim_record_init(struct wt_sim_record *r, const struct wt_sim_job *jobs, size_t count, double release_step_s)
{
	*r = (struct wt_sim_record) {
		.jobs = calloc(count + 1, sizeof(*r->jobs)), .count = count, .watch = { .arg = r, .started = started },
		.from = jobs, .release_step_s = release_step_s,
	};
	if (r->jobs)
		return 0;
	errno = ENOMEM;
	return -1;
}

/* The arrays of a job are its own, whatever replay.h may do with those of others. */
void wt_sim_record_clear(struct wt_sim_record *r)
{
	for (size_t i = 0; r->jobs && i < r->count; i++) {
		free((void *) r->jobs[i].nodes);
		free((void *) r->jobs[i].node_units);
		free((void *) r->jobs[i].release_s);
	}
	free(r->jobs);
	memset(r, 0, sizeof(*r));
}
