/* ends.h - when a job could start, if jobs that run end at their limits: the search of select/cons_tres (Slurm 22.05).
 *
 * Slurm takes running jobs away in the order of their ends, some at a time, and tests the job after each batch.  A batch
 * goes on while the next job ends within a window after a base: the first overlapping job's end, rounded up to a multiple
 * of 30 s.  The window begins with 30 s, and grows with each batch until the next job is inside.  The start is the end of
 * the last job taken away.  Which jobs share a batch decides the answer, so this follows Slurm's order of steps one by one.
 *
 * Pure: no Slurm, no clock. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_ENDS_H
#define WT_PLUGINS_SELECT_BESTFIT_ENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ENDS_BATCH_MAX 201	/* with more jobs taken away at once Slurm neither tests nor grows the window */
#define ENDS_WINDOW_S 30
#define ENDS_WINDOW_MAX_S (1 << 29)	/* Slurm's window is an int, and doubles */

/* What is asked of the caller, in this order for each job; 'job' counts the jobs by their ends from 0. */
struct ends_asked {
	int64_t (*end_s)(void *arg, size_t job);	/* of any job, at any time: ascending */
	bool (*overlaps)(void *arg, size_t job);	/* has it one of the nodes in question? */
	bool (*take)(void *arg, size_t job);		/* false: it cannot be followed, the search ends */
	bool (*test)(void *arg);			/* does the job fit now? */
	void *arg;
};

enum ends_answer {
	ENDS_FOUND,
	ENDS_NEVER,	/* not even when all have ended */
	ENDS_UNKNOWN,	/* take () has said no, or an end lies beyond ENDS_WINDOW_MAX_S */
};

/* 'growth_s': bf_window_linear; 0: the window doubles.  ENDS_FOUND: *last is the last job taken away. */
enum ends_answer ends_search(const struct ends_asked *asked, size_t jobs, int growth_s, size_t *last);

#endif
