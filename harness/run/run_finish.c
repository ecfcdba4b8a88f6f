/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "record/events.h"
#include "lib/json.h"
#include "lib/outfile.h"
#include "harness/cluster/folder/epilog.h"
#include "harness/cluster/folder/hosts_json.h"
#include "harness/placement/placed.h"
#include "harness/report/report.h"
#include "harness/run/host_events.h"
#include "harness/run/run_private.h"
#include "harness/run/run_reserve.h"
#include "harness/run/signals.h"
#include "lib/str.h"
#include "harness/report/summary.h"

#define NAMES_MAX 10
#define STATE_BYTES_MIN (1u << 20)	/* with less free slurmctld may not be able to save a job */
/* since the latest row: the node side writes its events at least every 0.2 s (doc/formats.md), when disk and CPUs let it */
#define EVENTS_WAIT_S 120
#define EVENTS_WAIT_FULL_S 10	/* on a disk that is full they may never come */
#define EVENTS_SAY_S 2

static double now_s(const struct wt_run *run)
{
	return wt_clock_now_us(run->clock) / 1e6;
}

/* ---- the node side's events ---- */

struct tail {
	struct wt_event_reader *reader;
	int fd;
};

static int tail_open(struct tail *tail, const char *path, off_t offset, struct wt_error *errp)
{
	memset(tail, 0, sizeof(*tail));
	tail->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (tail->fd < 0 || lseek(tail->fd, offset, SEEK_SET) < 0)
		return wt_error_errno(errp, errno, "%s", path);
	tail->reader = wt_event_reader_create(path);
	return tail->reader ? 0 : wt_error_errno(errp, ENOMEM, "%s", path);
}

static void tail_close(struct tail *tail)
{
	wt_event_reader_destroy(tail->reader);
	if (tail->fd >= 0)
		close(tail->fd);
}

/* Before this job was sent, its id was that of a job which slurmctld has lost. */
static bool event_foreign(const struct wt_record *record, const struct wt_event *event)
{
	const struct wt_job_record *job = wt_record_find(record, event->job_id);

	return job && event->time_s < job->submit_s - job->submit_latency_s;
}

/* How many rows of the run's jobs there were: on a cluster of others' their rows never cease. */
static long tail_read(struct wt_run *run, struct tail *tail, struct wt_error *errp)
{
	long rows = 0;
	struct wt_event event;
	char buf[65536];
	ssize_t n;
	int rc;

	while ((n = read(tail->fd, buf, sizeof(buf))) > 0) {
		if (wt_event_reader_feed(tail->reader, buf, n, errp) < 0)
			return -1;
		while ((rc = wt_event_reader_next(tail->reader, &event, errp)) != 0) {
			long known = rc > 0 && !event_foreign(run->record, &event) ?
				wt_record_apply(run->record, &event) : 0;	/* the report counts malformed lines */

			rows += known;
			run->requeues += known > 0 && event.kind == WT_EVENT_REQUEUE;
		}
	}
	return n < 0 ? wt_error_errno(errp, errno, "node events") : rows;
}

/* Every job that has ended on the controller's side has an end and all its releases on the nodes' side; so has one that
 * was cancelled while it ran, if that is what the run is about.  Real nodes tell none of a job of many nodes. */
static bool job_complete(const struct wt_run *run, const struct wt_job_record *job)
{
	bool real = !strcmp(run->target.cluster->backend, WT_BACKEND_SLURMD);

	if (job->state != WT_JOB_COMPLETED && !(run->cancelling && job->state == WT_JOB_CANCELLED))
		return true;
	return job->released_nodes >= job->alloc_nodes ||
	       (real && job->alloc_nodes > WT_EPILOG_NODES_MAX);
}

static bool events_complete(const struct wt_run *run)
{
	for (size_t i = 0; i < run->record->job_count; i++) {
		if (!job_complete(run, &run->record->jobs[i]))
			return false;
	}
	return true;
}

