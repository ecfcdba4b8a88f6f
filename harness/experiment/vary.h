/* vary.h - what "windtunnel try" is told to change: names of settings as an administrator says them, and the experiment's
 * file that comes of it.  Pure; one thread at a time.
 *
 * A name is a key of slurm.conf (EpilogMsgTime), a word of its SchedulerParameters (bf_interval), a setting of an
 * experiment's file (plugin, cluster.plugin, node.launch-delay), or KEY.WORD for one word of another list of slurm.conf. */
#ifndef WT_HARNESS_EXPERIMENT_VARY_H
#define WT_HARNESS_EXPERIMENT_VARY_H

#include <stddef.h>
#include <stdint.h>

#include "harness/experiment/experiment.h"

struct vary {			/* zeroed: nothing yet */
	const char *site;		/* its folder, an absolute path */
	const char *command;		/* what was typed, for the file's first line */
	uint64_t seed;
	unsigned int repeat;
	struct experiment_settings settings;	/* of all cases */
	struct experiment_axis *axes;
	size_t axis_count;
};

/* NAME=VALUE,VALUE... (with ';' between them where one is there: a value may have commas then); the value "site" is the
 * site's own.  0, or -1 with EINVAL (a name that is not known, with the one that was probably meant; named twice; a value
 * twice) or ENOMEM.  wt_vary_clear () also then. */
int wt_vary_axis(struct vary *vary, const char *text, struct wt_error *errp);

/* NAME=VALUE, for all cases; in place of an earlier one. */
int wt_vary_setting(struct vary *vary, const char *text, struct wt_error *errp);

/* The file's text, which ends in a newline; the caller frees it.  NULL with EINVAL (fewer than two cases, or a setting that
 * is varied, too) or ENOMEM. */
char *wt_vary_file(const struct vary *vary, struct wt_error *errp);
void wt_vary_clear(struct vary *vary);

#endif
