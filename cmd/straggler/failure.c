/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>

#include "cmd/straggler/failure.h"

int straggler_failed(const char *name, const struct wt_error *err)
{
	fprintf(stderr, "%s: %s\n", name, err->text);
	return 1;
}