/* The page and summary.json tell it: what is reckoned from these jobs' releases lacks some. */
static void events_missed(struct wt_run *run)
{
	for (size_t i = 0; i < run->record->job_count; i++) {
		const struct wt_job_record *job = &run->record->jobs[i];

		if (!job_complete(run, job) && !json_object_get(run->problems, job->name))
			json_object_set_new(run->problems, job->name,
					    json_sprintf("%u of %u nodes told that they are free of it",
							 (unsigned int) job->released_nodes,
							 (unsigned int) job->alloc_nodes));
	}
}

/* Until all events are there; not for ever, since a node side that was killed may have taken some with it. */
static int events_wait(struct wt_run *run, struct tail *tail, struct wt_error *errp)
{
	double begun_s = now_s(run), latest_s = begun_s;
	double patience_s = run->interrupted ? 0.3 : run->disk_full ? EVENTS_WAIT_FULL_S : EVENTS_WAIT_S;
	int signals = wt_signals_count;
	long n;

	while ((n = tail_read(run, tail, errp)) >= 0 && !events_complete(run) && wt_signals_count == signals) {
		latest_s = n ? now_s(run) : latest_s;
		if (now_s(run) - (run->interrupted ? begun_s : latest_s) >= patience_s)
			break;
		if (now_s(run) - begun_s > EVENTS_SAY_S)
			wt_progress_phase(&run->progress, "waiting for what the nodes tell of jobs that have ended", 0, 0,
					  now_s(run));
		wt_clock_sleep_until_us(run->clock, wt_clock_now_us(run->clock) + 50000);
	}
	return n < 0 ? -1 : 0;
}

static void events_take(struct wt_run *run)
{
	const char *path = run->target.cluster ? run->target.cluster->node_events : NULL;
	struct wt_error error;
	struct tail tail;

	if (!path)
		return;
	if (tail_open(&tail, path, run->target.events_offset, &error) < 0 || events_wait(run, &tail, &error) < 0)
		wt_run_fail(run, "%s", error.text);
	else if (!run->interrupted)
		events_missed(run);
	tail_close(&tail);
}

/* ---- which jobs are missing, and why ---- */

static void problems_collect(struct wt_run *run)
{
	const struct wt_record *record = wt_ledger_record_look(run->ledger);

	for (size_t i = 0; i < record->job_count; i++) {
		struct wt_entry_state e = wt_ledger_entry_look(run->ledger, i);
		const char *why = e.problem;

		if (e.phase == WT_ENTRY_ACCEPTED && e.ended)
			continue;
		if (!why)
			why = e.phase == WT_ENTRY_WAITING   ? "not submitted"
			      : e.phase == WT_ENTRY_SENDING ? "submitted, no reply yet"
			      : e.phase == WT_ENTRY_LOST    ? "lost by slurmctld"
							    : "has not ended";
		json_object_set_new(run->problems, record->jobs[i].name, wt_json_text(why));
		if (e.phase == WT_ENTRY_REFUSED)
			wt_run_fail(run, "slurmctld refused %s: %s", record->jobs[i].name, why);
	}
	if (wt_ledger_look(run->ledger).duplicates)
		wt_run_fail(run, "slurmctld has jobs of this run twice; the figures are worthless");
}

static bool job_settled(const struct wt_job_record *job)
{
	return wt_job_state_final(job->state);
}

static bool job_good(const struct wt_job_record *job)
{
	return !job_settled(job) || job->state == WT_JOB_COMPLETED;
}

static bool job_good_cancelled(const struct wt_job_record *job)
{
	return job_good(job) || job->state == WT_JOB_CANCELLED;
}

