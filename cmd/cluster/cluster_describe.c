/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel cluster describe: what a cluster is, from the files that "up" wrote. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "cmd/cluster/cmd_cluster.h"
#include "harness/cluster/cluster_private.h"
#include "lib/fs.h"
#include "lib/json.h"

#define CONF_BYTES_MAX ((size_t) 64 << 20)

/* Of slurm.conf, what decides how jobs are scheduled and ended. */
static const char *const settings[] = {
	"SchedulerType", "SchedulerParameters", "SelectType", "SelectTypeParameters", "TopologyPlugin", "PriorityType",
		"PriorityFlags",
	"PreemptType", "PreemptMode", "SlurmctldPlugstack", "SlurmctldParameters", "PlugStackConfig", "Epilog",
	"EpilogMsgTime", "TreeWidth",
	"MessageTimeout", "SlurmdTimeout", "ReturnToService", "JobRequeue", "GresTypes", "PartitionName",
};

static bool setting_matters(const char *line, size_t key_len)
{
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (strlen(settings[i]) == key_len && !strncasecmp(settings[i], line, key_len))
			return true;
	return false;
}

/* "up" writes one setting on a line.  {"KEY": "VALUE", ...} of those that matter; of several partitions a list. */
static json_t *settings_read(const char *conf_path, struct wt_error *errp)
{
	json_t *all = json_object(), *partitions = json_array();
	char *text = NULL, *rest, *line;

	if (!all || !partitions || json_object_set_new(all, "PartitionName", partitions) < 0 ||
	    wt_fs_read(conf_path, CONF_BYTES_MAX, &text, NULL, errp) < 0) {
		json_decref(all);
		return NULL;
	}
	for (rest = text; (line = strsep(&rest, "\n")); ) {
		size_t key_len = strcspn(line, "=");

		if (!line[key_len] || !setting_matters(line, key_len))
			continue;
		line[key_len] = '\0';
		if (!strcasecmp(line, "PartitionName"))
			json_array_append_new(partitions, wt_json_text(line + key_len + 1));
		else
			json_object_set_new(all, line, wt_json_text(line + key_len + 1));
	}
	free(text);
	return all;
}

static void node_settings_print(const struct wt_clusterinfo *info)
{
	if (info->run_time_given)
		printf("run time      %g s, of jobs that say none\n", info->default_run_time_s);
	printf("node settings");
	for (size_t i = 0; i < info->node_setting_count; i++)
		printf("%s %s", i ? "," : "", info->node_settings[i]);
	puts(info->node_setting_count ? "" : " none");
	for (size_t i = 0; i < info->elastic_count; i++)
		printf("%s %s", i ? "," : "elastic      ", info->elastic[i]);
	if (info->elastic_count)
		puts("");
}

static void nodes_print(const struct wt_clusterinfo *info)
{
	const struct wt_shape *s = &info->shape;
	bool real = wt_clusterinfo_real_nodes(info);

	if (info->site)
		printf("nodes         %" PRIu32 " virtual: those of the site %s\n", info->nodes, info->site);
	else
		printf("nodes         %" PRIu32 " %s: n0%s", info->nodes, real ? "real slurmds" : "virtual",
		       info->nodes > 1 ? "" : "\n");
	if (info->nodes > 1 && !info->site)
		printf(" to n%" PRIu32 "\n", info->nodes - 1);
	if (info->dynamic_nodes)
		printf("may join      %" PRIu32 ": n%" PRIu32 " to n%" PRIu32 "\n", info->dynamic_nodes, info->nodes,
		       info->nodes + info->dynamic_nodes - 1);
	printf("hardware      %" PRIu32 " CPUs (%" PRIu32 " sockets, %" PRIu32 " cores each, %" PRIu32 " threads each), %"
	       PRIu64 " MiB, "
	       "from \"%s\"%s\n", s->cpus, s->sockets, s->cores_per_socket, s->threads_per_core, s->memory_mib,
	       info->shape_text, info->site ? ": its largest node" : "");
	if (info->nss_wrapper)
		printf("users         the cluster's own: %s/etc/passwd\n", info->dir);
	node_settings_print(info);
	for (size_t i = 0; i < info->hosts.count; i++)
		printf("host          %s (%s): %" PRIu32 " nodes\n", info->hosts.list[i].name, info->hosts.list[i].address,
		       info->hosts.list[i].count);
	if (info->hosts.count)
		return;
	printf("addresses     127.%u.0.0/16, port %u%s\n", info->network, info->nodes_port, real ? " and the following" :
	       "");
}

