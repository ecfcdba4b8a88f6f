/* engine_private.h - what the engine's ways of running share: processes of this machine (engine.c), tasks of a job array on
 * a Slurm cluster (engine_array.c, with array_job.h). */
#ifndef WT_HARNESS_EXPERIMENT_ENGINE_PRIVATE_H
#define WT_HARNESS_EXPERIMENT_ENGINE_PRIVATE_H

#include <signal.h>
#include <sys/types.h>

#include "harness/experiment/array_job.h"
#include "harness/experiment/engine.h"
#include "harness/experiment/engine_progress.h"

struct run_slot { /* a run under way */
	pid_t pid; /* 0: free */
	size_t case_index;
	unsigned int number;
	double began_s;
};

struct engine_array_run { /* one that a task of an array shall do */
	size_t case_index;
	unsigned int number;
	bool ended; /* its progress was told */
};

struct engine {
	const char *dir;
	const struct experiment *experiment;
	const struct experiment_plan *plan;
	struct experiment_index *index;
	const struct engine_options *options;
	struct engine_result *result;
	struct run_slot *slots;
	unsigned int slot_count, busy;
	struct engine_array_run *array_runs; /* --on slurm: gathered, then run together */
	size_t array_count;
	unsigned int signals; /* that came: 1 ends the runs under way in order, 2 at once */
	bool stop; /* begin no more */
	struct engine_progress progress;
	sigset_t waited, before;
};

uint64_t engine_seed(const struct engine *g, unsigned int number);
/* "windtunnel esp --resume --output=... --seed=... OPTIONS", ended by NULL; NULL with ENOMEM. */
char **engine_command(const struct engine *g, size_t case_index, unsigned int number);
void engine_command_free(char **argv); /* NULL is ignored */
char *engine_run_dir(const struct engine *g, size_t case_index, unsigned int number);
char *engine_run_log(const struct engine *g, size_t case_index, unsigned int number);

/* A run has ended so (an exit status, or -N: signal N) after 'wall_s' (NAN: by its own summary): write it down and tell it.
 */
int engine_run_note(struct engine *g, size_t case_index, unsigned int number, int status, double wall_s,
		    struct wt_error *errp);

/* The figures of a run that has ended; count 0: it has none. */
void engine_figures_read(const struct engine *g, size_t case_index, unsigned int number, struct wt_run_set *set);

/* --on slurm: gather a run; carry all that were gathered out. */
int engine_array_add(struct engine *g, size_t case_index, unsigned int number, struct wt_error *errp);
int engine_array_wait(struct engine *g, struct wt_error *errp);

/* Does DIR/array.json tell of an array that may be under way?  1 and which; 0; or -1 when it cannot be read. */
int engine_array_left(const char *dir, struct array_mark *mark, struct wt_error *errp);

#endif
