/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a plan to the files of a cluster's folder. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "harness/clock/virtual.h"
#include "harness/cluster/cluster_clock.h"
#include "harness/cluster/cluster_private.h"
#include "harness/cluster/conf/clusterconf.h"
#include "harness/cluster/conf/nodes.h"
#include "harness/cluster/conf/sitenodes.h"
#include "harness/cluster/extrafiles.h"
#include "harness/cluster/folder/accounting.h"
#include "harness/cluster/folder/epilog.h"
#include "harness/cluster/folder/leftovers.h"
#include "harness/cluster/folder/munge.h"
#include "harness/cluster/folder/nsswrapper.h"
#include "harness/cluster/folder/power_programs.h"
#include "lib/clock.h"
#include "lib/fs.h"
#include "lib/str.h"

static int folder_make(const struct wt_plan *plan, const char *name, mode_t mode, struct wt_error *errp)
{
	char *path = wt_clusterinfo_path(&plan->info, name);
	int rc = path ? wt_fs_make_dir(path, mode, errp) : wt_error_errno(errp, ENOMEM, "%s", name);

	free(path);
	return rc;
}

/* What was left out is said in the file, too: it is kept with the results of runs. */
static char *conf_print(const struct wt_conf *conf, const struct wt_confnotes *notes)
{
	char *settings = wt_conf_print(conf), *said = wt_confnotes_text(notes), *rest = said, *line;
	struct wt_str s = { 0 };

	while (settings && said && *rest && (line = strsep(&rest, "\n")))
		wt_str_printf(&s, "# %s\n", line);
	if (settings)
		wt_str_add(&s, settings);
	s.failed = s.failed || !settings || !said;
	free(settings);
	free(said);
	return wt_str_take(&s);
}

char *wt_plan_conf_text(const struct wt_plan *plan, struct wt_error *errp)
{
	struct wt_confnotes notes = { 0 };
	struct wt_conf *conf = wt_plan_conf(plan, &notes, errp);
	char *text = conf ? conf_print(conf, &notes) : NULL;

	if (conf && !text)
		wt_error_errno(errp, ENOMEM, "slurm.conf");
	wt_conf_destroy(conf);
	wt_confnotes_clear(&notes);
	return text;
}

static int conf_write(const struct wt_plan *plan, struct wt_error *errp)
{
	char *text = wt_plan_conf_text(plan, errp);
	int rc = text ? wt_plan_file_write(plan, "slurm.conf", text, 0644, errp) : -1;

	free(text);
	return rc;
}

/* Nobody but the supervisor knows of a real node that it has no slurmd yet. */
static int begin_off_note(struct wt_plan *plan, struct wt_error *errp)
{
	struct wt_confnotes notes = { 0 };
	struct wt_conf *conf;

	if (!wt_clusterinfo_real_nodes(&plan->info) || plan->info.hosts.count)
		return 0;
	conf = wt_plan_conf(plan, &notes, errp);
	plan->info.nodes_begin_off = conf && wt_nodes_begin_off(conf);
	wt_conf_destroy(conf);
	wt_confnotes_clear(&notes);
	return conf ? 0 : -1;
}

static int scripts_write(const struct wt_plan *plan, struct wt_error *errp)
{
	return wt_plan_script_write(plan, "epilog", wt_epilog_text(&plan->info), errp) < 0 ||
	       wt_plan_script_write(plan, "reboot", wt_reboot_text(&plan->info), errp) < 0 ? -1 : 0;
}

static int straggler_write(const struct wt_plan *plan, struct wt_error *errp)
{
	char *conf, *stack, *agent;
	int rc = -1;

	if (!plan->wanted->plugin || strcmp(plan->wanted->plugin, WT_PLUGIN_STRAGGLER))
		return 0;
	conf = wt_clusterconf_straggler(&plan->info);
	agent = wt_str_format("%s/../wt-agentd", plan->plugin_dir);	/* in a build tree */
	stack = wt_clusterconf_plugstack(&plan->info, plan->plugin_dir, agent && access(agent, X_OK) == 0 ? agent : NULL);
	if (!conf || !stack)
		wt_error_errno(errp, ENOMEM, "straggler.conf");
	else if (wt_plan_file_write(plan, "straggler.conf", conf, 0644, errp) == 0 &&
		 wt_plan_file_write(plan, "plugstack.conf", stack, 0644, errp) == 0)
		rc = folder_make(plan, "progress", 0755, errp);
	free(conf);
	free(stack);
	free(agent);
	return rc;
}

void wt_plan_ports(struct wt_plan *plan, const struct wt_ports *ports)
{
	plan->info.network = ports->network;
	plan->info.lock_port = ports->lock;
	plan->info.controller_port = ports->controller;
	plan->info.slurmdbd_port = ports->slurmdbd;
	plan->info.nodes_port = ports->nodes;
}

static int accounting_write(const struct wt_plan *plan, struct wt_error *errp)
{
	struct wt_accounting a = {
		.user = plan->user, .host = plan->host, .bind = plan->bind_controller,
		.commands = plan->accounts.commands.text ? plan->accounts.commands.text : "", .dumps = plan->accounts.dumps,
		.dump_count = plan->accounts.dump_count, .usage = plan->site.text[SITE_USAGE],
	};
	struct wt_confnotes notes = { 0 };
	const char *wckeys;
	struct wt_conf *conf;
	int rc;

	if (!plan->info.accounting)
		return 0;
	conf = wt_plan_conf(plan, &notes, errp);
	wckeys = conf ? wt_conf_get(conf, "TrackWCKey") : NULL;
	a.wckeys = wckeys && (!strcasecmp(wckeys, "yes") || !strcasecmp(wckeys, "up") || !strcasecmp(wckeys, "true") ||
			      !strcmp(wckeys, "1"));
	rc = conf ? wt_accounting_prepare(&plan->info, &a, errp) : -1;
	wt_conf_destroy(conf);
	wt_confnotes_clear(&notes);
	return rc;
}