/* "3 jobs TEXT: a (why), b (why), c (why)", or nothing when all are as they should be. */
static void jobs_name(struct wt_run *run, const char *text, bool (*fine)(const struct wt_job_record *job))
{
	struct wt_str names = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < run->record->job_count; i++) {
		const struct wt_job_record *job = &run->record->jobs[i];
		const char *why = json_string_value(json_object_get(run->problems, job->name));

		if (fine(job) || ++count > NAMES_MAX)
			continue;
		wt_str_printf(&names, "%s%s (", count > 1 ? ", " : "", job->name);
		if (why)
			wt_str_printf(&names, "%s)", why);
		else
			wt_str_printf(&names, "%s, exit code %u)", wt_job_state_name(job->state), job->exit_code);
	}
	if (count)
		wt_run_fail_more(run, "%zu of %zu jobs %s: %s%s", count, run->record->job_count, text,
				 names.text ? names.text : "",
				 count > NAMES_MAX ? " and more, see summary.json" : "");
	wt_str_clear(&names);
}

/* With --keep-going it is told, and is no failure. */
static void world_judge(struct wt_run *run)
{
	struct wt_error first;
	size_t refused = run->scenario->keep_going ? 0 : world_acts_refused(&run->world, &first);

	if (refused)
		wt_run_fail_more(run, "%s (and %zu more such answers)", first.text, refused - 1);
}

static void accounts_check(struct wt_run *run)
{
	if (run->interrupted)
		return;
	jobs_name(run, "have no end", job_settled);
	if (!run->scenario->choice.trace.has_asks)	/* else it is told which jobs ended how */
		jobs_name(run, "did not complete", run->cancelling ? job_good_cancelled : job_good);
	if (*run->acts.problem)
		wt_run_fail_more(run, "%s (and %zu more such answers)", run->acts.problem, run->acts.refused - 1);
	world_judge(run);
}

/* ---- results ---- */

static int record_complete(struct wt_run *run)
{
	struct wt_error error;
	struct wt_record *r = wt_ledger_take_record(run->ledger, &error);

	if (!r) {
		wt_run_fail(run, "%s", error.text);
		return -1;
	}
	run->record = r;
	r->nodes = run->target.partition.nodes;
	r->cpus = run->target.partition.cpus;
	r->backend = strdup(wt_target_backend(&run->target));
	r->clock = strdup(wt_clock_name(run->clock));
	r->slurm_version = strdup(run->target.info.version);
	r->controller_cpu_s = wt_sampler_cpu_s(&run->recorder.sampler);
	if (run->cancelling)
		r->cancel_s = run->cancel.first_sent_s;
	if (isnan(r->begin_s))
		r->begin_s = run->begin_s;
	return 0;
}

/* What only the run knows goes into summary.json beside the figures.  One key after the other: what cannot be made must not
 * cost the others. */
static int summary_extend(struct wt_run *run, json_t *summary)
{
	const struct { const char *key; json_t *value; } extras[] = {
		{ "interrupted", json_boolean(run->interrupted) },
		{ "jobs_resubmitted", json_integer((json_int_t) run->counts.resubmitted) },
		{ "controller_restarts", json_integer((json_int_t) wt_sampler_restarts(&run->recorder.sampler)) },
		{ "jobs_before", json_integer((json_int_t) run->recorder.jobs_before) },
		{ "host_losses", json_integer((json_int_t) run->host_losses) },
		{ "jobs_requeued", json_integer((json_int_t) run->requeues) },
		{ "outages", json_integer((json_int_t) run->recorder.outages) },
		{ "outage_s", json_real(run->recorder.outage_s) },
		{ "placement_problem", wt_json_text(run->placement_why.text) },
		{ "rpc_costs", wt_rpc_costs_json(&run->recorder.rpc_costs) },
		{ "failure", wt_json_text(run->failure) },
		{ "not_written", wt_json_text(run->lost.text ? run->lost.text : "") },
		{ "problems", json_incref(run->problems) },
		{ "virtual_clock", wt_run_clock_json(run) },
		{ "trace", wt_choice_trace_json(run->scenario, run->record->cpus) },
		{ "repeatable", wt_run_repeatable_json(run) },
		{ "real_cluster", run->real_cluster ? json_incref(run->real_cluster) : json_null() },
		{ "jobs_file", wt_run_ends_json(run) },
		{ "world", world_acts_json(&run->world) },
		{ "costs", run->costs ? json_incref(run->costs) : json_null() },
		{ "provision", wt_run_provision_json(run) },
		{ "costs_problem", wt_json_text(run->costs_why.text) },
	};
	int rc = 0;

	for (size_t i = 0; i < sizeof(extras) / sizeof(extras[0]); i++)
		if (json_object_set_new(summary, extras[i].key, extras[i].value) < 0)
			rc = -1;
	return rc;
}

