/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading slurmctld's jobs. */
#include "compat/controller.h"

#include "plugins/straggler/slurmctld/slurmctld_jobs.h"
#include "lib/clock.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The value of NAME in a job's SPANK environment. */
static const char *spank_value(const job_record_t *job, const char *name)
{
	size_t len = strlen(name);

	for (uint32_t i = 0; i < job->spank_job_env_size; i++) {
		const char *text = job->spank_job_env[i];

		if (text && !strncmp(text, name, len) && text[len] == '=')
			return text + len + 1;
	}
	return NULL;
}

static enum wt_spec_state state_of(const job_record_t *job)
{
	if (IS_JOB_PENDING(job))
		return WT_SPEC_PENDING;
	/* A suspended job goes on later: its right to publish, and its place among the attempts, stay. */
	if (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job))
		return WT_SPEC_RUNNING;
	if (IS_JOB_COMPLETE(job))
		return WT_SPEC_OK;
	return IS_JOB_CANCELLED(job) ? WT_SPEC_CANCELLED : WT_SPEC_FAILED;
}

/* Of the whole array: those that wait in the master's record, those that run, and those that have ended. */
static uint32_t tasks_of(const job_record_t *job)
{
	/* Slurm keeps an array's counts in one record only, that of the task which bears the array's own number. */
	const job_record_t *master = job->array_recs ? job : find_job_record(job->array_job_id);
	const job_array_struct_t *recs = master ? master->array_recs : NULL;

	return recs ? recs->task_cnt + recs->tot_run_tasks + recs->tot_comp_tasks : 1;
}

static void copy_read(struct wt_spec_fact *fact, const char *text)
{
	uint32_t of, number, array, task, tasks;

	/* The environment is the submitter's word: spec_array.c looks whether the original is a known job of the same
	 * user. */
	if (sscanf(text, "%" SCNu32 ":%" SCNu32 ":%" SCNu32 ":%" SCNu32 ":%" SCNu32, &of, &number, &array, &task,
		   &tasks) != 5 ||
	    number < 2)
		return;
	fact->copy_of = of;
	fact->number = number;
	fact->array_job_id = array;
	fact->array_task_id = task;
	fact->tasks = tasks;
}

static time_t time_now(void)
{
	return (time_t) (wt_clock_now_us(wt_clock_real()) / 1000000);
}

/* When what is looked at now is seen, for a comparison with the file's stamp: rather later. */
static int64_t seen_now_s(void)
{
	return (wt_clock_now_us(wt_clock_real()) + STAMP_MARGIN_US) / 1000000;
}

/* What stays as it is for the whole life of a job. */
static void job_read_once(struct jobs_fact *f, const job_record_t *job)
{
	const char *policy = spank_value(job, JOBS_POLICY), *copy = spank_value(job, JOBS_COPY);
	bool array = job->array_task_id != NO_VAL;

	f->fact.uid = job->user_id;
	f->fact.array_job_id = array ? job->array_job_id : job->job_id;
	f->fact.array_task_id = array ? job->array_task_id : 0;
	f->fact.tasks = array ? tasks_of(job) : 1;
	if (copy)
		copy_read(&f->fact, copy);
	if (policy)
		snprintf(f->policy, sizeof(f->policy), "%s", policy);
}

static void job_read(struct jobs_fact *f, const job_record_t *job, time_t now, int64_t seen_s)
{
	time_t end = job->end_time && !IS_JOB_RUNNING(job) ? job->end_time : now;

	f->fact.seen_s = seen_s;
	f->fact.state = state_of(job);
	f->fact.restart = job->restart_cnt;
	f->fact.exit_code = job->exit_code;
	f->fact.completing = IS_JOB_COMPLETING(job);
	f->fact.run_time_s = job->start_time && end > job->start_time ? difftime(end, job->start_time) : 0;
	if (!IS_JOB_PENDING(job) && job->batch_host)
		snprintf(f->node, sizeof(f->node), "%s", job->batch_host);
}

/* Texts have their place in the array, which does not move any more. */
static void texts_point(struct jobs_fact *facts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		facts[i].fact.policy = facts[i].policy[0] ? facts[i].policy : NULL;
		facts[i].fact.node = facts[i].node[0] ? facts[i].node : NULL;
	}
}

/* The record of an array's tasks that wait is no job; it has the array's number, which will be that of its last task. */
static bool is_task(const job_record_t *job)
{
	return !job->array_recs || job->array_task_id != NO_VAL;
}

static const slurmctld_lock_t look_lock = { .job = READ_LOCK };

/* Of no lock's concern: a second's error does not matter, and the number is written at once. */
bool jobs_quiet(unsigned int seconds)
{
	return time_now() - *(volatile time_t *) &last_job_update > (time_t) seconds;
}

