/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "harness/cluster/folder/slurmd_place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/cluster/folder/libexec.h"
#include "harness/cluster/folder/preload.h"
#include "harness/fence/place.h"

static char *library;
static char place[64];

int wt_slurmd_place_find(struct wt_error *errp)
{
	library = wt_libexec_find_library("libwtaddress.so", errp);
	if (!library)
		return -1;
	if (!wt_preload_usable(library))
		return wt_error_set(errp, EINVAL, "%s: a path with blanks or colons cannot be preloaded", library);
	return 0;
}

void wt_slurmd_place_wish(const char *address, uint16_t port)
{
	snprintf(place, sizeof(place), "%s:%u", address, port);
}

int wt_slurmd_place_take(void)
{
	/* The loader would go on without it. */
	return !library || access(library, R_OK) < 0 || setenv(WT_ADDRESS_ENV, place, 1) < 0 ? -1 : wt_preload_add(library);
}
