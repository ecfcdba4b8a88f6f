/* intervals.h - sets of node indexes as Batsim writes them: "0-17 40" (intervalset's to_string_hyphen (" ", "-")).
 * Pure; any number of threads. */
#ifndef WT_LIB_INTERVALS_H
#define WT_LIB_INTERVALS_H

#include <stddef.h>
#include <stdint.h>

/* Sorts 'indexes' in place and formats them (doubles once).  Caller frees; "" for none.  NULL with ENOMEM. */
char *wt_intervals_format(uint32_t *indexes, size_t count);

#endif
