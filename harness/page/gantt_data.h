/* gantt_data.h - a schedule as the columns that the page's Gantt chart reads.
 *
 * Jobs are sorted by start, those that never ran behind them by submission.  Column by column (gantt_pack.h), of the 'ran'
 * jobs that started: start (difference to the job before), duration (+ 1; 0: not ended), wait (+ 1; 0: submission not
 * known), nodes; of the others: submit (+ 1; 0: not known); of all: cpus (difference to nodes x cpus_per_node), id
 * (difference), name_prefix (2 x index in the text "prefixes", + 1: a number follows), name_number (of these; difference to
 * the last of the prefix), and labels (index in the text of their name + 1; 0: none).  Differences are modulo 2^32 and,
 * where they can be negative, folded (0, -1, 1, -2, ...).  Times are multiples of 'unit_ms' behind 'origin_ms' (0, or the
 * first if one is before), rounded down.  The names in a text end in a zero byte each.
 *
 * Node sets are those of free_runs.h, one job after the other: before a job's are read, those of the jobs that have ended
 * by its start are given back; a job without duration counts as one unit long.  Every GANTT_SEGMENT jobs the model begins
 * anew: first come the jobs that run at that moment, as if they were placed on an empty machine, so that a reader can show
 * any part of the run first.
 *
 * Pure: no clock, no files.  One thread at a time. */
#ifndef WT_HARNESS_PAGE_GANTT_DATA_H
#define WT_HARNESS_PAGE_GANTT_DATA_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/page/free_runs.h"
#include "harness/page/gantt_pack.h"
#include "lib/error.h"

#define GANTT_TIME_NONE INT64_MIN
#define GANTT_SEGMENT   65536 /* jobs */
#define GANTT_NAME_MAX  256 /* bytes of a name; longer ones are cut, and the page says so */

enum gantt_label { GANTT_CLASS, GANTT_USER, GANTT_ACCOUNT, GANTT_PARTITION, GANTT_QOS, GANTT_STATE, GANTT_LABELS };

struct gantt_job {
	const char *name; /* UTF-8; NULL: none */
	int64_t submit_ms, start_ms, end_ms; /* after the run's begin; GANTT_TIME_NONE: not known */
	size_t range_first; /* index into ranges */
	uint32_t range_count; /* 0: never ran, or its nodes are not known */
	uint32_t job_id, cpus; /* allocated; of a job that never ran asked for */
	uint32_t labels[GANTT_LABELS]; /* index + 1; 0: none */
};

struct gantt_level { /* of switches, consecutive in node_order */
	uint32_t count;
	const char *const *names;
	const uint32_t *first; /* [count]: place in node_order of the first node; the first is 0 */
};

struct gantt_input {
	size_t job_count;
	const struct gantt_job *jobs;
	const struct gantt_range *ranges; /* of each job rising, apart from each other */
	uint32_t node_count, cpus_per_node;
	const char *const *node_names; /* [node_count]; NULL: not known */
	const char *const *labels[GANTT_LABELS];
	uint32_t label_count[GANTT_LABELS];
	const uint32_t
		*node_order; /* [node_count]: nodes from the left to the right of the tree of switches; NULL: no tree */
	size_t level_count;
	const struct gantt_level *levels; /* leaves first */
	size_t budget_bytes; /* of base64; 0: 14 MiB */
};

struct gantt_loss { /* what was left out so that the page stays small */
	uint32_t unit_ms;
	uint32_t placed_min; /* jobs of fewer nodes have no node sets; 0: all have */
	bool names_left_out;
	size_t names_cut, unplaced_jobs, names_bytes;
	size_t segment_count, range_count, ran_count;
	int64_t origin_ms;
};

/* Fill *pack and *loss.  EINVAL (a job ends before its start, ranges that are none: names the job) or ENOMEM. */
int gantt_data_make(const struct gantt_input *input, struct gantt_pack *pack, struct gantt_loss *loss,
		    struct wt_error *errp);

/* The head and the data as script blocks of the run 'id'.  0 (look at ferror), or -1 with EINVAL or ENOMEM. */
int gantt_data_write(FILE *out, const char *id, const struct gantt_input *input, struct gantt_loss *loss,
		     struct wt_error *errp);

#endif
