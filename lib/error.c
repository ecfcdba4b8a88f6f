/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/error.h"

/* What a message quotes may come from anywhere: a newline would make two messages of it, an escape would speak to the
 * terminal. */
static void text_format(struct wt_error *errp, const char *fmt, va_list ap)
{
	vsnprintf(errp->text, sizeof(errp->text), fmt, ap);
	for (char *c = errp->text; *c; c++) {
		if ((unsigned char) *c < ' ' || *c == '\177')
			*c = '?';
	}
}

int wt_error_set(struct wt_error *errp, int errnum, const char *fmt, ...)
{
	if (errp) {
		va_list ap;

		va_start(ap, fmt);
		text_format(errp, fmt, ap);
		va_end(ap);
	}
	errno = errnum;
	return -1;
}

int wt_error_errno(struct wt_error *errp, int errnum, const char *fmt, ...)
{
	if (errp) {
		va_list ap;
		size_t used;

		va_start(ap, fmt);
		text_format(errp, fmt, ap);
		va_end(ap);
		used = strlen(errp->text);
		snprintf(errp->text + used, sizeof(errp->text) - used, ": %s", strerror(errnum));
	}
	errno = errnum;
	return -1;
}

int wt_error_prefix(struct wt_error *errp, const char *fmt, ...)
{
	int saved_errno = errno;

	if (errp) {
		/* A copy: the new text is written over it. */
		struct wt_error old = *errp;
		va_list ap;
		size_t used;

		va_start(ap, fmt);
		text_format(errp, fmt, ap);
		va_end(ap);
		used = strlen(errp->text);
		snprintf(errp->text + used, sizeof(errp->text) - used, ": %s", old.text);
	}
	errno = saved_errno;
	return -1;
}
