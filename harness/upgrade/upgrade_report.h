/* upgrade_report.h - an upgrade's rehearsal: its steps, as text and as JSON.  Pure but for the stream. */
#ifndef WT_HARNESS_UPGRADE_UPGRADE_REPORT_H
#define WT_HARNESS_UPGRADE_UPGRADE_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "harness/upgrade/upgrade_compare.h"

#define UPGRADE_FORMAT   1 /* of upgrade.json */
#define UPGRADE_SAID_MAX 20 /* lines of slurmctld's that are kept */

struct upgrade_said { /* errors of slurmctld */
	char *lines[UPGRADE_SAID_MAX];
	size_t count, more; /* lines beyond these */
};

struct upgrade_hop {
	const char *from, *to; /* releases */
	bool back;
	char *control_refused; /* Slurm's own words: 'from' does not read its own state; NULL: it does */
	char *refused; /* the same of 'to' */
	const struct upgrade_records *before; /* the caller's, UPGRADE_KINDS of them: of the step before it */
	struct upgrade_records control[UPGRADE_KINDS], after[UPGRADE_KINDS];
	struct upgrade_result result; /* of a step that was not refused */
	struct upgrade_said said; /* by 'to', and not by 'from' with the same state */
	struct upgrade_said recovering; /* by 'from', of the first step, when it read the state that was given */
};
void upgrade_hop_clear(struct upgrade_hop *hop);

/* The errors in the log of 'to' that the log of 'from' (may be NULL) has not, each once, without their times.  0, or -1 with
 * ENOMEM. */
int upgrade_said_read(struct upgrade_said *said, const char *log, const char *control_log, struct wt_error *errp);

/* The errors about its state before slurmctld was in charge: what it could not read is missing before any step. */
int upgrade_said_recovering(struct upgrade_said *said, const char *log, struct wt_error *errp);

/* The line, if there is one, that tells of state that it could not write; as below. */
char *upgrade_unsaved_find(const char *log);

/* The text of the log's first fatal error, in one line; the caller frees it.  NULL: there is none (errno 0), or ENOMEM. */
char *upgrade_fatal_find(const char *log);

/* Words for a slurmctld that has said nothing fatal and ended all the same, 'times' times, "how" ("signal 11"), with the
 * last line of its log (may be NULL); as below, never NULL but for ENOMEM. */
char *upgrade_crash_words(const char *log, const char *how, unsigned int times);

/* The line, if there is one, that tells of a node in the state that the cluster does not have; as above. */
char *upgrade_strange_node_find(const char *log);

/* 0 nothing is lost, 1 something is, or a step was refused. */
int upgrade_status(const struct upgrade_hop *hops, size_t count);

void upgrade_print(FILE *out, const struct upgrade_hop *hops, size_t count);

/* A new reference; NULL with ENOMEM. 'state' is where the state came from; NULL: it is of the rehearsal's own making. */
json_t *upgrade_json(const struct upgrade_hop *hops, size_t count, const char *state);

#endif
