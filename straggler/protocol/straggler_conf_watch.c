/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/clock.h"
#include "straggler/protocol/straggler_conf_watch.h"

#define AGAIN_MS 100

static int64_t time_ns(struct timespec t)
{
	return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The time at which its name was moved there, too: an editor may put another file of the same size and age in its
 * place. */
static struct straggler_conf_stamp stamp_of(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return (struct straggler_conf_stamp) { 0 };
	return (struct straggler_conf_stamp) {
		.inode = st.st_ino, .size = st.st_size, .changed_ns = time_ns(st.st_mtim), .moved_ns = time_ns(st.st_ctim),
	};
}

static bool stamps_equal(const struct straggler_conf_stamp *a, const struct straggler_conf_stamp *b)
{
	return a->inode == b->inode && a->size == b->size && a->changed_ns == b->changed_ns && a->moved_ns == b->moved_ns;
}

void straggler_conf_watch_begin(struct straggler_conf_watch *watch, const char *path)
{
	watch->path = path;
	/* Before the first reading: what is changed between the two is another file at the next look. */
	watch->used = watch->last = stamp_of(path);
	watch->said = false;
}

enum straggler_conf_news straggler_conf_watch_look(struct straggler_conf_watch *watch, struct straggler_conf *conf,
						   struct wt_error *errp)
{
	struct straggler_conf_stamp before = stamp_of(watch->path), after;
	bool settled = stamps_equal(&before, &watch->last);
	int rc, errnum;

	watch->last = before;
	watch->said = watch->said && settled;
	/* A file that has just changed may be half written: it is read when it has been the same for two looks. */
	if (!settled || stamps_equal(&before, &watch->used))
		return STRAGGLER_CONF_SAME;
	rc = straggler_conf_read(conf, watch->path, errp);
	errnum = errno;
	after = stamp_of(watch->path);
	watch->last = after;
	/* It was changed while it was read: what was read may be half of each. */
	if (!stamps_equal(&before, &after))
		return STRAGGLER_CONF_SAME;
	if (rc < 0 && errnum != EINVAL) {	/* what it says is not known yet */
		bool said = watch->said;

		watch->said = true;
		return said ? STRAGGLER_CONF_SAME : STRAGGLER_CONF_BAD;
	}
	watch->used = before;
	return rc < 0 ? STRAGGLER_CONF_BAD : STRAGGLER_CONF_NEW;
}

int straggler_conf_read_patiently(struct straggler_conf *conf, const char *path, unsigned int wait_ms, struct wt_error *errp)
{
	int64_t end_us = wt_clock_monotonic_us() + (int64_t) wait_ms * 1000;

	while (straggler_conf_read(conf, path, errp) < 0) {
		if (wt_clock_monotonic_us() >= end_us)
			return -1;
		wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + AGAIN_MS * 1000);
	}
	return 0;
}
