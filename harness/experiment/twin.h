/* twin.h - the experiment's file of "windtunnel twin": a real cluster, its emulation, and that with the delays of the real
 * one's nodes.  Pure; one thread at a time. */
#ifndef WT_HARNESS_EXPERIMENT_TWIN_H
#define WT_HARNESS_EXPERIMENT_TWIN_H

#include <stdint.h>

#include "harness/experiment/experiment.h"

#define TWIN_REAL "real"	/* the variant's name, and its folder's */
#define TWIN_EMULATED "emulated"

struct twin_plan {
	const char *command;	/* what was typed, for the file's first line */
	uint64_t seed;
	unsigned int repeat;
	struct experiment_settings both;	/* workload and run */
	struct experiment_settings real, emulated;
	/* Of the real cluster: one of its nodes, and its slurm.conf; NULL: the emulation's cluster is a site's. */
	const char *shape, *memory, *conf;
	/* What the first part, the runs on the real cluster, has shown; zeroed before. */
	uint32_t nodes;
	const char *launch, *epilog;	/* laws of calibration.h; NULL: none */
};

/* The file's text, which ends in a newline; the caller frees it.  With nodes 0 it has the real cluster alone.  NULL with
 * ENOMEM. */
char *twin_file(const struct twin_plan *twin, struct wt_error *errp);

#endif
