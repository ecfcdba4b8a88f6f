/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "cmd/upgrade/upgrade_stage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/upgrade/state_copy.h"
#include "harness/cluster/folder/fenced.h"
#include "harness/cluster/folder/state_json.h"
#include "harness/upgrade/upgrade_compare.h"
#include "harness/upgrade/upgrade_report.h"
#include "lib/fs.h"
#include "lib/str.h"

#define LOG_MAX    ((size_t) 16 << 20)
#define REST_LOOKS 3 /* so often nothing has moved, a second apart: backfill looks each second */
#define REST_MAX_S 90
#define ASKS_MAX 10		/* while slurmctld is started anew, which takes its supervisor some seconds */
#define LOOK_MS    1000
#define CRASHES    2 /* slurmctld is started anew each time: once may be anything */

/* Made with the clients of the release.  All nodes but the two last are busy: job 1, the wide one, the suspended one and two
 * tasks of the array; what the suspended one leaves free goes to a job that waits. */
static const char jobs_script[] =
	"set -eu\n"
	"nodes=$1\n"
	"job() { name=$1; shift; sbatch -Q -J \"$name\" -o /dev/null -e /dev/null \"$@\" --wrap 'sleep 86400'; }\n"
	"running() { squeue -h -t R -o %i | wc -l; }\n"
	"until_running() {\n"
	"	for i in $(seq 120); do [ \"$(running)\" -lt $1 ] || return 0; sleep 1; done\n"
	"	echo \"only $(running) of $1 jobs began within two minutes\" >&2; exit 1\n"
	"}\n"
	"scontrol create reservationname=maintenance starttime=now+10hours duration=60 nodes=ALL users=\"$(id -un)\" \\\n"
	"	flags=ignore_jobs >/dev/null\n"
	"job running -N1 --exclusive -t 300\n"
	"job wide -N$((nodes - 6)) --exclusive -t 250\n"
	"job suspended -N1 --exclusive -t 350\n"
	"job array -N1 --exclusive -t 200 -a 1-6%2\n"
	"until_running 5\n"
	"scontrol suspend 3\n"
	"job dependent -N1 -t 10 -d afterok:1\n"
	"job held -N1 -t 10 -H\n"
	"job later -N1 -t 10 -b now+9hours\n"
	"job big -N$((nodes - 3)) --exclusive -t 10\n"
	"job small -N1 --exclusive -t 180\n" /* it ends before "big" can begin */
	"until_running 5\n"
	"job reserved -N1 -t 10 --reservation maintenance\n"
	"scontrol update nodename=n$((nodes - 2)) state=drain reason='disk errors'\n"
	"scontrol update nodename=n$((nodes - 1)) state=down reason='power supply'\n";

static void tell(const struct upgrade_rehearsal *r, const struct upgrade_stage *stage, const char *what)
{
	if (!r->quiet)
		fprintf(stderr, "%s: %s\n", stage->label, what);
}

/* ---- a cluster ---- */

static int stage_up(struct upgrade_rehearsal *r, const struct upgrade_stage *stage, struct wt_error *errp)
{
	char nodes[32], owner[32];
	const char *argv[20] = { "windtunnel", "--slurm", stage->release, "cluster", "up",
				 r->name,      "--quiet", "--owner",      owner };
	size_t n = 9;

	snprintf(owner, sizeof(owner), "%ld", (long) getpid()); /* whatever ends us ends it */

	if (r->site) {
		argv[n++] = "--site";
		argv[n++] = r->site;
	}
	if (r->nodes) {
		snprintf(nodes, sizeof(nodes), "%lu", r->nodes);
		argv[n++] = "--nodes";
		argv[n++] = nodes;
	}
	if (!r->foreign) {
		argv[n++] = "--default-run-time";
		argv[n++] = "86400";
		argv[n++] = "--set";
		argv[n++] = "SchedulerParameters=bf_interval=1";
	} else {
		/* Its nodes never answer, nor do its salloc and srun: a site's short times would end its jobs meanwhile. */
		argv[n++] = "--set";
		argv[n++] = "SlurmdTimeout=0";
		argv[n++] = "--set";
		argv[n++] = "InactiveLimit=0";
	}
	return child_run(&r->runner, argv, NULL, NULL, NULL, NULL, errp);
}

static bool maps_has(pid_t pid, const char *library)
{
	char path[64], *line = NULL;
	size_t size = 0;
	bool there = false;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%ld/maps", (long) pid);
	maps = fopen(path, "re");
	while (maps && !there && getline(&line, &size, maps) >= 0)
		there = strstr(line, library) != NULL;
	free(line);
	if (maps)
		fclose(maps);
	return there;
}

