/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies, and the end of attempts. */
#include "compat/controller.h"


#include "plugins/straggler/slurmctld/slurmctld_jobs.h"
#include "lib/clock.h"
#include "straggler/protocol/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* As for a submission (proc_req.c), and read config because validation does. */
static const slurmctld_lock_t act_lock = {
	.conf = READ_LOCK, .job = WRITE_LOCK, .node = WRITE_LOCK, .part = READ_LOCK, .fed = READ_LOCK,
};

/* slurmctld's copy has all strings of the environment in one block. */
static void environment_own(job_desc_msg_t *desc, const struct wt_spec_action *a)
{
	char **env = xcalloc(desc->env_size + 5, sizeof(char *));
	uint32_t n = 0;

	for (uint32_t i = 0; i < desc->env_size; i++) {
		const char *text = desc->environment[i];

		/* The copy is no task of an array to Slurm, which sets none of these for it; its script expects to find
		 * them. */
		if (strncmp(text, "SLURM_ARRAY_JOB_ID=", 19) && strncmp(text, "SLURM_ARRAY_TASK_ID=", 20) &&
		    strncmp(text, "WT_ATTEMPT=", 11))
			env[n++] = xstrdup(text);
	}
	env[n++] = xstrdup_printf("SLURM_ARRAY_JOB_ID=%u", a->array_job_id);
	env[n++] = xstrdup_printf("SLURM_ARRAY_TASK_ID=%u", a->array_task_id);
	env[n++] = xstrdup_printf("WT_ATTEMPT=%u", a->number);
	if (desc->environment) {
		xfree(desc->environment[0]);
		xfree(desc->environment);
	}
	desc->environment = env;
	desc->env_size = n;
}

static void spank_mark(job_desc_msg_t *desc, const struct wt_spec_action *a)
{
	uint32_t n = desc->spank_job_env_size;

	xrealloc(desc->spank_job_env, (n + 1) * sizeof(char *));
	desc->spank_job_env[n] = xstrdup_printf(JOBS_COPY "=%u:%u:%u:%u:%u", a->job_id, a->number, a->array_job_id,
						a->array_task_id,
						a->tasks);
	desc->spank_job_env_size = n + 1;
}

static void output_own(char **name, const char *fallback, const struct wt_spec_action *a)
{
	const struct copy_names names = { .array_job_id = a->array_job_id, .array_task_id = a->array_task_id,
					  .number = a->number };
	char *fresh;

	if (!*name && !fallback)
		return;
	fresh = copy_name(*name ? *name : fallback, &names);
	if (!fresh)
		return;
	xfree(*name);
	*name = xstrdup(fresh);
	free(fresh);
}

/* What copy_job_record_to_job_desc () leaves at 0 where sbatch says "not given". */
static void unset_fields(job_desc_msg_t *desc)
{
	compat_job_id(desc) = NO_VAL;
	desc->het_job_offset = NO_VAL;
	desc->alloc_sid = NO_VAL;
	desc->boards_per_node = NO_VAL16;
	desc->ntasks_per_board = NO_VAL16;
	desc->ntasks_per_tres = NO_VAL16;
	desc->delay_boot = NO_VAL;
	desc->site_factor = NO_VAL;
	desc->reboot = NO_VAL16;
	desc->req_switch = NO_VAL;
	desc->wait4switch = NO_VAL;
	desc->profile = ACCT_GATHER_PROFILE_NOT_SET;
	desc->x11 = 0;
}

/* Where slurmctld reads up to a NULL, its own copy has none. */
static void lists_end(job_desc_msg_t *desc)
{
	xrealloc(desc->argv, (desc->argc + 1) * sizeof(char *));
	desc->argv[desc->argc] = NULL;
	xrealloc(desc->spank_job_env, (desc->spank_job_env_size + 1) * sizeof(char *));
	desc->spank_job_env[desc->spank_job_env_size] = NULL;
}

/* The copy is the user's own job: priority, limits and job_submit plugins treat it as if the user had sent it now. */
static void desc_own(job_desc_msg_t *desc, const job_record_t *job, const struct wt_spec_action *a)
{
	unset_fields(desc);
	compat_desc_more(desc, job);
	desc->priority = NO_VAL;
	desc->begin_time = 0;
	desc->restart_cnt = 0;
	desc->requeue = 0;
	desc->mail_type = 0;
	desc->immediate = 0;
	desc->warn_flags &= (uint16_t) ~WARN_SENT;
	/* What the user has asked for; all others are slurmctld's marks of what has become of the original. */
	desc->bitflags &= GRES_ENFORCE_BIND | SPREAD_JOB | USE_MIN_NODES | NO_KILL_INV_DEP | KILL_INV_DEP;
	/* The original's were fulfilled when it began. */
	xfree(desc->dependency);
	xfree(desc->clusters);
	xfree(desc->resp_host);
	desc->other_port = 0;
	xfree(desc->comment);
	desc->comment = xstrdup_printf(JOBS_MARK "attempt %u of %u_%u (job %u)", a->number, a->array_job_id,
				       a->array_task_id, a->job_id);
	/* A slow node would make the copy as slow. */
	if (desc->exc_nodes && desc->exc_nodes[0])
		xstrfmtcat(desc->exc_nodes, ",%s", job->nodes);
	else
		xstrcat(desc->exc_nodes, job->nodes);
	output_own(&desc->std_out, "slurm-%A_%a.out", a);
	output_own(&desc->std_err, NULL, a);
	environment_own(desc, a);
	spank_mark(desc, a);
	lists_end(desc);
}

