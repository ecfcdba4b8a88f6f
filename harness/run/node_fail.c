/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "compat/job_id.h"
#include "harness/cluster/folder/power_programs.h"
#include "harness/run/node_fail.h"
#include "harness/run/world_request.h"
#include "lib/str.h"

#define RETRY_US         1000000
#define POWER_PATIENCE_S 60	/* a nodes' process that has died is back before that */

struct node_ask {
	const struct wt_clock *clock;
	const char *nodes_dir;
	const atomic_bool *stop;
};

static void retry_wait(const struct node_ask *a)
{
	wt_clock_sleep_until_us(a->clock, wt_clock_now_us(a->clock) + RETRY_US);
}

static char *batch_node(const job_info_msg_t *jobs, uint32_t job_id)
{
	for (uint32_t i = 0; i < jobs->record_count; i++) {
		const slurm_job_info_t *job = &jobs->job_array[i];

		if (job->job_id == job_id && (job->job_state & JOB_STATE_BASE) == JOB_RUNNING && job->batch_host)
			return strdup(job->batch_host);
	}
	return NULL;
}

/* *node is to be freed; NULL: the job does not run.  0, or an errno. */
static int node_find(const struct node_ask *a, uint32_t job_id, char **node)
{
	job_info_msg_t *jobs = NULL;
	int errnum;

	*node = NULL;
	for (;;) {
		wt_clock_settle(a->clock);
		errno = 0;
		errnum = slurm_load_job(&jobs, COMPAT_JOB(job_id), SHOW_ALL) ? errno : 0;
		if (!errnum || world_request_final(errnum) || *a->stop)
			break;
		retry_wait(a);
	}
	if (!errnum) {
		*node = batch_node(jobs, job_id);
		slurm_free_job_info_msg(jobs);
	}
	return errnum == ESLURM_INVALID_JOB_ID ? 0 : errnum;
}

static int machine_ask(const struct node_ask *a, const char *verb, const char *node, struct wt_error *errp)
{
	char *line;
	int rc;

	if (!a->nodes_dir)
		return 0;
	line = wt_str_format("%s %s", verb, node);
	if (!line)
		return wt_error_errno(errp, ENOMEM, "%s", node);
	wt_clock_settle(a->clock);
	rc = wt_power_ask(a->nodes_dir, line, POWER_PATIENCE_S, NULL, errp);
	free(line);
	return rc;
}

static int controller_ask(const struct node_ask *a, enum wt_world_kind kind, const char *node, struct wt_error *errp)
{
	static char reason[] = "node_failure";
	struct wt_world_event event = { .kind = kind };
	int errnum;

	if (kind == WT_WORLD_DOWN)
		event.text[WT_WORLD_REASON] = reason;
	for (;;) {
		wt_clock_settle(a->clock);
		errnum = world_request(&event, node, 0, 0);
		if (!errnum || world_request_already(kind, errnum))
			return 0;
		if (world_request_final(errnum) || *a->stop)
			return wt_error_set(errp, errnum, "%s", slurm_strerror(errnum));
		retry_wait(a);
	}
}

/* A machine that has lost power gets it again, whatever slurmctld says. */
static int node_break(const struct node_ask *a, const char *node, struct wt_error *errp)
{
	struct wt_error error;
	int rc;

	if (machine_ask(a, "fail", node, errp) < 0)
		return -1;
	rc = controller_ask(a, WT_WORLD_DOWN, node, errp);
	if (machine_ask(a, "repair", node, rc < 0 ? &error : errp) < 0)
		return -1;
	return rc < 0 ? -1 : controller_ask(a, WT_WORLD_RESUME, node, errp);
}

int node_fail(const struct wt_clock *clock, const char *nodes_dir, uint32_t job_id, const atomic_bool *stop,
	      struct wt_error *errp)
{
	const struct node_ask a = { .clock = clock, .nodes_dir = nodes_dir, .stop = stop };
	char *node;
	int rc = node_find(&a, job_id, &node);

	if (rc)
		return wt_error_set(errp, rc, "%s", slurm_strerror(rc));
	if (!node)
		return 0;
	rc = node_break(&a, node, errp);
	free(node);
	return rc < 0 ? -1 : 1;
}