/* A build of another release that is older than the fence would start slurmctld without it. */
static int fence_check(const struct upgrade_rehearsal *r, const struct upgrade_stage *stage, struct wt_error *errp)
{
	struct wt_state state;

	if (!r->foreign)
		return 0;
	if (wt_state_load(r->folder, &state, errp) < 0)
		return -1;
	for (size_t i = 0; i < state.daemon_count; i++)
		if (!strcmp(state.daemons[i].name, "slurmctld") && maps_has(state.daemons[i].proc.pid, WT_FENCE_LIBRARY))
			return 0;
	return wt_error_set(errp, EPROTONOSUPPORT,
			    "its slurmctld runs without %s, and could run programs of the state: build that Windtunnel "
			    "anew, by './quickstart slurm %s'",
			    WT_FENCE_LIBRARY, stage->release);
}

static int stage_stop(struct upgrade_rehearsal *r, struct wt_error *errp)
{
	const char *const argv[] = { "windtunnel", "cluster", "stop", r->name, "slurmctld", "nodes", NULL };

	return child_run(&r->runner, argv, NULL, NULL, NULL, NULL, errp);
}

static void stage_down(struct upgrade_rehearsal *r)
{
	const char *const argv[] = { "windtunnel", "cluster", "down", r->name, NULL };
	struct wt_error ignored;

	if (access(r->folder, F_OK) == 0 && child_run_last(&r->runner, argv, &ignored) < 0)
		fprintf(stderr, "windtunnel upgrade: cluster '%s' did not end: %s\n", r->name, ignored.text);
}

/* ---- a state ---- */

static bool keep_all(const char *name)
{
	(void) name;
	return false;
}

/* What of the nodes' folder is more than a log: which jobs run on them. */
static bool leave_other(const char *name)
{
	size_t len = strlen(name);

	return strcmp(name, "journal") && (len < 4 || strcmp(name + len - 4, ".csv"));
}

static int folder_exchange(const char *from, const char *from_name, const char *to, const char *to_name, state_leave_f leave,
			   state_leave_f spare, struct wt_error *errp)
{
	char *source = wt_str_format("%s/%s", from, from_name), *target = wt_str_format("%s/%s", to, to_name);
	int rc = source && target ? 0 : wt_error_errno(errp, ENOMEM, "%s", from);

	if (rc == 0 && spare)
		rc = state_clear(target, spare, errp);
	else if (rc == 0 && mkdir(target, 0700) < 0)
		rc = wt_error_errno(errp, errno, "%s", target);
	if (rc == 0)
		rc = state_copy(source, target, leave, errp);
	free(source);
	free(target);
	return rc;
}

/* From here on the log is about the state. */
static int log_begin(const struct upgrade_rehearsal *r, struct wt_error *errp)
{
	char *path = wt_str_format("%s/ctld/slurmctld.log", r->folder);
	int rc = path ? truncate(path, 0) : -1;

	if (rc < 0)
		wt_error_errno(errp, path ? errno : ENOMEM, "%s/ctld/slurmctld.log", r->folder);
	free(path);
	return rc;
}

static char *log_read(const struct upgrade_rehearsal *r)
{
	char *path = wt_str_format("%s/ctld/slurmctld.log", r->folder), *text = NULL;

	if (path && wt_fs_read_tail(path, LOG_MAX, &text, NULL, NULL) < 0)
		text = NULL;
	free(path);
	return text;
}

/* How slurmctld ended by itself, which a damaged state can make it do without a word; NULL: it did not, or once only. */
static char *crash_find(const struct upgrade_rehearsal *r, const char *log)
{
	struct wt_state state;

	if (wt_state_load(r->folder, &state, NULL) < 0)
		return NULL;
	for (size_t i = 0; i < state.daemon_count; i++) {
		const struct wt_state_daemon *d = &state.daemons[i];

		if (!strcmp(d->name, "slurmctld") && d->restarts >= CRASHES)
			return upgrade_crash_words(log, d->last_exit, d->restarts);
	}
	return NULL;
}

static char *refusal_find(const struct upgrade_rehearsal *r, const char *log)
{
	char *fatal = log ? upgrade_fatal_find(log) : NULL;

	return fatal ? fatal : crash_find(r, log);
}

static bool refusal_there(void *arg)
{
	char *log = log_read(arg), *refusal = refusal_find(arg, log);
	bool there = refusal != NULL;

	free(log);
	free(refusal);
	return there;
}

/* 0 also when slurmctld refuses. */
static int stage_start(struct upgrade_rehearsal *r, struct upgrade_stage *stage, struct wt_error *errp)
{
	const char *const argv[] = { "windtunnel", "cluster", "start", r->name, "slurmctld", r->foreign ? NULL : "nodes",
				     NULL };
	int rc = child_run(&r->runner, argv, NULL, NULL, refusal_there, r, errp), saved = errno;

	stage->log = log_read(r);
	stage->refused = refusal_find(r, stage->log);
	errno = saved;
	return stage->refused && (rc == 0 || errno != EINTR) ? 0 : rc;
}

