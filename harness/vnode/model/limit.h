/* limit.h - how many nodes can have machines at once, over time.
 *
 * Pure.  Written: N; or N,SECONDS:N,SECONDS:N..., where each counts from so long after the beginning on (without the first N
 * there is no limit before the first time).  N is 0 to 65536, or "all": no limit.  "/SECONDS" behind all that: after so long
 * it begins anew, as days do. */
#ifndef WT_HARNESS_VNODE_MODEL_LIMIT_H
#define WT_HARNESS_VNODE_MODEL_LIMIT_H

#include <stdint.h>

#include "lib/error.h"

#define WT_LIMIT_STEPS_MAX 256
#define WT_LIMIT_NONE UINT32_MAX

struct wt_limit {		/* zeroed: there is none */
	uint32_t step_count;
	int64_t period_us;	/* 0: it does not begin anew */
	struct wt_limit_step {
		int64_t from_us;	/* after the beginning; later ones behind */
		uint32_t machines;	/* or WT_LIMIT_NONE */
	} steps[WT_LIMIT_STEPS_MAX];
};

/* 0, or -1 with EINVAL (also: there would never be a machine); then *limit is as before. */
int wt_limit_read(const char *text, struct wt_limit *limit, struct wt_error *errp);

/* So long after the beginning, which lies before; WT_LIMIT_NONE. */
uint32_t wt_limit_at(const struct wt_limit *limit, int64_t since_us);

#endif
