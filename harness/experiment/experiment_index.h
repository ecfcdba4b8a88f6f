/* experiment_index.h - which runs of an experiment have ended, and their figures: an SQLite file, index.sqlite, in its
 * folder.
 *
 * Its tables are in doc/formats.md.  The run folders hold the same and more: an index that was lost is made again from them,
 * as each run that has ended is looked at again.  Unless noted 0, or -1 with errno and *errp; EINVAL: the file is no index.
 * One thread at a time. */
#ifndef WT_HARNESS_EXPERIMENT_EXPERIMENT_INDEX_H
#define WT_HARNESS_EXPERIMENT_EXPERIMENT_INDEX_H

#include <stdbool.h>

#include "harness/experiment/experiment_plan.h"
#include "harness/report/run_set.h"

struct experiment_index; /* opaque */

/* Open DIR/index.sqlite; with 'create' it is made when it is not there (else ENOENT).  NULL on failure. */
struct experiment_index *experiment_index_open(const char *dir, bool create, struct wt_error *errp);
void experiment_index_close(struct experiment_index *index); /* NULL is ignored; errno is preserved */

/* Write down what is run.  EINVAL: runs of a case have ended that had other options than it has now. */
int experiment_index_plan(struct experiment_index *index, const struct experiment *e, const struct experiment_plan *plan,
			  struct wt_error *errp);

/* Has run 'number' of the case with this folder ended well, with this seed?  1, 0, or -1. */
int experiment_index_done(struct experiment_index *index, const char *folder, unsigned int number, uint64_t seed,
			  struct wt_error *errp);

struct experiment_run {
	const char *folder; /* of its case */
	unsigned int number;
	uint64_t seed;
	int status; /* its exit status; -N: signal N */
	double wall_s;
	const struct wt_run_set *set; /* its figures; NULL: it has none */
};

/* Write down that a run has ended, in place of what was there about it. */
int experiment_index_put(struct experiment_index *index, const struct experiment_run *run, struct wt_error *errp);

struct experiment_index_case {
	char *name, *folder;
	char *options; /* of the command that its runs are of, each with a newline behind it */
	unsigned int done, failed;
	double wall_s; /* of those that ended well, together */
};

/* All cases in the order of the plan; *cases is to be freed with experiment_index_cases_free (). */
int experiment_index_cases(struct experiment_index *index, struct experiment_index_case **cases, size_t *count,
			   struct wt_error *errp);
void experiment_index_cases_free(struct experiment_index_case *cases, size_t count);

/* The experiment's title, seed or figures as they were written down ("title", "figures": keys with blanks between); the
 * caller frees it.  NULL with ENOENT: there is none of that name. */
char *experiment_index_fact(struct experiment_index *index, const char *name, struct wt_error *errp);

#endif
