/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what was asked for to a checked plan. */
#include "config.h"

#include <errno.h>
#include <grp.h>
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
#include "harness/cluster/cluster_private.h"
#include "harness/cluster/conf/clusterconf.h"
#include "harness/cluster/conf/sitenodes.h"
#include "harness/cluster/conf/usage_state.h"
#include "harness/cluster/extrafiles.h"
#include "harness/cluster/folder/accounting.h"
#include "harness/cluster/folder/allocator.h"
#include "lib/fs.h"
#include "harness/cluster/folder/hostname.h"
#include "harness/cluster/folder/libexec.h"
#include "harness/cluster/folder/limits.h"
#include "harness/cluster/folder/nsswrapper.h"
#include "harness/cluster/conf/nodes.h"
#include "harness/cluster/conf/schedparams.h"
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
	if (plan->info.hosts.count) {
		/* It takes its address for its name, which it may listen on alone then. */
		snprintf(addr, sizeof(addr), "%s", plan->info.hosts.list[0].address);
		plan->bind_controller = plan->info.own_host_name = wt_hostname_can_take();
		plan->info.listens_everywhere = !plan->bind_controller;
		if (plan->bind_controller)
			snprintf(host, sizeof(host), "%s", addr);
	}
	plan->user = strdup(pw->pw_name);
	plan->host = strdup(host);
	plan->info.controller_addr = strdup(addr);
	if (!plan->user || !plan->host || !plan->info.controller_addr)
		return wt_error_errno(errp, ENOMEM, "plan");
	return 0;
}

