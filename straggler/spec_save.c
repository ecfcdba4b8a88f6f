/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must outlive slurmctld: which attempt may publish, which has, and which copies there were.
 *
 *   windtunnel-straggler 5
 *   task ARRAY-JOB TASK UID COPIES HOLDER HOLDER-RESTART HOLDER-INSTANCE COMMITTED WINNER 0 HOLDER-NEWEST
 *   held MORE ACQUISITION...			of that task's holder, those that are not over; MORE 1: there may be others
 *   attempt JOB NUMBER RESTART OVER-INSTANCE OVER		of the task above
 *   flags JOB BITS				of that attempt, or with JOB 0 of the task: 1, the scheduler's own file had
 * it; 2, in doubt; 4, for good; 8, acquisitions of it may be in use that are not known
 *   end LINES					of this group
 *
 * Files of version 4 have no "held", and the oldest acquisition of the holder instead of the 0; files of version 3 have no
 * acquisitions: there the last two words of each line are missing.  Both are read, too.
 *
 * And then groups of what has changed since, each with its own end; of a task the last word counts, and of a number that was
 * given again the last task, job or user that has it. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "straggler/spec_private.h"

#define HEAD "windtunnel-straggler 5\n"
#define HEAD_BEFORE "windtunnel-straggler 4\n"
#define HEAD_LONG_BEFORE "windtunnel-straggler 3\n"
#define TEXT_MAX 256
#define FLAG_WRITTEN 1u
#define FLAG_DOUBTED 2u
#define FLAG_SPOILED 4u
#define FLAG_UNKNOWN 8u

bool wt_spec_changed(const struct wt_spec *s)
{
	return s->rewrite || !LIST_EMPTY(&s->changed);
}

void wt_spec_mark(struct wt_spec *s)
{
	s->rewrite = true;
}

bool wt_spec_marked(const struct wt_spec *s)
{
	return s->rewrite;
}

void spec_task_changed(struct wt_spec *s, struct spec_task *task)
{
	if (!task->changed)
		LIST_INSERT_HEAD(&s->changed, task, of_changed);
	task->changed = true;
}

static void changed_forget(struct wt_spec *s)
{
	struct spec_task *task;

	while ((task = LIST_FIRST(&s->changed))) {
		LIST_REMOVE(task, of_changed);
		task->changed = false;
	}
}

/* Only what has some. */
static unsigned int flags_save(uint32_t job_id, unsigned int bits, FILE *out)
{
	if (bits)
		fprintf(out, "flags %" PRIu32 " %u\n", job_id, bits);
	return bits != 0;
}

static unsigned int held_save(const struct spec_task *t, FILE *out)
{
	if (!t->holder)
		return 0;
	fprintf(out, "held %d", t->held_more);
	for (uint32_t i = 0; i < t->held_count; i++)
		fprintf(out, " %" PRIx64, t->held[i]);
	fputs("\n", out);
	return 1;
}

static unsigned int attempt_bits(const struct spec_attempt *a)
{
	return (a->written ? FLAG_WRITTEN : 0) | (a->doubted ? FLAG_DOUBTED : 0) | (a->unknown ? FLAG_UNKNOWN : 0);
}

static unsigned int task_save(const struct spec_task *t, FILE *out)
{
	const struct spec_attempt *a;
	unsigned int lines = 1;

	fprintf(out, "task %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIx64 " %d %"
		PRIu32 " 0 %" PRIx64 "\n", t->array->id, t->id, t->array->uid, t->copies, t->holder, t->holder_restart,
		t->holder_instance, t->committed, t->winner, t->holder_newest);
	lines += held_save(t, out);
	LIST_FOREACH(a, &t->attempts, of_task) {
		fprintf(out, "attempt %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIx64 " %" PRIx64 "\n", a->job_id, a->number,
			a->restart, a->over_instance, a->over);
		lines += 1 + flags_save(a->job_id, attempt_bits(a), out);
	}
	lines += flags_save(0, (t->doubted ? FLAG_DOUBTED : 0) | (t->spoiled ? FLAG_SPOILED : 0), out);
	return lines;
}

/* The right of a task that never had a copy, and which acquisitions of it are over, is of no use any more when the scheduler
 * has written down that the task has ended: ten thousand of these are not written again and again. */
static bool task_matters(const struct wt_spec *s, const struct spec_task *t)
{
	const struct spec_attempt *original = spec_task_original(t);

	if (t->copies || t->doubted)
		return true;
	return original && (t->holder || original->over) && !(original->state > WT_SPEC_RUNNING && !original->completing &&
							      spec_saved(s, original));
}

void wt_spec_save(struct wt_spec *s, FILE *out)
{
	const struct spec_array *array;
	unsigned int lines = 0;

	fputs(HEAD, out);
	LIST_FOREACH(array, &s->arrays, of_all) {
		for (uint32_t i = 0; i < array->known; i++) {
			if (task_matters(s, array->order[i]))
				lines += task_save(array->order[i], out);
		}
	}
	fprintf(out, "end %u\n", lines);
	changed_forget(s);
	/* The writer of the text marks it again if that fails: see service_save (). */
	s->rewrite = false;
}

