/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/summary.h"
#include "harness/run/run_profile.h"
#include "harness/run/run_thread.h"
#include "lib/outfile.h"
#include "lib/str.h"

static void *profile_main(void *arg)
{
	struct run_profile *p = arg;

	p->recorded = perf_record(&p->recording, p->pid, p->rate_hz, 0, &p->ended, &p->why);
	return NULL;
}

int run_profile_start(struct run_profile *p, pid_t pid, unsigned int rate_hz, struct wt_error *errp)
{
	int rc;

	p->rate_hz = rate_hz;
	p->pid = pid;
	p->recorded = -1;
	if (pid <= 0) {
		wt_error_set(&p->why, ESRCH, "slurmctld is no process of this machine");
		return 0;
	}
	rc = run_thread_create(&p->thread, profile_main, p);
	p->begun = rc == 0;
	return rc ? wt_error_errno(errp, rc, "cannot start the profile") : 0;
}

void run_profile_stop(struct run_profile *p)
{
	if (!p->begun)
		return;
	p->ended = 1;
	pthread_join(p->thread, NULL);
	p->begun = false;
}

/* 1: they are there; 0: p->why says why not; -1: without memory. */
static int stacks_take(struct run_profile *p, struct stacks *stacks, struct wt_error *errp)
{
	char *text = NULL;
	size_t len = 0;
	int rc;

	if (p->recorded < 0 || perf_read(&p->recording, &text, &len, &p->why) < 0)
		return 0;
	rc = stacks_parse(text, len, stacks, errp);
	free(text);
	return rc < 0 ? -1 : 1;
}

static int stacks_write(FILE *out, const void *arg, struct wt_error *errp)
{
	(void) errp;
	stacks_print(arg, out);
	return 0;
}

static int file_write(const char *dir, const char *name, wt_outfile_fn write, const void *arg, struct wt_error *errp)
{
	char *path = wt_str_format("%s/%s", dir, name);
	int rc = path ? wt_outfile_write(path, write, arg, errp) : wt_error_errno(errp, ENOMEM, "%s", name);

	free(path);
	return rc;
}

int run_profile_write(struct run_profile *p, const char *dir, bool functions, struct wt_error *errp)
{
	struct stacks stacks = { .count = 0 };
	int known = 0, rc = 0;
	json_t *v;

	if (functions)
		known = stacks_take(p, &stacks, errp);
	else if (!*p->why.text)
		wt_error_set(&p->why, EINTR, "the run was told twice to end");
	if (known < 0)
		return -1;
	v = profile_log_json(&p->log, known ? &stacks : NULL, p->rate_hz, p->why.text);
	rc = v ? file_write(dir, RUN_PROFILE_FILE, wt_json_write, v, errp) :
		 wt_error_errno(errp, ENOMEM, RUN_PROFILE_FILE);
	if (rc == 0 && known)
		rc = file_write(dir, RUN_PROFILE_STACKS, stacks_write, &stacks, errp);
	json_decref(v);
	stacks_clear(&stacks);
	return rc;
}

void run_profile_clear(struct run_profile *p)
{
	run_profile_stop(p);
	perf_remove(&p->recording);
	profile_log_clear(&p->log);
}
