/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat/fake_launch.h"

#include <unistd.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "src/common/job_options.h"
#pragma GCC diagnostic pop

static void identity_fake(launch_tasks_request_msg_t *launch, slurm_cred_arg_t *arg, uid_t uid, uid_t told_uid)
{
#ifdef WT_HAVE_CRED_IDS
	static identity_t id = { .pw_name = "x", .pw_gecos = "", .pw_dir = "/", .pw_shell = "/bin/sh" };

	(void) launch;
	(void) uid;
	arg->uid = id.uid = told_uid;
	arg->gid = id.gid = getgid();
	arg->id = &id;
#else
	arg->uid = uid;
	arg->gid = getgid();
	arg->pw_name = (char *) "x";
	launch->uid = told_uid;
	launch->gid = getgid();
#endif
}

static void plugins_fake(launch_tasks_request_msg_t *launch)
{
#ifndef WT_HAVE_CRED_IDS
	switch_g_alloc_jobinfo(&launch->switch_job, launch->step_id.job_id, 0);
#endif
#ifndef WT_HAVE_TOPOLOGY_LIST
	launch->select_jobinfo = select_g_select_jobinfo_alloc();
#else
	(void) launch;
#endif
}

void compat_launch_fake(launch_tasks_request_msg_t *launch, uint32_t job_id, uid_t uid, uid_t told_uid)
{
	static uint16_t count = 1;
	static uint32_t task, *tasks = &task;
	static uint64_t memory = 1;
	static uint32_t repetitions = 1;
	slurm_cred_arg_t arg = {
		.step_id = { .job_id = job_id, .step_id = 0, .step_het_comp = NO_VAL },
		.step_hostlist = (char *) "n0",
		.job_hostlist = (char *) "n0",
		.job_nhosts = 1,
		.job_mem_alloc = &memory,
		.job_mem_alloc_rep_count = &repetitions,
		.job_mem_alloc_size = 1,
		.job_core_bitmap = bit_alloc(4),
		.step_core_bitmap = bit_alloc(4),
	};

#ifdef WT_HAVE_SWITCH_INIT
	switch_g_init(true);
#endif
	identity_fake(launch, &arg, uid, told_uid);
	launch->step_id = arg.step_id;
	launch->het_job_nnodes = launch->het_job_ntasks = launch->het_job_id = NO_VAL;
	launch->nnodes = launch->ntasks = 1;
	launch->complete_nodelist = (char *) "n0";
	launch->tasks_to_launch = &count;
	launch->global_task_ids = &tasks;
	launch->cred_version = SLURM_PROTOCOL_VERSION;
	/* Slurm's own: a credential with bogus bytes for a signature, which the message's layout needs. */
	launch->cred = slurm_cred_faker(&arg);
	launch->options = job_options_create();
	plugins_fake(launch);
}
