/* error.h - errno plus one line of text.
 *
 * Every function of this project that can fail takes a 'struct wt_error *errp' (may be NULL), sets errno, fills *errp
 * with one line that says what, where and what to do, and returns -1 or NULL.  Libraries neither log nor exit.
 * Objects are plain values: one thread at a time. */
#ifndef WT_LIB_ERROR_H
#define WT_LIB_ERROR_H

struct wt_error {
	char text[1024];	/* one line: control characters have become '?'; no newline at its end; always terminated */
};

/* Fill *errp (may be NULL) and set errno to 'errnum'.  Always returns -1, so that callers can write
 * "return wt_error_set (errp, EINVAL, "...");".  The text is truncated to fit. */
int wt_error_set(struct wt_error *errp, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same, with ": strerror (errnum)" behind the text. */
int wt_error_errno(struct wt_error *errp, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Put "context: " before the text already in *errp (may be NULL); errno is preserved.  Always returns -1. */
int wt_error_prefix(struct wt_error *errp, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
