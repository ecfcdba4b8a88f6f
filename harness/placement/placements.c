/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/placement/placements_reader.h"

int placements_unit_parse(const char *name, enum placement_unit *unit, struct wt_error *errp)
{
	static const char *const names[] = { "auto", "nodes", "cpus" };

	for (int i = 0; i < 3; i++) {
		if (strcmp(name, names[i]))
			continue;
		*unit = (enum placement_unit) i;
		return 0;
	}
	return wt_error_set(errp, EINVAL, "unit '%s': auto, nodes or cpus expected", name);
}

static void job_clear(struct wt_replay_job *job)
{
	free((void *) job->nodes);
	free((void *) job->release_s);
	free((void *) job->node_units);
	free((void *) job->offer_nodes);
	free((void *) job->offer_units);
}

void placements_clear(struct placements *p)
{
	for (size_t i = 0; i < p->count; i++)
		job_clear(&p->jobs[i]);
	free(p->jobs);
	free(p->capacity);
}

static int unit_decide(const struct raw *raw, enum placement_unit unit)
{
	if (unit != UNIT_AUTO)
		return unit == UNIT_NODES;
	for (size_t i = 0; i < raw->count; i++) {
		const struct raw_job *j = &raw->jobs[i];

		/* One job with a part of a node is enough: then CPUs have to be counted. */
		if (!j->whole && !j->job.out_of_service && j->job.units != (uint64_t) j->job.node_count * raw->cpus_per_node)
			return 0;
	}
	return 1;
}

/* The record does not say what each node gave, and it is neither one node nor all of each. */
static int assumed(const struct raw *raw, const struct raw_job *j)
{
	return !j->whole && !j->job.out_of_service && !j->job.node_units && j->job.node_count > 1 &&
	       j->job.units < (uint64_t) j->job.node_count * raw->cpus_per_node;
}

static void units_of_nodes(struct wt_replay_job *job)
{
	job->units = job->node_count;
	free((void *) job->node_units);
	job->node_units = NULL;
	for (uint32_t i = 0; i < job->offer_count; i++)
		((uint32_t *) job->offer_units)[i] = 1;
}

static int jobs_hand_over(struct placements *p, struct raw *raw, enum placement_unit unit, struct wt_error *errp)
{
	uint32_t nodes = wt_tree_nodes(raw->tree);
	int whole = unit_decide(raw, unit);

	p->jobs = calloc(raw->count + 1, sizeof(*p->jobs));
	p->capacity = whole ? NULL : calloc(nodes, sizeof(*p->capacity));
	p->forgotten = raw->forgotten;
	p->out_of_service = raw->out_of_service;
	if (!p->jobs || (!whole && !p->capacity))
		return wt_error_errno(errp, ENOMEM, "placements");
	if (!whole && !raw->cpus_per_node)
		return wt_error_set(errp, EINVAL, "the CPUs of a node are not in the record");
	for (uint32_t i = 0; !whole && i < nodes; i++)
		p->capacity[i] = raw->capacity ? raw->capacity[i] : raw->cpus_per_node;
	for (size_t i = 0; i < raw->count; i++) {
		p->jobs[i] = raw->jobs[i].job;
		if (whole)
			units_of_nodes(&p->jobs[i]);
		else
			p->assumed += (size_t) assumed(raw, &raw->jobs[i]);
	}
	p->count = raw->count;
	p->without_nodes = raw->without_nodes;
	p->begin_s = raw->begin_s;
	/* The arrays of each job belong to 'p' now: raw_finish () frees what is left here. */
	raw->count = 0;
	return 0;
}

int raw_finish(struct placements *p, struct raw *raw, int rc, enum placement_unit unit, const char *name,
	       struct wt_error *errp)
{
	if (rc == 0 && !raw->count)
		rc = wt_error_set(errp, EINVAL, "%s: no job in it has nodes", name);
	if (rc == 0)
		rc = jobs_hand_over(p, raw, unit, errp);
	for (size_t i = 0; i < raw->count; i++)
		job_clear(&raw->jobs[i].job);
	free(raw->jobs);
	free(raw->capacity);
	return rc;
}

int placements_load(struct placements *p, const char *path, const struct wt_tree *t, enum placement_unit unit,
		    struct wt_error *errp)
{
	struct raw raw = { .tree = t };
	struct stat st;
	int rc;

	memset(p, 0, sizeof(*p));
	if (stat(path, &st) < 0)
		return wt_error_errno(errp, errno, "%s", path);
	rc = S_ISDIR(st.st_mode) ? raw_read_folder(&raw, path, errp) : raw_read_swf(&raw, path, errp);
	return raw_finish(p, &raw, rc, unit, path, errp);
}
