/* listener.h - a port that listens. */
#ifndef WT_PLUGINS_STRAGGLER_SLURMCTLD_LISTENER_H
#define WT_PLUGINS_STRAGGLER_SLURMCTLD_LISTENER_H

#include "lib/error.h"

/* A socket that does not block, listening at 'address', a name or a number; -1 with errno set. */
int listener_open(const char *address, unsigned int port, struct wt_error *errp);

#endif
