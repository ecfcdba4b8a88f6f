/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/vnode/model/srunopts.h"

enum meaning {
	MEANS_NOTHING,		/* to the controller */
	MEANS_TASKS, MEANS_NODES, MEANS_CPUS, MEANS_TASKS_PER_NODE, MEANS_RELATIVE, MEANS_TIME, MEANS_MEMORY,
	MEANS_CPU_MEMORY, MEANS_OVERLAP, MEANS_EXCLUSIVE, MEANS_EXACT, MEANS_WHOLE, MEANS_OVERCOMMIT, MEANS_NO_KILL,
	MEANS_IMMEDIATE, MEANS_DISTRIBUTION, MEANS_NAME, MEANS_NODELIST, MEANS_EXCLUDE, MEANS_GRES,
	MEANS_UNKNOWN,
};

enum value { VALUE_NONE, VALUE_NEEDED, VALUE_MAY };

static const struct option_row {
	char letter;
	uint8_t value, meaning;
	const char *name;
} options[] = {
	{ 'n', VALUE_NEEDED, MEANS_TASKS, "ntasks" }, { 'N', VALUE_NEEDED, MEANS_NODES, "nodes" },
	{ 'c', VALUE_NEEDED, MEANS_CPUS, "cpus-per-task" }, { 'r', VALUE_NEEDED, MEANS_RELATIVE, "relative" },
	{ 't', VALUE_NEEDED, MEANS_TIME, "time" }, { 'w', VALUE_NEEDED, MEANS_NODELIST, "nodelist" },
	{ 'x', VALUE_NEEDED, MEANS_EXCLUDE, "exclude" }, { 'J', VALUE_NEEDED, MEANS_NAME, "job-name" },
	{ 'm', VALUE_NEEDED, MEANS_DISTRIBUTION, "distribution" }, { 'O', VALUE_NONE, MEANS_OVERCOMMIT, "overcommit" },
	{ 'k', VALUE_MAY, MEANS_NO_KILL, "no-kill" }, { 'I', VALUE_MAY, MEANS_IMMEDIATE, "immediate" },
	{ 0, VALUE_NEEDED, MEANS_TASKS_PER_NODE, "ntasks-per-node" }, { 0, VALUE_NEEDED, MEANS_MEMORY, "mem" },
	{ 0, VALUE_NEEDED, MEANS_CPU_MEMORY, "mem-per-cpu" }, { 0, VALUE_NONE, MEANS_OVERLAP, "overlap" },
	{ 0, VALUE_MAY, MEANS_EXCLUSIVE, "exclusive" }, { 0, VALUE_NONE, MEANS_EXACT, "exact" },
	{ 0, VALUE_NONE, MEANS_WHOLE, "whole" }, { 0, VALUE_NEEDED, MEANS_GRES, "gres" },
	{ 'e', VALUE_NEEDED, MEANS_NOTHING, "error" }, { 'i', VALUE_NEEDED, MEANS_NOTHING, "input" },
	{ 'o', VALUE_NEEDED, MEANS_NOTHING, "output" }, { 'l', VALUE_NONE, MEANS_NOTHING, "label" },
	{ 'u', VALUE_NONE, MEANS_NOTHING, "unbuffered" }, { 'v', VALUE_NONE, MEANS_NOTHING, "verbose" },
	{ 'Q', VALUE_NONE, MEANS_NOTHING, "quiet" }, { 'K', VALUE_MAY, MEANS_NOTHING, "kill-on-bad-exit" },
	{ 'W', VALUE_NEEDED, MEANS_NOTHING, "wait" }, { 'X', VALUE_NONE, MEANS_NOTHING, "disable-status" },
	{ 'T', VALUE_NEEDED, MEANS_NOTHING, "threads" }, { 'E', VALUE_NONE, MEANS_NOTHING, "preserve-env" },
	{ 0, VALUE_NEEDED, MEANS_NOTHING, "mpi" }, { 0, VALUE_NEEDED, MEANS_NOTHING, "export" },
	{ 0, VALUE_NEEDED, MEANS_NOTHING, "cpu-bind" }, { 0, VALUE_NEEDED, MEANS_NOTHING, "mem-bind" },
	{ 0, VALUE_NEEDED, MEANS_NOTHING, "open-mode" }, { 0, VALUE_NEEDED, MEANS_NOTHING, "msg-timeout" },
	{ 0, VALUE_NEEDED, MEANS_NOTHING, "propagate" }, { 0, VALUE_NEEDED, MEANS_NOTHING, "comment" },
	{ 0, VALUE_NEEDED, MEANS_NOTHING, "acctg-freq" }, { 0, VALUE_NEEDED, MEANS_NOTHING, "profile" },
	{ 0, VALUE_NEEDED, MEANS_NOTHING, "slurmd-debug" },
};

