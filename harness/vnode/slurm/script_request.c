/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a batch script does: its srun lines made into requests for steps. */
#include "compat/credential.h"
#include "compat/message.h"
#include "harness/vnode/slurm/script_request.h"

#include <stdlib.h>
#include <string.h>

#include "harness/vnode/model/script.h"
#include "harness/vnode/model/srunopts.h"

struct planning {		/* of one script */
	struct wt_daemon *daemon;
	const batch_job_launch_msg_t *req;
	uint32_t node_count;
};

static uint32_t hosts_count(const char *text)
{
	compat_hostlist names = text ? hostlist_create(text) : NULL;
	uint32_t count;

	if (!names)
		return 0;
	hostlist_uniq(names);
	count = (uint32_t) hostlist_count(names);
	hostlist_destroy(names);
	return count;
}

/* What is left of the job's nodes without these; of xmalloc (). */
static char *hosts_without(const char *nodes, const char *without, uint32_t *count)
{
	compat_hostlist names = hostlist_create(nodes);
	char *text;

	hostlist_delete(names, without);
	*count = (uint32_t) hostlist_count(names);
	text = *count ? hostlist_ranged_string_xmalloc(names) : NULL;
	hostlist_destroy(names);
	return text;
}

/* As job_step_create_allocation (): the first 'most' of them.  Takes and returns xmalloc ()'ed text. */
static char *hosts_cut(char *nodes, uint32_t most)
{
	compat_hostlist names = hostlist_create(nodes);

	while ((uint32_t) hostlist_count(names) > most)
		hostlist_delete_nth(names, hostlist_count(names) - 1);
	xfree(nodes);
	nodes = hostlist_ranged_string_xmalloc(names);
	hostlist_destroy(names);
	return nodes;
}

static uint32_t tasks_that_fit(const batch_job_launch_msg_t *req, uint32_t cpus_per_task)
{
	uint32_t tasks = 0;

	if (!cpus_per_task || cpus_per_task == WT_SRUN_NONE)
		return 0;
	for (uint32_t i = 0; i < req->num_cpu_groups; i++)
		tasks += req->cpus_per_node[i] / cpus_per_task * req->cpu_count_reps[i];
	return tasks;
}

/* _create_job_step_create_request () of srun, what concerns CPUs, memory and the layout. */
static void request_sizes(const struct wt_srun *srun, job_step_create_request_msg_t *data)
{
	bool cpus_given = srun->cpus_per_task != WT_SRUN_NONE;

	data->min_nodes = srun->min_nodes;
	data->max_nodes = srun->max_nodes;
	data->num_tasks = srun->tasks;
	if (srun->overcommit)
		data->cpu_count = srun->min_nodes;
	else
		data->cpu_count = cpus_given ? srun->tasks * srun->cpus_per_task : srun->tasks;
	if (srun->cpu_memory_mib != UINT64_MAX)
		data->pn_min_memory = srun->cpu_memory_mib | MEM_PER_CPU;
	else if (srun->memory_mib != UINT64_MAX)
		data->pn_min_memory = srun->memory_mib;
	if (srun->distribution == WT_SRUN_BLOCK)
		data->task_dist = SLURM_DIST_BLOCK;
	else if (srun->distribution == WT_SRUN_CYCLIC)
		data->task_dist = SLURM_DIST_CYCLIC;
	else if (!srun->cpu_memory_mib || !srun->memory_mib)
		data->task_dist = SLURM_DIST_UNKNOWN;
	else
		data->task_dist = srun->tasks <= srun->min_nodes ? SLURM_DIST_CYCLIC : SLURM_DIST_BLOCK;
	if (slurm_conf.select_type_param & COMPAT_PACK_NODES)
		data->task_dist |= SLURM_DIST_PACK_NODES;
	data->plane_size = srun->tasks_per_node != WT_SRUN_NONE ? (uint16_t) srun->tasks_per_node : NO_VAL16;
	data->tres_per_step = xstrdup_printf("cpu:%u", data->cpu_count);
	if (cpus_given)
		data->tres_per_task = xstrdup_printf("cpu:%u", srun->cpus_per_task);
}

