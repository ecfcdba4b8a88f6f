/* scenario_private.h - what the parsers of the command line share. */
#ifndef WT_HARNESS_RUN_SCENARIO_PRIVATE_H
#define WT_HARNESS_RUN_SCENARIO_PRIVATE_H

#include <argp.h>

/* The options that only "windtunnel esp" has; state->input is the struct wt_scenario. */
extern const struct argp wt_scenario_esp_argp;

#endif
