/* free_runs.h - node sets written down against the runs of free nodes: what makes a million jobs fit into a page.
 *
 * Writer and reader replay the starts and ends of the jobs and keep the set of nodes that no job has.  A scheduler mostly
 * gives a job the next free nodes, so that a range needs three small numbers, mostly zero: how many runs of free nodes it
 * skips, where in the run it begins, and its length.  This is a prediction, not a rule: a job of which a node is not free
 * (shared nodes, times that were rounded) is written as plain ranges, and both sides go on from the same state.
 *
 * The numbers of a job that needs 'count' nodes: 'mode' is 2 * N, and N times (skip, offset, length) follow; what then still
 * lacks comes from the next runs, each from its begin to its end.  A length of 0 is "to the end of the run, or until the job
 * has its nodes".  Where mode is 2 * N + 1, N times (gap to the last range's end, length) follow; a length of 0 is "all that
 * lack".
 *
 * Pure; not locked: one thread at a time. */
#ifndef WT_HARNESS_PAGE_FREE_RUNS_H
#define WT_HARNESS_PAGE_FREE_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gantt_range {
	uint32_t first, count;
};

struct number_list { /* a zeroed one is empty; 'failed' when memory ended: what was added since is lost */
	uint32_t *values;
	size_t count, capacity;
	bool failed;
};
void number_list_add(struct number_list *list, uint32_t value);
void number_list_clear(struct number_list *list);

struct free_runs { /* bit 1: free */
	uint32_t node_count;
	uint64_t *words;
};

/* All free.  0, or -1 with errno ENOMEM; free_runs_clear () frees. */
int free_runs_init(struct free_runs *runs, uint32_t node_count);
void free_runs_clear(struct free_runs *runs);
void free_runs_take(struct free_runs *runs, struct gantt_range range);
void free_runs_give(struct free_runs *runs, struct gantt_range range);

enum free_runs_list {
	FREE_RUNS_MODE,
	FREE_RUNS_SKIP,
	FREE_RUNS_OFFSET,
	FREE_RUNS_LENGTH,
	FREE_RUNS_GAP,
	FREE_RUNS_GAP_LENGTH,
	FREE_RUNS_LISTS
};
extern const char *const free_runs_list_names[FREE_RUNS_LISTS];

/* Append the numbers of a job's ranges, which rise, do not touch each other and lie within the nodes, and take the ranges.
 * With 'plain' nothing is predicted. */
void free_runs_write(struct free_runs *runs, const struct gantt_range *ranges, size_t count, bool plain,
		     struct number_list lists[FREE_RUNS_LISTS]);

#endif
