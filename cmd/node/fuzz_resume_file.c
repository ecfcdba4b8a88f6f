/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file that slurmctld writes for ResumeProgram: whatever it holds, lines to the nodes' process stay single words. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/node/resume_file.h"
#include "lib/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct resume_job *jobs;
	size_t count = resume_jobs_parse((const char *) data, size, &jobs);

	for (size_t i = 0; i < count; i++)
		if (!jobs[i].job_id || !*jobs[i].nodes || strpbrk(jobs[i].nodes, " \t\r\n"))
			abort();
	resume_jobs_free(jobs, count);
	return 0;
}

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	static const char seed[] = "{\"all_nodes_resume\": \"n[0-5]\", \"jobs\": ["
				   "{\"job_id\": 7, \"nodes_resume\": \"n[0-3]\"}, "
				   "{\"job_id\": 8, \"nodes\": \"n5\"}]}";

	if (index || sizeof(seed) - 1 > size)
		return 0;
	memcpy(buf, seed, sizeof(seed) - 1);
	return sizeof(seed) - 1;
}
