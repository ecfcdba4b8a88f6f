/* slurmd_place.h - a real slurmd with an address of its own: it gets libwtaddress.so (harness/fence). */
#ifndef WT_HARNESS_CLUSTER_FOLDER_SLURMD_PLACE_H
#define WT_HARNESS_CLUSTER_FOLDER_SLURMD_PLACE_H

#include <stdint.h>

#include "lib/error.h"

/* Once, before the others.  -1 with *errp: the library is not there. */
int wt_slurmd_place_find(struct wt_error *errp);

/* The place of the slurmd that is started next. */
void wt_slurmd_place_wish(const char *address, uint16_t port);

/* In the new process, before it becomes slurmd.  0, or -1 with errno. */
int wt_slurmd_place_take(void);

#endif
