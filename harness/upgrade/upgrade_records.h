/* upgrade_records.h - what "scontrol -o show job|node|reservation|partition" prints, as records of fields.
 *
 * Pure.  Any text is taken: it may come from a damaged state of a stranger. */
#ifndef WT_HARNESS_UPGRADE_UPGRADE_RECORDS_H
#define WT_HARNESS_UPGRADE_UPGRADE_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"

enum upgrade_kind { UPGRADE_JOB, UPGRADE_NODE, UPGRADE_RESERVATION, UPGRADE_PARTITION, UPGRADE_KINDS };

const char *upgrade_kind_word(enum upgrade_kind kind); /* "job": for scontrol, too */
const char *upgrade_kind_plural(enum upgrade_kind kind);

#define UPGRADE_FIELDS_MAX 256 /* of one record; what is behind them belongs to the last one's value */

struct upgrade_field {
	const char *name, *value;
};

struct upgrade_record {
	const char *key; /* the value of its first field: "17", "n3" */
	struct upgrade_field *fields; /* by name */
	size_t field_count;
	/* A name stood in it twice (in a comment, say): the second is part of the value before it, and no field may be
	 * relied on. */
	bool odd;
};

struct upgrade_records {
	struct upgrade_record *items; /* by key */
	size_t count;
	char *text; /* what all of it points into */
};

/* 'records' is overwritten; free it with upgrade_records_clear () in any case.  A record begins in a line of its own with
 * "JobId=" (NodeName, ReservationName, PartitionName); other lines go on with the value before them.  "No jobs in the
 * system" is a text without records, as an empty one is. 0, or -1 with EINVAL (it begins with something else; NUL bytes;
 * 'text' is NULL) or ENOMEM. */
int upgrade_records_parse(struct upgrade_records *records, enum upgrade_kind kind, const char *text, size_t len,
			  struct wt_error *errp);
void upgrade_records_clear(struct upgrade_records *records);

/* NULL: it has no such field, or 'record' is NULL */
const char *upgrade_record_get(const struct upgrade_record *record, const char *name);

/* The tasks that an ArrayTaskId names: "3-6%2" are 4, "1,5-9:2" are 4; 0: it is none of that form. */
unsigned long long upgrade_tasks_count(const char *text);

#endif
