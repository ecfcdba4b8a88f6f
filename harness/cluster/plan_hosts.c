/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --hosts: who they are, where they are, and how a command gets there. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/clock/virtual.h"
#include "harness/cluster/cluster_private.h"
#include "harness/cluster/folder/address.h"
#include "lib/fs.h"

#define HOSTS_BYTES_MAX ((size_t) 1 << 20)
#define ENGINE_WORDS_MAX 16

/* By PATH, as its user would call it. */
#define BY_PATH "/usr/bin/env"
static const char *const clush_words[] = { BY_PATH, "clush", "-q", "-N", "-w" };
static const char *const ssh_words[] = {
	BY_PATH, "ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=5", "--",
};

/* What needs all nodes on one machine, or files on each host that are not sent there. */
static const char *unfit(const struct wt_plan *plan, const struct wt_cluster_wanted *wanted)
{
	if (wanted->virtual_clock || wt_virtual_memory())
		return "virtual time, which is one machine's: take --clock real";
	if (wanted->elastic_count)
		return "--elastic, which is asked for on one machine";
	if (wanted->site || wanted->passwd_file)
		return "a site's nodes and users";
	if (plan->info.accounting)
		return "--accounting";
	if (wanted->plugin)
		return "--plugin";
	return wanted->file_count ? "--file" : NULL;
}

static int address_find(struct wt_host *host, struct wt_error *errp)
{
	struct wt_error why = { "" };

	if (wt_address_of(host->name, host->address, &why) == 0)
		return 0;
	return wt_error_set(errp, EINVAL, "host %s: add address=", why.text);
}

/* A name may lead to the address of another one's line. */
static int addresses_check(const struct wt_hosts *hosts, struct wt_error *errp)
{
	for (size_t i = 0; i < hosts->count; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(hosts->list[i].address, hosts->list[k].address))
				return wt_error_set(errp, EINVAL, "hosts %s and %s have the same address %s",
						    hosts->list[k].name, hosts->list[i].name, hosts->list[i].address);
	return 0;
}

/* slurmctld runs here, and all hosts reach it by the first one's address. */
static int first_check(const struct wt_host *host, struct wt_error *errp)
{
	int own = wt_address_is_own(host->address, errp);

	if (own != 0)
		return own < 0 ? -1 : 0;
	return wt_error_set(errp, EINVAL, "%s is no address of this machine: the first host is the one where you call "
			    "windtunnel and slurmctld runs (nodes=0: without nodes)", host->address);
}

/* A machine's own address leads each of the others to itself. */
static int reach_check(const struct wt_hosts *hosts, struct wt_error *errp)
{
	bool own = !strncmp(hosts->list[0].address, "127.", 4);

	for (size_t i = 1; i < hosts->count; i++)
		if (!strncmp(hosts->list[i].address, "127.", 4) != own)
			return wt_error_set(errp, EINVAL, "hosts %s (%s) and %s (%s) cannot reach each other: one of the "
					    "addresses is that of each machine for itself", hosts->list[0].name,
					    hosts->list[0].address, hosts->list[i].name, hosts->list[i].address);
	return 0;
}

static int host_shell_split(struct wt_clusterinfo *info, const char *text, struct wt_error *errp)
{
	char *copy = strdup(text), *rest = copy, *word, *words[ENGINE_WORDS_MAX] = { (char *) BY_PATH };
	size_t count = 1;
	int rc;

	while (copy && (word = strsep(&rest, " ")) && count < ENGINE_WORDS_MAX)
		if (*word)
			words[count++] = word;
	if (!copy)
		rc = wt_error_errno(errp, ENOMEM, "--host-shell");
	else if (count == 1 || rest)
		rc = wt_error_set(errp, EINVAL, "--host-shell '%s': give 1 to %d words", text, ENGINE_WORDS_MAX - 1);
	else
		rc = wt_clusterinfo_engine(info, words, count, errp);
	free(copy);
	return rc;
}