static void describe_print(const struct wt_cluster_view *view, json_t *conf, const json_t *file)
{
	const struct wt_clusterinfo *info = &view->info;
	const char *windtunnel = json_string_value(json_object_get(file, "windtunnel_version"));
	const char *slurm = json_string_value(json_object_get(file, "slurm_version"));
	time_t made = info->created_us / 1000000;
	char date[32] = "";
	const char *key;
	json_t *value;
	size_t i;
	struct tm tm;

	if (localtime_r(&made, &tm))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &tm);
	printf("cluster       %s (%s), made %s\n", info->name, wt_cluster_view_status(view), date);
	printf("versions      windtunnel %s, Slurm %s\n", windtunnel ? windtunnel : "unknown", slurm ? slurm : "unknown");
	nodes_print(info);
	printf("clock         %s%s\n", info->clock ? "virtual" : "real",
	       info->sealed_in_process ? "; credentials are sealed in each process" : "");
	if (info->allocator)
		printf("allocator     %s, of slurmctld's memory\n", info->allocator);
	if (info->save_interval_s)
		printf("state         saved every %" PRIu32 " s at most\n", info->save_interval_s);
	printf("controller    %s:%u%s\n", info->controller_addr, info->controller_port,
	       info->listens_everywhere ? ", and on all other addresses" : "");
	printf("folder        %s\n", info->dir);
	printf("slurm.conf    %s/slurm.conf\n", info->dir);
	json_object_foreach(conf, key, value) {
		if (json_is_string(value))
			printf("  %s=%s\n", key, json_string_value(value));
	}
	json_array_foreach(json_object_get(conf, "PartitionName"), i, value)
		printf("  PartitionName=%s\n", json_string_value(value));
}

static int describe_json(const struct wt_cluster_view *view, json_t *conf, json_t *file)
{
	json_object_set_new(file, "status", json_string(wt_cluster_view_status(view)));
	json_object_set(file, "settings", conf);
	return json_dumpf(file, stdout, JSON_INDENT(2)) == 0 && putchar('\n') != EOF ? 0 : 1;
}

static int describe(const struct wt_cluster_view *view, bool as_json, struct wt_error *errp)
{
	char *path = wt_clusterinfo_path(&view->info, "cluster.json"), *conf_path = wt_clusterinfo_path(&view->info,
		"slurm.conf");
	json_t *file = path ? wt_json_load(path, errp) : NULL, *conf = file && conf_path ? settings_read(conf_path, errp) :
		NULL;
	int rc = conf ? 0 : -1;

	if (!path || !conf_path)
		wt_error_errno(errp, ENOMEM, "%s", view->info.name);
	if (rc == 0 && as_json)
		rc = describe_json(view, conf, file);
	else if (rc == 0)
		describe_print(view, conf, file);
	json_decref(conf);
	json_decref(file);
	free(path);
	free(conf_path);
	return rc;
}

int cmd_cluster_describe(int argc, char **argv)
{
	struct cmd_cluster_args args;
	struct wt_cluster_view view;
	struct wt_error err = { "" };
	int rc;

	cmd_cluster_parse(argc, argv, "j", 1,
			  "Tell what a cluster is, running or not: its nodes, settings, ports, versions and files.", &args);
	if (wt_cluster_look(args.name, &view, &err) < 0) {
		fprintf(stderr, "%s: %s\n", argv[0], err.text);
		return errno == EINVAL ? 2 : 1;
	}
	rc = describe(&view, args.json, &err);
	wt_cluster_view_clear(&view);
	if (rc < 0)
		fprintf(stderr, "%s: %s\n", argv[0], err.text);
	return rc == 0 && fflush(stdout) == 0 ? 0 : 1;
}
