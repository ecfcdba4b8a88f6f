/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "harness/clock/virtual.h"
#include "harness/cluster/cluster_clock.h"
#include "harness/cluster/folder/libexec.h"

#define LIBRARY "libwtclock.so"

int wt_cluster_clock_enter(const char *charge, const char *log, struct wt_error *errp)
{
	struct wt_virtual v = { .charge = charge ? charge : WT_CHARGE_DEFAULT, .log = log };
	char *coordinator, *library;

	if (wt_virtual_memory())
		return 0;
	coordinator = wt_libexec_find("wt-clockd", errp);
	library = coordinator ? wt_libexec_find_library(LIBRARY, errp) : NULL;
	v.coordinator = coordinator;
	v.library = library;
	/* It does not return when all is well: the process begins again, beside the clock. */
	if (library)
		wt_virtual_enter(&v, errp);
	free(coordinator);
	free(library);
	return -1;
}

int wt_cluster_clock_join(const char *clock, struct wt_error *errp)
{
	char *library;

	if (!clock || wt_virtual_memory())
		return 0;
	library = wt_libexec_find_library(LIBRARY, errp);
	if (library)
		wt_virtual_join(library, clock, errp);
	free(library);
	return -1;
}

int wt_cluster_clock_environment(const char *clock, bool driver, struct wt_error *errp)
{
	char *library;
	int rc;

	if (!clock)
		return 0;
	library = wt_libexec_find_library(LIBRARY, errp);
	rc = library ? wt_virtual_environment(library, clock, driver, errp) : -1;
	free(library);
	return rc;
}
