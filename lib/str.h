/* str.h - growing text, numbers from text, quoting for the shell.
 *
 * A zeroed struct wt_str is empty and valid; free it with wt_str_clear ().  Not locked: one thread at a time.
 * When memory ends, 'failed' is set and all that follows is ignored: check once, with wt_str_take (). */
#ifndef WT_LIB_STR_H
#define WT_LIB_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

struct wt_str {
	char *text;		/* NULL while empty; always terminated */
	size_t len, size;
	bool failed;
};

void wt_str_add(struct wt_str *s, const char *text);
void wt_str_add_bytes(struct wt_str *s, const char *bytes, size_t len);
void wt_str_printf(struct wt_str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void wt_str_clear(struct wt_str *s);

/* Hand over the text (never NULL on success, "" when empty); the caller frees it; *s is empty again.
 * NULL with errno ENOMEM when an addition failed. */
char *wt_str_take(struct wt_str *s);

/* printf into a new string that the caller frees; NULL with errno ENOMEM. */
char *wt_str_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* 'text' in single quotes for a POSIX shell; the caller frees it.  NULL with errno ENOMEM. */
char *wt_str_shell_quote(const char *text);

/* Put '?' for each byte of 'text' that is no part of a UTF-8 character (RFC 3629).  Returns whether there was one. */
bool wt_str_make_utf8(char *text);

/* Has this UTF-8 text characters that no name has, and that make a terminal show another: Unicode's C0 and C1, DEL, and
 * those that turn the direction of what follows (U+202A to U+202E, U+2066 to U+2069)? */
bool wt_str_has_controls(const char *text);

/* A copy of foreign text, of at most 'max' bytes (at least 3), that can stand in a line of a table and harms no terminal:
 * '?' for each byte of a control character (Unicode's C0 and C1, DEL) and as above; what is longer ends in "...", not inside
 * a character.  The caller frees it. NULL with errno ENOMEM. */
char *wt_str_make_line(const char *text, size_t max);

#define WT_DURATION_SIZE 32
/* Seconds as "[d-]hh:mm:ss", as Slurm writes times, to the nearest second; "-" in front when negative, only "-" for NAN and
 * infinity. */
void wt_str_duration(char text[WT_DURATION_SIZE], double seconds);

/* Read a whole decimal number from 'min' to 'max' (no sign, no blanks, nothing behind it); 'what' names it in the
 * error text.  0, or -1 with EINVAL (not a number; NULL) or ERANGE. */
int wt_str_to_u64(const char *text, uint64_t min, uint64_t max, const char *what, uint64_t *value,
		  struct wt_error *errp);

#endif
