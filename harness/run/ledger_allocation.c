/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which nodes a job of the ledger has, and how many CPUs on each. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/run/ledger_private.h"

/* Slurm's index pairs, ended by -1, as "0-17 40". */
static char *intervals_from_pairs(const int32_t *pairs)
{
	char *text = NULL;
	size_t len;
	FILE *out;

	if (!pairs)
		return NULL;
	out = open_memstream(&text, &len);
	if (!out)
		return NULL;
	for (const int32_t *p = pairs; *p >= 0; p += 2) {
		fprintf(out, "%s%d", p == pairs ? "" : " ", p[0]);
		if (p[1] > p[0])
			fprintf(out, "-%d", p[1]);
	}
	fclose(out);
	return text;
}

bool ledger_allocated(const struct wt_ledger_view *v)
{
	return v->state != WT_JOB_PENDING && v->node_list && *v->node_list;
}

/* A completing job shows only the nodes that are still completing; what a running one showed stays. */
static bool allocation_news(const struct wt_entry *e, const struct wt_job_record *r, const struct wt_ledger_view *v)
{
	if (v->completing || !ledger_allocated(v))
		return false;
	return !(e->begun && r->node_list && wt_job_state_final(v->state) && r->alloc_nodes);
}

/* Another life, or other nodes. */
static bool allocation_other(const struct wt_entry *e, const struct wt_job_record *r, const struct wt_ledger_view *v)
{
	return v->restarts != e->restarts || !r->node_list || strcmp(r->node_list, v->node_list);
}

bool ledger_allocation_wants_cpus(const struct wt_entry *e, const struct wt_job_record *r, const struct wt_ledger_view *v)
{
	if (r->nodes || v->alloc_nodes < 2 || !allocation_news(e, r, v))
		return false;
	return !e->cpus_asked || allocation_other(e, r, v);
}

static void cpus_note(struct wt_entry *e, struct wt_job_record *r, const struct wt_ledger_view *v)
{
	char one[16];

	if (allocation_other(e, r, v)) {
		free(r->node_cpus);
		r->node_cpus = NULL;
		e->cpus_asked = false;
	}
	if (r->nodes || r->node_cpus)
		return;
	snprintf(one, sizeof(one), "%u", v->alloc_cpus);
	if (v->alloc_nodes == 1 && v->alloc_cpus)
		r->node_cpus = strdup(one);
	else if (v->node_cpus)
		r->node_cpus = strdup(v->node_cpus);
	e->cpus_asked |= v->detailed;
}

void ledger_allocation_note(struct wt_entry *e, struct wt_job_record *r, const struct wt_ledger_view *v)
{
	if (!allocation_news(e, r, v))
		return;
	cpus_note(e, r, v);
	free(r->node_list);
	r->node_list = strdup(v->node_list);
	free(r->node_intervals);
	r->node_intervals = intervals_from_pairs(v->node_pairs);
	r->alloc_cpus = v->alloc_cpus;
	r->alloc_nodes = v->alloc_nodes;
	e->begun = true;
}