void wt_spec_save_changes(struct wt_spec *s, FILE *out)
{
	const struct spec_task *task;
	unsigned int lines = 0;

	LIST_FOREACH(task, &s->changed, of_changed)
		lines += task_save(task, out);
	fprintf(out, "end %u\n", lines);
	changed_forget(s);
}

/* The end of a line: nothing, in a file of version 3, or two numbers. */
static bool rest_read(const char *rest, uint64_t *first, uint64_t *second)
{
	int used = 0;

	*first = *second = 0;
	/* %n is only set when all before it was read: 'used' of 0 stands for a line that is not ours. */
	return !*rest || (sscanf(rest, " %" SCNx64 " %" SCNx64 "%n", first, second, &used) == 2 && !rest[used]);
}

/* As if it had not been read. */
static void attempt_drop(struct wt_spec *s, struct spec_attempt *a)
{
	if (a->number > 1) {
		a->task->array->copies_alive--;
		s->copies_alive--;
	}
	spec_attempt_remove(s, a);
}

static void task_empty(struct wt_spec *s, struct spec_task *task)
{
	while (!LIST_EMPTY(&task->attempts))
		attempt_drop(s, LIST_FIRST(&task->attempts));
}

/* That array; in what was put behind the first group its number may have been another user's before. */
static struct spec_array *array_load(struct wt_spec *s, uint32_t id, uint32_t uid)
{
	struct spec_array *array = spec_array_get(s, id, true);

	if (!array || !array->owned || array->uid == uid)
		return array;
	if (!s->loading_changes)
		return NULL;
	for (uint32_t i = 0; i < array->known; i++)
		task_empty(s, array->order[i]);
	spec_array_remove(s, array);
	return spec_array_get(s, id, true);
}

static struct spec_task *task_load(struct wt_spec *s, const char *line)
{
	uint32_t array_id, id, uid, copies, holder, restart, winner;
	struct spec_array *array;
	struct spec_task *task;
	uint64_t instance, first, newest;
	int committed, used = 0;

	if (sscanf(line, "task %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNx64
		   " %d %" SCNu32 "%n",
		   &array_id, &id, &uid, &copies, &holder, &restart, &instance, &committed, &winner, &used) != 9 ||
	    !rest_read(line + used, &first, &newest))
		return NULL;
	array = array_load(s, array_id, uid);
	task = array ? spec_task_get(array, id, true) : NULL;
	if (!task)
		return NULL;
	/* A task's last word counts: what an earlier group said of its attempts goes. */
	task_empty(s, task);
	array->owned = true;
	array->uid = uid;
	task->copies = copies;
	task->holder = holder;
	task->holder_restart = restart;
	task->holder_instance = instance;
	task->held_count = 0;
	task->held_more = false;
	/* Of version 4: the oldest and the newest acquisition; those between them were not written. */
	if (first)
		spec_task_held(task, first);
	if (first && newest != first)
		spec_task_held(task, newest);
	task->holder_newest = newest;
	task->committed = committed;
	task->winner = winner;
	task->doubted = task->spoiled = false;
	spec_look_task(s, task);
	return task;
}

/* Until the scheduler has been asked, an attempt counts as running: nothing of it is given away. */
static int attempt_load(struct wt_spec *s, struct spec_task *task, const char *line)
{
	uint32_t job_id, number, restart;
	uint64_t over_instance, over;
	struct spec_attempt *a;
	int used = 0;

	if (!task || sscanf(line, "attempt %" SCNu32 " %" SCNu32 " %" SCNu32 "%n", &job_id, &number, &restart, &used) != 3 ||
	    number < 1 ||
	    !rest_read(line + used, &over_instance, &over))
		return -1;
	a = spec_attempt_find(s, job_id);
	/* Numbers are given anew by a slurmctld that was killed; within one group two tasks with one job are a broken
	 * file. */
	if (a && s->loading_changes && a->task != task) {
		attempt_drop(s, a);
		a = NULL;
	}
	a = a ? NULL : spec_attempt_add(s, task, job_id, number);
	if (!a)
		return -1;
	a->restart = restart;
	a->over_instance = over_instance;
	a->over = over;
	a->state = WT_SPEC_RUNNING;
	a->unsure = true;
	s->unsure++;
	spec_look_file(s, a);
	if (number > 1) {
		task->array->copies_alive++;
		s->copies_alive++;
	}
	return 0;
}

