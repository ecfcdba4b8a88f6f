/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/report/output_names.h"
#include "record/event_format.h"

/* By their names, or where both are there already. */
static bool files_same(const char *a, const char *b)
{
	struct stat of_a, of_b;

	if (stat(a, &of_a) < 0)
		return !strcmp(a, b);
	return S_ISREG(of_a.st_mode) && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

static bool folder_has(const char *folder, const char *output)
{
	static const char *const files[] = {
		"summary.json", "scenario.json", "jobs.csv", "jobs.swf", "series.csv", WT_EVENTS_FILE, "slurm.conf",
		"topology.conf", PAGE_HEARTBEATS,
	};
	bool found = false;

	for (size_t i = 0; !found && i < sizeof(files) / sizeof(files[0]); i++) {
		char *path = wt_str_format("%s/%s", folder, files[i]);

		found = path && files_same(output, path);
		free(path);
	}
	return found;
}

static int inputs_check(const char *output, const struct page_input *input, struct wt_error *errp)
{
	for (size_t i = 0; i < input->run_count; i++) {
		const struct page_run *run = &input->runs[i];

		if (run->single_file ? files_same(output, run->path) : folder_has(run->path, output))
			return wt_error_set(errp, EINVAL, "%s: is what %s is read from; give another name", output,
					    run->path);
	}
	return 0;
}

int output_names_check(const char *page, const struct report_outputs *outputs, const struct page_input *input,
		       struct wt_error *errp)
{
	const char *const names[] = { page, outputs->trace, outputs->openmetrics };
	enum { NAMES = sizeof(names) / sizeof(names[0]) };

	for (size_t i = 0; i < NAMES; i++) {
		if (names[i] && inputs_check(names[i], input, errp) < 0)
			return -1;
		for (size_t k = 0; k < i && names[i]; k++)
			if (names[k] && files_same(names[i], names[k]))
				return wt_error_set(errp, EINVAL, "%s: two outputs cannot be the same file", names[i]);
	}
	return 0;
}
