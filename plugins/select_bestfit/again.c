/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select_bestfit/again.h"

#include "plugins/select_bestfit/decide.h"

/* What a test changes that has failed. */
struct before {
	bitstr_t *map;
	uint32_t priority, state_reason;
};

/* A test that does not get along with spreading tasks over sockets holds the job. */
static void restore(const struct job_test *c, const struct before *before)
{
	bit_copybits(c->map, before->map);
	c->job->priority = before->priority;
	c->job->state_reason = before->state_reason;
}

static int ask(job_test_f inner, const struct job_test *c, const struct before *before)
{
	int rc;

	decide_watch();
	rc = job_test_call(inner, c);
	if (rc == SLURM_SUCCESS || !decide_refused_later())
		return rc;
	restore(c, before);
	decide_bypass(true);
	rc = job_test_call(inner, c);
	decide_bypass(false);
	decide_count_again(rc == SLURM_SUCCESS);
	return rc;
}

/* First without anyone to preempt: a job that starts by Slurm's choice would else end others. */
static int ask_in_turn(job_test_f inner, const struct job_test *c, const struct before *before)
{
	struct job_test alone = *c;
	int rc;

	if (!c->preemptable)
		return ask(inner, c, before);
	alone.preemptable = NULL;
	rc = ask(inner, &alone, before);
	if (rc == SLURM_SUCCESS)
		return rc;
	/* Slurm's own choice was asked for above.  Here it goes through the jobs to preempt one by one: once is enough. */
	restore(c, before);
	return job_test_call(inner, c);
}

int again_job_test(job_test_f inner, const struct job_test *call)
{
	struct bestfit_settings settings;
	struct before before;
	int rc;

	decide_settings(&settings);
	if (settings.mode != BESTFIT_ON || (call->mode & SELECT_MODE_BASE) != SELECT_MODE_RUN_NOW)
		return job_test_call(inner, call);
	before = (struct before) { .map = bit_copy(call->map), .priority = call->job->priority,
				   .state_reason = call->job->state_reason };
	rc = ask_in_turn(inner, call, &before);
	FREE_NULL_BITMAP(before.map);
	return rc;
}
