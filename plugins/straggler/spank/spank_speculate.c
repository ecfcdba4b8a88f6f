/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sbatch --speculate: SPANK plugin for plugstack.conf (windtunnel-speculate(5)).
 *
 * Defines neither slurm_spank_job_prolog nor slurm_spank_job_epilog: either makes every node of every job send an epilog
 * message.  In slurmstepd nothing here may fail a job: what goes wrong is logged, and the job runs without speculation. */
#include "config.h"

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <slurm/spank.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/job_id.h"
#include "straggler/protocol/jobs_env.h"
#include "straggler/protocol/names.h"
#include "straggler/protocol/progress_env.h"
#include "plugins/straggler/spank/stepd.h"

#define EXPORT __attribute__((visibility("default")))
#define RESTART_ENV "SLURM_RESTART_COUNT"
#define BATCH_STEP 0xfffffffbu	/* slurm.h: SLURM_BATCH_SCRIPT */

EXPORT extern const char plugin_name[];
EXPORT extern const char plugin_type[];
EXPORT extern const unsigned int plugin_version;
EXPORT extern const unsigned int spank_plugin_version;
const char plugin_name[] = "speculate";
const char plugin_type[] = "spank";
const unsigned int plugin_version = SLURM_VERSION_NUMBER;
const unsigned int spank_plugin_version = 1;

static char policy[128];	/* "": no --speculate */
static bool job_is_over(uint32_t job_id);
static struct spank_stepd stepd = { .lock_fd = -1, .is_over = job_is_over };
static bool failed;		/* a job that speculates, without it */

static int policy_take(int val, const char *arg, int remote)
{
	struct wt_spec_policy parsed = wt_spec_defaults().policy;
	struct wt_error err;

	(void) val;
	/* An option without its argument comes to slurmstepd as the text "(null)". */
	if (!arg || !*arg || !strcmp(arg, "(null)"))
		arg = "on";
	if (wt_spec_policy_parse(arg, &parsed, &err) == 0 && strlen(arg) < sizeof(policy)) {
		snprintf(policy, sizeof(policy), "%s", arg);
		return 0;
	}
	if (remote)
		slurm_error("%s", err.text);
	else
		fprintf(stderr, "sbatch: error: --%s\n", err.text);
	return -1;
}

static struct spank_option option = {
	.name = "speculate", .arginfo = "[policy]", .has_arg = 2, .cb = policy_take,
	.usage = "start a copy of a slow task of a job array, and take whichever ends first; policy: on, or "
		 "copies=N,share=F,z=F,"
		 "cpu=SECONDS,rule=fresh|score",
};

static const char *const task_env[] = { PROGRESS_ENV_FILE, PROGRESS_ENV_ATTEMPT, PROGRESS_ENV_START };

EXPORT int slurm_spank_init(spank_t sp, int argc, char **argv)
{
	(void) argc;
	(void) argv;
	if (spank_context() == S_CTX_ALLOCATOR || spank_context() == S_CTX_REMOTE)
		spank_option_register(sp, &option);
	/* A task that submits another job does not make that one its own attempt. */
	for (size_t i = 0; spank_context() == S_CTX_ALLOCATOR && i < sizeof(task_env) / sizeof(task_env[0]); i++)
		unsetenv(task_env[i]);
	return 0;
}

static const char *argument(int argc, char **argv, const char *name)
{
	size_t len = strlen(name);

	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], name, len) && argv[i][len] == '=')
			return argv[i] + len + 1;
	}
	return NULL;
}

static uint32_t number_env(spank_t sp, const char *name, uint32_t otherwise)
{
	char text[16];

	return spank_getenv(sp, name, text, sizeof(text)) == ESPANK_SUCCESS ? (uint32_t) strtoul(text, NULL, 10) : otherwise;
}

/* Which task this is; returns the attempt's number. */
static uint32_t start_find(spank_t sp)
{
	struct start *start = &stepd.start;
	uint32_t attempt = number_env(sp, PROGRESS_ENV_ATTEMPT, 1);

	if (spank_get_item(sp, S_JOB_ARRAY_ID, &start->array_job_id) != ESPANK_SUCCESS || !start->array_job_id ||
	    spank_get_item(sp, S_JOB_ARRAY_TASK_ID, &start->array_task_id) != ESPANK_SUCCESS) {
		start->array_job_id = stepd.job_id;
		start->array_task_id = 0;
	}
	if (attempt > 1) {	/* a job of its own, which slurmctld_jobs_act.c gave the original's */
		start->array_job_id = number_env(sp, "SLURM_ARRAY_JOB_ID", start->array_job_id);
		start->array_task_id = number_env(sp, "SLURM_ARRAY_TASK_ID", start->array_task_id);
	}
	return attempt;
}

/* For which time the job starts, as slurmctld has told slurmstepd.  S_SLURM_RESTART_COUNT is always 0 (22.05.8: nothing sets
 * it), but slurmstepd puts the number into the task's environment shortly before the task begins, and into its own when the
 * task has ended; not when it is 0. */
