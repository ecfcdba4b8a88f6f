/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/str.h"

static bool str_reserve(struct wt_str *s, size_t more)
{
	size_t size = s->size ? s->size : 128;
	char *text;

	/* Once failed, always failed: callers add what they have, and ask once, at wt_str_take (). */
	if (s->failed)
		return false;
	while (size - s->len <= more)
		size *= 2;
	if (size == s->size)
		return true;
	text = realloc(s->text, size);
	if (!text) {
		s->failed = true;
		return false;
	}
	s->text = text;
	s->size = size;
	return true;
}

void wt_str_add_bytes(struct wt_str *s, const char *bytes, size_t len)
{
	if (!str_reserve(s, len))
		return;
	memcpy(s->text + s->len, bytes, len);
	s->len += len;
	s->text[s->len] = '\0';
}

void wt_str_add(struct wt_str *s, const char *text)
{
	wt_str_add_bytes(s, text, strlen(text));
}

static void str_vprintf(struct wt_str *s, const char *fmt, va_list ap)
{
	va_list again;
	int len;

	va_copy(again, ap);
	/* Twice: the first time only its length is asked for. */
	len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (len < 0) {
		s->failed = true;
		return;
	}
	if (!str_reserve(s, (size_t) len))
		return;
	vsnprintf(s->text + s->len, (size_t) len + 1, fmt, ap);
	s->len += (size_t) len;
}

void wt_str_printf(struct wt_str *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	str_vprintf(s, fmt, ap);
	va_end(ap);
}

void wt_str_clear(struct wt_str *s)
{
	int saved_errno = errno;

	free(s->text);
	memset(s, 0, sizeof(*s));
	errno = saved_errno;
}

char *wt_str_take(struct wt_str *s)
{
	char *text = s->text;
	bool failed = s->failed;

	if (failed) {
		wt_str_clear(s);
		errno = ENOMEM;
		return NULL;
	}
	memset(s, 0, sizeof(*s));
	return text ? text : strdup("");
}

char *wt_str_format(const char *fmt, ...)
{
	struct wt_str s = { 0 };
	va_list ap;

	va_start(ap, fmt);
	str_vprintf(&s, fmt, ap);
	va_end(ap);
	return wt_str_take(&s);
}

char *wt_str_shell_quote(const char *text)
{
	struct wt_str s = { 0 };

	wt_str_add(&s, "'");
	for (; *text; text++) {
		if (*text == '\'')
			wt_str_add(&s, "'\\''");
		else
			wt_str_add_bytes(&s, text, 1);
	}
	wt_str_add(&s, "'");
	return wt_str_take(&s);
}

/* The length of the UTF-8 character (RFC 3629, section 4) at 'p', or 0. */
static size_t utf8_len(const unsigned char *p)
{
	size_t len = p[0] < 0x80 ? 1 : p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : p[0] >= 0xe0 && p[0] < 0xf0 ? 3 :
		     p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* No overlong forms, no surrogates, nothing above U+10FFFF. */
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) ||
	    (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return len;
}

bool wt_str_make_utf8(char *text)
{
	bool changed = false;

	while (*text) {
		size_t len = utf8_len((const unsigned char *) text);

		if (!len) {
			*text = '?';
			changed = true;
		}
		text += len ? len : 1;
	}
	return changed;
}

bool wt_str_has_controls(const char *text)
{
	for (const unsigned char *p = (const unsigned char *) text; *p; p++) {
		if (*p < ' ' || *p == 127 || (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0))
			return true;
		/* U+202A to U+202E and U+2066 to U+2069: they turn the direction of what stands behind them. */
		if (*p == 0xe2 && ((p[1] == 0x80 && p[2] >= 0xaa && p[2] <= 0xae) ||
				   (p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9)))
			return true;
	}
	return false;
}

/* C1 controls (U+0080 to U+009F) are two bytes in UTF-8. */
static void controls_replace(char *text)
{
	for (unsigned char *p = (unsigned char *) text; *p; p++) {
		if (*p < ' ' || *p == 127)
			*p = '?';
		if (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0)
			p[0] = p[1] = '?';
	}
}

char *wt_str_make_line(const char *text, size_t max)
{
	size_t len = strnlen(text, max + 1);
	bool cut = len > max;
	char *line = malloc((cut ? max : len) + 1);

	if (!line)
		return NULL;
	if (cut) {
		len = max - 3;
		for (size_t i = 0; i < 3 && len && (text[len] & 0xc0) == 0x80; i++)
			len--;
	}
	memcpy(line, text, len);
	line[len] = '\0';
	wt_str_make_utf8(line);
	controls_replace(line);
	if (cut)
		strcpy(line + len, "...");
	return line;
}

void wt_str_duration(char text[WT_DURATION_SIZE], double seconds)
{
	const char *sign = seconds < -0.5 ? "-" : "";
	unsigned long long whole;

	if (!isfinite(seconds) || fabs(seconds) > 1e15) {
		strcpy(text, "-");
		return;
	}
	whole = (unsigned long long) (fabs(seconds) + 0.5);
	if (whole >= 86400)
		snprintf(text, WT_DURATION_SIZE, "%s%llu-%02u:%02u:%02u", sign, whole / 86400,
			 (unsigned int) (whole / 3600 % 24),
			 (unsigned int) (whole / 60 % 60), (unsigned int) (whole % 60));
	else
		snprintf(text, WT_DURATION_SIZE, "%s%02u:%02u:%02u", sign, (unsigned int) (whole / 3600),
			 (unsigned int) (whole / 60 % 60),
			 (unsigned int) (whole % 60));
}

int wt_str_to_u64(const char *text, uint64_t min, uint64_t max, const char *what, uint64_t *value,
		  struct wt_error *errp)
{
	char *end;
	uint64_t v;

	/* strtoull (3) alone would take blanks, signs and hexadecimal numbers. */
	if (!text || !*text || text[strspn(text, "0123456789")])
		return wt_error_set(errp, EINVAL, "%s: '%s' is not a whole number", what, text ? text : "");
	errno = 0;
	v = strtoull(text, &end, 10);
	if (errno == ERANGE || v < min || v > max)
		return wt_error_set(errp, ERANGE, "%s: %s is not from %" PRIu64 " to %" PRIu64, what, text, min, max);
	*value = v;
	return 0;
}
