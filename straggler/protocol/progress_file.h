/* progress_file.h - where a task leaves its progress for the node's agent.
 *
 * DIRECTORY/JOB.START belongs to the job's user and has one record, replaced as a whole by each report;
 * DIRECTORY/JOB.START.lock is root's, and locked (flock (2)) by slurmstepd while the job runs.  START is a number that
 * slurmstepd draws: a job that is requeued may begin again before slurmstepd has let go of its earlier start.  The folder
 * is root's: no user can make a file for another's job.  Whatever stands in a record is the user's word. */
#ifndef WT_STRAGGLER_PROTOCOL_PROGRESS_FILE_H
#define WT_STRAGGLER_PROTOCOL_PROGRESS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

#define PROGRESS_NO_RESTART UINT32_MAX

struct progress_record {
	uint32_t magic, job_id;
	uint32_t restart;	/* PROGRESS_NO_RESTART: nothing of it is to be told yet */
	uint32_t pid;		/* of the batch script; 0: not started yet */
	uint64_t sequence;	/* grows with each report; 0: none yet */
	int64_t start_us;	/* CLOCK_MONOTONIC */
	int64_t elapsed_us;	/* when 'progress' was reported, or the end */
	double progress;
	double cpu_s;		/* wt_spec_policy.cpu_s */
	uint32_t ended;		/* 1: elapsed_us is the duration */
	uint32_t check;		/* over the bytes before it */
};

/* 0; -1 with errno: EPROTO (no record, or torn for longer than a moment), or that of open. */
int progress_read(const char *path, struct progress_record *record, struct wt_error *errp);
int progress_write(const char *path, struct progress_record *record, struct wt_error *errp);	/* sets magic and check */

#define PROGRESS_NAME_MAX 32
/* JOB.START, and back; false: it is no such name. */
void progress_name(char name[PROGRESS_NAME_MAX], uint32_t job_id, uint32_t start);
bool progress_name_read(const char *name, uint32_t *job_id, uint32_t *start);

#endif