static int state_put(struct upgrade_rehearsal *r, struct upgrade_stage *stage, struct wt_error *errp)
{
	state_leave_f leave = r->foreign || stage->renamed ? state_is_log_or_name : state_is_log;

	if (stage_stop(r, errp) < 0 || folder_exchange(stage->state, "ctld", r->folder, "ctld", leave, leave, errp) < 0)
		return -1;
	if (!r->foreign && folder_exchange(stage->state, "nodes", r->folder, "nodes", keep_all, leave_other, errp) < 0)
		return -1;
	return log_begin(r, errp) < 0 ? -1 : stage_start(r, stage, errp);
}

/* A state that was not saved whole would be blamed on the release that reads it. */
static int saved_check(const struct upgrade_rehearsal *r, struct wt_error *errp)
{
	char *log = log_read(r), *unsaved = upgrade_unsaved_find(log);
	int rc = unsaved ? wt_error_set(errp, EIO, "slurmctld did not save its state: %s", unsaved) : 0;

	free(log);
	free(unsaved);
	return rc;
}

static int state_take(struct upgrade_rehearsal *r, const struct upgrade_stage *stage, struct wt_error *errp)
{
	state_leave_f leave = r->foreign ? state_is_log_or_name : state_is_log;

	if (!stage->handed_on)
		return 0;
	if (stage_stop(r, errp) < 0 || saved_check(r, errp) < 0)
		return -1;
	if (mkdir(stage->handed_on, 0700) < 0)
		return wt_error_errno(errp, errno, "%s", stage->handed_on);
	if (folder_exchange(r->folder, "ctld", stage->handed_on, "ctld", leave, NULL, errp) < 0)
		return -1;
	return r->foreign ? 0 : folder_exchange(r->folder, "nodes", stage->handed_on, "nodes", leave_other, NULL, errp);
}

/* ---- what it has ---- */

static int record_read(struct upgrade_rehearsal *r, enum upgrade_kind kind, struct upgrade_records *records,
		       struct wt_error *errp)
{
	const char *const argv[] = { "windtunnel",
				     "cluster",
				     "exec",
				     r->name,
				     "--",
				     "env",
				     "SLURM_BITSTR_LEN=0",
				     "SLURM_TIME_FORMAT=standard",
				     "scontrol",
				     "-a",
				     "-o",
				     "show",
				     upgrade_kind_word(kind),
				     NULL };
	char *text = NULL;
	size_t len = 0;
	int rc = child_run(&r->runner, argv, &text, &len, NULL, NULL, errp);

	if (rc == 0)
		rc = upgrade_records_parse(records, kind, text, len, errp);
	free(text);
	return rc;
}

static void records_clear(struct upgrade_records records[UPGRADE_KINDS])
{
	for (int kind = 0; kind < UPGRADE_KINDS; kind++)
		upgrade_records_clear(&records[kind]);
}

static int records_read(struct upgrade_rehearsal *r, struct upgrade_records records[UPGRADE_KINDS], struct wt_error *errp)
{
	int rc = 0;

	for (int kind = 0; rc == 0 && kind < UPGRADE_KINDS; kind++)
		rc = record_read(r, (enum upgrade_kind) kind, &records[kind], errp);
	return rc;
}

/* Reads until nothing moves any more. */
static int stage_rest(struct upgrade_rehearsal *r, struct upgrade_stage *stage, struct wt_error *errp)
{
	const struct upgrade_side before = { stage->release, stage->records };
	unsigned int still = 0;

	if (records_read(r, stage->records, errp) < 0)
		return -1;
	for (unsigned int look = 0; still < REST_LOOKS && look < REST_MAX_S; look++) {
		struct upgrade_records now[UPGRADE_KINDS] = { 0 };
		const struct upgrade_side after = { stage->release, now };
		bool rest;

		if (child_pause(&r->runner, LOOK_MS, errp) < 0)
			return -1;
		if (records_read(r, now, errp) < 0) {
			records_clear(now);
			return -1;
		}
		rest = upgrade_at_rest(&before, &after) && (r->foreign || upgrade_nodes_answered(&now[UPGRADE_NODE]));
		still = rest ? still + 1 : 0;
		records_clear(stage->records);
		memcpy(stage->records, now, sizeof(now));
	}
	if (still < REST_LOOKS)
		fprintf(stderr,
			"%s: warning: jobs and nodes did not come to rest in %d looks; what moves shows as a change\n",
			stage->label, REST_MAX_S);
	return 0;
}

