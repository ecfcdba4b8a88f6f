/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/intervals.h"

static int index_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

	return (x > y) - (x < y);
}

static void interval_print(FILE *out, uint32_t first, uint32_t last, int more)
{
	fprintf(out, "%s%" PRIu32, more ? " " : "", first);
	if (last > first)
		fprintf(out, "-%" PRIu32, last);
}

char *wt_intervals_format(uint32_t *indexes, size_t count)
{
	char *text = NULL;
	size_t size = 0, first = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (count)
		qsort(indexes, count, sizeof(*indexes), index_compare);
	for (size_t i = 1; i <= count; i++) {
		if (i < count && indexes[i] - indexes[i - 1] <= 1)
			continue;
		interval_print(out, indexes[first], indexes[i - 1], first > 0);
		first = i;
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}
