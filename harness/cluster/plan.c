/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a specification to the files of a cluster's folder. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/un.h>
#include <unistd.h>

#include "harness/clock/virtual.h"
#include "lib/clock.h"
#include "harness/cluster/cluster_private.h"
#include "harness/cluster/conf/clusterconf.h"
#include "harness/cluster/folder/accounting.h"
#include "harness/cluster/folder/epilog.h"
#include "lib/fs.h"
#include "harness/cluster/folder/hostname.h"
#include "harness/cluster/folder/libexec.h"
#include "harness/cluster/folder/limits.h"
#include "harness/cluster/folder/munge.h"
#include "harness/cluster/folder/power_programs.h"
#include "harness/cluster/conf/nodes.h"
#include "harness/cluster/conf/schedparams.h"
#include "harness/cluster/folder/leftovers.h"
#include "lib/str.h"

#define MEMORY_MIB_PER_CPU 4096		/* when neither --memory nor the shape says it */
#define CONF_BYTES_MAX ((size_t) 16 << 20)

/* slurmctld listens on the address of its host name when told so: worth it only if that is a loopback one. */
static void controller_plan(struct wt_plan *plan, char *host, size_t size, char addr[INET_ADDRSTRLEN])
{
	strcpy(addr, "127.0.0.1");
	plan->bind_controller = wt_hostname_is_loopback(host, addr);
	if (!plan->bind_controller && wt_hostname_is_loopback(WT_HOSTNAME_OWN, addr) && wt_hostname_can_take()) {
		plan->bind_controller = plan->info.own_host_name = true;
		snprintf(host, size, "%s", WT_HOSTNAME_OWN);
	}
	plan->info.listens_everywhere = !plan->bind_controller;
}

static int machine_read(struct wt_plan *plan, struct wt_error *errp)
{
	const struct passwd *pw = getpwuid(geteuid());
	char host[256], addr[INET_ADDRSTRLEN];

	if (!pw)
		return wt_error_set(errp, ENOENT, "user id %ld has no name (getent passwd %ld): Slurm needs one",
				    (long) geteuid(),
				    (long) geteuid());
	if (gethostname(host, sizeof(host)) < 0)
		return wt_error_errno(errp, errno, "gethostname");
	host[sizeof(host) - 1] = '\0';
	controller_plan(plan, host, sizeof(host), addr);
	host[strcspn(host, ".")] = '\0';	/* slurmctld compares with the short name */
	plan->user = strdup(pw->pw_name);
	plan->host = strdup(host);
	plan->info.controller_addr = strdup(addr);
	if (!plan->user || !plan->host || !plan->info.controller_addr)
		return wt_error_errno(errp, ENOMEM, "plan");
	return 0;
}

static int shape_plan(struct wt_clusterinfo *info, const struct wt_cluster_wanted *wanted, struct wt_error *errp)
{
	if (wt_shape_read(wanted->shape, &info->shape, errp) < 0)
		return wt_error_prefix(errp, "--shape");
	if (wanted->memory_mib)
		info->shape.memory_mib = wanted->memory_mib;
	if (!info->shape.memory_mib)
		info->shape.memory_mib = (uint64_t) info->shape.cpus * MEMORY_MIB_PER_CPU;
	info->shape_text = strdup(wanted->shape ? wanted->shape : WT_SHAPE_DEFAULT);
	if (!info->shape_text)
		return wt_error_errno(errp, ENOMEM, "plan");
	wt_str_make_utf8(info->shape_text);	/* a file's name may be anything */
	return 0;
}

/* Only regular files: a pipe would be waited for.  'len' may be NULL. */
static int file_plan(const char *option, const char *path, char **text, size_t *len, struct wt_error *errp)
{
	size_t bytes = 0;

	if (!path)
		return 0;
	if (wt_fs_read_regular(path, CONF_BYTES_MAX, text, &bytes, errp) < 0)
		return wt_error_prefix(errp, "%s", option);
	/* Without 'len' the text is taken as a string, which a NUL would end before the file does. */
	if (!len && strlen(*text) != bytes)
		return wt_error_set(errp, EINVAL, "%s: %s has a NUL after %zu bytes: it is no text", option, path,
				    strlen(*text));
	if (len)
		*len = bytes;
	return 0;
}

