/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the log, "up" and state.json are told; and failures, which all three are. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/clock.h"
#include "harness/cluster/folder/logtail.h"
#include "lib/str.h"
#include "harness/cluster/supervisor/supervisor_private.h"

#define COMPLAINTS 3	/* last lines of a log */

/* stderr is daemons.log (wt_supervisor_start). */
void sup_log(struct sup *sup, const char *fmt, ...)
{
	int64_t now_us = wt_clock_now_us(wt_clock_real());
	time_t now_s = (time_t) (now_us / 1000000);
	char when[32], text[1024];
	struct tm tm;
	va_list ap;

	(void) sup;
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", localtime_r(&now_s, &tm));
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	dprintf(STDERR_FILENO, "%s.%06d %s\n", when, (int) (now_us % 1000000), text);
}

void sup_tell(struct sup *sup, const char *fmt, ...)
{
	char text[1200];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (sup->args.up_fd < 0 || len <= 0)
		return;
	if (len >= (int) sizeof(text)) {
		len = sizeof(text) - 1;
		text[len - 1] = '\n';
	}
	/* A reader that is gone is noticed by up_cb; one that is slow misses a line of progress. */
	(void) !send(sup->args.up_fd, text, (size_t) len, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* The folder that we hold, and not another cluster's that was made in its place: ours stays as long as it is open. */
bool sup_folder_is_ours(const struct sup *sup)
{
	struct stat held, now;

	return fstat(sup->args.lock_fd, &held) == 0 && stat(sup->info.dir, &now) == 0 && held.st_dev == now.st_dev &&
	       held.st_ino == now.st_ino;
}

void sup_state_save(struct sup *sup)
{
	struct wt_error err;
	bool failed = sup_folder_is_ours(sup) && wt_state_save(sup->info.dir, &sup->state, &err) < 0;

	if (failed && !sup->state_unsaved)
		sup_log(sup, "%s", err.text);
	sup->state_unsaved = failed;
}

void sup_fail(struct sup *sup, int errnum, const char *fmt, ...)
{
	char *text = sup->state.message;
	va_list ap;

	if (sup->stopping)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(sup->state.message), fmt, ap);
	va_end(ap);
	for (char *p = text; *p; p++)
		if (*p == '\n')
			*p = ' ';
	wt_str_make_utf8(text);		/* a log may hold anything; JSON may not */
	sup->failed = true;
	sup->state.phase = WT_PHASE_FAILED;
	sup_tell(sup, "F %d %s\n", errnum, text);
	sup->frame->failed(sup, errnum, text);
	sup->frame->stop(sup, text);
}

void sup_fail_ended(struct sup *sup, const char *name, const char *how, const char *log, const char *other)
{
	char *said = log ? wt_logtail_file(log, COMPLAINTS) : NULL;
	int errnum = log && wt_logtail_address_in_use(log) ? EADDRINUSE : ECHILD;

	if (!said && other)
		said = wt_logtail_file(other, COMPLAINTS);
	sup_fail(sup, errnum, "%s ended (%s) and said: %s (%s)", name, how, said ? said : "nothing", log ? log : "");
	free(said);
}
