/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz the reader of slurmctld's log: what jobs were offered, and their order, must be what wt_replay () takes. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/placement/placements_reader.h"
#include "lib/fuzz.h"

#define JOBS 9

static const char *const seeds[] = {
	"[2026-01-01T00:00:03.000] windtunnel bestfit: offered: JobId=3 16:n[0-3] 3:n7\n",
	"[t] windtunnel bestfit: offered: JobId=1 4:n[0-7]\n[t] windtunnel bestfit: offered: JobId=1 4:n[0-7] 4:n[1,1,3] "
	"1:m8\n",
	"[t] sched: Allocate JobId=9_1(3) NodeList=n[0-7]\n[t] sched/backfill: _start_job: Started JobId=2 in p on n1\n"
	"[t] sched: _slurm_rpc_allocate_resources JobId=4 NodeList=n2\n[t] windtunnel bestfit: offered: JobId=77 1:n1\n",
	"[t] windtunnel bestfit: offered: JobId=2 4294967295:n[0-7] 1:n[",
};

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	size_t len = index < sizeof(seeds) / sizeof(seeds[0]) ? strlen(seeds[index]) : 0;

	if (len > size)
		len = size;
	memcpy(buf, len ? seeds[index] : "", len);
	return len;
}

static void jobs_check(const struct raw *raw)
{
	uint32_t nodes = wt_tree_nodes(raw->tree);

	for (size_t i = 0; i < raw->count; i++) {
		const struct wt_replay_job *j = &raw->jobs[i].job;

		if (raw->jobs[i].job_id < 1 || raw->jobs[i].job_id > JOBS || !isfinite(j->start_s) || j->offer_count > nodes)
			abort();
		for (uint32_t n = 0; n < j->offer_count; n++)
			if (j->offer_nodes[n] >= nodes || !j->offer_units[n])
				abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct wt_tree *tree;
	struct raw_job jobs[JOBS] = { 0 };
	struct raw raw = { .jobs = jobs, .count = JOBS };
	FILE *in = size ? fmemopen((void *) (uintptr_t) data, size, "r") : NULL;	/* of nothing there is no file */

	if (!tree)
		tree = wt_tree_fat(&(struct wt_tree_shape) { .arity = "4,2" }, NULL);
	if (!in || !tree)
		return 0;
	raw.tree = tree;
	for (uint32_t i = 0; i < JOBS; i++)
		jobs[i] = (struct raw_job) { .job_id = i + 1, .job.start_s = i };
	raw_read_log(&raw, in, NULL);
	jobs_check(&raw);
	for (size_t i = 0; i < JOBS; i++) {
		free((void *) (uintptr_t) jobs[i].job.offer_nodes);
		free((void *) (uintptr_t) jobs[i].job.offer_units);
	}
	fclose(in);
	return 0;
}
