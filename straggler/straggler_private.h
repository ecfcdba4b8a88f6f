/* straggler_private.h - the inside of a detector. */
#ifndef WT_STRAGGLER_STRAGGLER_PRIVATE_H
#define WT_STRAGGLER_STRAGGLER_PRIVATE_H

#include "straggler/heap.h"
#include "straggler/straggler.h"

struct point {
	double elapsed_s, progress;
};

/* What a task contributes to the sums over all tasks: slope * t + value to the mean of what is compared (progress, or
 * expected duration; t from base_s on), and its interval rates' squared deviations. */
struct share {
	bool counted;
	double slope, value;
	double deviations, freedoms, samples;
};

struct task {
	enum wt_straggler_state state;
	bool flagged;
	double received_s;		/* last heartbeat */
	double start_s;			/* since base_s, by the wall clock of its node */
	struct point last;
	struct point anchors[3];	/* newest first, at least half a window apart; (0, 0) where there are none yet */
	struct steps {			/* sums over the steps between anchors: weight, weighted rate and rate^2 */
		uint32_t count;
		double weight, rate, square;
	} steps;
	struct share share;
};

struct sums {
	uint32_t count;			/* tasks counted */
	double shift;			/* near the mean value, taken off before summing: keeps squares small */
	double slope, value, square;	/* of the counted tasks' slope, (value - shift), (value - shift)^2 */
	double deviations, freedoms, samples;
};

struct wt_straggler {
	struct wt_straggler_options options;
	bool open;
	bool based;			/* base_s is set */
	double base_s;			/* first receipt */
	struct task *tasks;
	struct sums sums;
	uint32_t changes;		/* of shares since the sums were last made anew */
	struct wt_heap slow;		/* tasks that may be flagged: by -progress (SCORE) or expected duration */
	struct wt_heap silent;		/* the same tasks by -received_s, or that of an earlier heartbeat; FRESH */
	uint32_t *found, *heard;
	size_t found_count, heard_count;
};

/* Sums (sums.c). */
void wt_share_set(struct wt_straggler *s, uint32_t task, const struct share *share);
struct sums wt_sums_anew(const struct wt_straggler *s);
double wt_sums_mean(const struct wt_straggler *s, double now_s);	/* NAN when nothing is counted */
double wt_sums_sd(const struct wt_straggler *s);			/* of the values; 0 with less than two */
double wt_sums_sigma(const struct wt_straggler *s);		/* pooled relative sd of a whole interval's rate */

/* Estimates (estimate.c). */
double wt_estimate_duration_s(const struct wt_straggler *s, const struct task *t, double now_s);
double wt_estimate_margin_s(const struct wt_straggler *s, const struct task *t);
double wt_estimate_silence_s(const struct wt_straggler *s, const struct task *t, double now_s);	/* what silence adds */
struct share wt_estimate_share(const struct wt_straggler *s, const struct task *t);
bool wt_estimate_is_slow(const struct wt_straggler *s, const struct task *t, double now_s, double limit);

#endif
