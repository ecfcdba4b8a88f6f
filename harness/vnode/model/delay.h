/* delay.h - how long something takes: a distribution, as options write it.
 *
 * Pure.  Written: SECONDS, LOW-HIGH (uniform), exp:MEAN, gamma:MEAN,SD, normal:MEAN,SD (what is below zero counts as zero)
 * or lognormal:MEAN,SD, where MEAN and SD are those of the time itself, not of its logarithm. */
#ifndef WT_HARNESS_VNODE_MODEL_DELAY_H
#define WT_HARNESS_VNODE_MODEL_DELAY_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"

enum wt_delay_kind {
	WT_DELAY_NONE, WT_DELAY_UNIFORM, WT_DELAY_EXPONENTIAL, WT_DELAY_GAMMA, WT_DELAY_NORMAL, WT_DELAY_LOGNORMAL,
};

struct wt_delay {
	uint8_t kind;			/* enum wt_delay_kind */
	double low_s, high_s; /* of a uniform one: equal when it is fixed; of the others high_s is the mean, and low_s the
			       * standard deviation of those that have one */
};

/* 'key' is for the error's text.  0, or -1 with EINVAL; then *delay is as before. */
int wt_delay_read(const char *value, const char *key, struct wt_delay *delay, struct wt_error *errp);

/* A number that ends where 'end' says, from 0 to 'max': no signs, blanks, hexadecimal, "inf" or the like.  0 or -1. */
int wt_delay_number(const char *text, const char *end, double max, double *number);

/* A duration of this distribution for a drawn number in [0, 1), at most a day. */
int64_t wt_delay_us(const struct wt_delay *delay, double draw);

/* A number in [0, 1) that depends on nothing but the arguments (splitmix64: Steele, Lea, Flood, OOPSLA 2014); and
 * its bits. */
double wt_delay_draw(uint64_t seed, uint64_t what, uint64_t a, uint64_t b);
uint64_t wt_delay_bits(uint64_t seed, uint64_t what, uint64_t a, uint64_t b);

#endif
