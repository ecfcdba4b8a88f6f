/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/node_cpus.h"

char *wt_node_cpus_format(const uint32_t *cpus, size_t count)
{
	char *text = NULL;
	size_t len, same;
	FILE *out;

	for (size_t i = 0; i < count; i++)
		if (!cpus[i])
			count = 0;
	if (!count) {
		errno = EINVAL;
		return NULL;
	}
	out = open_memstream(&text, &len);
	if (!out)
		return NULL;
	for (size_t i = 0; i < count; i += same) {
		for (same = 1; i + same < count && cpus[i + same] == cpus[i]; same++)
			;
		fprintf(out, "%s%" PRIu32, i ? "," : "", cpus[i]);
		if (same > 1)
			fprintf(out, "(x%zu)", same);
	}
	if (fclose(out) == 0)
		return text;
	free(text);
	errno = ENOMEM;
	return NULL;
}

/* A number from 1 to 'max'; what is behind it, or NULL. */
static const char *number_take(const char *text, uint64_t max, uint64_t *value)
{
	*value = 0;
	for (; isdigit((unsigned char) *text); text++) {
		*value = 10 * *value + (uint64_t) (*text - '0');
		if (*value > max)
			return NULL;
	}
	return *value ? text : NULL;
}

/* "16" or "16(x3)"; what is behind it, or NULL. */
static const char *term_take(const char *text, uint64_t *cpus, uint64_t *nodes)
{
	*nodes = 1;
	text = number_take(text, UINT32_MAX, cpus);
	if (!text || *text != '(')
		return text;
	if (text[1] != 'x')
		return NULL;
	text = number_take(text + 2, UINT32_MAX, nodes);
	return text && *text == ')' ? text + 1 : NULL;
}

int wt_node_cpus_parse(const char *text, uint32_t *cpus, size_t count, struct wt_error *errp)
{
	const char *at = text;
	uint64_t value, nodes;
	size_t known = 0;

	while (1) {
		at = term_take(at, &value, &nodes);
		if (!at || (*at && *at != ','))
			return wt_error_set(errp, EINVAL, "CPUs of nodes are like 16(x3),4");
		/* Before they are laid down: "1(x4000000000)" is a short text. */
		if (nodes > count - known)
			return wt_error_set(errp, EINVAL, "more nodes than the %zu that the job had", count);
		for (uint64_t i = 0; cpus && i < nodes; i++)
			cpus[known + i] = (uint32_t) value;
		known += nodes;
		if (!*at++)
			break;
	}
	if (known < count)
		return wt_error_set(errp, EINVAL, "%zu nodes of the %zu that the job had", known, count);
	return 0;
}
