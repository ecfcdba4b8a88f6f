/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "lib/suggest.h"

#define WORD_MAX 63

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool same(char a, char b)
{
	return tolower((unsigned char) a) == tolower((unsigned char) b);
}

/* Optimal string alignment, by three rows of the usual table: of the letter before the last, of the last, and of this
 * one. */
static size_t distance(const char *a, const char *b)
{
	size_t rows[3][WORD_MAX + 1], *before = rows[0], *last = rows[1], *now = rows[2], *spare;
	size_t len_a = strlen(a), len_b = strlen(b);

	for (size_t j = 0; j <= len_b; j++)
		last[j] = j;
	for (size_t i = 1; i <= len_a; i++) {
		now[0] = i;
		for (size_t j = 1; j <= len_b; j++) {
			now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + !same(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
				now[j] = least(now[j], before[j - 2] + 1);
		}
		spare = before;
		before = last;
		last = now;
		now = spare;
	}
	return last[len_b];
}

const char *wt_suggest(const char *word, const char *const *names, size_t count, size_t stride)
{
	/* One mistake in three letters: with more, anything resembles anything. */
	size_t len = strlen(word), best = len / 3 > 1 ? len / 3 : 1;
	const char *found = NULL, *begins = NULL;

	if (len > WORD_MAX)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		const char *name = *(const char *const *) ((const char *) names + i * stride);
		size_t far;

		if (!name || strlen(name) > WORD_MAX)
			continue;
		if (!begins && len > 1 && !strncasecmp(word, name, len))
			begins = name;
		far = distance(word, name);
		if (far < best || (far == best && !found)) {
			best = far;
			found = name;
		}
	}
	return begins ? begins : found;
}
