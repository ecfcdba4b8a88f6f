/* upgrade_fields.h - what is known of single fields of Slurm's records.  Pure. */
#ifndef WT_HARNESS_UPGRADE_UPGRADE_FIELDS_H
#define WT_HARNESS_UPGRADE_UPGRADE_FIELDS_H

#include "harness/upgrade/upgrade_compare.h"

/* Are the two values the same (NULL: not there)?  A node's State counts without the mark that it does not answer just now.
 */
bool upgrade_value_same(enum upgrade_kind kind, const char *field, const char *before, const char *after);

/* MOVES, EXPECTED or KNOWN (with *why), or RELEASE for what nothing is known of.  Releases as "24.11.5". */
enum upgrade_cause upgrade_field_cause(const struct upgrade_change *change, const char *from, const char *to,
				       const char **why);

bool upgrade_job_ended(const struct upgrade_record *job); /* false for an odd one */
bool upgrade_job_ran(const struct upgrade_record *job); /* running or suspended */

#endif