/* Those that sbatch leaves with a job, and those that users set. */
static const struct {
	const char *name;
	uint8_t meaning;
} variables[] = {
	{ "SLURM_JOB_NUM_NODES", MEANS_NODES }, { "SLURM_NTASKS", MEANS_TASKS }, { "SRUN_CPUS_PER_TASK", MEANS_CPUS },
	{ "SLURM_NTASKS_PER_NODE", MEANS_TASKS_PER_NODE }, { "SLURM_MEM_PER_CPU", MEANS_CPU_MEMORY },
	{ "SLURM_MEM_PER_NODE", MEANS_MEMORY }, { "SLURM_OVERCOMMIT", MEANS_OVERCOMMIT },
	{ "SLURM_OVERLAP", MEANS_OVERLAP }, { "SLURM_EXACT", MEANS_EXACT }, { "SLURM_EXCLUSIVE", MEANS_EXCLUSIVE },
	{ "SLURM_NO_KILL", MEANS_NO_KILL }, { "SLURM_TIMELIMIT", MEANS_TIME },
	{ "SLURM_DISTRIBUTION", MEANS_DISTRIBUTION }, { "SLURM_GRES", MEANS_GRES }, { "SLURM_STEP_GRES", MEANS_GRES },
	{ "SLURM_HOSTFILE", MEANS_UNKNOWN }, { "SLURM_ARBITRARY_NODELIST", MEANS_UNKNOWN },
	{ "SLURM_SRUN_MULTI", MEANS_UNKNOWN }, { "SRUN_CONTAINER", MEANS_UNKNOWN }, { "SLURM_CONTAINER", MEANS_UNKNOWN },
	{ "SLURM_HINT", MEANS_UNKNOWN }, { "SLURM_THREADS_PER_CORE", MEANS_UNKNOWN }, { "SLURM_GPUS", MEANS_UNKNOWN },
	{ "SLURM_GPUS_PER_NODE", MEANS_UNKNOWN }, { "SLURM_GPUS_PER_SOCKET", MEANS_UNKNOWN },
	{ "SLURM_GPUS_PER_TASK", MEANS_UNKNOWN }, { "SLURM_CPUS_PER_GPU", MEANS_UNKNOWN },
	{ "SLURM_MEM_PER_GPU", MEANS_UNKNOWN }, { "SLURM_NTASKS_PER_GPU", MEANS_UNKNOWN },
	{ "SLURM_NTASKS_PER_TRES", MEANS_UNKNOWN }, { "SLURM_NSOCKETS_PER_NODE", MEANS_UNKNOWN },
	{ "SLURM_NCORES_PER_SOCKET", MEANS_UNKNOWN }, { "SLURM_CONSTRAINT", MEANS_UNKNOWN },
	{ "SLURM_HET_SIZE", MEANS_UNKNOWN }, { "SLURM_CLUSTERS", MEANS_UNKNOWN }, { "SLURM_BCAST", MEANS_UNKNOWN },
	{ "SLURM_RESV_PORTS", MEANS_UNKNOWN },
};

