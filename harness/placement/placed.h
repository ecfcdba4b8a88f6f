/* placed.h - how many of a run's jobs touch no more switches than they must, as figures of its record.
 *
 * The counts are those of "windtunnel topology score" on the same folder, by topology.conf in it: jobs of the whole machine
 * and those that never had nodes are not counted. */
#ifndef WT_HARNESS_PLACEMENT_PLACED_H
#define WT_HARNESS_PLACEMENT_PLACED_H

#include <stdint.h>

#include "lib/error.h"
#include "record/record.h"

/* Of all jobs together: so many take some 4 s and 400 MB; a run with more is not looked at. */
#define PLACED_NODES_MAX 6000000

/* Fill record->placed from the folder's files; summary.json has to be among them.  1: done; 0: there is no tree of more than
 * one switch, and nothing was changed; -1 with text: it cannot be told, nothing was changed. */
int placed_compute(struct wt_record *record, const char *dir, struct wt_error *errp);

#endif