static bool still_runs(const job_record_t *job, const struct wt_spec_action *a)
{
	return job && IS_JOB_RUNNING(job) && !IS_JOB_COMPLETING(job) && job->restart_cnt == a->restart &&
		job->user_id == a->uid &&
	       job->batch_flag && job->details && job->nodes && !job->het_job_id && !job->fed_details;
}

static uint32_t desc_submit(job_desc_msg_t *desc, const struct wt_spec_action *a, const char **why)
{
	char *message = NULL;
	job_record_t *copy = NULL;
	int rc = validate_job_create_req(desc, a->uid, &message);

	xfree(message);
	if (rc == SLURM_SUCCESS)
		rc = job_allocate(desc, 0, false, NULL, 0, a->uid, false, &copy, &message, SLURM_PROTOCOL_VERSION);
	xfree(message);
	/* Some codes only say why a job has to wait: it was accepted, and has a record that lives. */
	if (copy && !(rc && copy->job_state == JOB_FAILED)) {
		info("straggler: %u_%u (JobId=%u on %s) is slow: attempt %u is JobId=%u", a->array_job_id, a->array_task_id,
		     a->job_id, a->node, a->number, copy->job_id);
		return copy->job_id;
	}
	*why = slurm_strerror(rc);
	info("straggler: %u_%u (JobId=%u) is slow, but no copy is possible: %s", a->array_job_id, a->array_task_id,
	     a->job_id, *why);
	return 0;
}

static uint32_t copy_make(job_record_t *job, const struct wt_spec_action *a, const char **why)
{
	job_desc_msg_t *desc;
	uint32_t id = 0;

	*why = "it does not run any more";
	if (!still_runs(job, a))
		return 0;
	*why = "its script cannot be read";
	desc = copy_job_record_to_job_desc(job);
	if (!desc)
		return 0;
	desc_own(desc, job, a);
	if (desc->script_buf) {		/* validation wants the text itself */
		buf_t *script = desc->script_buf;

		desc->script = xstrdup(get_buf_data(script));
		id = desc_submit(desc, a, why);
	}
	slurm_free_job_desc_msg(desc);
	return id;
}

static void comment_set(job_record_t *job, const struct wt_spec_action *a)
{
	xstrfmtcat(job->comment, "%s" JOBS_MARK "completed by job %u", job->comment && job->comment[0] ? "; " : "",
		   a->other_id);
}

/* Not cancelled: what waits for this task with afterok is to go on. */
static uint32_t original_complete(job_record_t *job, const struct wt_spec_action *a)
{
	if (!job || !IS_JOB_RUNNING(job) || job->restart_cnt != a->restart)
		return 0;
	comment_set(job, a);
	info("straggler: %u_%u: JobId=%u was faster, JobId=%u is completed by it", a->array_job_id, a->array_task_id,
	     a->other_id, a->job_id);
	return compat_job_complete(a->job_id, slurm_conf.slurm_user_id, 0) == SLURM_SUCCESS;
}

/* The signal that ended its script has come in after the fact. */
static uint32_t exit_code_repair(job_record_t *job, const struct wt_spec_action *a)
{
	/* By the comment that original_complete () left: only of a job that we have completed is the exit code not its
	 * own. */
	if (!job || !IS_JOB_COMPLETE(job) || !job->comment || !strstr(job->comment, JOBS_MARK "completed by job"))
		return 0;
	(void) a;
	job->exit_code = 0;
	last_job_update = (time_t) (wt_clock_now_us(wt_clock_real()) / 1000000);
	return 1;
}

static uint32_t copy_cancel(job_record_t *job, const struct wt_spec_action *a)
{
	if (!job || IS_JOB_FINISHED(job))
		return 0;
	info("straggler: %u_%u: attempt %u, JobId=%u, is not needed any more", a->array_job_id, a->array_task_id, a->number,
	     a->job_id);
	return job_signal(job, SIGKILL, 0, slurm_conf.slurm_user_id, false) == SLURM_SUCCESS;
}

uint32_t jobs_act(const struct wt_spec_action *a, const char **why)
{
	job_record_t *job;
	uint32_t done = 0;

	lock_slurmctld(act_lock);
	job = find_job_record(a->job_id);
	if (job && job->user_id != a->uid)	/* the number was given anew, by a slurmctld that had forgotten the job */
		job = NULL;
	switch (a->kind) {
	case WT_SPEC_COPY:
		done = copy_make(job, a, why);
		break;
	case WT_SPEC_COMPLETE:
		done = original_complete(job, a);
		break;
	case WT_SPEC_REPAIR:
		done = exit_code_repair(job, a);
		break;
	case WT_SPEC_CANCEL:
		done = copy_cancel(job, a);
		break;
	}
	unlock_slurmctld(act_lock);
	/* After the locks: none of these needs them, and the scheduler, which is woken here, wants them. */
	if (done) {
		schedule_job_save();
		if (a->kind == WT_SPEC_COPY)
			schedule_node_save();
		queue_job_scheduler();
	}
	return done;
}
