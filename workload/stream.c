/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "workload/stream.h"

uint64_t wt_stream_number(uint64_t seed, uint64_t stream)
{
	/* SplitMix64 (Steele, Lea and Flood 2014): neighbouring seeds and streams give numbers that have nothing in
	 * common. */
	uint64_t z = seed + (stream + 1) * 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

gsl_rng *wt_stream_open(uint64_t seed, uint64_t stream)
{
	/* MT19937 by name, not gsl_rng_default, which GSL_RNG_TYPE in the environment would change. */
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	/* The generator itself takes 32 bits of seed only, and 0 as another number. */
	if (rng)
		gsl_rng_set(rng, (unsigned long) (wt_stream_number(seed, stream) >> 32));
	return rng;
}
