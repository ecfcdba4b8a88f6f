/* SPDX-License-Identifier: GPL-2.0-or-later */
/* virtual_memory.c - the memory that a clock is known by: which it is, whether the clock lives, its removal. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "lib/clock.h"
#include "harness/clock/clock_shm.h"
#include "lib/str.h"
#include "harness/clock/virtual.h"

const char *wt_virtual_memory(void)
{
	return wt_clock_own() == wt_clock_real() ? NULL : getenv(WT_SHM_ENV);
}

/* Its coordinator holds the file's lock as long as it lives. */
bool wt_virtual_is_alive(const char *memory)
{
	int fd = open(memory, O_RDONLY | O_CLOEXEC);
	bool alive;

	if (fd < 0)
		return false;
	alive = flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
	close(fd);
	return alive;
}

void wt_virtual_remove(const char *memory)
{
	char *view = wt_str_format("%s%s", memory, WT_VIEW_SUFFIX);

	if (view)
		unlink(view);
	free(view);
	unlink(memory);
}
