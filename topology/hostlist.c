/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of a list stand one behind the other in one block, found by their offsets: hundreds of thousands of nodes
 * cost two allocations that grow, not one each. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/hostlist_private.h"

void wt_hostlist_destroy(struct wt_hostlist *hl)
{
	int saved_errno = errno;

	if (hl) {
		free(hl->offsets);
		free(hl->bytes);
		free(hl);
	}
	errno = saved_errno;
}

size_t wt_hostlist_count(const struct wt_hostlist *hl)
{
	return hl ? hl->count : 0;
}

const char *wt_hostlist_name(const struct wt_hostlist *hl, size_t i)
{
	return hl && i < hl->count ? hl->bytes + hl->offsets[i] : NULL;
}

int hostlist_name_char(char c)
{
	return isgraph((unsigned char) c) && !strchr("[],\"#=\\", c);
}

int hostlist_append(struct wt_hostlist *hl, const char *name, size_t len, struct wt_error *errp)
{
	if (hl->count == hl->name_cap) {
		size_t cap = hl->name_cap ? 2 * hl->name_cap : 16;
		size_t *offsets = realloc(hl->offsets, cap * sizeof(*offsets));

		if (!offsets)
			return wt_error_errno(errp, ENOMEM, "host list");
		hl->offsets = offsets;
		hl->name_cap = cap;
	}
	if (hl->byte_count + len + 1 > hl->byte_cap) {
		size_t cap = 2 * (hl->byte_cap + len + 1);
		char *bytes = realloc(hl->bytes, cap);

		if (!bytes)
			return wt_error_errno(errp, ENOMEM, "host list");
		hl->bytes = bytes;
		hl->byte_cap = cap;
	}
	hl->offsets[hl->count++] = hl->byte_count;
	memcpy(hl->bytes + hl->byte_count, name, len);
	hl->bytes[hl->byte_count + len] = '\0';
	hl->byte_count += len + 1;
	return 0;
}

/* A name as prefix and number: "n007" is "n", 7, padded to 3; "n7" and "n0" are not padded. */
struct split {
	size_t prefix_len;
	uint64_t number;
	int width;	/* 0: not padded; -1: no number at the end */
};

static struct split name_split(const char *name)
{
	size_t len = strlen(name);
	struct split s = { .prefix_len = len, .width = -1 };

	/* Not more digits than a number holds: what stands before them belongs to the prefix. */
	while (s.prefix_len && len - s.prefix_len < DIGITS_MAX && isdigit((unsigned char) name[s.prefix_len - 1]))
		s.prefix_len--;
	if (s.prefix_len < len) {
		s.number = strtoull(name + s.prefix_len, NULL, 10);
		s.width = name[s.prefix_len] == '0' && len - s.prefix_len > 1 ? (int) (len - s.prefix_len) : 0;
	}
	return s;
}

/* Whether 'name' is what a range that began with 'first' would give for its number: same prefix, and the same digits. */
static int split_alike(const char *first_name, const struct split *first, const char *name, const struct split *s)
{
	char digits[32];

	if (first->width < 0 || s->width < 0 || first->prefix_len != s->prefix_len ||
	    memcmp(first_name, name, s->prefix_len))
		return 0;
	snprintf(digits, sizeof(digits), "%0*llu", first->width, (unsigned long long) s->number);
	return !strcmp(digits, name + s->prefix_len);
}

/* Names [begin, end) share a prefix: write "prefix[a-b,c]", or "prefixa" when there is but one. */
static void group_write(FILE *out, const char *const *names, size_t begin, size_t end)
{
	struct split s = name_split(names[begin]);

	if (end - begin == 1) {
		fputs(names[begin], out);
		return;
	}
	fprintf(out, "%.*s[", (int) s.prefix_len, names[begin]);
	for (size_t i = begin, next; i < end; i = next) {
		uint64_t first = name_split(names[i]).number;

		/* Only neighbours in the given order are put into a range: a list keeps its order when it is read
		 * again. */
		for (next = i + 1; next < end && name_split(names[next]).number == first + (next - i); next++)
			;
		fprintf(out, "%s%s", i > begin ? "," : "", names[i] + s.prefix_len);
		if (next - i > 1)
			fprintf(out, "-%s", names[next - 1] + s.prefix_len);
	}
	fputc(']', out);
}

static int names_check(const char *const *names, size_t count, struct wt_error *errp)
{
	if (!names || !count)
		return wt_error_set(errp, EINVAL, "no names to write as a host list");
	for (size_t i = 0; i < count; i++) {
		if (!names[i] || !names[i][0] || strlen(names[i]) > WT_HOSTLIST_NAME_MAX)
			return wt_error_set(errp, EINVAL, "name %zu is empty or longer than %d characters", i,
					    WT_HOSTLIST_NAME_MAX);
		for (const char *c = names[i]; *c; c++)
			if (!hostlist_name_char(*c))
				return wt_error_set(errp, EINVAL, "name '%s' has a character that no name may have",
						    names[i]);
	}
	return 0;
}

char *wt_hostlist_format(const char *const *names, size_t count, struct wt_error *errp)
{
	char *text = NULL;
	size_t len;
	FILE *out;

	if (names_check(names, count, errp) < 0)
		return NULL;
	out = open_memstream(&text, &len);
	if (!out) {
		wt_error_errno(errp, errno, "host list");
		return NULL;
	}
	for (size_t i = 0, next; i < count; i = next) {
		struct split first = name_split(names[i]);

		for (next = i + 1; next < count; next++) {
			struct split s = name_split(names[next]);

			if (!split_alike(names[i], &first, names[next], &s))
				break;
		}
		if (i)
			fputc(',', out);
		group_write(out, names, i, next);
	}
	if (fclose(out) == 0)
		return text;
	wt_error_errno(errp, errno, "host list");
	free(text);
	return NULL;
}
