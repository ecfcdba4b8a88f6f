/* placements_reader.h - what the readers of run folders and of SWF share (placements_raw.c), and the readers. */
#ifndef WT_HARNESS_PLACEMENT_PLACEMENTS_READER_H
#define WT_HARNESS_PLACEMENT_PLACEMENTS_READER_H

#include <stdio.h>

#include "harness/placement/placements.h"

#define LINE_BYTES_MAX ((size_t) 16 << 20)	/* of a trace, or of a log: node lists are long */

/* A job as read: CPUs asked for and the machine's CPUs per node decide about the unit at the end. */
struct raw_job {
	struct wt_replay_job job;	/* units: CPUs */
	int whole;			/* whole nodes were asked for */
	uint32_t job_id;
	uint32_t order;			/* of slurmctld's placements, from 1; 0: not known */
};

struct raw {
	const struct wt_tree *tree;
	struct raw_job *jobs;		/* and nodes out of service (replay.h) */
	size_t count, cap, without_nodes;
	uint32_t cpus_per_node;		/* of the largest, where they differ */
	uint32_t *capacity;		/* CPUs of each of the tree's nodes, malloc'd; NULL: all have cpus_per_node */
	size_t forgotten, out_of_service;	/* see placements.h */
	double begin_s;
};

/* What slurmctld let a job choose from. */
struct offer {
	uint32_t *nodes, *units;	/* [count]; units are CPUs */
	uint32_t count;
};

/* Foreign text.  0; -1 with EINVAL, ERANGE (CPUs), ENOMEM, and nothing to clear. */
int offer_read(const struct wt_tree *t, const char *text, struct offer *offer, struct wt_error *errp);
void offer_clear(struct offer *offer);

/* Add a job; its nodes are free again at 'end_s' (INFINITY: never).  node_cpus: see node_cpus.h; NULL: not known.  The job,
 * for the caller to refine; NULL with EINVAL (a host list that is none, CPUs of other nodes, or a node that is not in the
 * tree), ENOMEM. */
struct raw_job *raw_add(struct raw *raw, const char *node_list, const char *node_cpus, double start_s, double end_s,
			struct wt_error *errp);

int raw_read_folder(struct raw *raw, const char *dir, struct wt_error *errp);
/* Correct the starts by the order of slurmctld's log, if the run folder has it.  The jobs change their places. */
int raw_read_order(struct raw *raw, const char *dir, struct wt_error *errp);
/* The same from the log itself, foreign text.  0; -1 with EINVAL, ERANGE, ENOMEM, or what reading failed with; raw is as
 * before or corrected in part. */
int raw_read_log(struct raw *raw, FILE *in, struct wt_error *errp);
/* Hand what was read over to 'p', unless 'rc' says that reading failed; clears raw in any case.  0, or -1 with text. */
int raw_finish(struct placements *p, struct raw *raw, int rc, enum placement_unit unit, const char *name,
	       struct wt_error *errp);
int raw_read_swf(struct raw *raw, const char *path, struct wt_error *errp);

#endif
