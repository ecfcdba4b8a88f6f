/* speed.h - how fast a script gets on: evenly, or with noise; and whether it gets stuck.
 *
 * Pure: what a script does depends on the settings (with their seed), its job and how often that was restarted, and nothing
 * else. The model is that of the simulator (straggler/trace.h): in each interval the speed is multiplied by a number uniform
 * in
 * 1 +- settings->noise, so that the run time comes out longer or shorter than the work; a share settings->hang of the
 * scripts gets stuck for ever at a uniform point of its run time.  Intervals are those of the default window of heartbeats,
 * longer ones where there would be more than WT_SPEED_INTERVALS of them. */
#ifndef WT_HARNESS_VNODE_MODEL_SPEED_H
#define WT_HARNESS_VNODE_MODEL_SPEED_H

#include "harness/vnode/model/node_settings.h"

#define WT_SPEED_INTERVAL_US 6000000
#define WT_SPEED_INTERVALS 1000

struct wt_speed {
	const struct wt_settings *settings;	/* NULL: even */
	uint32_t job_id, restart;
	int64_t work_us;	/* run time at even speed, on this node */
};

int64_t wt_speed_run_time_us(const struct wt_speed *speed);	/* without getting stuck */
int64_t wt_speed_hang_us(const struct wt_speed *speed);		/* after so much run time; -1: it does not */

/* Share of the work that is done after it has run for so long: 0 to 1. */
double wt_speed_progress(const struct wt_speed *speed, int64_t run_us);

#endif
