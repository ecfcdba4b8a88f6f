/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <string.h>

#include "harness/report/size_class.h"

static const char *const size_names[] = {
	"1 CPU", "2 to 8", "9 to 32", "33 to 128", "129 to 512", "513 to 2048", "more than 2048",
};
#define SIZE_NAMES (sizeof(size_names) / sizeof(size_names[0]))

const char *wt_size_class_name(uint32_t cpus)
{
	size_t class = 0;

	for (uint32_t most = 1; class + 1 < SIZE_NAMES && cpus > most; class++)
		most = most == 1 ? 8 : 4 * most;
	return size_names[class];
}

size_t wt_size_class_order(const char *name)
{
	size_t i = 0;

	while (i < SIZE_NAMES && strcmp(size_names[i], name) != 0)
		i++;
	return i;
}
