/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "plugins/straggler/slurmctld/stamp.h"

bool stamps_clock(struct stamps *s, int64_t real_us, int64_t monotonic_us)
{
	int64_t offset_us = real_us - monotonic_us;
	/* By the difference of the two clocks, which time alone does not change; slewing (adjtime (3)) moves it by less
	 * than that in a second. */
	bool back = s->clocked && offset_us < s->offset_us - STAMP_STEP_US;

	s->clocked = true;
	s->offset_us = offset_us;
	if (back) {
		s->doubted = true;
		s->believed_s = 0;
	}
	return back;
}

bool stamps_fresh(const struct stamps *s, const struct stamp_file *file)
{
	return !s->seen || s->last.inode != file->inode || s->last.changed_s != file->changed_s ||
		s->last.changed_ns != file->changed_ns;
}

void stamps_take(struct stamps *s, const struct stamp_file *file, int64_t stamp_s)
{
	/* The first file ever seen was there before us, and clears no doubt. */
	s->believed_s = s->seen && !s->doubted ? stamp_s : 0;
	s->doubted = s->doubted && !s->seen;
	s->seen = true;
	s->last = *file;
}