/* A file that could not be written: the run fails, and goes on writing the others. */
static void file_lost(struct wt_run *run, const char *names, const struct wt_error *error)
{
	run->disk_full |= errno == ENOSPC || errno == EDQUOT;
	if (!run->lost.len)
		wt_run_fail_more(run, "%s", error->text);
	wt_str_printf(&run->lost, "%s%s", run->lost.len ? ", " : "", names);
}

static int world_write(const struct wt_run *run, struct wt_error *errp)
{
	char *path = wt_str_format("%s/" WORLD_FILE, run->dir);
	int rc = path ? wt_outfile_write(path, world_acts_write, &run->world, errp) :
		 wt_error_errno(errp, ENOMEM, WORLD_FILE);

	free(path);
	return rc;
}

/* While the cluster is still there: its folder has the nodes' events, and its logs may take the last of the disk. */
static void tables_write(struct wt_run *run)
{
	const char *events = run->target.cluster ? run->target.cluster->node_events : NULL;
	struct wt_error error = { "" };
	struct wt_str lost = { 0 };

	wt_run_reserve_shrink(run->dir);
	run->host_losses = wt_target_host_losses(&run->target);
	if (wt_signals_count < 2)
		wt_target_events_settle(&run->target);
	if (run->scenario_due && wt_run_folder_write(run, &error) < 0)
		file_lost(run, "scenario.json", &error);
	if (wt_report_write_tables(run->dir, run->record, wt_signals_count < 2 ? events : NULL, run->target.events_offset,
				   &run->malformed,
				   &lost, &error) < 0)
		file_lost(run, lost.text ? lost.text : "jobs.csv", &error);
	if (!run->stuck && provisioner_save(&run->provisioner, run->dir, &error) < 0)
		file_lost(run, PROVISIONER_FILE, &error);
	if (wt_run_power_take(run, &error) < 0)
		file_lost(run, WT_POWER_FILE, &error);
	if (run->scenario->profile_hz &&
	    run_profile_write(&run->profile, run->dir, wt_signals_count < 2, &error) < 0)
		file_lost(run, RUN_PROFILE_FILE, &error);
	if (run->world.rows && world_write(run, &error) < 0)
		file_lost(run, WORLD_FILE, &error);
	if (run->target.cluster && run->target.cluster->on_hosts &&
	    host_events_write(run->target.cluster->dir, run->record->begin_s, run->dir, &error) < 0)
		file_lost(run, WT_HOST_EVENTS_FILE, &error);
	wt_str_clear(&lost);
}

static int summary_write(struct wt_run *run, bool last, struct wt_error *errp)
{
	char *path = wt_str_format("%s/summary.json", run->dir);
	json_t *summary = path ? wt_summary_json(run->record, &run->metrics) : NULL;
	int rc;

	if (!summary || summary_extend(run, summary) < 0)
		rc = wt_error_errno(errp, ENOMEM, "%s/summary.json", run->dir);
	else
		rc = wt_outfile_write(path, wt_json_write, summary, errp);
	if (summary && last && run->scenario->json)
		wt_json_write(stdout, summary, NULL);
	json_decref(summary);
	free(path);
	return rc;
}

static void cluster_leave(struct wt_run *run)
{
	struct wt_error error;

	if (wt_target_save(&run->target, run->dir, &error) < 0)
		file_lost(run, "logs", &error);
	if (wt_target_close(&run->target, &error) < 0)
		wt_run_fail(run, "the run's cluster did not end: %s", error.text);
}

