/* waits_for.h - whether what a held job waits for is over, before slurmctld says so.
 *
 * slurmctld takes an end from the dependency of a held job when it looks for old jobs, once a minute; one that is released
 * it looks at at once.  So whoever holds jobs until their turn has to see for himself.
 *
 * Pure; foreign text: as slurmctld shows it, "afterok:7(unfulfilled),afterany:8(unfulfilled)". */
#ifndef WT_HARNESS_PROVISION_WAITS_FOR_H
#define WT_HARNESS_PROVISION_WAITS_FOR_H

#include <stdint.h>

enum waits_end { WAITS_END_UNKNOWN, WAITS_END_NOT_YET, WAITS_END_COMPLETE, WAITS_END_OTHER };
enum waits_for { WAITS_FOR_NOTHING, WAITS_FOR_AN_END, WAITS_FOR_SLURMCTLD };

/* What has become of a job. */
typedef enum waits_end (*waits_end_fn)(void *arg, uint32_t job_id);

/* NULL, "": nothing.  FOR_AN_END: not all have ended, or one not as it has to.  FOR_SLURMCTLD: what only it can tell, as a
 * task of an array, a kind other than afterok and afterany, a choice ("?"), or a job that is not known any more. */
enum waits_for waits_for(const char *text, waits_end_fn end_of, void *arg);

#endif
