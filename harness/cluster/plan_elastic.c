/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The settings of --elastic: what does not fit is told before anything is made; and the programs that they need. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/cluster/cluster_private.h"
#include "harness/cluster/folder/power_programs.h"
#include "harness/vnode/model/elastic.h"
#include "lib/str.h"

#define ADDRESS_NODES_MAX 32768	/* half of a /16 network (harness/vnode/model/addresses.h) */

static uint32_t nodes_all(const struct wt_plan *plan)
{
	return plan->info.nodes + plan->info.dynamic_nodes;
}

static uint32_t number_find(const void *arg, const char *name)
{
	const struct wt_plan *plan = arg;
	char again[16];
	uint64_t number;

	if (*name != 'n' || wt_str_to_u64(name + 1, 0, nodes_all(plan) - 1, "node", &number, NULL) < 0)
		return UINT32_MAX;
	snprintf(again, sizeof(again), "n%" PRIu64, number);
	return strcmp(again, name) ? UINT32_MAX : (uint32_t) number;	/* n007 is nobody's name */
}

/* To be cleared in any case. */
static int elastic_read(const struct wt_plan *plan, struct wt_elastic *elastic, struct wt_error *errp)
{
	for (size_t i = 0; i < plan->info.elastic_count; i++)
		if (wt_elastic_add(elastic, plan->info.elastic[i], errp) < 0)
			return wt_error_prefix(errp, "--elastic");
	wt_elastic_defaults(elastic);
	/* A site's nodes have names of their own, which their process knows. */
	if (wt_elastic_nodes(elastic, nodes_all(plan), plan->info.site ? NULL : number_find, plan, errp) < 0)
		return wt_error_prefix(errp, "--elastic");
	return 0;
}

static bool addresses_change(const struct wt_elastic *elastic)
{
	bool change = elastic->address_new;

	for (uint32_t i = 0; i < elastic->class_count; i++)
		change = change || elastic->classes[i].law.address_new;
	return change;
}

/* Nobody would hear of a program that cannot be run: it is the nodes' process that starts it, or slurmctld. */
static int program_check(const char *key, const char *action, struct wt_error *errp)
{
	struct stat st;

	if (!action || *action != '/')
		return 0;
	if (stat(action, &st) < 0 || access(action, X_OK) < 0)
		return wt_error_errno(errp, errno, "--elastic %s=%s", key, action);
	return S_ISREG(st.st_mode) ? 0 : wt_error_set(errp, EINVAL, "--elastic %s=%s: this is no program", key, action);
}

static int programs_check(const struct wt_elastic *elastic, struct wt_error *errp)
{
	return program_check("on-notice", elastic->on_notice, errp) < 0 ||
	       program_check("on-resume-fail", elastic->on_resume_fail, errp) < 0 ||
	       program_check("on-stock-out", elastic->on_stock_out, errp) < 0 ? -1 : 0;
}

static int addresses_check(const struct wt_plan *plan, const struct wt_elastic *elastic, struct wt_error *errp)
{
	if (!addresses_change(elastic))
		return 0;
	if (wt_clusterinfo_real_nodes(&plan->info) && plan->info.hosts.count)
		return wt_error_set(errp, EINVAL, "--elastic address=new: nodes on hosts of their own have these hosts' "
				    "addresses");
	if (nodes_all(plan) > ADDRESS_NODES_MAX)
		return wt_error_set(errp, EINVAL, "--elastic address=new: --nodes %" PRIu32 " leave no addresses for a "
				    "second boot: %d are the most", nodes_all(plan), ADDRESS_NODES_MAX);
	return 0;
}

int wt_plan_elastic_check(const struct wt_plan *plan, struct wt_error *errp)
{
	struct wt_elastic elastic = { 0 };
	int rc = elastic_read(plan, &elastic, errp);

	if (rc == 0 && wt_elastic_check(&elastic, errp) < 0)
		rc = wt_error_prefix(errp, "--elastic");
	if (rc == 0 && (addresses_check(plan, &elastic, errp) < 0 || programs_check(&elastic, errp) < 0))
		rc = -1;
	wt_elastic_clear(&elastic);
	return rc;
}

/* With a staged failure of it there is one. */
static char *fail_text(const struct wt_plan *plan, const struct wt_elastic *elastic)
{
	return wt_power_fail_text(plan->info.dir, elastic->on_resume_fail ? elastic->on_resume_fail : "off",
				  elastic->drop_slow_s);
}

static int programs_write(const struct wt_plan *plan, const struct wt_elastic *elastic, struct wt_error *errp)
{
	const char *dir = plan->info.dir;
	char *on = addresses_change(elastic) ? wt_power_on_text(dir, elastic->resume_slow_s) :
		   wt_power_program_text("on", elastic->resume_slow_s);
	int rc = wt_plan_script_write(plan, WT_POWER_ON_PROGRAM, on, errp);

	if (rc == 0)
		rc = wt_plan_script_write(plan, WT_POWER_OFF_PROGRAM, wt_power_program_text("off", elastic->suspend_slow_s),
					  errp);
	if (rc == 0)
		rc = wt_plan_script_write(plan, WT_POWER_FAIL_PROGRAM, fail_text(plan, elastic), errp);
	if (rc == 0 && elastic->on_notice)
		rc = wt_plan_script_write(plan, WT_POWER_NOTICE_PROGRAM, wt_power_notice_text(dir, elastic->on_notice),
					  errp);
	if (rc == 0 && elastic->on_stock_out && strcmp(elastic->on_stock_out, "wait"))
		rc = wt_plan_script_write(plan, WT_POWER_STOCK_OUT_PROGRAM,
					  wt_power_stock_out_text(dir, elastic->on_stock_out), errp);
	return rc;
}

int wt_plan_power_write(const struct wt_plan *plan, struct wt_error *errp)
{
	struct wt_elastic elastic = { 0 };
	int rc;

	if (!plan->info.elastic_count)
		return 0;
	rc = elastic_read(plan, &elastic, errp);
	if (rc == 0)
		rc = programs_write(plan, &elastic, errp);
	wt_elastic_clear(&elastic);
	return rc;
}