static int demands_plan(struct wt_plan *plan, const struct wt_cluster_wanted *wanted, struct wt_error *errp)
{
	if (wanted->conf_file && wt_demands_file(&plan->demands, wanted->conf_file, errp) < 0)
		return wt_error_prefix(errp, "--conf");
	for (size_t i = 0; i < wanted->set_count; i++)
		if (wt_demands_option(&plan->demands, wanted->sets[i], errp) < 0)
			return wt_error_prefix(errp, "--set");
	return 0;
}

static int accounts_plan(struct wt_plan *plan, const struct wt_cluster_wanted *wanted, struct wt_error *errp)
{
	plan->accounts.cluster = plan->info.name;
	plan->accounts.user = plan->user;
	if (!plan->info.accounting)
		return 0;
	for (size_t i = 0; i < wanted->accounts_file_count; i++) {
		char *text = NULL;
		size_t len = 0;
		int rc = file_plan("--sacctmgr", wanted->accounts_files[i], &text, &len, errp);

		if (rc == 0)
			rc = wt_accounts_add(&plan->accounts, wanted->accounts_files[i], text, len, errp);
		free(text);
		if (rc < 0)
			return -1;
	}
	return wt_accounting_check(&plan->info, errp);
}

static int virtual_check(struct wt_error *errp)
{
	char *vnoded = wt_libexec_find("wt-vnoded", errp);

	free(vnoded);
	return vnoded ? 0 : -1;
}

/* slurmstepd's sockets: SPOOL/NODE_JOB.STEP, each number up to 4294967295. */
static int socket_path_check(const char *dir, struct wt_error *errp)
{
	size_t max = sizeof(((struct sockaddr_un *) 0)->sun_path) - sizeof("/nodes/n65535/n65535_4294967295.4294967295");

	if (strlen(dir) > max)
		return wt_error_set(errp, EINVAL,
				    "%s: %zu characters are too many for the sockets of slurmstepd in it, at most %zu: "
				    "choose a shorter WINDTUNNEL_STATE or name", dir, strlen(dir), max);
	return 0;
}

static int slurmd_check(uint32_t nodes, const char *dir, struct wt_error *errp)
{
	struct wt_limits limits;
	const char *what;
	uint32_t fit;

	if (access(SLURMD_PATH, X_OK) < 0)
		return wt_error_errno(errp, errno, "--backend slurmd: %s (Debian package slurmd)", SLURMD_PATH);
	if (socket_path_check(dir, errp) < 0 || wt_limits_read(&limits, errp) < 0)
		return -1;
	fit = wt_limits_nodes(&limits, &what);
	if (nodes <= fit)
		return 0;
	return wt_error_set(errp, EINVAL, "--backend slurmd: --nodes %" PRIu32 " do not fit: %"
			    PRIu32 " real nodes with a job each do; what "
			    "is short then: %s", nodes, fit, what);
}

static int wanted_check(const struct wt_plan *plan, const struct wt_cluster_wanted *wanted, struct wt_error *errp)
{
	if (wanted->nodes < 1 || wanted->nodes > WT_NODES_MAX)
		return wt_error_set(errp, EINVAL, "--nodes must be given, from 1 to %d", WT_NODES_MAX);
	if (wt_clusterinfo_real_nodes(&plan->info) && wanted->node_setting_count)
		return wt_error_set(errp, EINVAL,
				    "--node %s: real slurmds are as they are; only virtual nodes have settings",
				    wanted->node_settings[0]);
	if (wt_clusterinfo_real_nodes(&plan->info) && wanted->elastic_count)
		return wt_error_set(errp, EINVAL, "--elastic %s: real slurmds are not switched on and off yet; only virtual "
				    "nodes are", wanted->elastic[0]);
	if (wt_clusterinfo_real_nodes(&plan->info) && wanted->run_time_given)
		return wt_error_set(errp, EINVAL,
				    "--default-run-time: jobs of real nodes take the time that they take; it is for "
				    "virtual nodes");
	if (wt_clusterinfo_real_nodes(&plan->info))
		return slurmd_check(wanted->nodes, plan->info.dir, errp);
	if (strcmp(plan->info.backend, WT_BACKEND_VIRTUAL))
		return wt_error_set(errp, EINVAL, "--backend: '%s' is not known; there are \"virtual\" and \"slurmd\"",
				    wanted->backend);
	return virtual_check(errp);
}