/* A slurmctld that cannot save its state refuses jobs with words that do not name the disk. */
static void state_disk_check(struct wt_run *run)
{
	struct statvfs fs;

	if (!*run->failure || !run->target.cluster || statvfs(run->target.cluster->dir, &fs) < 0 ||
	    (uint64_t) fs.f_bavail * fs.f_frsize >= STATE_BYTES_MIN)
		return;
	run->disk_full = true;
	wt_run_fail_more(run, "the disk of the cluster's folder %s is full (WINDTUNNEL_STATE names another)",
			 run->target.cluster->dir);
}

/* What to do about a disk that is full, behind all that went wrong. */
static void advice_add(struct wt_run *run)
{
	if (run->lost.len)
		wt_run_fail_more(run, "not written: %s", run->lost.text);
	if (run->disk_full)
		wt_run_fail_more(run, "make room, then the same command with --output %s --resume runs it again (what is "
				      "there is kept)",
				 run->dir);
}

static void placed_add(struct wt_run *run)
{
	struct wt_error error = { "" };
	size_t malformed = run->malformed;

	if (placed_compute(run->record, run->dir, &error) < 0)
		run->placement_why = error;
	if (wt_metrics_compute(&run->metrics, run->record, &error) < 0)
		wt_run_fail_more(run, "%s", error.text);
	run->metrics.events_malformed = malformed;
}

static void results_finish(struct wt_run *run)
{
	struct wt_error error;

	run->record->wall_s = (double) (wt_clock_wall_us() - run->began_wall_us) / 1e6;
	accounts_check(run);
	wt_run_costs_make(run);
	if (wt_metrics_compute(&run->metrics, run->record, &error) < 0) {
		wt_run_fail_more(run, "%s", error.text);
		return;
	}
	run->metrics.events_malformed = run->malformed;
	advice_add(run);
	wt_run_reserve_drop(run->dir);
	/* Twice: the placement is read of a whole folder. */
	if (summary_write(run, false, &error) == 0)
		placed_add(run);
	if (summary_write(run, true, &error) < 0)
		wt_run_fail_more(run, "%s", error.text);
	wt_progress_end(&run->progress);
	if (!run->scenario->json) {	/* also when the disk is full */
		wt_summary_print(stdout, run->record, &run->metrics);
		wt_run_clock_print(stdout, run);
	}
	wt_choice_trace_print(run->scenario->json ? stderr : stdout, "  ", run->scenario, run->record->cpus);
	wt_run_ends_print(run->scenario->json ? stderr : stdout, run);
	if (run->recorder.jobs_before)
		fprintf(run->scenario->json ? stderr : stdout, "  beside other work: when it began, %" PRIu64
			" jobs that are not of this run waited or ran\n", run->recorder.jobs_before);
	world_acts_print(run->scenario->json ? stderr : stdout, &run->world);
}

void wt_run_finish(struct wt_run *run)
{
	bool recorded;

	live_feed_phase(run->live, LIVE_FINISHING, "", (double) wt_clock_wall_us() / 1e6);
	pthread_mutex_lock(&run->lock);	/* a thread that is stuck must find the ledger locked, or gone */
	run->counts = wt_ledger_count(run->ledger);
	wt_recorder_outage_cut(&run->recorder);
	problems_collect(run);
	state_disk_check(run);
	run_profile_stop(&run->profile);
	recorded = record_complete(run) == 0;
	if (recorded && wt_signals_count < 2)
		events_take(run);
	if (recorded)
		tables_write(run);
	if (run->target.own_name)
		wt_progress_phase(&run->progress, "stopping the cluster", 0, 0, now_s(run));
	cluster_leave(run);
	wt_run_clock_end(run);
	if (recorded)
		results_finish(run);
	if (!run->stuck)
		pthread_mutex_unlock(&run->lock);
}
