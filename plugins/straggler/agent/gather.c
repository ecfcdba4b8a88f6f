/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A look goes through the folder once; a window's look tells all that is new, those between only what has begun or ended.
 * With n jobs on the node it costs n small reads, and a search of n known jobs for each. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "straggler/protocol/channel.h"
#include "plugins/straggler/agent/cputime.h"
#include "plugins/straggler/agent/gather.h"
#include "straggler/protocol/progress_file.h"
#include "lib/clock.h"

#define ASK_MS 5000
#define JOBS_MAX 4096	/* on a node */

struct gathered_job {
	uint32_t id, start;	/* of the file's name */
	uint32_t restart;	/* of its record */
	uint64_t sequence;	/* of the last record that was sent */
	bool announced, seen;
	double cpu_progress;
};

struct gather {
	const struct straggler_conf *conf;
	char directory[PATH_MAX], node[PORT_NODE_MAX + 1];
	struct channel channel;
	struct port_message message;
	struct gathered_job *jobs;
	size_t count;
	int64_t window_us, sent_us;	/* when all were sent */
	bool failing;
	bool again;			/* all is to be told again */
	unsigned int connections;	/* of the channel, when that was done last */
	bool times_read;		/* in this look */
	struct cputimes *times;
};

struct gather *gather_create(const struct straggler_conf *conf, const char *directory, const char *node,
			     struct wt_error *errp)
{
	struct gather *g = calloc(1, sizeof(*g));

	if (g)
		g->jobs = calloc(JOBS_MAX, sizeof(*g->jobs));
	if (!g || !g->jobs) {
		free(g);
		wt_error_errno(errp, ENOMEM, "agent");
		return NULL;
	}
	g->conf = conf;
	channel_begin(&g->channel, conf);
	g->window_us = (int64_t) (conf->spec.window_s * 1e6);
	snprintf(g->directory, sizeof(g->directory), "%s", directory);
	snprintf(g->node, sizeof(g->node), "%s", node);
	return g;
}

void gather_destroy(struct gather *g)
{
	if (!g)
		return;
	channel_end(&g->channel);
	free(g->jobs);
	free(g);
}

static struct gathered_job *job_get(struct gather *g, uint32_t id, uint32_t start)
{
	for (size_t i = 0; i < g->count; i++) {
		if (g->jobs[i].id == id && g->jobs[i].start == start)
			return &g->jobs[i];
	}
	if (g->count == JOBS_MAX)
		return NULL;
	g->jobs[g->count] = (struct gathered_job) { .id = id, .start = start };
	return &g->jobs[g->count++];
}

static int beat_send(struct gather *g, struct wt_error *errp)
{
	int rc;

	if (!g->message.count)
		return 0;
	g->message.kind = PORT_REPORT;
	g->message.window_ms = (uint32_t) (g->window_us / 1000);
	memcpy(g->message.node, g->node, sizeof(g->message.node));
	rc = channel_report(&g->channel, &g->message, ASK_MS, errp);
	g->message.count = 0;
	return rc;
}

static int record_add(struct gather *g, const struct gathered_job *job, int64_t elapsed_us, double progress, uint32_t flags,
		      struct wt_error *errp)
{
	g->message.records[g->message.count++] = (struct beat_record){
		.job_id = job->id,
		.restart = job->restart,
		.flags = flags,
		.elapsed_us = elapsed_us > 0 ? (uint64_t) elapsed_us : 0,
		.progress = progress,
	};
	return g->message.count == PORT_RECORDS_MAX ? beat_send(g, errp) : 0;
}

/* Once in a look, and only if a job wants to know. */
static const struct cputimes *times_get(struct gather *g)
{
	if (!g->times_read)
		g->times = cputimes_read();
	g->times_read = true;
	return g->times;
}

static void times_drop(struct gather *g)
{
	cputimes_free(g->times);
	g->times = NULL;
	g->times_read = false;
}

/* Progress by CPU time, of a task that the user said takes cpu_s of it and that says nothing itself. */
static bool cpu_follow(struct gather *g, struct gathered_job *job, struct progress_record *record)
{
	double share;

	if (record->sequence || !(record->cpu_s > 0) || !record->pid)
		return false;
	/* Never all of it: the user's figure is a guess, and a task whose progress is 1 would count as about to end. */
	share = fmin(cputime_s(times_get(g), (pid_t) record->pid) / record->cpu_s, .99);
	if (share <= job->cpu_progress)
		return false;
	job->cpu_progress = share;
	record->progress = share;
	record->elapsed_us = wt_clock_monotonic_us() - record->start_us;
	return true;
}