static uint32_t restart_find(spank_t sp)
{
	return number_env(sp, RESTART_ENV, 0);
}

/* Cancelled, out of time, preempted, requeued: slurmctld has let go of it before its script has ended.  A suspended one is
 * not over. */
static bool job_is_over(uint32_t job_id)
{
	job_info_msg_t *jobs = NULL;
	bool over = false;

	if (slurm_load_job(&jobs, COMPAT_JOB(job_id), SHOW_ALL) != SLURM_SUCCESS)
		return false;
	/* By the number of an array come all its tasks. */
	for (uint32_t i = 0; i < jobs->record_count; i++) {
		uint32_t state = jobs->job_array[i].job_state & JOB_STATE_BASE;

		if (jobs->job_array[i].job_id == job_id)
			over = state != JOB_RUNNING && state != JOB_SUSPENDED;
	}
	slurm_free_job_info_msg(jobs);
	return over;
}

static int stepd_begin(spank_t sp, int argc, char **argv)
{
	struct wt_error err;
	char list[4096], node[PORT_NODE_MAX + 1] = "", text[START_TEXT_MAX];
	uid_t uid;
	uint32_t step, attempt;

	/* Steps of srun in the job belong to its script's attempt, and have no progress file of their own. */
	if (!policy[0] || spank_get_item(sp, S_JOB_STEPID, &step) != ESPANK_SUCCESS || step != BATCH_STEP)
		return 0;
	if (spank_get_item(sp, S_JOB_ID, &stepd.job_id) != ESPANK_SUCCESS || spank_get_item(sp, S_JOB_UID,
											    &uid) != ESPANK_SUCCESS)
		return 0;
	spank_unsetenv(sp, RESTART_ENV);	/* of the shell in which the job was submitted */
	spank_unsetenv(sp, PROGRESS_ENV_START);
	attempt = start_find(sp);
	if (spank_getenv(sp, "SLURM_JOB_NODELIST", list, sizeof(list)) == ESPANK_SUCCESS)
		first_node(list, node, sizeof(node));
	if (stepd_open(&stepd, argument(argc, argv, "conf"), argument(argc, argv, "agent"), node, uid, policy, &err) < 0) {
		slurm_error("speculate: %s: the job runs without", err.text);
		failed = true;
		return 0;
	}
	spank_setenv(sp, PROGRESS_ENV_FILE, stepd.path, 1);
	spank_setenv(sp, STRAGGLER_CONF_ENV, stepd.conf_path, 1);
	snprintf(text, sizeof(text), "%u", attempt);
	spank_setenv(sp, PROGRESS_ENV_ATTEMPT, text, 1);
	return 0;
}

EXPORT int slurm_spank_init_post_opt(spank_t sp, int argc, char **argv)
{
	if (spank_context() == S_CTX_REMOTE)
		return stepd_begin(sp, argc, argv);
	if (spank_context() == S_CTX_ALLOCATOR && policy[0])	/* slurmctld keeps this with the job */
		spank_job_control_setenv(sp, JOBS_POLICY, policy, 1);
	return 0;
}

EXPORT int slurm_spank_task_post_fork(spank_t sp, int argc, char **argv)
{
	pid_t pid;

	(void) argc;
	(void) argv;
	if (stepd.lock_fd >= 0 && spank_get_item(sp, S_TASK_PID, &pid) == ESPANK_SUCCESS)
		stepd_started(&stepd, pid);
	return 0;
}

/* In the task, as its user, with the environment that it will have. */
EXPORT int slurm_spank_task_init(spank_t sp, int argc, char **argv)
{
	char text[START_TEXT_MAX];

	(void) argc;
	(void) argv;
	if (failed && restart_find(sp))		/* its earlier start may have a copy; a copy has that word from slurmctld */
		spank_setenv(sp, PROGRESS_ENV_ATTEMPT, "1", 0);
	if (stepd.lock_fd < 0)
		return 0;
	stepd_restart(&stepd, restart_find(sp));
	start_write(&stepd.start, text);
	spank_setenv(sp, PROGRESS_ENV_START, text, 1);
	return 0;
}

EXPORT int slurm_spank_task_exit(spank_t sp, int argc, char **argv)
{
	int status = 0;

	(void) argc;
	(void) argv;
	if (stepd.lock_fd < 0)
		return 0;
	if (spank_get_item(sp, S_TASK_EXIT_STATUS, &status) != ESPANK_SUCCESS)
		status = 0;
	if (status) {
		stepd_restart(&stepd, restart_find(sp));
		stepd_failed(&stepd, status);
	}
	else {
		stepd_ended(&stepd);
	}
	return 0;
}

EXPORT int slurm_spank_exit(spank_t sp, int argc, char **argv)
{
	(void) sp;
	(void) argc;
	(void) argv;
	stepd_close(&stepd);
	return 0;
}