/* Decimal digits up to one that is none; 0 stands for none, too, unless it may. */
static bool count_read(const char *text, uint32_t least, uint32_t *number, const char **end)
{
	uint64_t sum = 0;
	const char *at = text;

	/* It stops before it overflows; what is too large is refused below. */
	for (; *at >= '0' && *at <= '9' && sum < UINT32_MAX; at++)
		sum = sum * 10 + (uint64_t) (*at - '0');
	if (at == text || sum < least || sum >= UINT32_MAX / 2)
		return false;
	*number = (uint32_t) sum;
	if (end)
		*end = at;
	return end || !*at;
}

static bool nodes_read(struct wt_srun *srun, const char *text)
{
	const char *end;

	if (!count_read(text, 1, &srun->min_nodes, &end))
		return false;
	srun->max_nodes = WT_SRUN_NONE;
	if (!*end) {
		srun->max_nodes = srun->min_nodes;
		return true;
	}
	return *end == '-' && count_read(end + 1, srun->min_nodes, &srun->max_nodes, NULL);
}

/* minutes, minutes:seconds, hours:minutes:seconds, days-hours[:minutes[:seconds]]; seconds count as a minute begun. */
static bool limit_read(const char *text, uint32_t *minutes)
{
	const char *end, *dash = strchr(text, '-');
	uint32_t part[3] = { 0 }, days = 0, count = 0, limit;

	if (dash && (!count_read(text, 0, &days, &end) || end != dash))
		return false;
	for (text = dash ? dash + 1 : text; count < 3; text = end + 1) {
		if (!count_read(text, 0, &part[count++], &end) || part[count - 1] > 1000000 || days > 3660)
			return false;
		if (!*end)
			break;
		if (*end != ':')
			return false;
	}
	if (*end)
		return false;
	if (dash)
		limit = days * 1440 + part[0] * 60 + part[1] + (part[2] > 0);
	else if (count == 3)
		limit = part[0] * 60 + part[1] + (part[2] > 0);
	else
		limit = part[0] + (part[1] > 0);
	*minutes = limit;
	return limit > 0;
}

static bool memory_read(const char *text, uint64_t *mib)
{
	const char *end;
	uint32_t number;

	if (!count_read(text, 0, &number, &end))
		return false;
	switch (*end) {
	case 'k': case 'K': *mib = ((uint64_t) number + 1023) / 1024; break;
	case '\0': case 'm': case 'M': *mib = number; break;
	case 'g': case 'G': *mib = (uint64_t) number << 10; break;
	case 't': case 'T': *mib = (uint64_t) number << 20; break;
	default: return false;
	}
	if (*end)
		end++;
	return !*end || !strcasecmp(end, "B");
}

static bool distribution_read(struct wt_srun *srun, const char *text)
{
	if (!strcmp(text, "block"))
		srun->distribution = WT_SRUN_BLOCK;
	else if (!strcmp(text, "cyclic"))
		srun->distribution = WT_SRUN_CYCLIC;
	else
		return false;
	return true;
}

static bool flag_read(struct wt_srun *srun, enum meaning meaning, const char *value)
{
	switch (meaning) {
	case MEANS_OVERLAP: srun->overlap = true; return true;
	case MEANS_EXCLUSIVE: srun->exclusive = srun->exact = true; return !value || !*value || !strcmp(value, "exclusive");
	case MEANS_EXACT: srun->exact = true; return true;
	case MEANS_WHOLE: srun->whole = true; return true;
	case MEANS_OVERCOMMIT: srun->overcommit = true; return true;
	case MEANS_NO_KILL: srun->no_kill = !value || strcmp(value, "off"); return true;
	case MEANS_IMMEDIATE: srun->immediate = true; return true;
	default: return meaning == MEANS_NOTHING;
	}
}