struct jobs_fact *jobs_look(const uint32_t *ids, size_t count, size_t known)
{
	struct jobs_fact *facts = calloc(count + 1, sizeof(*facts));
	int64_t seen_s;
	time_t now;

	if (!facts)
		return NULL;
	lock_slurmctld(look_lock);
	seen_s = seen_now_s();
	now = time_now();	/* not before: the wait may be long, and the file be written meanwhile */
	for (size_t i = 0; i < count; i++) {
		job_record_t *job = find_job_record(ids[i]);

		facts[i].fact.job_id = ids[i];
		if (!job || !is_task(job))
			continue;
		if (i >= known)
			job_read_once(&facts[i], job);
		job_read(&facts[i], job, now, seen_s);
	}
	unlock_slurmctld(look_lock);
	texts_point(facts, count);
	return facts;
}

struct found {
	struct jobs_fact *list;
	size_t count, room;
	bool failed;
};

static int job_find(void *x, void *arg)
{
	job_record_t *job = x;
	struct found *found = arg;

	if (!spank_value(job, JOBS_POLICY) || !is_task(job))
		return 0;
	if (found->count == found->room) {
		size_t room = 2 * found->room;
		struct jobs_fact *more = reallocarray(found->list, room, sizeof(*more));

		found->failed = !more;
		if (!more)
			return -1;
		found->list = more;
		found->room = room;
	}
	memset(&found->list[found->count], 0, sizeof(found->list[0]));
	found->list[found->count].fact.job_id = job->job_id;
	job_read_once(&found->list[found->count], job);
	job_read(&found->list[found->count++], job, time_now(), seen_now_s());
	return 0;
}

struct jobs_fact *jobs_find(size_t *count)
{
	struct found found = { calloc(1, sizeof(*found.list)), 0, 1, false };

	lock_slurmctld(look_lock);
	if (found.list)
		list_for_each(job_list, job_find, &found);
	unlock_slurmctld(look_lock);
	if (found.failed) {
		free(found.list);
		return NULL;
	}
	texts_point(found.list, found.count);
	*count = found.count;
	return found.list;
}

void jobs_save_soon(void)
{
	schedule_job_save();
}

#define HEAD_LEAST (sizeof(uint32_t) + sizeof(uint16_t) + sizeof(uint64_t))

/* Its head: a string with its length before it, a protocol's version, and the time at which slurmctld began to write;
 * big-endian. */
static int64_t stamp_read(const char *path)
{
	unsigned char head[64];
	uint64_t stamp = 0;
	uint32_t len;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, head, sizeof(head));

	if (fd >= 0)
		close(fd);
	if (got < (ssize_t) HEAD_LEAST)
		return 0;
	memcpy(&len, head, sizeof(len));
	len = ntohl(len);
	if (len > (size_t) got - HEAD_LEAST)
		return 0;
	memcpy(&stamp, head + sizeof(len) + len + sizeof(uint16_t), sizeof(stamp));
	return (int64_t) be64toh(stamp);
}

/* Two readings with nothing between them, or nearly. */
bool jobs_clock_back(struct stamps *stamps)
{
	int64_t real_us = 0, before_us = 0, after_us = INT64_MAX;

	/* Again when we were put aside between the two: the difference would look like a step of the clock. */
	for (int i = 0; i < 100 && after_us - before_us > STAMP_STEP_US / 4; i++) {
		before_us = wt_clock_monotonic_us();
		real_us = wt_clock_now_us(wt_clock_real());
		after_us = wt_clock_monotonic_us();
	}
	return stamps_clock(stamps, real_us, after_us);
}

/* slurmctld itself does not wait until the file's name is on the disk. */
static bool folder_written(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool done = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);

	if (fd >= 0)
		close(fd);
	return done;
}

int64_t jobs_saved_s(struct stamps *stamps, const char *folder)
{
	char path[PATH_MAX + 16];
	struct stamp_file file;
	struct stat st;
	int64_t stamp_s;

	snprintf(path, sizeof(path), "%s/job_state", folder);
	/* for a moment, while slurmctld puts the next one there; or it has never written any */
	if (stat(path, &st) < 0) {
		if (errno == ENOENT && !stamps->seen)
			stamps_take(stamps, &(struct stamp_file) { 0 }, 0);
		return stamps_believed_s(stamps);
	}
	file = (struct stamp_file) { .inode = st.st_ino, .changed_s = st.st_mtim.tv_sec, .changed_ns = st.st_mtim.tv_nsec };
	/* Not read each second: the file has megabytes, and is replaced every 5 s at most. */
	if (stamps_fresh(stamps, &file) && (stamp_s = stamp_read(path)) && folder_written(folder))
		stamps_take(stamps, &file, stamp_s);
	return stamps_believed_s(stamps);
}
