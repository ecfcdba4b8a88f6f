/* live_metrics.h - the state as metrics for Prometheus.  Pure. */
#ifndef WT_HARNESS_LIVE_LIVE_METRICS_H
#define WT_HARNESS_LIVE_LIVE_METRICS_H

#include "harness/live/live_state.h"

/* The text, which the caller frees, and its media type (constant): OpenMetrics where the Accept header 'accept' (may be
 * NULL) names it, else the older text format of Prometheus, which has the same samples.
 * NULL: ENOMEM. */
char *live_metrics_text(const struct live_state *state, const char *accept, const char **type);

#endif
