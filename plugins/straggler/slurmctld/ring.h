/* ring.h - the latest accepted heartbeats, numbered, for "windtunnel straggler record".  One thread at a time. */
#ifndef WT_PLUGINS_STRAGGLER_SLURMCTLD_RING_H
#define WT_PLUGINS_STRAGGLER_SLURMCTLD_RING_H

#include <stdio.h>

#include "straggler/spec.h"

#define RING_SIZE 65536		/* heartbeats; 3.5 MB */
#define RING_ANSWER 8192	/* in an answer */
#define RING_ALL UINT32_MAX	/* as uid: of all users */

struct ring;

struct ring *ring_create(void);		/* NULL: no memory */
void ring_destroy(struct ring *ring);
void ring_add(uint32_t uid, uint32_t array_job_id, uint32_t tasks, uint32_t attempt, const struct wt_heartbeat *hb,
	      void *ring);

/* Those of 'uid' and 'array_job_id' (0: all) from number 'from' on, a JSON object a line, then
 * {"next":NUMBER,"lost":COUNT}. */
void ring_show(const struct ring *ring, uint32_t uid, uint32_t array_job_id, uint64_t from, FILE *out);

#endif
