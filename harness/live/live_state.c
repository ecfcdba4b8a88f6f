/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/live/live_state.h"

#define TRIES_MAX 1000

void live_state_init(struct live_state *state)
{
	memset(state, 0, sizeof(*state));
	state->clock_s = state->wall_s = state->left_s = state->controller_cpu_s = NAN;
}

/* A sequence lock with one writer: an odd number while it writes.  The writer never waits for a reader, which is what
 * the measured process must not do. */
void live_memory_put(struct live_memory *memory, const struct live_state *state)
{
	uint64_t before = atomic_load_explicit(&memory->sequence, memory_order_relaxed) | 1;

	atomic_store_explicit(&memory->sequence, before, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	memcpy(&memory->state, state, sizeof(*state));
	atomic_store_explicit(&memory->sequence, before + 1, memory_order_release);
}

bool live_memory_get(struct live_memory *memory, struct live_state *state, uint64_t *sequence)
{
	for (int i = 0; i < TRIES_MAX; i++) {
		uint64_t before = atomic_load_explicit(&memory->sequence, memory_order_acquire);

		if (before & 1)
			continue;
		memcpy(state, &memory->state, sizeof(*state));
		atomic_thread_fence(memory_order_acquire);
		if (atomic_load_explicit(&memory->sequence, memory_order_relaxed) == before) {
			*sequence = before;
			return true;
		}
	}
	return false;
}

/* The first bucket has all up to LIVE_BUCKET_FIRST_S; bucket i those up to that x 2^(i / LIVE_BUCKETS_OCTAVE). */
static double bucket_bound_s(size_t i)
{
	return LIVE_BUCKET_FIRST_S * exp2((double) i / LIVE_BUCKETS_OCTAVE);
}

static size_t bucket_of(double value_s)
{
	double place = ceil(log2(value_s / LIVE_BUCKET_FIRST_S) * LIVE_BUCKETS_OCTAVE);

	if (!(place > 0))	/* also the logarithm of 0 */
		return 0;
	return place < LIVE_BUCKETS - 1 ? (size_t) place : LIVE_BUCKETS - 1;
}

void live_histogram_add(struct live_histogram *h, double value_s)
{
	if (isnan(value_s))
		return;
	value_s = fmax(value_s, 0);
	h->count++;
	h->sum += value_s;
	h->max = fmax(h->max, value_s);
	h->buckets[bucket_of(value_s)]++;
}

double live_histogram_quantile(const struct live_histogram *h, double share)
{
	uint64_t seen = 0, wanted = (uint64_t) ceil(share * (double) h->count);

	if (!h->count)
		return NAN;
	for (size_t i = 0; i < LIVE_BUCKETS; i++) {
		seen += h->buckets[i];
		if (seen >= wanted && seen)
			return i ? fmin(bucket_bound_s(i), h->max) : fmin(LIVE_BUCKET_FIRST_S, h->max);
	}
	return h->max;
}

uint64_t live_histogram_below(const struct live_histogram *h, double bound_s)
{
	size_t last = bucket_of(bound_s);
	uint64_t count = 0;

	for (size_t i = 0; i <= last; i++)
		count += h->buckets[i];
	return count;
}

void live_text_set(char *field, size_t size, const char *text)
{
	snprintf(field, size, "%s", text ? text : "");
}

const char *live_phase_name(enum live_phase phase)
{
	static const char *const names[] = { "starting", "running", "finishing", "ended" };

	return (unsigned int) phase < sizeof(names) / sizeof(names[0]) ? names[phase] : "unknown";
}

const struct wt_sample *live_state_sample(const struct live_state *state)
{
	return state->sample_count ? &state->samples[(state->sample_count - 1) % LIVE_SAMPLES] : NULL;
}

void live_state_sample_add(struct live_state *state, const struct wt_sample *sample)
{
	state->samples[state->sample_count++ % LIVE_SAMPLES] = *sample;
}

void live_state_job_add(struct live_state *state, const struct live_job *job)
{
	state->last_jobs[state->job_count++ % LIVE_JOBS] = *job;
}
