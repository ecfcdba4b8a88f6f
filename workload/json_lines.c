/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "workload/json_lines.h"

#define LINES_MAX ((size_t) 16 << 20) /* more jobs than are read: a bomb */

static const char jobs_key[] = "jobs";

static void line_note(struct wt_json_lines *l)
{
	size_t capacity = l->capacity ? 2 * l->capacity : 1024;
	size_t *lines;

	l->element = false;
	if (l->count == l->capacity) {
		lines = l->failed || l->count >= LINES_MAX ? NULL : reallocarray(l->lines, capacity, sizeof(*lines));
		l->failed |= !lines;	/* messages do without */
		if (l->failed)
			return;
		l->lines = lines;
		l->capacity = capacity;
	}
	l->lines[l->count++] = l->newlines + 1;
}

static void string_byte(struct wt_json_lines *l, char c)
{
	if (l->escaped) {
		l->escaped = false;
	} else if (c == '"') {
		l->in_string = false;
		return;
	} else {
		l->escaped = c == '\\';
	}
	if (l->depth == 1 && l->key_len < sizeof(l->key))
		l->key[l->key_len++] = c;
}

/* A value of the object: is it the array?  A string that is no key has no value behind it. */
static bool jobs_begin(const struct wt_json_lines *l, char c)
{
	return l->depth == 1 && c == '[' && l->key_len == sizeof(jobs_key) - 1 && !memcmp(l->key, jobs_key, l->key_len);
}

static void bracket(struct wt_json_lines *l, char c)
{
	if (c == '{' || c == '[') {
		if (jobs_begin(l, c))
			l->in_jobs = l->element = true;
		l->depth++;
		return;
	}
	l->depth -= l->depth > 0;
	if (l->depth <= 1)
		l->in_jobs = l->element = false;
}

static void plain_byte(struct wt_json_lines *l, char c)
{
	if (l->element && !strchr(" \t\r\n,]", c))
		line_note(l);
	if (c == '"') {
		l->in_string = true;
		l->key_len = l->depth == 1 ? 0 : l->key_len;
	} else if (c == '{' || c == '[' || c == '}' || c == ']') {
		bracket(l, c);
	} else if (c == ',' && l->in_jobs && l->depth == 2) {
		l->element = true;
	}
}

void wt_json_lines_take(struct wt_json_lines *l, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (l->in_string)
			string_byte(l, text[i]);
		else
			plain_byte(l, text[i]);
		l->newlines += text[i] == '\n';
	}
}

size_t wt_json_lines_of(const struct wt_json_lines *l, size_t element)
{
	return element < l->count ? l->lines[element] : 0;
}

void wt_json_lines_clear(struct wt_json_lines *l)
{
	int saved_errno = errno;

	free(l->lines);
	memset(l, 0, sizeof(*l));
	errno = saved_errno;
}