static int shape_plan(struct wt_clusterinfo *info, const struct wt_cluster_wanted *wanted, struct wt_error *errp)
{
	if (wanted->site) {	/* wt_plan_make () looks at its nodes */
		info->shape_text = wt_str_format("%s/slurm.conf", info->site);
		return info->shape_text ? 0 : wt_error_errno(errp, ENOMEM, "plan");
	}
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

/* What a site's folder says is not said again. */
static int site_plan(struct wt_plan *plan, const struct wt_cluster_wanted *wanted, struct wt_error *errp)
{
	const char *other = wanted->nodes ? "--nodes" : wanted->shape ? "--shape" : wanted->memory_mib ? "--memory" :
		wanted->conf_file ? "--conf" : wanted->passwd_file ? "--passwd" : NULL;

	if (!wanted->site)
		return 0;
	if (other)
		return wt_error_set(errp, EINVAL, "%s: --site says that already; --set changes what its slurm.conf says",
				    other);
	plan->info.site = strdup(wanted->site);
	if (!plan->info.site)
		return wt_error_errno(errp, ENOMEM, "--site");
	wt_str_make_utf8(plan->info.site);
	if (wt_sitefolder_read(&plan->site, wanted->site, errp) < 0)
		return -1;
	plan->info.accounting = plan->info.accounting || plan->site.text[SITE_ACCOUNTS];
	return 0;
}

static int demands_plan(struct wt_plan *plan, const struct wt_cluster_wanted *wanted, struct wt_error *errp)
{
	const struct wt_sitefolder *site = &plan->site;

	if (wanted->site && (wt_demands_alone(&plan->demands, site->text[SITE_CONF], site->path[SITE_CONF], errp) < 0 ||
			     wt_sitenodes_count(&plan->demands, &plan->info.nodes, errp) < 0))
		return wt_error_prefix(errp, "--site");
	if (wanted->conf_file && wt_demands_file(&plan->demands, wanted->conf_file, errp) < 0)
		return wt_error_prefix(errp, "--conf");
	for (size_t i = 0; i < wanted->set_count; i++)
		if (wt_demands_option(&plan->demands, wanted->sets[i], errp) < 0)
			return wt_error_prefix(errp, "--set");
	return 0;
}

static const char *machine_name(uint32_t uid, void *arg)
{
	const struct passwd *pw = getpwuid((uid_t) uid);

	(void) arg;
	return pw ? pw->pw_name : NULL;
}

static int users_read(struct wt_plan *plan, struct wt_users_from *from, struct wt_error *errp)
{
	const struct group *group = getgrgid(getegid());
	char *group_name = group ? strdup(group->gr_name) : NULL;
	int rc;

	from->caller = plan->user;
	from->caller_group = group_name;
	from->caller_uid = geteuid();
	from->caller_gid = getegid();
	from->machine_name = machine_name;
	plan->info.nss_wrapper = wt_nsswrapper_find(errp);
	rc = plan->info.nss_wrapper ? wt_users_read(&plan->users, from, errp) : -1;
	free(group_name);
	if (rc == 0 && plan->users.members_unknown)
		plan->remarks = wt_str_format("%zu members of groups are none of the cluster's users and are left out.\n",
					      plan->users.members_unknown);
	return rc;
}

/* Jobs of real nodes would run as users that this machine does not have, or as others. */
static int users_plan(struct wt_plan *plan, const struct wt_cluster_wanted *wanted, struct wt_error *errp)
{
	struct wt_users_from from = {
		.passwd = { plan->site.path[SITE_PASSWD], plan->site.text[SITE_PASSWD], plan->site.len[SITE_PASSWD] },
		.group = { plan->site.path[SITE_GROUP], plan->site.text[SITE_GROUP], plan->site.len[SITE_GROUP] },
	};
	char *passwd = NULL, *group = NULL;
	int rc = 0;

	if (wanted->group_file && !wanted->passwd_file && !from.passwd.text)
		return wt_error_set(errp, EINVAL, "--group %s: it needs --passwd", wanted->group_file);
	if ((wanted->site || wanted->passwd_file) && wt_clusterinfo_real_nodes(&plan->info))
		return wt_error_set(errp, EINVAL, "--backend slurmd: a site's nodes and users are for virtual nodes");
	if (wanted->passwd_file) {
		rc = file_plan("--passwd", wanted->passwd_file, &passwd, &from.passwd.len, errp);
		from.passwd = (struct wt_users_text) { wanted->passwd_file, passwd, from.passwd.len };
	}
	if (rc == 0 && wanted->group_file) {
		rc = file_plan("--group", wanted->group_file, &group, &from.group.len, errp);
		from.group = (struct wt_users_text) { wanted->group_file, group, from.group.len };
	}
	if (rc == 0 && from.passwd.text)
		rc = users_read(plan, &from, errp);
	free(passwd);
	free(group);
	return rc;
}

static int files_check(const struct wt_cluster_wanted *wanted, struct wt_error *errp)
{
	for (size_t i = 0; i < wanted->file_count; i++)
		if (wt_extrafile_check(wanted->files[i], errp) < 0)
			return -1;
	return 0;
}

static int accounts_plan(struct wt_plan *plan, const struct wt_cluster_wanted *wanted, struct wt_error *errp)
{
	const struct wt_sitefolder *site = &plan->site;

	plan->accounts.cluster = plan->info.name;
	plan->accounts.user = plan->user;
	if (!plan->info.accounting)
		return 0;
	if (site->text[SITE_ACCOUNTS] && wt_accounts_add(&plan->accounts, site->path[SITE_ACCOUNTS],
							 site->text[SITE_ACCOUNTS], site->len[SITE_ACCOUNTS], errp) < 0)
		return wt_error_prefix(errp, "--site");
	if (site->text[SITE_USAGE] &&
	    wt_usage_check(site->path[SITE_USAGE], site->text[SITE_USAGE], site->len[SITE_USAGE], errp) < 0)
		return wt_error_prefix(errp, "--site");
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
	if (plan->info.nodes < 1 || plan->info.nodes > WT_NODES_MAX)
		return wt_error_set(errp, EINVAL, "--nodes must be given, from 1 to %d", WT_NODES_MAX);
	if (wt_clusterinfo_real_nodes(&plan->info) && wanted->node_setting_count)
		return wt_error_set(errp, EINVAL,
				    "--node %s: real slurmds are as they are; only virtual nodes have settings",
				    wanted->node_settings[0]);
	if (wt_clusterinfo_real_nodes(&plan->info) && wanted->run_time_given)
		return wt_error_set(errp, EINVAL,
				    "--default-run-time: jobs of real nodes take the time that they take; it is for "
				    "virtual nodes");
	if (wt_plan_dynamic_check(plan, wanted, errp) < 0 || wt_plan_elastic_check(plan, errp) < 0)
		return -1;
	/* Each host looks at its own part (host.c). */
	if (wt_clusterinfo_real_nodes(&plan->info) && plan->info.hosts.count)
		return 0;
	if (wt_clusterinfo_real_nodes(&plan->info))
		return slurmd_check(wt_clusterinfo_places(&plan->info), plan->info.dir, errp);
	if (strcmp(plan->info.backend, WT_BACKEND_VIRTUAL))
		return wt_error_set(errp, EINVAL, "--backend: '%s' is not known; there are \"virtual\" and \"slurmd\"",
				    wanted->backend);
	return virtual_check(errp);
}

struct wt_conf *wt_plan_conf(const struct wt_plan *plan, struct wt_confnotes *notes, struct wt_error *errp)
{
	const struct wt_clusterconf in = {
		.info = &plan->info, .user = plan->user, .host = plan->host, .bind_controller = plan->bind_controller,
		.topology = plan->topology != NULL,
		.accounts = plan->wanted->accounts_file_count > 0 || plan->site.text[SITE_ACCOUNTS],
		.users = plan->users.passwd != NULL, .site = plan->wanted->site != NULL,
		.virtual_time = plan->wanted->virtual_clock || wt_virtual_memory() != NULL,
		.plugin = plan->wanted->plugin, .plugin_dir = plan->plugin_dir,
		.demands = &plan->demands, .keeps = plan->wanted->keeps, .keep_count = plan->wanted->keep_count,
	};

	return wt_clusterconf_create(&in, notes, errp);
}

/* A site may have a topology.conf that its slurmctld does not read: jobs on nodes that it does not name would be refused. */
static bool topology_asked(const struct wt_demands *demands)
{
	static const char *const flat[] = { "", "topology/none", "topology/default", "topology/flat" };
	const char *value = "";

	for (size_t i = 0; i < demands->count; i++)
		if (!strcasecmp(demands->list[i].key, "TopologyPlugin"))
			value = demands->list[i].value;
	for (size_t i = 0; i < sizeof(flat) / sizeof(flat[0]); i++)
		if (!strcasecmp(value, flat[i]))
			return false;
	return true;
}

static int topology_plan(struct wt_plan *plan, const struct wt_cluster_wanted *wanted, struct wt_error *errp)
{
	const char *of_site = plan->site.text[SITE_TOPOLOGY];

	if (wanted->topology_file)
		return file_plan("--topology", wanted->topology_file, &plan->topology, NULL, errp);
	if (!of_site || !of_site[strspn(of_site, " \t\r\n")])
		return 0;
	/* slurmctld would read that file, whosesoever it is, and quote it in its log. */
	if (wt_demands_may_include(of_site))
		return wt_error_set(errp, EINVAL, "--site: %s: it has an Include: put that file's text there",
				    plan->site.path[SITE_TOPOLOGY]);
	if (!topology_asked(&plan->demands))
		return 0;
	plan->topology = strdup(of_site);
	return plan->topology ? 0 : wt_error_errno(errp, ENOMEM, "--site");
}

static int everything_plan(struct wt_plan *plan, const struct wt_cluster_wanted *wanted, struct wt_error *errp)
{
	if (wt_clusterinfo_node_settings(&plan->info, wanted->node_settings, wanted->node_setting_count, errp) < 0 ||
	    wt_clusterinfo_elastic(&plan->info, wanted->elastic, wanted->elastic_count, errp) < 0 ||
	    site_plan(plan, wanted, errp) < 0 || demands_plan(plan, wanted, errp) < 0 ||
	    wt_plan_hosts(plan, wanted, errp) < 0 || wanted_check(plan, wanted, errp) < 0 || shape_plan(&plan->info, wanted,
	    errp) < 0 ||
	    machine_read(plan, errp) < 0 || users_plan(plan, wanted, errp) < 0 || files_check(wanted, errp) < 0 ||
	    accounts_plan(plan, wanted, errp) < 0 || topology_plan(plan, wanted, errp) < 0)
		return -1;
	if (plan->topology)
		wt_hosts_align(&plan->info.hosts, plan->topology);
	if (wanted->allocator && !(plan->info.allocator = wt_allocator_find(wanted->allocator, errp)))
		return -1;
	return wanted->plugin && !(plan->plugin_dir = wt_plugin_dir(wanted->plugin, errp)) ? -1 : 0;
}

/* What is known when the settings are. */
static int settings_look(struct wt_plan *plan, const struct wt_conf *conf, struct wt_error *errp)
{
	const struct wt_cluster_wanted *wanted = plan->wanted;

	plan->unknown_words = wt_schedparams_unknown(wt_conf_get(conf, "SchedulerParameters"));
	if (wt_clusterinfo_real_nodes(&plan->info))
		plan->node_ports = wanted->nodes + (wanted->plugin && !strcmp(wanted->plugin, WT_PLUGIN_STRAGGLER)) +
				   (wanted->dynamic_nodes > 0);
	if (plan->info.hosts.count)
		plan->node_ports = wt_hosts_most(&plan->info.hosts);
	plan->cpus = (uint64_t) plan->info.nodes * plan->info.shape.cpus;
	if (wt_plan_dynamic_select(&plan->info, conf, errp) < 0)
		return -1;
	return wanted->site ? wt_sitenodes_shape(conf, &plan->info.shape, &plan->cpus, errp) : 0;
}

int wt_plan_make(struct wt_plan *plan, const char *name, const char *path, const struct wt_cluster_wanted *wanted,
		 struct wt_error *errp)
{
	struct wt_conf *conf = NULL;
	int rc = -1;

	memset(plan, 0, sizeof(*plan));
	plan->wanted = wanted;
	plan->info.nodes = wanted->nodes;
	plan->info.dynamic_nodes = wanted->dynamic_nodes;
	plan->info.accounting = wanted->accounting || wanted->accounts_file_count;
	plan->info.run_time_given = wanted->run_time_given;
	plan->info.default_run_time_s = wanted->default_run_time_s;
	plan->info.save_interval_s = wanted->save_interval_s;
	/* Any network will do to find out what is wrong with the configuration; wt_plan_ports () puts the real one. */
	plan->info.network = 1;
	plan->info.name = strdup(name);
	plan->info.dir = strdup(path);
	plan->info.backend = strdup(wanted->backend ? wanted->backend : WT_BACKEND_VIRTUAL);
	if (!plan->info.name || !plan->info.dir || !plan->info.backend)
		wt_error_errno(errp, ENOMEM, "plan");
	else if (everything_plan(plan, wanted, errp) == 0)
		conf = wt_plan_conf(plan, &plan->notes, errp);
	if (conf)
		rc = settings_look(plan, conf, errp);
	if (rc < 0)
		wt_plan_clear(plan);
	wt_conf_destroy(conf);
	return rc;
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
	free(plan->remarks);
	wt_sitefolder_clear(&plan->site);
	wt_users_clear(&plan->users);
	memset(plan, 0, sizeof(*plan));
	errno = saved_errno;
}

int wt_cluster_size(const struct wt_cluster_wanted *wanted, uint32_t *nodes, uint32_t *cpus, struct wt_error *errp)
{
	struct wt_plan plan;

	if (wt_plan_make(&plan, "size", "/size", wanted, errp) < 0)
		return -1;
	*nodes = plan.info.nodes;
	*cpus = plan.cpus < UINT32_MAX ? (uint32_t) plan.cpus : UINT32_MAX;
	wt_plan_clear(&plan);
	return 0;
}
