/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/experiment/twin_target.h"
#include "harness/experiment/experiment_plan.h"
#include "harness/experiment/settings_check.h"
#include "harness/experiment/try_out.h"
#include "lib/str.h"

static char *value_of(const struct experiment_settings *all, const char *key)
{
	const struct experiment_setting *s = experiment_settings_find(all, "cluster", key);

	return s ? s->value : NULL;
}

static int kinds_check(const struct real_kind *kind, const struct experiment_settings *emulated, struct wt_error *errp)
{
	const char *what = NULL;

	if (value_of(emulated, "site"))
		return 0;
	if (*kind->shapes_differ && !value_of(emulated, "shape"))
		what = kind->shapes_differ;
	else if (*kind->memory_differs && !value_of(emulated, "memory"))
		what = kind->memory_differs;
	if (!what)
		return 0;
	return wt_error_set(errp, EINVAL, "the real cluster's nodes are not all alike: %s: give --site, what 'windtunnel "
			    "site import' made of it, or --emulate %s", what, what == kind->shapes_differ ? "shape=..." :
			    "memory=MIB");
}

int twin_target_look(struct real_kind *kind, const struct twin_plan *twin, bool refuse, struct wt_error *errp)
{
	const struct experiment_settings *real = &twin->real;
	struct run_real options = { .reservation = value_of(real, "reservation"), .shared = value_of(real, "shared") };
	const char *max_nodes = value_of(real, "max-nodes");

	if (max_nodes && wt_str_to_u64(max_nodes, 1, UINT32_MAX, "--max-nodes", &options.max_nodes, errp) < 0) {
		errno = EINVAL;
		return -1;
	}
	if (real_kind_look(kind, &options, value_of(real, "partition"), refuse, errp) < 0)
		return -1;
	return kinds_check(kind, &twin->emulated, errp);
}

int twin_target_try(const struct twin_plan *twin, struct wt_error *errp)
{
	struct experiment_plan plan = { 0 };
	struct experiment e = { 0 };
	char *text = twin_file(twin, errp);
	int rc = text ? experiment_parse(&e, "twin", text, strlen(text), errp) : -1, saved_errno;

	if (rc == 0)
		rc = settings_check(&e, errp);
	if (rc == 0)
		rc = experiment_plan_make(&plan, &e, TWIN_EMULATED, errp);
	if (rc == 0)
		rc = try_out_plan(&plan, "twin", errp);
	saved_errno = errno;
	experiment_plan_clear(&plan);
	experiment_clear(&e);
	free(text);
	errno = saved_errno;
	return rc;
}
