/* upgrade_compare.h - what became of every job, node, reservation and partition of a slurmctld when another release read its
 * state, and which of it a restart of the same release does as well.
 *
 * Pure.  Results point into the records and the releases' names that were compared: keep these. */
#ifndef WT_HARNESS_UPGRADE_UPGRADE_COMPARE_H
#define WT_HARNESS_UPGRADE_UPGRADE_COMPARE_H

#include "harness/upgrade/upgrade_records.h"

enum upgrade_cause {
	UPGRADE_BY_RELEASE, /* the other release did it; a restart alone does not */
	UPGRADE_BY_RESTART, /* the same release changes it, too, when it reads its own state */
	UPGRADE_KNOWN, /* another default or another way to write the same: upgrade_fields.c says which */
	UPGRADE_EXPECTED, /* when and where a waiting job is expected to start */
	UPGRADE_MOVES, /* it changes by itself: a job's run time, a node's address in another cluster */
	UPGRADE_CAUSES
};
const char *upgrade_cause_word(enum upgrade_cause cause); /* "release": in upgrade.json */

struct upgrade_change {
	enum upgrade_kind kind;
	enum upgrade_cause cause;
	const struct upgrade_record *record; /* of before */
	const char *field, *before, *control, *after; /* values; NULL: it is not there */
	const char *why; /* of UPGRADE_KNOWN, else NULL */
};

struct upgrade_loss {
	enum upgrade_kind kind;
	const struct upgrade_record *record;
	char why[96]; /* "no record of it is left" */
	bool restart; /* a restart alone loses it, too */
};

struct upgrade_layout { /* a field that a kind of records has on one side only: clients print it or do not */
	enum upgrade_kind kind;
	const char *field;
	bool appeared; /* else it has vanished */
};

struct upgrade_tally { /* before = kept + changed + lost + forgotten */
	size_t before, kept, changed, lost;
	size_t forgotten; /* jobs that had ended before, and of which no record is left */
	size_t appeared; /* records that were not there before: tasks of arrays that have become jobs, say */
};

struct upgrade_result {
	struct upgrade_tally tallies[UPGRADE_KINDS];
	struct upgrade_change *changes;
	size_t change_count;
	struct upgrade_loss *losses;
	size_t loss_count;
	struct upgrade_layout *layouts;
	size_t layout_count;
	size_t arrays_short; /* arrays of which fewer tasks are left: a loss each, beside what the tallies count */
};

struct upgrade_side {
	const char *release;
	const struct upgrade_records *records; /* UPGRADE_KINDS of them */
};

/* 'control' is before's release again.  With control NULL nothing is blamed on a restart.  Free 'result' with
 * upgrade_result_clear () in any case.  0, or -1 with ENOMEM. */
int upgrade_compare(struct upgrade_result *result, const struct upgrade_side *before, const struct upgrade_side *control,
		    const struct upgrade_side *after, struct wt_error *errp);
void upgrade_result_clear(struct upgrade_result *result);

size_t upgrade_lost(const struct upgrade_result *result); /* of all kinds */

/* Has nothing changed but what changes by itself? */
bool upgrade_at_rest(const struct upgrade_side *before, const struct upgrade_side *after);

/* Have all nodes answered? */
bool upgrade_nodes_answered(const struct upgrade_records *nodes);

#endif
