/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <string.h>

#include "harness/run/job_tag.h"

const char *wt_run_job_name(const char *comment, const char *name, const char *tag)
{
	size_t len = strlen(tag);

	if (strncmp(comment, tag, len))
		return NULL;
	if (!comment[len])
		return name;
	return comment[len] == ' ' ? comment + len + 1 : NULL;
}
