/* slurm_builds.h - the builds of Windtunnel for other releases of Slurm that are installed beside this one.
 *
 * Each is a whole Windtunnel in LIBEXECDIR/slurm/VERSION, made by "./quickstart slurm VERSION", for nearly all of it is
 * bound to one release's library.  "--slurm VERSION|PREFIX" in a command line hands the rest of it to such a build. */
#ifndef WT_CMD_SLURM_BUILDS_H
#define WT_CMD_SLURM_BUILDS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"

struct slurm_build {
	char version[64];	/* "24.11.5", as slurmctld -V says it */
	char prefix[PATH_MAX];	/* where that Slurm is installed; empty: the distribution's */
	char command[PATH_MAX];	/* its windtunnel; empty: this process */
};

struct slurm_builds {
	struct slurm_build *items;	/* this process's own is the first, the others by version */
	size_t count;
};

/* Those beside this one; for a build that is such a one itself, those beside it and the one that they all belong to.
 * 0, or -1 with ENOMEM.  Folders that hold no complete build are left out.  Free with slurm_builds_free () in any case. */
int slurm_builds_find(struct slurm_builds *builds, struct wt_error *errp);
void slurm_builds_free(struct slurm_builds *builds);

/* Is its Slurm where it was?  The loader would only name a library that it does not find.  0, or -1 with errno. */
int slurm_build_check(const struct slurm_build *build, struct wt_error *errp);

/* The build for 'name': a version, the beginning of one at a dot ("24.11"; the newest release counts, and
 * "24.11.0-0rc1" where there is none), or the prefix of a Slurm.  NULL with ENOENT, and what there is instead. */
const struct slurm_build *slurm_build_choose(const struct slurm_builds *builds, const char *name, struct wt_error *errp);

/* Take "--slurm NAME" or "--slurm=NAME" out of a command line, up to a "--" or to the command of "cluster exec".
 *  The last one counts.  NULL: there is none;
 * "": the option is there without its value. */
const char *slurm_option_take(int *argc, char **argv);

#endif
