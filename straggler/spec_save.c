/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must outlive slurmctld: who may publish, who has, and which copies there were.
 *
 *   windtunnel-straggler 2
 *   task ARRAY-JOB TASK UID COPIES HOLDER HOLDER-RESTART HOLDER-INSTANCE COMMITTED WINNER
 *   attempt JOB NUMBER RESTART			of the task above
 *   end LINES
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "spec_private.h"

#define HEAD "windtunnel-straggler 2\n"

bool wt_spec_changed(const struct wt_spec *s)
{
	return s->changed;
}

void wt_spec_mark(struct wt_spec *s)
{
	s->changed = true;
}

static unsigned int task_save(const struct spec_task *t, FILE *out)
{
	const struct spec_attempt *a;
	unsigned int lines = 1;

	if (!t->copies && !t->holder)
		return 0;
	fprintf(out, "task %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIx64 " %d %" PRIu32 "\n", t->array->id,
		t->id, t->array->uid, t->copies, t->holder, t->holder_restart, t->holder_instance, t->committed, t->winner);
	LIST_FOREACH(a, &t->attempts, of_task) {
		fprintf(out, "attempt %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", a->job_id, a->number, a->restart);
		lines++;
	}
	return lines;
}

int wt_spec_save(struct wt_spec *s, FILE *out)
{
	const struct spec_array *array;
	unsigned int lines = 0;

	fputs(HEAD, out);
	LIST_FOREACH(array, &s->arrays, of_all) {
		for (uint32_t i = 0; i < array->known; i++)
			lines += task_save(array->order[i], out);
	}
	fprintf(out, "end %u\n", lines);
	s->changed = false;
	return 0;
}

static struct spec_task *task_load(struct wt_spec *s, const char *line)
{
	uint32_t array_id, id, uid, copies, holder, restart, winner;
	struct spec_array *array;
	struct spec_task *task;
	uint64_t instance;
	int committed, used = 0;

	if (sscanf(line, "task %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNx64 " %d %" SCNu32 "%n",
		   &array_id, &id, &uid, &copies, &holder, &restart, &instance, &committed, &winner, &used) != 9 || line[used])
		return NULL;
	array = spec_array_get(s, array_id, true);
	if (!array || (array->owned && array->uid != uid) || spec_task_get(array, id, false))
		return NULL;
	task = spec_task_get(array, id, true);
	if (!task)
		return NULL;
	array->owned = true;
	array->uid = uid;
	task->copies = copies;
	task->holder = holder;
	task->holder_restart = restart;
	task->holder_instance = instance;
	task->committed = committed;
	task->winner = winner;
	return task;
}

/* Until the scheduler has been asked, an attempt counts as running: nothing of it is given away. */
static int attempt_load(struct wt_spec *s, struct spec_task *task, const char *line)
{
	uint32_t job_id, number, restart;
	struct spec_attempt *a;
	int used = 0;

	if (!task || sscanf(line, "attempt %" SCNu32 " %" SCNu32 " %" SCNu32 "%n", &job_id, &number, &restart, &used) != 3 || line[used] ||
	    number < 1 || spec_attempt_find(s, job_id))
		return -1;
	a = spec_attempt_add(s, task, job_id, number);
	if (!a)
		return -1;
	a->restart = restart;
	a->state = WT_SPEC_RUNNING;
	if (number > 1) {
		task->array->copies_alive++;
		s->copies_alive++;
	}
	return 0;
}

static int line_load(struct wt_spec *s, struct spec_task **task, const char *line)
{
	if (strncmp(line, "task ", 5))
		return attempt_load(s, *task, line);
	*task = task_load(s, line);
	return *task ? 0 : -1;
}

int wt_spec_load(struct wt_spec *s, const char *text, size_t len, struct wt_error *errp)
{
	const char *at = text, *stop = text + len;
	struct spec_task *task = NULL;
	unsigned int lines = 0, wanted;
	char line[256];

	if (len < sizeof(HEAD) || memcmp(text, HEAD, sizeof(HEAD) - 1))
		return wt_error_set(errp, EINVAL, "not a state file of windtunnel's straggler plugin");
	for (at += sizeof(HEAD) - 1; at < stop; lines++) {
		const char *end = memchr(at, '\n', (size_t) (stop - at));

		if (!end || (size_t) (end - at) >= sizeof(line))
			break;
		memcpy(line, at, (size_t) (end - at));
		line[end - at] = '\0';
		at = end + 1;
		if (sscanf(line, "end %u", &wanted) == 1 && wanted == lines && at == stop)
			return 0;
		if (line_load(s, &task, line) < 0)
			break;
	}
	return wt_error_set(errp, EINVAL, "state file: line %u is broken, or its end is missing", lines + 2);
}
