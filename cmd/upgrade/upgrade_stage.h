/* upgrade_stage.h - one release at work: a cluster of its own is started, gets jobs or a state, is asked for all that it
 * has, and ends. */
#ifndef WT_CMD_UPGRADE_UPGRADE_STAGE_H
#define WT_CMD_UPGRADE_UPGRADE_STAGE_H

#include <stdbool.h>

#include "cmd/child_run.h"
#include "cmd/upgrade/work_folder.h"
#include "harness/upgrade/upgrade_records.h"

struct upgrade_rehearsal {
	struct child_runner runner;
	char name[32]; /* of each of its clusters, one after the other */
	char *folder; /* where such a cluster is */
	struct work_folder work; /* states that are handed on */
	const char *site, *output; /* NULL: none */
	unsigned long nodes; /* 0: the site's */
	bool foreign; /* the state is not of our own making: its nodes do not answer */
	bool quiet;
};

struct upgrade_stage {
	const char *release;
	const char *label; /* of its folder in 'output', and for people: "2-24.11.5-control" */
	const char *state; /* what it gets: a folder with ctld/ and nodes/; NULL: jobs of our own making */
	bool renamed; /* the state's own name of its cluster is left out */
	const char *handed_on; /* where its state goes at the end; NULL: nowhere */
	/* results, for the caller to free */
	struct upgrade_records records[UPGRADE_KINDS];
	char *refused; /* slurmctld's own words: it does not read that state; then there are no records */
	char *log; /* slurmctld's, since it has the state */
};

/* 0 also when it refuses; -1 with errno: EINTR after a signal.  Its cluster is gone in any case. */
int upgrade_stage_run(struct upgrade_rehearsal *r, struct upgrade_stage *stage, struct wt_error *errp);

#endif
