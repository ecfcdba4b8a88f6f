/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>

#include "harness/vnode/model/speed.h"

static uint64_t life(const struct wt_speed *speed, uint32_t interval)
{
	return (uint64_t) speed->restart << 32 | interval;
}

static double interval_us(const struct wt_speed *speed)
{
	/* So that a script of months has no more intervals than one of a day: each is a draw. */
	return fmax(WT_SPEED_INTERVAL_US, (double) speed->work_us / WT_SPEED_INTERVALS);
}

static double factor(const struct wt_speed *speed, uint32_t interval)
{
	double draw = wt_settings_draw(speed->settings, WT_DRAW_SPEED, speed->job_id, life(speed, interval));

	return 1 + speed->settings->noise * (2 * draw - 1);
}

static bool noisy(const struct wt_speed *speed)
{
	return speed->settings && speed->settings->noise > 0;
}

int64_t wt_speed_run_time_us(const struct wt_speed *speed)
{
	double left_us = (double) speed->work_us, length_us = interval_us(speed), run_us = 0;

	if (!noisy(speed))
		return speed->work_us;
	for (uint32_t i = 0; left_us > 0; i++) {
		double f = factor(speed, i);
		double here_us = fmin(length_us, left_us / f);

		run_us += here_us;
		left_us = here_us < length_us ? 0 : left_us - here_us * f;
	}
	return llround(run_us);
}

int64_t wt_speed_hang_us(const struct wt_speed *speed)
{
	double draw;

	if (!speed->settings || !(speed->settings->hang > 0) ||
	    wt_settings_draw(speed->settings, WT_DRAW_HANG, speed->job_id, life(speed, 0)) >= speed->settings->hang)
		return -1;
	/* Another number than the one that decided: that one is small whenever the script gets stuck. */
	draw = wt_settings_draw(speed->settings, WT_DRAW_HANG, speed->job_id, life(speed, 1));
	return (int64_t) (draw * (double) wt_speed_run_time_us(speed));
}

double wt_speed_progress(const struct wt_speed *speed, int64_t run_us)
{
	double left_us = (double) run_us, length_us = interval_us(speed), done_us = 0;

	if (!noisy(speed))
		return run_us >= speed->work_us ? 1 : fmax(0, left_us / (double) speed->work_us);
	for (uint32_t i = 0; left_us > 0 && done_us < (double) speed->work_us; i++) {
		done_us += fmin(length_us, left_us) * factor(speed, i);
		left_us -= length_us;
	}
	return done_us < (double) speed->work_us ? done_us / (double) speed->work_us : 1;
}