/* Whether slurmstepd has let go of the job: then it has ended. */
static bool job_left(const char *lock_path)
{
	int fd = open(lock_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	bool left;

	if (fd < 0)
		/* slurmstepd makes the lock before the file: without it the file was left behind. */
		return errno == ENOENT;
	left = flock(fd, LOCK_EX | LOCK_NB) == 0;
	close(fd);
	return left;
}

static int end_report(struct gather *g, struct gathered_job *job, const struct progress_record *record,
		      struct wt_error *errp)
{
	bool tell = record->ended && record->restart != PROGRESS_NO_RESTART;
	int rc = tell ? record_add(g, job, record->elapsed_us, record->progress, BEAT_END, errp) : 0;

	*job = g->jobs[--g->count];
	return rc;
}

static int file_look(struct gather *g, const char *name, bool all, struct wt_error *errp)
{
	char path[PATH_MAX + 300], lock[PATH_MAX + 308];
	struct progress_record record;
	uint32_t id, start;
	struct gathered_job *job;
	bool readable, first;

	if (!progress_name_read(name, &id, &start) || !(job = job_get(g, id, start)))
		return 0;
	job->seen = true;
	snprintf(path, sizeof(path), "%s/%s", g->directory, name);
	snprintf(lock, sizeof(lock), "%s.lock", path);
	readable = progress_read(path, &record, NULL) == 0;
	if (readable)
		job->restart = record.restart;
	if (job_left(lock)) {
		int rc = readable ? end_report(g, job, &record, errp) : 0;

		unlink(path);
		unlink(lock);
		return rc;
	}
	if (!readable || record.restart == PROGRESS_NO_RESTART)
		return 0;
	first = !job->announced;
	job->announced = true;
	if (all && cpu_follow(g, job, &record))
		return record_add(g, job, record.elapsed_us, record.progress, BEAT_CPU, errp);
	/* At once, without a word of the task's: slurmctld is to know of it long before it could seem slow. */
	if (first && !record.sequence)
		return record_add(g, job, 0, 0, 0, errp);
	if (!all || record.sequence == job->sequence)
		return 0;
	job->sequence = record.sequence;
	return record_add(g, job, record.elapsed_us, record.progress, 0, errp);
}

/* After a report that failed, or went over another connection than those before it, which slurmctld does not answer, the
 * next window's tell all again: a task may report once in an hour. */
static void sent_forget(struct gather *g)
{
	if (!g->again && g->channel.connections == g->connections)
		return;
	g->again = false;
	g->connections = g->channel.connections;
	for (size_t i = 0; i < g->count; i++) {
		g->jobs[i].announced = false;
		g->jobs[i].sequence = 0;
		g->jobs[i].cpu_progress = 0;
	}
}

static void jobs_forget(struct gather *g)
{
	for (size_t i = g->count; i-- > 0; ) {
		if (!g->jobs[i].seen)
			g->jobs[i] = g->jobs[--g->count];
		else
			g->jobs[i].seen = false;
	}
}

enum gather_result gather_look(struct gather *g, struct wt_error *errp)
{
	int64_t now_us = wt_clock_monotonic_us();
	bool all = now_us - g->sent_us >= g->window_us, said;
	DIR *dir = opendir(g->directory);
	struct dirent *entry;
	int rc = 0;

	if (!dir)
		return GATHER_NONE;
	if (all) {
		g->sent_us = now_us;
		sent_forget(g);
	}
	while ((entry = readdir(dir))) {
		if (file_look(g, entry->d_name, all, errp) < 0)
			rc = -1;
	}
	closedir(dir);
	times_drop(g);
	jobs_forget(g);
	if (beat_send(g, errp) < 0)
		rc = -1;
	g->again = g->again || rc < 0;
	said = rc < 0 && !g->failing;
	if (rc == 0 && !g->failing && !g->count)
		return GATHER_NONE;
	g->failing = rc < 0;
	if (said)
		return GATHER_SAID;
	return g->count ? GATHER_OK : GATHER_NONE;
}
