/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <string.h>

#include "harness/experiment/settings_table.h"
#include "lib/suggest.h"

/* Options that say where a run's results go, or how they are shown, are the experiment's own business. */
const struct setting_info setting_infos[] = {
	{ "workload", "kind", SETTING_KIND },        { "workload", "arrival", SETTING_VALUE },
	{ "workload", "burst", SETTING_VALUE },      { "workload", "unit", SETTING_VALUE },
	{ "workload", "bandwidth", SETTING_VALUE },  { "workload", "input", SETTING_VALUE },
	{ "workload", "near-bandwidth", SETTING_VALUE },
	{ "workload", "maps", SETTING_VALUE },       { "workload", "map-time", SETTING_VALUE },
	{ "workload", "reduces", SETTING_VALUE },    { "workload", "reduce-time", SETTING_VALUE },
	{ "workload", "replicas", SETTING_VALUE },   { "workload", "rounds", SETTING_VALUE },
	{ "workload", "slots", SETTING_VALUE },      { "workload", "speculate", SETTING_VALUE },
	{ "workload", "cpus-scale", SETTING_VALUE }, { "workload", "duration", SETTING_VALUE },
	{ "workload", "first-job", SETTING_VALUE },  { "workload", "from", SETTING_VALUE },
	{ "workload", "interval", SETTING_VALUE },   { "workload", "job-cpus", SETTING_VALUE },
	{ "workload", "jobs", SETTING_VALUE },       { "workload", "last-job", SETTING_VALUE },
	{ "workload", "leave-out", SETTING_VALUE },  { "workload", "limit-factor", SETTING_VALUE },
	{ "workload", "load", SETTING_VALUE },       { "workload", "max-run-time", SETTING_VALUE },
	{ "workload", "probe", SETTING_VALUE },      { "workload", "run-time", SETTING_VALUE },
	{ "workload", "submitters", SETTING_VALUE }, { "workload", "time-scale", SETTING_VALUE },
	{ "workload", "perturb", SETTING_VALUE },    { "workload", "workload-seed", SETTING_VALUE },
	{ "cluster", "accounting", SETTING_FLAG },   { "cluster", "sacctmgr", SETTING_FILE },
	{ "cluster", "backend", SETTING_VALUE },     { "cluster", "charge", SETTING_VALUE },
	{ "cluster", "clock", SETTING_VALUE },       { "cluster", "conf", SETTING_FILE },
	{ "cluster", "keep", SETTING_LIST },         { "cluster", "memory", SETTING_VALUE },
	{ "cluster", "nodes", SETTING_VALUE },       { "cluster", "partition", SETTING_VALUE },
	{ "cluster", "plugin", SETTING_VALUE },      { "cluster", "shape", SETTING_VALUE },
	{ "cluster", "slurm", SETTING_VALUE },       { "cluster", "topology", SETTING_FILE },
	{ "cluster", "site", SETTING_FILE },         { "cluster", "passwd", SETTING_FILE },
	{ "cluster", "group", SETTING_FILE },        { "cluster", "file", SETTING_FILE },
	{ "cluster", "credentials", SETTING_VALUE }, { "cluster", "allocator", SETTING_VALUE },
	{ "cluster", "save-interval", SETTING_VALUE }, { "cluster", "timer-slack", SETTING_VALUE },
	{ "cluster", "real", SETTING_FLAG },         { "cluster", "reservation", SETTING_VALUE },
	{ "cluster", "account", SETTING_VALUE },     { "cluster", "qos", SETTING_VALUE },
	{ "cluster", "max-nodes", SETTING_VALUE },   { "cluster", "max-jobs", SETTING_VALUE },
	{ "cluster", "max-node-hours", SETTING_VALUE }, { "cluster", "shared", SETTING_FLAG },
	{ "node", NULL, SETTING_PAIR },              { "elastic", NULL, SETTING_PAIR },
	{ "cost", NULL, SETTING_PAIR },
	{ "slurm.conf", NULL, SETTING_CONF },        { "run", "keep-going", SETTING_FLAG },
	{ "run", "sample-interval", SETTING_VALUE }, { "run", "timeout", SETTING_VALUE },
	{ "run", "profile", SETTING_VALUE },
	{ "run", "cancel-after", SETTING_VALUE },      { "run", "provision", SETTING_VALUE },
	{ "run", "provision-quota", SETTING_VALUE }, { "run", "provision-full", SETTING_VALUE },
	{ "run", "provision-margin", SETTING_VALUE }, { "run", "provision-boot", SETTING_VALUE },
};
const size_t setting_info_count = sizeof(setting_infos) / sizeof(setting_infos[0]);

const struct setting_info *setting_find(const char *section, const char *key)
{
	for (size_t i = 0; i < setting_info_count; i++)
		if (!strcmp(setting_infos[i].section, section) &&
		    (!setting_infos[i].key || !strcmp(setting_infos[i].key, key)))
			return &setting_infos[i];
	return NULL;
}

bool setting_section_exists(const char *section)
{
	for (size_t i = 0; i < setting_info_count; i++)
		if (!strcmp(setting_infos[i].section, section))
			return true;
	return false;
}

const char *setting_suggest(const char *section, const char *key)
{
	const char *names[sizeof(setting_infos) / sizeof(setting_infos[0])];
	size_t count = 0;

	for (size_t i = 0; i < setting_info_count; i++)
		if (setting_infos[i].key && !strcmp(setting_infos[i].section, section))
			names[count++] = setting_infos[i].key;
	return wt_suggest(key, names, count, sizeof(names[0]));
}

const char *setting_section_suggest(const char *section)
{
	const char *names[sizeof(setting_infos) / sizeof(setting_infos[0])];

	for (size_t i = 0; i < setting_info_count; i++)
		names[i] = setting_infos[i].section;
	return wt_suggest(section, names, setting_info_count, sizeof(names[0]));
}
