/* gather.h - the agent's work: look at a folder of progress files, and report. */
#ifndef WT_PLUGINS_STRAGGLER_AGENT_GATHER_H
#define WT_PLUGINS_STRAGGLER_AGENT_GATHER_H

#include "straggler/protocol/straggler_conf.h"

struct gather;

struct gather *gather_create(const struct straggler_conf *conf, const char *directory, const char *node,
			     struct wt_error *errp);
void gather_destroy(struct gather *gather);

enum gather_result {
	GATHER_OK,
	GATHER_NONE,	/* no job is left */
	GATHER_SAID	/* something is wrong, for the first time: *errp */
};

/* New and ended tasks are reported at once, all others each window; a task that has said nothing new is left out. */
enum gather_result gather_look(struct gather *gather, struct wt_error *errp);

#endif