static int engine_plan(struct wt_clusterinfo *info, const struct wt_cluster_wanted *wanted, struct wt_error *errp)
{
	const char *engine = wanted->engine ? wanted->engine : "clush";

	if (wanted->engine && wanted->host_shell)
		return wt_error_set(errp, EINVAL, "--engine or --host-shell: give one of them");
	if (wanted->host_shell)
		return host_shell_split(info, wanted->host_shell, errp);
	if (!strcmp(engine, "clush"))
		return wt_clusterinfo_engine(info, (char *const *) clush_words, sizeof(clush_words) / sizeof(*clush_words),
					     errp);
	if (!strcmp(engine, "ssh"))
		return wt_clusterinfo_engine(info, (char *const *) ssh_words, sizeof(ssh_words) / sizeof(*ssh_words), errp);
	return wt_error_set(errp, EINVAL, "--engine: '%s' is not known; there are clush and ssh, and --host-shell", engine);
}

static int hosts_take(struct wt_hosts *hosts, const char *text, const char *where, uint32_t nodes, struct wt_error *errp)
{
	int rc = wt_hosts_parse(hosts, text, where, errp);

	if (rc == 0)
		rc = wt_hosts_share(hosts, nodes, errp);
	for (size_t i = 0; rc == 0 && i < hosts->count; i++)
		if (!hosts->list[i].address[0])
			rc = address_find(&hosts->list[i], errp);
	if (rc == 0)
		rc = addresses_check(hosts, errp);
	if (rc == 0)
		rc = first_check(&hosts->list[0], errp);
	return rc == 0 ? reach_check(hosts, errp) : -1;
}

static int slurm_take(struct wt_clusterinfo *info, const struct wt_cluster_wanted *wanted, struct wt_error *errp)
{
	char *text;
	int rc;

	if (wanted->engine || wanted->host_shell)
		return wt_error_set(errp, EINVAL, "%s: commands get to the nodes of an allocation by its srun: leave it out",
				    wanted->engine ? "--engine" : "--host-shell");
	text = wt_plan_slurm(info, errp);
	rc = text ? hosts_take(&info->hosts, text, "nodes of the allocation", info->nodes, errp) : -1;
	free(text);
	return rc;
}

static int file_take(struct wt_clusterinfo *info, const struct wt_cluster_wanted *wanted, struct wt_error *errp)
{
	size_t len;
	char *text;
	int rc;

	if (wt_fs_read_regular(wanted->hosts_file, HOSTS_BYTES_MAX, &text, &len, errp) < 0)
		return -1;
	/* What stands behind it would be passed over. */
	if (strlen(text) != len)
		rc = wt_error_set(errp, EINVAL, "%s has a NUL after %zu bytes: it is no text", wanted->hosts_file,
				  strlen(text));
	else
		rc = hosts_take(&info->hosts, text, wanted->hosts_file, info->nodes, errp);
	free(text);
	return rc;
}

int wt_plan_hosts(struct wt_plan *plan, const struct wt_cluster_wanted *wanted, struct wt_error *errp)
{
	const char *not_there;

	if (!wanted->hosts_file) {
		if (!wanted->engine && !wanted->host_shell)
			return 0;
		return wt_error_set(errp, EINVAL, "%s: it needs --hosts", wanted->engine ? "--engine" : "--host-shell");
	}
	not_there = unfit(plan, wanted);
	if (not_there)
		return wt_error_set(errp, EINVAL, "--hosts: several hosts do not go with %s", not_there);
	if (!strcmp(wanted->hosts_file, "slurm"))
		return slurm_take(&plan->info, wanted, errp) < 0 ? wt_error_prefix(errp, "--hosts slurm") : 0;
	if (file_take(&plan->info, wanted, errp) < 0)
		return wt_error_prefix(errp, "--hosts");
	return engine_plan(&plan->info, wanted, errp);
}
