/* failure.h - how the parts of "windtunnel straggler" say that they failed. */
#ifndef WT_CMD_STRAGGLER_FAILURE_H
#define WT_CMD_STRAGGLER_FAILURE_H

#include "lib/error.h"

/* Print "NAME: TEXT" to stderr and return 1, the exit status. */
int straggler_failed(const char *name, const struct wt_error *err);

#endif
