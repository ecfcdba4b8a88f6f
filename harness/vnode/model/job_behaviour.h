/* job_behaviour.h - what a virtual job does: from its environment, else from its script, else from a default.
 *
 * Pure.  The bytes come from users: what cannot be read strictly is ignored, and said in 'ignored'.
 * The variables: doc/formats.md, "The job's environment". */
#ifndef WT_HARNESS_VNODE_MODEL_JOB_BEHAVIOUR_H
#define WT_HARNESS_VNODE_MODEL_JOB_BEHAVIOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/job_env.h"

/* A year: longer than any time limit that makes sense here; what is longer is not believed. */
#define JOB_BEHAVIOUR_MAX_RUN_TIME_US (366LL * 86400 * 1000000)

enum job_behaviour_ignored {	/* bits of 'ignored' */
	WT_IGNORED_RUN_TIME = 1, WT_IGNORED_EXIT_CODE = 2, WT_IGNORED_FAIL = 4, WT_IGNORED_PROBE = 8,
	WT_IGNORED_TERM = 32,
	WT_IGNORED_SLEEP = 16,	/* a 'sleep' line of the script whose operand is no number */
};

struct job_behaviour {
	int64_t run_time_us;
	uint16_t wait_status;	/* as wait(2): exit code << 8, or a signal */
	uint8_t probe;		/* enum wt_probe */
	uint8_t ignored;	/* enum job_behaviour_ignored */
	bool ignores_term;	/* SIGTERM: it ends by SIGKILL, after KillWait */
	bool run_time_default;	/* neither the environment nor the script said a run time */
};

struct job_behaviour_place {	/* where a script runs, and as what */
	uint32_t array_task;	/* UINT32_MAX: no task of an array, or SLURM_ARRAY_TASK_ID of the environment says which */
	const char *node;
};

/* 'environment' holds 'count' strings NAME=VALUE (NULL entries are skipped); 'script' may be NULL, and so may 'place': not
 * known. */
void job_behaviour_read(struct job_behaviour *behaviour, char *const *environment, size_t count, const char *script,
			const struct job_behaviour_place *place, int64_t default_run_time_us);

/* The sum of the operands of sleep(1); false: they are no times that it would take. */
bool job_behaviour_sleep_us(char *const *operands, size_t count, int64_t *sum_us);

struct job_behaviour_program {	/* what is known of a command */
	bool own;		/* it is the user's, and no tool of the system */
	const char *script;	/* its text, if it is a script; else NULL */
};

/* What a task of a step does.  Its run time: WINDTUNNEL_RUN_TIME_S, else the operands of sleep(1), or the 'sleep' lines of
 * 'sh -c', when that is the command; else, for a program of the user's own, the 'sleep' lines of the script that it is, or
 * the default; else 0.  Its end: WINDTUNNEL_EXIT_CODE, WINDTUNNEL_FAIL, else 1 for false(1), else 0. 'argv' may hold NULL
 * entries; 'program' NULL: nothing is known. */
void job_behaviour_read_command(struct job_behaviour *behaviour, char *const *environment, size_t count,
				char *const *argv, size_t argc, const struct job_behaviour_program *program,
				int64_t default_run_time_us);

#endif