static int users_write(const struct wt_plan *plan, struct wt_error *errp)
{
	if (!plan->users.passwd)
		return 0;
	return folder_make(plan, WT_USERS_FOLDER, 0755, errp) < 0 ||
	       wt_plan_file_write(plan, WT_USERS_PASSWD, plan->users.passwd, 0644, errp) < 0 ||
	       wt_plan_file_write(plan, WT_USERS_GROUP, plan->users.group, 0644, errp) < 0 ? -1 : 0;
}

static int gpu_files_write(const struct wt_plan *plan, unsigned int files, struct wt_error *errp)
{
	char name[sizeof(WT_GPU_FILES) + 12];

	if (folder_make(plan, "dev", 0755, errp) < 0)
		return -1;
	for (unsigned int i = 0; i < files; i++) {
		snprintf(name, sizeof(name), WT_GPU_FILES "%u", i);
		if (wt_plan_file_write(plan, name, "", 0644, errp) < 0)
			return -1;
	}
	return 0;
}

/* Of a site's nodes only: on a cluster of our own making GPUs are refused with the advice to take another resource. */
static int gres_write(const struct wt_plan *plan, struct wt_error *errp)
{
	struct wt_confnotes notes = { 0 };
	unsigned int files = 0, unlike = 0;
	struct wt_conf *conf;
	char *text = NULL, *said;
	int rc = -1;

	if (!plan->wanted->site)
		return 0;
	conf = wt_plan_conf(plan, &notes, errp);
	if (conf)
		text = wt_sitenodes_gres(conf, plan->site.text[SITE_GRES], plan->info.dir, &files, &unlike, errp);
	if (text)
		rc = files && (wt_plan_file_write(plan, "gres.conf", text, 0644, errp) < 0 ||
			       gpu_files_write(plan, files, errp) < 0) ? -1 : 0;
	said = unlike ? wt_str_format("gres.conf of the site names other numbers of GPUs than slurm.conf for %u lines of "
				      "nodes: their Cores and Links are left out.\n", unlike) : NULL;
	if (rc == 0 && said && plan->wanted->tell)
		plan->wanted->tell(said);
	free(said);
	free(text);
	wt_conf_destroy(conf);
	wt_confnotes_clear(&notes);
	return rc;
}

static int extra_write(const struct wt_plan *plan, struct wt_error *errp)
{
	for (size_t i = 0; i < plan->wanted->file_count; i++)
		if (wt_extrafile_copy(plan->wanted->files[i], plan->info.dir, errp) < 0)
			return -1;
	return 0;
}

int wt_plan_write(struct wt_plan *plan, const struct wt_ports *ports, struct wt_error *errp)
{
	struct wt_clusterinfo *info = &plan->info;
	const char *clock = wt_virtual_memory();
	char uuid[37];

	if (wt_clusterinfo_uuid(uuid, errp) < 0)
		return -1;
	/* A new one for each attempt: processes of the one before must not be taken for this cluster's. */
	free(info->uuid);
	info->uuid = strdup(uuid);
	wt_plan_ports(plan, ports);
	info->created_us = wt_clock_now_us(wt_clock_real());
	free(info->clock);
	info->clock = clock ? strdup(clock) : NULL;
	info->sealed_in_process = clock && wt_cluster_clock_seals();
	if (!info->uuid || (clock && !info->clock))
		return wt_error_errno(errp, ENOMEM, "plan");
	if (folder_make(plan, "ctld", 0700, errp) < 0 || folder_make(plan, "nodes", 0755, errp) < 0 ||
	    wt_munge_prepare(info, errp) < 0 || conf_write(plan, errp) < 0 ||
	    begin_off_note(plan, errp) < 0 ||
	    scripts_write(plan, errp) < 0 || wt_plan_power_write(plan, errp) < 0 || straggler_write(plan, errp) < 0 ||
	    accounting_write(plan, errp) < 0 || users_write(plan, errp) < 0 || gres_write(plan, errp) < 0 ||
	    extra_write(plan, errp) < 0 ||
	    (plan->topology && wt_plan_file_write(plan, "topology.conf", plan->topology, 0644, errp) < 0))
		return -1;
	if ((wt_clusterinfo_real_nodes(info) || info->hosts.count) &&
	    wt_plan_file_write(plan, WT_NODE_EVENTS, WT_EVENTS_HEADER "\n", 0644, errp) < 0)
		return -1;
	/* slurmd looks for cgroups even if no plugin wants them, and without /sys/fs/cgroup ends unless the version is
	 * named. */
	if (wt_clusterinfo_real_nodes(info) &&
	    wt_plan_file_write(plan, "cgroup.conf", "CgroupPlugin=cgroup/v1\n", 0644, errp) < 0)
		return -1;
	/* cluster.json last: where it stands, all that "down" needs stands as well. */
	return wt_leftovers_key_make(info, errp) < 0 ? -1 : wt_clusterinfo_save(info, errp);
}
