/* SPDX-License-Identifier: GPL-2.0-or-later */
/* participant.c - what the rest of the library stands on: which clock it is, the wrapped functions, the end in an error. */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/clock/participant.h"

struct participant participant;

void participant_die(const char *fmt, ...)
{
	char text[512];
	va_list ap;
	int len;

	len = snprintf(text, sizeof(text), "%s[%d]: windtunnel virtual clock: ", program_invocation_short_name, getpid());
	va_start(ap, fmt);
	vsnprintf(text + len, sizeof(text) - len, fmt, ap);
	va_end(ap);
	len = strlen(text);
	if (len > (int) sizeof(text) - 2)
		len = sizeof(text) - 2;
	text[len++] = '\n';
	/* Like write () of wrap_io.c, which may not have been found yet. */
	participant_send();
	if (syscall(SYS_write, STDERR_FILENO, text, len) < 0)
		_exit(76);
	_exit(75);
}

void *participant_real(const char *name)
{
	void *f = dlsym(RTLD_NEXT, name);

	if (!f)
		participant_die("this system's C library has no %s ()", name);
	return f;
}

int64_t participant_mono_ns(void)
{
	struct timespec ts;

	REAL(clock_gettime) (CLOCK_MONOTONIC, &ts);
	return participant_timespec_ns(&ts);
}
