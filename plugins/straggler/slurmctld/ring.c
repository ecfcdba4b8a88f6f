/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>

#include "plugins/straggler/slurmctld/ring.h"

struct ring {
	uint64_t next;	/* number of the next one */
	struct beat {
		uint32_t uid, array_job_id, tasks, attempt;
		struct wt_heartbeat hb;
	} beats[RING_SIZE];
};

struct ring *ring_create(void)
{
	return calloc(1, sizeof(struct ring));
}

void ring_destroy(struct ring *ring)
{
	free(ring);
}

void ring_add(uint32_t uid, uint32_t array_job_id, uint32_t tasks, uint32_t attempt, const struct wt_heartbeat *hb,
	      void *arg)
{
	struct ring *ring = arg;

	ring->beats[ring->next++ % RING_SIZE] = (struct beat) { uid, array_job_id, tasks, attempt, *hb };
}

void ring_show(const struct ring *ring, uint32_t uid, uint32_t array_job_id, uint64_t from, FILE *out)
{
	uint64_t oldest = ring->next > RING_SIZE ? ring->next - RING_SIZE : 0, at, lost = 0;
	unsigned int count = 0;

	if (from > ring->next)	/* slurmctld was started anew: they are counted from 0 again */
		from = 0;
	if (from < oldest)
		lost = oldest - from;
	for (at = from + lost; at < ring->next && count < RING_ANSWER; at++) {
		const struct beat *b = &ring->beats[at % RING_SIZE];

		if ((uid != RING_ALL && b->uid != uid) || (array_job_id && b->array_job_id != array_job_id))
			continue;
		count++;
		fprintf(out,
			"{\"array\":%" PRIu32 ",\"tasks\":%" PRIu32 ",\"task\":%" PRIu32 ",\"attempt\":%" PRIu32
			",\"received_s\":%.6f,\"elapsed_s\":%.6f,"
			"\"progress\":%.9g,\"end\":%s}\n",
			b->array_job_id, b->tasks, b->hb.task, b->attempt, b->hb.received_s, b->hb.elapsed_s, b->hb.progress,
			b->hb.end ? "true" : "false");
	}
	fprintf(out, "{\"next\":%" PRIu64 ",\"lost\":%" PRIu64 "}\n", at, lost);
}
