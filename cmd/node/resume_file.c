/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/node/resume_file.h"
#include "lib/fs.h"

#define FILE_MAX ((size_t) 16 << 20)

/* A word of a line that is to come: no blanks, no ends of lines. */
static bool is_word(const char *text)
{
	return text && *text && !strpbrk(text, " \t\r\n");
}

size_t resume_jobs_parse(const char *text, size_t len, struct resume_job **jobs)
{
	json_t *v = json_loadb(text, len, 0, NULL), *list = json_object_get(v, "jobs"), *job;
	size_t count = 0, i;

	*jobs = calloc(json_array_size(list) + 1, sizeof(**jobs));
	json_array_foreach(list, i, job) {
		json_int_t id = json_integer_value(json_object_get(job, "job_id"));
		const char *nodes = json_string_value(json_object_get(job, "nodes_resume"));

		if (!nodes)
			nodes = json_string_value(json_object_get(job, "nodes"));
		if (!*jobs || id <= 0 || id > UINT32_MAX || !is_word(nodes))
			continue;
		(*jobs)[count].job_id = (uint32_t) id;
		(*jobs)[count].nodes = strdup(nodes);
		count += (*jobs)[count].nodes != NULL;
	}
	json_decref(v);
	return count;
}

size_t resume_jobs_read(const char *path, struct resume_job **jobs)
{
	size_t len, count;
	char *text;

	*jobs = NULL;
	if (!path || wt_fs_read(path, FILE_MAX, &text, &len, NULL) < 0)
		return 0;
	count = resume_jobs_parse(text, len, jobs);
	free(text);
	return count;
}

void resume_jobs_free(struct resume_job *jobs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(jobs[i].nodes);
	free(jobs);
}