static void request_flags(const struct wt_srun *srun, job_step_create_request_msg_t *data)
{
	if (!srun->overlap)
		data->flags |= SSF_EXCLUSIVE;
	else
		data->flags |= SSF_OVERLAP_FORCE;
	if (srun->overcommit)
		data->flags |= SSF_OVERCOMMIT;
	if (srun->no_kill)
		data->flags |= SSF_NO_KILL;
	if (!srun->exact && (srun->cpus_per_task == WT_SRUN_NONE || srun->overcommit))
		data->flags |= SSF_WHOLE;
	data->immediate = srun->immediate;
}

static char *line_join(const struct wt_script_srun *line)
{
	char *text = NULL;

	for (size_t i = 0; i < line->argc; i++)
		xstrfmtcat(text, "%s%s", i ? " " : "", line->argv[i]);
	return text;
}

static job_step_create_request_msg_t *request_make(const struct planning *planning, const struct wt_script_srun *line,
						   const struct wt_srun *srun, const char *node_list)
{
	job_step_create_request_msg_t *data = xmalloc(sizeof(*data));
	const char *slash = strrchr(line->argv[srun->command], '/');

	data->step_id = (slurm_step_id_t) {
		.job_id = compat_job_id(planning->req), .step_id = NO_VAL, .step_het_comp = NO_VAL,
	};
	compat_step_request_init(data);
	data->user_id = compat_batch_uid(planning->req);
	data->cpu_freq_min = data->cpu_freq_max = data->cpu_freq_gov = NO_VAL;
	data->relative = srun->relative == WT_SRUN_NONE ? NO_VAL16 : (uint16_t) srun->relative;
	data->resv_port_cnt = data->ntasks_per_tres = data->threads_per_core = NO_VAL16;
	data->time_limit = srun->time_limit_min == WT_SRUN_NONE ? NO_VAL : srun->time_limit_min;
	data->name = xstrdup(srun->name ? srun->name : slash ? slash + 1 : line->argv[srun->command]);
	data->node_list = xstrdup(node_list);
	data->exc_nodes = xstrdup(srun->exclude);
	data->tres_per_node = srun->gres ? xstrdup(srun->gres) : NULL;
	data->submit_line = line_join(line);
	request_sizes(srun, data);
	request_flags(srun, data);
	return data;
}

/* Into item->request.  False: it is too long, or memory is short. */
static bool request_keep(job_step_create_request_msg_t *data, struct wt_plan_item *item)
{
	buf_t *buffer = init_buf(0);
	slurm_msg_t msg;

	wt_codec_request_init(&msg, REQUEST_JOB_STEP_CREATE, data);
	pack_msg(&msg, buffer);
	item->request_len = get_buf_offset(buffer);
	item->request = item->request_len <= WT_PLAN_REQUEST_MAX ? malloc(item->request_len) : NULL;
	if (item->request)
		memcpy(item->request, get_buf_data(buffer), item->request_len);
	free_buf(buffer);
	slurm_free_job_step_create_request_msg(data);
	return item->request;
}