static bool option_apply(struct wt_srun *srun, enum meaning meaning, const char *value)
{
	switch (meaning) {
	case MEANS_TASKS: return count_read(value, 1, &srun->tasks, NULL);
	case MEANS_NODES: srun->nodes_by_environment = false; return nodes_read(srun, value);
	case MEANS_CPUS: return count_read(value, 1, &srun->cpus_per_task, NULL);
	case MEANS_TASKS_PER_NODE: return count_read(value, 1, &srun->tasks_per_node, NULL);
	case MEANS_RELATIVE: return count_read(value, 0, &srun->relative, NULL);
	case MEANS_TIME: return limit_read(value, &srun->time_limit_min);
	case MEANS_MEMORY: srun->cpu_memory_mib = UINT64_MAX; return memory_read(value, &srun->memory_mib);
	case MEANS_CPU_MEMORY: srun->memory_mib = UINT64_MAX; return memory_read(value, &srun->cpu_memory_mib);
	case MEANS_DISTRIBUTION: return distribution_read(srun, value);
	case MEANS_NAME: srun->name = value; return *value;
	case MEANS_NODELIST: srun->nodes = value; return *value && !strchr(value, '/');
	case MEANS_EXCLUDE: srun->exclude = value; return *value && !strchr(value, '/');
	case MEANS_GRES: srun->gres = value; return *value;
	default: return flag_read(srun, meaning, value);
	}
}

static const struct option_row *long_find(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (strlen(options[i].name) == len && !strncmp(options[i].name, name, len))
			return &options[i];
	return NULL;
}

static const struct option_row *letter_find(char letter)
{
	for (size_t i = 0; letter && i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].letter == letter)
			return &options[i];
	return NULL;
}

struct srun_line {
	char *const *argv;
	const bool *sure;
	size_t argc, at;
};

/* The value of an option that needs one: behind it in the same word, or in the next. */
static const char *value_take(struct srun_line *line, const char *behind)
{
	if (behind)
		return behind;
	line->at++;
	return line->at < line->argc && line->sure[line->at] ? line->argv[line->at] : NULL;
}

static bool long_read(struct wt_srun *srun, struct srun_line *line)
{
	const char *name = line->argv[line->at] + 2, *equals = strchr(name, '='), *value;
	const struct option_row *row = long_find(name, strcspn(name, "="));

	if (!row || (row->value == VALUE_NONE && equals))
		return false;
	value = equals ? equals + 1 : NULL;
	if (row->value == VALUE_NEEDED && !(value = value_take(line, value)))
		return false;
	return option_apply(srun, (enum meaning) row->meaning, value);
}

static bool letters_read(struct wt_srun *srun, struct srun_line *line)
{
	for (const char *at = line->argv[line->at] + 1; *at; at++) {
		const struct option_row *row = letter_find(*at);
		const char *value = NULL;

		if (!row)
			return false;
		if (row->value == VALUE_NEEDED && !(value = value_take(line, at[1] ? at + 1 : NULL)))
			return false;
		if (row->value == VALUE_MAY && at[1])
			value = at + 1;
		if (!option_apply(srun, (enum meaning) row->meaning, value))
			return false;
		if (value)
			break;
	}
	return true;
}

static bool environment_read(struct wt_srun *srun, char *const *environment, size_t count)
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		size_t len = strlen(variables[i].name);

		for (size_t k = 0; k < count; k++) {
			const char *value = environment[k] + len + 1;

			if (strncmp(environment[k], variables[i].name, len) || environment[k][len] != '=')
				continue;
			if (variables[i].meaning == MEANS_UNKNOWN ||
			    !option_apply(srun, (enum meaning) variables[i].meaning, value))
				return false;
			break;
		}
	}
	return true;
}

