/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "straggler/protocol/names.h"

#define WIDTH_MAX 10	/* of a number, as Slurm has it */

char *copy_name(const char *pattern, const struct copy_names *names)
{
	size_t len;
	char *text = NULL;
	FILE *out;
	bool literal = strchr(pattern, '\\') != NULL;	/* sbatch(1): a backslash turns all replacement off */

	/* /dev/null.attempt2 would be a file in a folder of devices. */
	if (!strncmp(pattern, "/dev/", 5))
		return strdup(pattern);
	out = open_memstream(&text, &len);
	if (!out)
		return NULL;
	for (const char *at = pattern; *at; ) {
		const char *end = at + 1;
		unsigned long width = 0;

		while (*at == '%' && isdigit((unsigned char) *end))
			width = 10 * width + (unsigned long) (*end++ - '0') % 1000;
		/* Left to Slurm, which reads the pattern once more for the copy. */
		if (*at == '%' && *end == '%' && end == at + 1) {
			fputs("%%", out);
			at += 2;
		} else if (*at == '%' && !literal && (*end == 'A' || *end == 'a')) {
			fprintf(out, "%0*" PRIu32, (int) (width > WIDTH_MAX ? WIDTH_MAX : width),
				*end == 'A' ? names->array_job_id : names->array_task_id);
			at = end + 1;
		} else {
			fputc(*at++, out);
		}
	}
	fprintf(out, ".attempt%" PRIu32, names->number);
	if (fclose(out) != 0) {
		free(text);
		errno = ENOMEM;
		return NULL;
	}
	return text;
}

/* Brackets may come several times ("r[1-2]n[3-4]"): of each the first number counts. */
void first_node(const char *list, char *node, size_t size)
{
	size_t n = 0;
	bool inside = false;

	for (const char *at = list; *at && n + 1 < size; at++) {
		if (*at == '[') {
			inside = true;
		} else if (inside && (*at == '-' || *at == ',' || *at == ']')) {
			at = strchr(at, ']');
			inside = false;
			if (!at)
				break;
		} else if (*at == ',') {
			break;
		} else {
			node[n++] = *at;
		}
	}
	if (size)
		node[n] = '\0';
}
