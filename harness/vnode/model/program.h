/* program.h - what execve(2) would do with a task's command, as slurmstepd calls it.
 *
 * Looks at files, with the rights of the calling thread: a caller that runs as root takes the user's first (setfsuid(2)).
 *  What those rights do not let it see counts as a program that runs.  Files are looked at, never executed; only plain
 * files are opened. Source: Slurm 22.05 src/slurmd/slurmstepd/task.c (exec_task, _build_path). */
#ifndef WT_HARNESS_VNODE_MODEL_PROGRAM_H
#define WT_HARNESS_VNODE_MODEL_PROGRAM_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct wt_program {
	int error;		/* errno of execve; 0: it runs */
	bool own;		/* it does not lie in /bin, /sbin, /usr/bin or /usr/sbin */
	/* text (at most 64 KiB) of a file that begins with "#!"; NULL: it is none, or cannot be read */
	char *script;
	char complaint[PATH_MAX + 128];	/* with an error: slurmstepd's words, "execve(): PATH: No such file or directory" */
};

/* 'environment' holds 'count' strings NAME=VALUE (NULL entries are skipped); 'cwd' is the task's folder. */
void wt_program_look(struct wt_program *program, const char *command, const char *cwd, char *const *environment,
		     size_t count);
void wt_program_clear(struct wt_program *program);

#endif
