/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "straggler/protocol/progress_file.h"

#define MAGIC 0x57545031u	/* "WTP1" */
#define TRIES 5

/* FNV-1a: against torn reads, not against people. */
static uint32_t record_check(const struct progress_record *record)
{
	const unsigned char *bytes = (const unsigned char *) record;
	uint32_t sum = 2166136261u;

	for (size_t i = 0; i < offsetof(struct progress_record, check); i++)
		sum = (sum ^ bytes[i]) * 16777619u;
	return sum;
}

int progress_read(const char *path, struct progress_record *record, struct wt_error *errp)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return wt_error_errno(errp, errno, "%s", path);
	/* A record may be read while it is written: then its check is wrong for a moment. */
	for (int i = 0; i < TRIES; i++) {
		ssize_t n = pread(fd, record, sizeof(*record), 0);

		if (n == (ssize_t) sizeof(*record) && record->magic == MAGIC && record->check == record_check(record)) {
			close(fd);
			return 0;
		}
	}
	close(fd);
	return wt_error_set(errp, EPROTO, "%s: no record of progress", path);
}

int progress_write(const char *path, struct progress_record *record, struct wt_error *errp)
{
	/* No O_CREAT: only slurmstepd makes these files.  The folder is root's, but root need not follow a link or wait
	 * at a pipe there. */
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ssize_t n;

	if (fd < 0)
		return wt_error_errno(errp, errno, "%s", path);
	record->magic = MAGIC;
	record->check = record_check(record);
	n = pwrite(fd, record, sizeof(*record), 0);
	if (n != (ssize_t) sizeof(*record))
		wt_error_errno(errp, n < 0 ? errno : ENOSPC, "%s", path);
	close(fd);
	return n == (ssize_t) sizeof(*record) ? 0 : -1;
}

void progress_name(char name[PROGRESS_NAME_MAX], uint32_t job_id, uint32_t start)
{
	snprintf(name, PROGRESS_NAME_MAX, "%" PRIu32 ".%" PRIu32, job_id, start);
}

bool progress_name_read(const char *name, uint32_t *job_id, uint32_t *start)
{
	char again[PROGRESS_NAME_MAX];

	if (sscanf(name, "%" SCNu32 ".%" SCNu32, job_id, start) != 2)
		return false;
	/* sscanf (3) takes signs, blanks, zeros in front and what stands behind: only the text that we would write is a
	 * name. */
	progress_name(again, *job_id, *start);
	return !strcmp(again, name);
}