static int text_write(const char *dir, const char *name, const char *text, struct wt_error *errp)
{
	char *path = wt_str_format("%s/%s", dir, name);
	int rc = path ? wt_fs_write(path, text, strlen(text), 0644, errp) : wt_error_errno(errp, ENOMEM, "%s", dir);

	free(path);
	return rc;
}

/* Field by field: what was compared. */
static int records_write(const char *dir, enum upgrade_kind kind, const struct upgrade_records *records,
			 struct wt_error *errp)
{
	struct wt_str s = { 0 };
	char *name = wt_str_format("%s.txt", upgrade_kind_plural(kind)), *text;
	int rc = -1;

	for (size_t i = 0; i < records->count; i++) {
		wt_str_printf(&s, "%s %s\n", upgrade_kind_word(kind), records->items[i].key);
		for (size_t f = 0; f < records->items[i].field_count; f++)
			wt_str_printf(&s, "  %s=%s\n", records->items[i].fields[f].name, records->items[i].fields[f].value);
	}
	text = wt_str_take(&s);
	if (text && name)
		rc = text_write(dir, name, text, errp);
	else
		wt_error_errno(errp, ENOMEM, "%s", dir);
	free(text);
	free(name);
	return rc;
}

static int stage_write(const struct upgrade_rehearsal *r, const struct upgrade_stage *stage, struct wt_error *errp)
{
	char *dir = r->output ? wt_str_format("%s/%s", r->output, stage->label) : NULL;
	int rc = 0;

	if (!r->output)
		return 0;
	if (!dir)
		return wt_error_errno(errp, ENOMEM, "%s", r->output);
	if (mkdir(dir, 0777) < 0)
		rc = wt_error_errno(errp, errno, "%s", dir);
	for (int kind = 0; rc == 0 && !stage->refused && kind < UPGRADE_KINDS; kind++)
		rc = records_write(dir, (enum upgrade_kind) kind, &stage->records[kind], errp);
	if (rc == 0 && stage->log)
		rc = text_write(dir, "slurmctld.log", stage->log, errp);
	free(dir);
	return rc;
}

/* ---- the stage ---- */

static int jobs_make(struct upgrade_rehearsal *r, struct wt_error *errp)
{
	char nodes[32];
	const char *const argv[] = { "windtunnel", "cluster",   "exec", r->name, "--", "sh",
				     "-c",         jobs_script, "jobs", nodes,   NULL };

	snprintf(nodes, sizeof(nodes), "%lu", r->nodes);
	return child_run(&r->runner, argv, NULL, NULL, NULL, NULL, errp);
}

/* All that it has, when it is at rest.  0 also when the state that it was given brings it down again and again.  One that
 * ends while it is asked is asked again: it is started anew, and whether it ends again tells what its end was. */
static int stage_look(struct upgrade_rehearsal *r, struct upgrade_stage *stage, struct wt_error *errp)
{
	int rc, saved;

	for (unsigned int ask = 1;; ask++) {
		rc = stage_rest(r, stage, errp);
		saved = errno;
		free(stage->log);
		stage->log = log_read(r);
		if (stage->state && (rc == 0 || saved != EINTR))
			stage->refused = crash_find(r, stage->log);
		if (rc == 0 || saved == EINTR || stage->refused || !stage->state || ask == ASKS_MAX)
			break;
		records_clear(stage->records);
		if (child_pause(&r->runner, LOOK_MS, errp) < 0)
			return -1;
	}
	if (stage->refused) {
		records_clear(stage->records);
		return 0;
	}
	errno = saved;
	return rc;
}

static int stage_work(struct upgrade_rehearsal *r, struct upgrade_stage *stage, struct wt_error *errp)
{
	tell(r, stage, "starting a cluster");
	if (stage_up(r, stage, errp) < 0 || fence_check(r, stage, errp) < 0)
		return -1;
	tell(r, stage, stage->state ? "starting slurmctld on the state" : "submitting jobs");
	if ((stage->state ? state_put(r, stage, errp) : jobs_make(r, errp)) < 0)
		return -1;
	if (!stage->refused) {
		tell(r, stage, "waiting until nothing moves");
		if (stage_look(r, stage, errp) < 0)
			return -1;
	}
	if (stage->refused)
		tell(r, stage, "slurmctld refuses the state");
	else if (state_take(r, stage, errp) < 0)
		return -1;
	return stage_write(r, stage, errp);
}

int upgrade_stage_run(struct upgrade_rehearsal *r, struct upgrade_stage *stage, struct wt_error *errp)
{
	int rc = stage_work(r, stage, errp), saved = errno;

	stage_down(r);
	if (rc < 0 && saved != EINTR)
		wt_error_prefix(errp, "Slurm %s", stage->release);
	errno = saved;
	return rc;
}