/* Words that are not known do not matter to a program of which nothing is asked. */
static bool words_matter(const struct wt_script_srun *line, size_t command)
{
	static const char *const names[] = { "sleep", "sh", "bash", "dash" };
	const char *slash = strrchr(line->argv[command], '/'), *name = slash ? slash + 1 : line->argv[command];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static bool tasks_tell(const struct planning *planning, const struct wt_script_srun *line, size_t command,
		       struct wt_plan_item *item)
{
	const struct wt_rpc_command what = {
		.uid = compat_batch_uid(planning->req), .gid = compat_batch_gid(planning->req), .argv = line->argv + command,
		.argc = line->argc - command, .cwd = line->cwd, .environment = line->environment,
		.environment_count = line->environment_count,
		.hidden = !line->cwd && *line->argv[command] != '/' && strchr(line->argv[command], '/'),
	};
	struct job_behaviour behaviour;
	char *complaint = NULL;

	for (size_t i = command; i < line->argc && words_matter(line, command); i++)
		if (!line->sure[i])
			return false;
	rpc_behaviour_read(planning->daemon, &what, &behaviour, &complaint);
	free(complaint);
	item->run_time_us = behaviour.run_time_us;
	item->wait_status = behaviour.wait_status;
	item->ignores_term = behaviour.ignores_term;
	return true;
}

static bool srun_plan(void *arg, const struct wt_script_srun *line, struct wt_plan_item *item)
{
	const struct planning *planning = arg;
	uint32_t node_count = planning->node_count;
	char *node_list = NULL;
	struct wt_srun srun;
	bool good;

	if (!wt_srun_read(&srun, line->argv, line->sure, line->argc, line->environment, line->environment_count) ||
	    (srun.exclude && srun.nodes) || (srun.nodes && !hosts_count(srun.nodes)))
		return false;
	if (srun.exclude)
		node_list = hosts_without(planning->req->nodes, srun.exclude, &node_count);
	else if (srun.nodes)
		node_list = xstrdup(srun.nodes);
	good = node_count && wt_srun_fill(&srun, node_count, hosts_count(srun.nodes),
					  tasks_that_fit(planning->req, srun.cpus_per_task)) &&
	       tasks_tell(planning, line, srun.command, item);
	if (good && srun.exclude)
		node_list = hosts_cut(node_list, srun.max_nodes);
	item->immediate = srun.immediate;
	good = good && request_keep(request_make(planning, line, &srun, node_list), item);
	xfree(node_list);
	return good;
}

static bool variable_given(const batch_job_launch_msg_t *req, const char *name)
{
	size_t len = strlen(name);

	for (uint32_t i = 0; i < req->envc; i++)
		if (req->environment[i] && !strncmp(req->environment[i], name, len) && req->environment[i][len] == '=')
			return true;
	return false;
}

/* As slurmstepd gives it to the script; of Slurm's env_array_free (). */
static char **script_environment(const batch_job_launch_msg_t *req)
{
	char **environment = xcalloc(req->envc + 1, sizeof(*environment));
	uint32_t count = 0;

	for (uint32_t i = 0; i < req->envc; i++)
		if (req->environment[i])
			environment[count++] = xstrdup(req->environment[i]);
	env_array_for_batch_job(&environment, req, NULL);
	return environment;
}

void wt_script_plan_make(struct wt_daemon *daemon, const batch_job_launch_msg_t *req, struct wt_launch *launch)
{
	struct planning planning = { .daemon = daemon, .req = req, .node_count = hosts_count(req->nodes) };
	struct wt_script_conf conf = { .script = req->script, .cwd = req->work_dir, .srun = srun_plan, .arg = &planning };
	struct wt_script_found found = { 0 };
	char **environment;

	/* Its time is given; and what the components of a heterogeneous job do together is not known. */
	if (variable_given(req, WT_JOB_ENV_RUN_TIME) || (req->het_job_id && req->het_job_id != NO_VAL) || req->container)
		return;
	environment = script_environment(req);
	conf.environment = environment;
	while (environment[conf.count])
		conf.count++;
	if (wt_script_read(&conf, &launch->plan, &found) < 0)
		error("JobId=%u: no memory for the steps of its script", compat_job_id(req));
	env_array_free(environment);
	if (!launch->plan.steps)
		wt_script_plan_clear(&launch->plan);
	launch->status_given = variable_given(req, WT_JOB_ENV_EXIT_CODE) || variable_given(req, WT_JOB_ENV_FAIL);
	if (!found.unread)
		return;
	daemon->counters.script_lines_unread += found.unread;
	info("JobId=%u: %u srun lines of its script, or what they are in, are not understood and run as no steps",
	     compat_job_id(req), found.unread);
}