static struct wt_conf *plan_conf(const struct wt_plan *plan, struct wt_confnotes *notes, struct wt_error *errp)
{
	const struct wt_clusterconf in = {
		.info = &plan->info, .user = plan->user, .host = plan->host, .bind_controller = plan->bind_controller,
		.topology = plan->topology != NULL, .accounts = plan->wanted->accounts_file_count > 0,
		.virtual_time = plan->wanted->virtual_clock || wt_virtual_memory() != NULL,
		.plugin = plan->wanted->plugin, .plugin_dir = plan->plugin_dir,
		.demands = &plan->demands, .keeps = plan->wanted->keeps, .keep_count = plan->wanted->keep_count,
	};

	return wt_clusterconf_create(&in, notes, errp);
}

int wt_plan_make(struct wt_plan *plan, const char *name, const char *path, const struct wt_cluster_wanted *wanted,
		 struct wt_error *errp)
{
	struct wt_conf *conf = NULL;

	memset(plan, 0, sizeof(*plan));
	plan->wanted = wanted;
	plan->info.nodes = wanted->nodes;
	plan->info.accounting = wanted->accounting || wanted->accounts_file_count;
	plan->info.run_time_given = wanted->run_time_given;
	plan->info.default_run_time_s = wanted->default_run_time_s;
	/* Any network will do to find out what is wrong with the configuration; wt_plan_ports () puts the real one. */
	plan->info.network = 1;
	plan->info.name = strdup(name);
	plan->info.dir = strdup(path);
	plan->info.backend = strdup(wanted->backend ? wanted->backend : WT_BACKEND_VIRTUAL);
	if (!plan->info.name || !plan->info.dir || !plan->info.backend)
		wt_error_errno(errp, ENOMEM, "plan");
	else if (wt_clusterinfo_node_settings(&plan->info, wanted->node_settings, wanted->node_setting_count, errp) == 0 &&
		 wt_clusterinfo_elastic(&plan->info, wanted->elastic, wanted->elastic_count, errp) == 0 &&
		 wanted_check(plan, wanted, errp) == 0 && shape_plan(&plan->info, wanted, errp) == 0 && machine_read(plan,
		 errp) == 0 &&
		 demands_plan(plan, wanted, errp) == 0 && accounts_plan(plan, wanted, errp) == 0 &&
		 file_plan("--topology", wanted->topology_file, &plan->topology, NULL, errp) == 0 &&
		 (!wanted->plugin || (plan->plugin_dir = wt_plugin_dir(wanted->plugin, errp))))
		conf = plan_conf(plan, &plan->notes, errp);
	if (conf)
		plan->unknown_words = wt_schedparams_unknown(wt_conf_get(conf, "SchedulerParameters"));
	if (conf && wt_clusterinfo_real_nodes(&plan->info))
		plan->node_ports = wanted->nodes + (wanted->plugin && !strcmp(wanted->plugin, WT_PLUGIN_STRAGGLER));
	if (!conf)
		wt_plan_clear(plan);
	wt_conf_destroy(conf);
	return conf ? 0 : -1;
}

void wt_plan_clear(struct wt_plan *plan)
{
	int saved_errno = errno;

	wt_clusterinfo_clear(&plan->info);
	free(plan->user);
	free(plan->host);
	free(plan->unknown_words);
	free(plan->plugin_dir);
	wt_accounts_clear(&plan->accounts);
	wt_demands_clear(&plan->demands);
	wt_confnotes_clear(&plan->notes);
	free(plan->topology);
	memset(plan, 0, sizeof(*plan));
	errno = saved_errno;
}

