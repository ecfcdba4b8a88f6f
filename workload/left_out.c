/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "workload/left_out.h"

static const struct {
	const char *key, *text;
	bool by_choice;
} infos[WT_LEFT_COUNT] = {
	[WT_LEFT_NO_RUN_TIME] = { "no_run_time", "without a run time", false },
	[WT_LEFT_NO_SIZE] = { "no_size", "without a number of processors", false },
	[WT_LEFT_NOT_RUN] = { "not_run", "cancelled or failed before they ran", false },
	[WT_LEFT_PART] = { "part", "parts of other jobs", false },
	[WT_LEFT_BAD] = { "bad", "that cannot be read", true },
	[WT_LEFT_PROFILE] = { "profile", "with a profile that cannot be run", true },
	[WT_LEFT_LARGE] = { "large", "larger than the machine", true },
	[WT_LEFT_OUTSIDE] = { "outside", "outside of the slice", false },
};

const char *wt_left_out_key(enum wt_left_out why)
{
	return infos[why].key;
}

const char *wt_left_out_text(enum wt_left_out why)
{
	return infos[why].text;
}

static int one_choose(const char *word, size_t len, bool chosen[WT_LEFT_COUNT])
{
	for (int i = 0; i < WT_LEFT_COUNT; i++)
		if (infos[i].by_choice && strlen(infos[i].key) == len && !strncmp(word, infos[i].key, len)) {
			chosen[i] = true;
			return 0;
		}
	return -1;
}

int wt_left_out_choose(const char *list, bool chosen[WT_LEFT_COUNT], struct wt_error *errp)
{
	const char *word = list;

	for (;;) {
		size_t len = strcspn(word, ",");

		if (one_choose(word, len, chosen) < 0)
			return wt_error_set(errp, EINVAL, "'%.*s' cannot be left out: give bad, large or profile", (int) len,
					    word);
		if (!word[len])
			return 0;
		word += len + 1;
	}
}
