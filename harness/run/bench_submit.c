/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Submit equal one-CPU jobs as "windtunnel run --workload burst" submits its own, and say as one JSON object how fast
 * slurmctld took them and what it cost this client.  Used by bench/nodes. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "harness/run/choice.h"
#include "lib/clock.h"
#include "harness/run/controller_query.h"
#include "harness/run/ledger.h"
#include "lib/str.h"
#include "harness/run/submit.h"

#define TAG "windtunnel-bench"
#define JOBS_MAX 1000000
#define POLL_US 20000

struct bench_options {
	uint32_t jobs, submitters;
	double run_time_s;
	const char *events;
};

static const struct argp_option argp_options[] = {
	{ "jobs", 'j', "N", 0, "how many (default 1000)", 0 },
	{ "run-time", 'r', "S", 0, "of each job (default 3600)", 0 },
	{ "submitters", 's', "N", 0, "submissions under way at once (default 4)", 0 },
	{ "events", 'e', "FILE", 0, "where job scripts on real nodes write their events", 0 },
	{ 0 },
};

static int option_parse(int key, char *arg, struct argp_state *state)
{
	struct bench_options *o = state->input;
	char *end = NULL;
	double value = key == 'j' || key == 'r' || key == 's' ? strtod(arg, &end) : 0;

	if (end && (end == arg || *end || !isfinite(value) || value < 0))
		argp_error(state, "'%s' is not a number of at least 0", arg);
	switch (key) {
	case 'j':
		if (value < 1 || value > JOBS_MAX)
			argp_error(state, "--jobs %s: give a number from 1 to %d", arg, JOBS_MAX);
		o->jobs = (uint32_t) value;
		return 0;
	case 'r':
		o->run_time_s = value;
		return 0;
	case 's':
		if (value < 1 || value > WT_SUBMITTERS_MAX)
			argp_error(state, "--submitters %s: give a number from 1 to %d", arg, WT_SUBMITTERS_MAX);
		o->submitters = (uint32_t) value;
		return 0;
	case 'e':
		o->events = arg;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is not expected here", arg);
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static struct wt_workload *workload_create(const struct bench_options *o)
{
	struct wt_workload *w = calloc(1, sizeof(*w));

	if (!w || !(w->jobs = calloc(o->jobs, sizeof(*w->jobs))) || !(w->lanes = calloc(1, sizeof(*w->lanes))) ||
	    !(w->name = strdup("bench")))
		goto error;
	w->time_scale = 1;
	w->lane_count = 1;
	w->lanes[0] = (struct wt_lane) { .name = "bench", .count = o->jobs, .open_loop = true };
	for (w->job_count = 0; w->job_count < o->jobs; w->job_count++) {
		struct wt_job *job = &w->jobs[w->job_count];

		*job = (struct wt_job){ .class_name = strdup("A"),
					.number = (uint32_t) w->job_count,
					.cpus = 1,
					.run_time_s = o->run_time_s,
					.time_limit_s = 2 * o->run_time_s,
					.name = wt_str_format("bench.%zu", w->job_count) };
		if (!job->name || !job->class_name)
			goto error;
	}
	return w;
error:
	wt_workload_destroy(w);
	return NULL;
}

/* From the first sending to the last reply. */
static int result_print(const struct wt_ledger *l)
{
	const struct wt_record *record = wt_ledger_record_look(l);
	double first_s = wt_ledger_look(l).first_sent_s, last_s = first_s;
	struct rusage self;
	double cpu_s;

	for (size_t i = 0; i < record->job_count; i++) {
		struct wt_entry_state e = wt_ledger_entry_look(l, i);

		if (e.phase != WT_ENTRY_ACCEPTED) {
			fprintf(stderr, "bench_submit: job %zu was not accepted: %s\n", i,
				e.problem ? e.problem : "stopped");
			return 1;
		}
		last_s = fmax(last_s, record->jobs[i].submit_s);
	}
	getrusage(RUSAGE_SELF, &self);
	cpu_s = (double) (self.ru_utime.tv_sec + self.ru_stime.tv_sec) + (double) (self.ru_utime.tv_usec +
										   self.ru_stime.tv_usec) / 1e6;
	printf("{\"jobs\": %zu, \"seconds\": %.6f, \"jobs_per_s\": %.3f, \"client_cpu_s\": %.6f}\n", record->job_count,
	       last_s - first_s, (double) record->job_count / (last_s - first_s), cpu_s);
	return 0;
}

static int submit_all(const struct bench_options *o, struct wt_error *errp)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct wt_workload *workload = workload_create(o);
	struct wt_ledger *ledger = workload ? wt_ledger_create(workload) : NULL;
	struct wt_submit submit = {
		.clock = wt_clock_real(), .workload = workload, .tag = TAG, .probe = WT_PROBE_NONE, .events = o->events,
			.ledger = ledger,
		.lock = &lock, .submitters = o->submitters,
	};
	int rc = ledger ? wt_submit_start(&submit, errp) : wt_error_errno(errp, ENOMEM, "jobs");

	if (rc < 0)
		goto out;
	while (!submit.finished)
		wt_clock_sleep_until_us(submit.clock, wt_clock_now_us(submit.clock) + POLL_US);
	if (!wt_submit_join(&submit, 60)) {
		fputs("bench_submit: the submitter does not end\n", stderr);
		exit(1);	/* it still uses what would be freed here */
	}
	rc = result_print(ledger);
out:
	wt_ledger_destroy(ledger);
	wt_workload_destroy(workload);
	return rc;
}

int main(int argc, char **argv)
{
	const struct argp argp = { argp_options, option_parse, NULL,
				   "Submit one-CPU jobs to the slurmctld that SLURM_CONF names and measure it.",
				   NULL, NULL, NULL };
	struct bench_options options = { .jobs = 1000, .submitters = 4, .run_time_s = 3600 };
	struct wt_error error;
	int rc;

	argp_parse(&argp, argc, argv, 0, NULL, &options);
	rc = wt_controller_init(NULL, &error) < 0 ? -1 : submit_all(&options, &error);
	if (rc < 0)
		fprintf(stderr, "bench_submit: %s\n", error.text);
	return rc ? 1 : 0;
}
