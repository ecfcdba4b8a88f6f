/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/clock/virtual.h"
#include "harness/cluster/cluster_clock.h"
#include "harness/cluster/folder/libexec.h"
#include "lib/str.h"

#define LIBRARY "libwtclock.so"
#define SEALER "libwtmunge.so"

/* What is preloaded, as LD_PRELOAD wants it: the clock's library is the first.  The caller frees it. */
static char *libraries_find(bool seal, struct wt_error *errp)
{
	char *clock = wt_libexec_find_library(LIBRARY, errp), *sealer, *list = NULL;

	if (!clock || !seal)
		return clock;
	sealer = wt_libexec_find_library(SEALER, errp);
	if (sealer && !(list = wt_str_format("%s:%s", clock, sealer)))
		wt_error_errno(errp, ENOMEM, "virtual clock");
	free(sealer);
	free(clock);
	return list;
}

bool wt_cluster_clock_seals(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && strstr(preload, "/" SEALER);
}

int wt_cluster_clock_enter(const char *charge, const char *log, const struct wt_cluster_wanted *wanted,
			   struct wt_error *errp)
{
	struct wt_virtual v = { .charge = charge ? charge : WT_CHARGE_DEFAULT, .log = log,
				.slack_ms = wanted->timer_slack_ms };
	char *coordinator, *library;

	if (wt_virtual_memory())
		return 0;
	coordinator = wt_libexec_find("wt-clockd", errp);
	library = coordinator ? libraries_find(wanted->credentials == WT_CREDENTIALS_PROCESS, errp) : NULL;
	v.coordinator = coordinator;
	v.library = library;
	/* It does not return when all is well: the process begins again, beside the clock. */
	if (library)
		wt_virtual_enter(&v, errp);
	free(coordinator);
	free(library);
	return -1;
}

int wt_cluster_clock_join(const struct wt_cluster *cluster, struct wt_error *errp)
{
	char *library;

	if (!cluster->clock || wt_virtual_memory())
		return 0;
	library = libraries_find(cluster->sealed_in_process, errp);
	if (library)
		wt_virtual_join(library, cluster->clock, errp);
	free(library);
	return -1;
}

int wt_cluster_clock_environment(const struct wt_cluster *cluster, bool driver, struct wt_error *errp)
{
	char *library;
	int rc;

	if (!cluster->clock)
		return 0;
	library = libraries_find(cluster->sealed_in_process, errp);
	rc = library ? wt_virtual_environment(library, cluster->clock, driver, errp) : -1;
	free(library);
	return rc;
}
