/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A variable of a job's environment (lists of run times among them) and, behind an empty byte, its script. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "harness/vnode/model/job_behaviour.h"
#include "lib/fuzz.h"
#include "record/job_env.h"

#define DEFAULT_US 7000000

static int64_t run_time_us(char *variable, const char *script, uint32_t task, const char *node)
{
	const struct job_behaviour_place place = { task, node };
	char *environment[] = { (char *) "SLURM_ARRAY_TASK_ID=2", NULL, variable };
	struct job_behaviour b;

	job_behaviour_read(&b, environment, 3, script, &place, DEFAULT_US);
	if (b.run_time_us < 0 || b.run_time_us > JOB_BEHAVIOUR_MAX_RUN_TIME_US)
		abort();
	return b.run_time_us;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 2);
	const char *script;

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = text[size + 1] = '\0';
	script = text + strlen(text) + 1;
	for (uint32_t task = 0; task < 4; task++) {
		int64_t near_us = run_time_us(text, NULL, task, "n1"), away_us = run_time_us(text, NULL, task, "n 1");

		/* A name with a blank is in no list.  What is too long there has the default time. */
		if (near_us > away_us && away_us != DEFAULT_US)
			abort();
	}
	if (run_time_us(text, script, UINT32_MAX, NULL) != run_time_us(text, script, 2, NULL))
		abort();
	free(text);
	return 0;
}

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	static const char *const seeds[] = {
		WT_JOB_ENV_RUN_TIME "=5 6.5 7 8", WT_JOB_ENV_RUN_TIME "=12.25", WT_JOB_ENV_EXIT_CODE "=3",
		WT_JOB_ENV_RUN_TIME "=5.000000+2.000000@n1,n12 3+1@n1 4+0.5@n2,n3,n1", WT_JOB_ENV_PROBE "=job",
		WT_JOB_ENV_FAIL "=signal:9", WT_JOB_ENV_IGNORE_TERM "=1", "A=\0#!/bin/sh\nsleep 2m 3.5\nexit 3\n",
		"A=\0#!/bin/sh\n#SBATCH -n 2\nexec sleep 1h\n",
	};
	size_t len;

	if (index >= sizeof(seeds) / sizeof(seeds[0]))
		return 0;
	len = strlen(seeds[index]);
	/* Of those that have a script: its empty byte, and what stands behind it. */
	if (len == 2 && size >= 64) {
		size_t behind = strlen(seeds[index] + 3);

		memcpy(buf, seeds[index], 3 + behind);
		return 3 + behind;
	}
	if (len > size)
		return 0;
	memcpy(buf, seeds[index], len);
	return len;
}