static int file_write(const struct wt_plan *plan, const char *name, const char *text, mode_t mode, struct wt_error *errp)
{
	char *path = wt_clusterinfo_path(&plan->info, name);
	int rc = path ? wt_fs_write(path, text, strlen(text), mode, errp) : wt_error_errno(errp, ENOMEM, "%s", name);

	free(path);
	return rc;
}

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
	struct wt_conf *conf = plan_conf(plan, &notes, errp);
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
	int rc = text ? file_write(plan, "slurm.conf", text, 0644, errp) : -1;

	free(text);
	return rc;
}

/* 'text' is freed. */
static int script_write(const struct wt_plan *plan, const char *name, char *text, struct wt_error *errp)
{
	int rc = text ? file_write(plan, name, text, 0755, errp) : wt_error_errno(errp, ENOMEM, "%s", name);

	free(text);
	return rc;
}

static int scripts_write(const struct wt_plan *plan, struct wt_error *errp)
{
	return script_write(plan, "epilog", wt_epilog_text(&plan->info), errp) < 0 ||
	       script_write(plan, "reboot", wt_reboot_text(&plan->info), errp) < 0 ? -1 : 0;
}

static int power_programs_write(const struct wt_plan *plan, struct wt_error *errp)
{
	if (!plan->info.elastic_count)
		return 0;
	return script_write(plan, WT_POWER_ON_PROGRAM, wt_power_program_text("on"), errp) < 0 ||
	       script_write(plan, WT_POWER_OFF_PROGRAM, wt_power_program_text("off"), errp) < 0 ? -1 : 0;
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
	else if (file_write(plan, "straggler.conf", conf, 0644, errp) == 0 && file_write(plan, "plugstack.conf", stack, 0644,
											 errp) == 0)
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
		.dump_count = plan->accounts.dump_count,
	};
	struct wt_confnotes notes = { 0 };
	const char *wckeys;
	struct wt_conf *conf;
	int rc;

	if (!plan->info.accounting)
		return 0;
	conf = plan_conf(plan, &notes, errp);
	wckeys = conf ? wt_conf_get(conf, "TrackWCKey") : NULL;
	a.wckeys = wckeys && (!strcasecmp(wckeys, "yes") || !strcasecmp(wckeys, "up") || !strcasecmp(wckeys, "true") ||
			      !strcmp(wckeys, "1"));
	rc = conf ? wt_accounting_prepare(&plan->info, &a, errp) : -1;
	wt_conf_destroy(conf);
	wt_confnotes_clear(&notes);
	return rc;
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
	if (!info->uuid || (clock && !info->clock))
		return wt_error_errno(errp, ENOMEM, "plan");
	if (folder_make(plan, "ctld", 0700, errp) < 0 || folder_make(plan, "nodes", 0755, errp) < 0 ||
	    wt_munge_prepare(info, errp) < 0 || conf_write(plan, errp) < 0 ||
	    scripts_write(plan, errp) < 0 || power_programs_write(plan, errp) < 0 || straggler_write(plan, errp) < 0 ||
	    accounting_write(plan, errp) < 0 ||
	    (plan->topology && file_write(plan, "topology.conf", plan->topology, 0644, errp) < 0))
		return -1;
	if (wt_clusterinfo_real_nodes(info) && file_write(plan, WT_NODE_EVENTS, WT_EVENTS_HEADER "\n", 0644, errp) < 0)
		return -1;
	/* slurmd looks for cgroups even if no plugin wants them, and without /sys/fs/cgroup ends unless the version is
	 * named. */
	if (wt_clusterinfo_real_nodes(info) && file_write(plan, "cgroup.conf", "CgroupPlugin=cgroup/v1\n", 0644, errp) < 0)
		return -1;
	/* cluster.json last: where it stands, all that "down" needs stands as well. */
	return wt_leftovers_key_make(info, errp) < 0 ? -1 : wt_clusterinfo_save(info, errp);
}