bool wt_srun_read(struct wt_srun *srun, char *const *argv, const bool *sure, size_t argc, char *const *environment,
		  size_t count)
{
	struct srun_line line = { .argv = argv, .sure = sure, .argc = argc, .at = 1 };

	*srun = (struct wt_srun) {
		.tasks = WT_SRUN_NONE, .min_nodes = WT_SRUN_NONE, .max_nodes = WT_SRUN_NONE, .cpus_per_task = WT_SRUN_NONE,
		.tasks_per_node = WT_SRUN_NONE, .relative = WT_SRUN_NONE, .time_limit_min = WT_SRUN_NONE,
		.memory_mib = UINT64_MAX, .cpu_memory_mib = UINT64_MAX,
	};
	if (!environment_read(srun, environment, count))
		return false;
	srun->nodes_by_environment = srun->min_nodes != WT_SRUN_NONE;
	for (; line.at < argc && sure[line.at] && argv[line.at][0] == '-' && argv[line.at][1]; line.at++) {
		if (!strcmp(argv[line.at], "--")) {
			line.at++;
			break;
		}
		if (argv[line.at][1] == '-' ? !long_read(srun, &line) : !letters_read(srun, &line))
			return false;
	}
	srun->command = line.at;
	for (size_t i = line.at; i < argc; i++)
		if (!strcmp(argv[i], ":"))
			return false;		/* a heterogeneous step */
	return line.at < argc && sure[line.at] && !(srun->overlap && srun->exclusive) && !(srun->exact && srun->whole) &&
	       !(srun->relative != WT_SRUN_NONE && (srun->nodes || srun->exclude));
}

/* _opt_verify (), with -N and -n. */
static void counts_fit(struct wt_srun *srun)
{
	if (srun->max_nodes != WT_SRUN_NONE && srun->tasks < srun->max_nodes)
		srun->max_nodes = srun->tasks;
	if (srun->tasks < srun->min_nodes) {
		srun->min_nodes = srun->tasks;
		srun->nodes_by_environment = false;
		if (srun->max_nodes != WT_SRUN_NONE && srun->max_nodes < srun->min_nodes)
			srun->max_nodes = srun->min_nodes;
	}
	if (srun->tasks_per_node != WT_SRUN_NONE && srun->tasks_per_node != srun->tasks / srun->min_nodes)
		srun->tasks_per_node = WT_SRUN_NONE;
}

bool wt_srun_fill(struct wt_srun *srun, uint32_t node_count, uint32_t listed, uint32_t tasks_that_fit)
{
	bool nodes_given = srun->min_nodes != WT_SRUN_NONE, tasks_given = srun->tasks != WT_SRUN_NONE;
	uint32_t nodes;

	if (listed)
		srun->min_nodes = nodes_given && srun->min_nodes > listed ? srun->min_nodes : listed;
	nodes_given = nodes_given || listed;
	if (srun->max_nodes != WT_SRUN_NONE && srun->min_nodes > srun->max_nodes)
		return false;		/* more nodes named than wanted: srun takes some of them away */
	if (nodes_given && (srun->min_nodes == srun->max_nodes || srun->max_nodes == WT_SRUN_NONE) && !tasks_given) {
		srun->tasks = srun->min_nodes;
		tasks_given = srun->tasks_per_node != WT_SRUN_NONE;
		if (tasks_given)
			srun->tasks *= srun->tasks_per_node;
	} else if (nodes_given && tasks_given) {
		counts_fit(srun);
	}
	if (srun->nodes_by_environment && nodes_given && srun->min_nodes > node_count)
		return false;		/* a job that has shrunk */
	if (!nodes_given)
		srun->min_nodes = tasks_given && srun->tasks < node_count ? srun->tasks : node_count;
	if (srun->max_nodes == WT_SRUN_NONE)
		srun->max_nodes = srun->min_nodes;
	if (srun->min_nodes > node_count || srun->min_nodes > srun->max_nodes)
		return false;
	if (srun->relative != WT_SRUN_NONE && srun->relative + srun->min_nodes > node_count)
		return false;
	nodes = srun->max_nodes < node_count ? srun->max_nodes : node_count;
	if (!tasks_given) {		/* _set_ntasks () */
		srun->tasks = nodes;
		if (srun->tasks_per_node != WT_SRUN_NONE)
			srun->tasks = nodes * srun->tasks_per_node;
		else if (srun->cpus_per_task != WT_SRUN_NONE && tasks_that_fit > nodes)
			srun->tasks = tasks_that_fit;
	}
	srun->max_nodes = nodes;
	return true;
}