static int flags_load(struct wt_spec *s, struct spec_task *task, const char *line)
{
	struct spec_attempt *a;
	uint32_t job_id, bits;
	int used = 0;

	if (!task || sscanf(line, "flags %" SCNu32 " %" SCNu32 "%n", &job_id, &bits, &used) != 2 || line[used])
		return -1;
	if (!job_id) {
		task->doubted = bits & (FLAG_DOUBTED | FLAG_SPOILED);
		task->spoiled = bits & FLAG_SPOILED;
		return 0;
	}
	a = spec_attempt_find(s, job_id);
	if (!a || a->task != task)
		return -1;
	a->written = bits & FLAG_WRITTEN;
	a->doubted = bits & FLAG_DOUBTED;
	/* Files from before FLAG_UNKNOWN have only the doubt, which implies it. */
	a->unknown = bits & (FLAG_DOUBTED | FLAG_UNKNOWN);
	return 0;
}

static int held_load(struct spec_task *task, const char *line)
{
	uint64_t acquisition;
	int more, used = 0;

	if (!task || task->held_count || sscanf(line, "held %d%n", &more, &used) != 1 || (more != 0 && more != 1))
		return -1;
	task->held_more = more;
	for (line += used; *line; line += used) {
		used = 0;
		if (task->held_count == SPEC_HELD_MAX || sscanf(line, " %" SCNx64 "%n", &acquisition, &used) != 1 ||
		    acquisition > task->holder_newest)
			return -1;
		spec_task_held(task, acquisition);
	}
	return 0;
}

static int line_load(struct wt_spec *s, struct spec_task **task, const char *line)
{
	if (!strncmp(line, "flags ", 6))
		return flags_load(s, *task, line);
	if (!strncmp(line, "held ", 5))
		return held_load(*task, line);
	if (strncmp(line, "task ", 5))
		return attempt_load(s, *task, line);
	*task = task_load(s, line);
	return *task ? 0 : -1;
}

/* The next line, or NULL: there is no whole one, or none of ours. */
static const char *line_next(const char *at, const char *stop, char line[TEXT_MAX])
{
	const char *end = at < stop ? memchr(at, '\n', (size_t) (stop - at)) : NULL;

	/* Zeros are what a disk leaves of blocks whose data had not come when its machine lost power. */
	if (!end || end - at >= TEXT_MAX || memchr(at, '\0', (size_t) (end - at)))
		return NULL;
	memcpy(line, at, (size_t) (end - at));
	line[end - at] = '\0';
	return end + 1;
}

/* The end of the group that begins at 'at'; NULL: it is not whole. */
static const char *group_end(const char *at, const char *stop)
{
	unsigned int lines = 0, wanted;
	char line[TEXT_MAX];
	int used;

	while ((at = line_next(at, stop, line))) {
		used = 0;
		if (sscanf(line, "end %u%n", &wanted, &used) == 1 && !line[used])
			return wanted == lines ? at : NULL;
		lines++;
	}
	return NULL;
}

static int group_load(struct wt_spec *s, const char *at, const char *stop)
{
	struct spec_task *task = NULL;
	char line[TEXT_MAX];

	while ((at = line_next(at, stop, line)) && at < stop) {
		if (line_load(s, &task, line) < 0)
			return -1;
	}
	return 0;
}

/* Whether a whole group follows a broken one: then it was not torn while it was written. */
static bool ends_later(const char *at, const char *stop)
{
	while (at < stop && (at = memchr(at, '\n', (size_t) (stop - at)))) {
		at++;
		if (stop - at > 4 && !memcmp(at, "end ", 4) && (at = memchr(at, '\n', (size_t) (stop - at))))
			return at + 1 < stop && group_end(at + 1, stop);
		if (!at)
			break;
	}
	return false;
}

static int groups_load(struct wt_spec *s, const char *text, size_t len, struct wt_error *errp)
{
	const char *at = text, *stop = text + len, *next;
	unsigned int groups = 0;
	bool short_of = false;

	if (len < sizeof(HEAD) || (memcmp(text, HEAD, sizeof(HEAD) - 1) && memcmp(text, HEAD_BEFORE, sizeof(HEAD) - 1) &&
				   memcmp(text, HEAD_LONG_BEFORE, sizeof(HEAD) - 1)))
		return wt_error_set(errp, EINVAL, "not a state file of windtunnel's straggler plugin");
	for (at += sizeof(HEAD) - 1; at < stop; at = next, groups++) {
		s->loading_changes = groups > 0;
		/* The whole group is counted before any of it is taken: half of one must change nothing. */
		next = group_end(at, stop);
		if (!next && groups && !ends_later(at, stop))	/* torn: its writer told no attempt of it */
			return 0;
		if (!next)
			break;
		errno = 0;	/* of the text's own faults none sets it */
		if (group_load(s, at, next) < 0) {
			short_of = errno == ENOMEM;
			break;
		}
	}
	if (at >= stop)
		return 0;
	if (short_of)
		return wt_error_errno(errp, ENOMEM, "state file");
	return wt_error_set(errp, EINVAL, "state file: group %u, at byte %zu, is broken", groups + 1, (size_t) (at - text));
}

int wt_spec_load(struct wt_spec *s, const char *text, size_t len, struct wt_error *errp)
{
	int rc;

	s->loading = true;
	rc = groups_load(s, text, len, errp);
	s->loading = false;
	return rc;
}
