/* allocs.h - which cores and how much memory each running job has, read from the tables of select/cons_tres.  For the
 * plugin's adapter only.
 *
 * Read anew as a whole when the tables, the jobs or their ends have changed: nothing is carried on, so nothing can drift.
 * Not locked, as supply.h. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_ALLOCS_H
#define WT_PLUGINS_SELECT_BESTFIT_ALLOCS_H

#include "plugins/select_bestfit/capacity.h"
#include "compat/controller.h"

/* What a job has of a node. */
struct allocs_share {
	uint32_t node;		/* Slurm's index */
	struct capacity_taken taken;
};

struct allocs_job {
	job_record_t *job;
	uint32_t job_id;
	/* by which it is told that the job has changed */
	const bitstr_t *node_bitmap;
	time_t end;
	uint32_t state;

	size_t first, count;	/* shares[first ... first + count - 1] */
	int part;		/* index of its partition's tables; -1: none */
	bool in_row;		/* else its cores are not in the tables: suspended, or resumed onto taken ones */
};

/* One of select_part_record. */
struct allocs_part {
	const part_res_record_t *real;
	uint64_t *nodes;	/* that the jobs in its rows have; words of a map */
};

struct allocs {
	uint64_t serial;	/* another one after each change */
	struct capacity_node *nodes;	/* by Slurm's index: now */
	uint64_t *strange;	/* words of a map: more cores than we count, or none */
	uint64_t *gres;		/* the same: a job has some of its GRES */
	/* after allocs_read_jobs (): running and suspended, in the order in which Slurm lets them end */
	struct allocs_job *jobs;
	size_t job_count;
	struct allocs_share *shares;
	uint64_t *cores;	/* of shares[i] from cores[i * words] on: a bit each, as in the row of its partition */
	uint32_t words;		/* that hold the cores of any node */
	struct allocs_part *parts;
	int part_count;
	const char *refused;	/* why these tables are left to Slurm; NULL: they are not */
};

/* The tables have changed: from hooks.c, and whenever nodes or partitions do. */
void allocs_changed(void);
/* Up to date but for the jobs; valid until slurmctld's locks are given back.  NULL: no memory. */
const struct allocs *allocs_read(time_t now);
/* Then the jobs, too, which cost most: a question whether a job fits now needs none.  false: no memory. */
bool allocs_read_jobs(time_t now);
void allocs_clear(void);

#endif
