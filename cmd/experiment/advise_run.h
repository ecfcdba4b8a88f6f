/* advise_run.h - what a run alone says of its settings. */
#ifndef WT_CMD_EXPERIMENT_ADVISE_RUN_H
#define WT_CMD_EXPERIMENT_ADVISE_RUN_H

#include <stdbool.h>

#include "lib/error.h"

/* Prints it.  How many settings there is something to say of; -1: the run cannot be read. */
int advise_run(const char *dir, bool json, struct wt_error *errp);

#endif
