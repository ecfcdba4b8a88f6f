/* stream.h - random numbers of a seed, in streams that do not depend on each other.
 *
 * What is drawn from one stream changes nothing in another, so that a workload's order, say, does not change with its
 * waits.  Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014: the finaliser of SplitMix64.
 * Pure; any number of threads. */
#ifndef WT_WORKLOAD_STREAM_H
#define WT_WORKLOAD_STREAM_H

#include <stdint.h>

#include <gsl/gsl_rng.h>

/* One number of 64 bits. */
uint64_t wt_stream_number(uint64_t seed, uint64_t stream);

/* A generator of many; gsl_rng_free () it.  NULL: no memory. */
gsl_rng *wt_stream_open(uint64_t seed, uint64_t stream);

#endif
