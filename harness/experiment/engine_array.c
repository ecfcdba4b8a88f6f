/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

/* --on slurm: runs as tasks of job arrays.  What became of a task is what its run folder says: a run that has ended has a
 * summary.json. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "harness/experiment/engine_private.h"
#include "lib/clock.h"
#include "lib/fs.h"
#include "lib/json.h"
#include "lib/str.h"

#define ASK_US  5000000 /* between two questions to slurmctld whether the array is still there */
#define EXE_MAX 4096

enum task_state { TASK_NONE, TASK_WELL, TASK_FAILED, TASK_INTERRUPTED }; /* NONE: not begun, under way, or dead */

int engine_array_add(struct engine *g, size_t case_index, unsigned int number, struct wt_error *errp)
{
	struct engine_array_run *runs = reallocarray(g->array_runs, g->array_count + 1, sizeof(*runs));

	if (!runs)
		return wt_error_errno(errp, ENOMEM, "%s", g->dir);
	g->array_runs = runs;
	runs[g->array_count++] = (struct engine_array_run){ .case_index = case_index, .number = number };
	return 0;
}

static enum task_state task_look(const struct engine *g, const struct engine_array_run *run)
{
	char *dir = engine_run_dir(g, run->case_index, run->number);
	char *path = dir ? wt_str_format("%s/summary.json", dir) : NULL;
	json_t *summary = path ? wt_json_load(path, NULL) : NULL;
	const char *failure = json_string_value(json_object_get(summary, "failure"));
	enum task_state state = TASK_NONE;

	if (summary && json_is_true(json_object_get(summary, "interrupted")))
		state = TASK_INTERRUPTED;
	else if (summary)
		state = failure && !*failure ? TASK_WELL : TASK_FAILED;
	json_decref(summary);
	free(path);
	free(dir);
	return state;
}

/* ---- the batch script ---------------------------------------------------------------------------------------------- */

/* Nothing of the job's Slurm but where it is reaches the run, which has a Slurm of its own. */
static const char script_head[] = "#!/bin/sh\n"
				  "for name in $(env | sed -nE 's/^((SLURM|SBATCH|SRUN)_[A-Za-z0-9_]*)=.*/\\1/p'); do\n"
				  "\tcase $name in SLURM_CONF|SLURM_ARRAY_TASK_ID) ;; *) unset \"$name\" ;; esac\n"
				  "done\n"
				  "line=$(sed -n \"$((SLURM_ARRAY_TASK_ID + 1))p\" ";
static const char script_tail[] = ")\nunset SLURM_ARRAY_TASK_ID\neval \"exec $line\"\n";

static void quoted_add(struct wt_str *s, const char *before, const char *text)
{
	char *quoted = text ? wt_str_shell_quote(text) : NULL;

	if (!quoted)
		s->failed = true;
	else
		wt_str_printf(s, "%s%s", before, quoted);
	free(quoted);
}

/* "'/usr/bin/windtunnel' 'run' ... </dev/null >>LOG 2>&1" */
static void task_line_add(struct wt_str *s, const struct engine *g, const struct engine_array_run *run, const char *program)
{
	char **argv = engine_command(g, run->case_index, run->number),
	     *log = engine_run_log(g, run->case_index, run->number);

	if (!argv)
		s->failed = true;
	quoted_add(s, "", program);
	for (size_t i = 1; argv && argv[i]; i++)
		quoted_add(s, " ", argv[i]);
	quoted_add(s, " </dev/null >>", log);
	wt_str_add(s, " 2>&1\n");
	engine_command_free(argv);
	free(log);
}

/* A file of the folder logs that was not there before: an array that waits still reads its own. */
static char *tasks_path(const struct engine *g)
{
	for (unsigned int i = 1; i < 100000; i++) {
		char *path = wt_str_format("%s/logs/array-%u", g->dir, i);

		if (!path || access(path, F_OK) < 0)
			return path;
		free(path);
	}
	return NULL;
}

/* The lines of runs[0 .. count), and the script that takes one of them. */
static char *script_make(const struct engine *g, struct engine_array_run *const *runs, size_t count, struct wt_error *errp)
{
	struct wt_str lines = { 0 }, script = { 0 };
	char program[EXE_MAX], *path = tasks_path(g), *text;
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);
	int rc;

	program[len > 0 ? len : 0] = '\0';
	for (size_t i = 0; i < count; i++)
		task_line_add(&lines, g, runs[i], program);
	wt_str_add(&script, script_head);
	quoted_add(&script, "", path);
	wt_str_add(&script, script_tail);
	if (strchr(g->dir, '\n') || strchr(program, '\n'))
		rc = wt_error_set(errp, EINVAL, "--on slurm: a task reads its command as a line, and the name of the folder "
						"or of the program has a newline: give another one");
	else if (len <= 0 || lines.failed || script.failed || !path)
		rc = wt_error_errno(errp, ENOMEM, "%s", g->dir);
	else
		rc = wt_fs_write(path, lines.text, lines.len, 0644, errp);
	text = rc == 0 ? wt_str_take(&script) : NULL;
	wt_str_clear(&lines);
	wt_str_clear(&script);
	free(path);
	return text;
}

/* ---- which array is under way --------------------------------------------------------------------------------------- */

static char *mark_path(const struct engine *g)
{
	return wt_str_format("%s/array.json", g->dir);
}

/* Before the array is submitted by its name alone: a process that finds the mark can ask for the array, whatever happened
 * since.  With the id (which is for people) once it is known. */
static int mark_write(const struct engine *g, const char *name, const char *id, struct wt_error *errp)
{
	char *path = mark_path(g), *text = wt_str_format("{\"name\": \"%s\", \"job\": \"%s\"}\n", name, id);
	int rc = path && text ? wt_fs_write(path, text, strlen(text), 0644, errp)
			      : wt_error_errno(errp, ENOMEM, "%s", g->dir);

	free(path);
	free(text);
	return rc;
}

static void mark_drop(const struct engine *g)
{
	char *path = mark_path(g);

	if (path)
		unlink(path);
	free(path);
}

int engine_array_left(const char *dir, struct array_mark *mark, struct wt_error *errp)
{
	char *path = wt_str_format("%s/array.json", dir);
	json_t *json = path ? wt_json_load(path, errp) : NULL;
	const char *name = json_string_value(json_object_get(json, "name")),
		   *id = json_string_value(json_object_get(json, "job"));
	int rc = 0;

	memset(mark, 0, sizeof(*mark));
	if (!json) {
		rc = path && errno == ENOENT ? 0 : -1;
	} else if (!name || !array_job_name_is(name)) {
		rc = wt_error_set(errp, EINVAL, "%s names no job array", path);
	} else {
		rc = 1;
		snprintf(mark->name, sizeof(mark->name), "%s", name);
		if (id)
			array_job_id_read(id, mark->id);
	}
	json_decref(json);
	free(path);
	return rc;
}

/* ---- waiting ------------------------------------------------------------------------------------------------------- */

/* slurmctld knows tasks, not runs: what has ended well is seen by its summary.json, also while the array goes on. */
static void progress_look(struct engine *g)
{
	unsigned int left = 0;

	for (size_t i = 0; i < g->array_count; i++) {
		struct engine_array_run *run = &g->array_runs[i];
		struct wt_run_set set;

		if (!run->ended && task_look(g, run) == TASK_WELL) {
			run->ended = true;
			engine_figures_read(g, run->case_index, run->number, &set);
			if (set.count)
				engine_progress_ended(&g->progress, run->case_index, run->number,
						      set.runs[0].values[WT_FIG_WALL], set.runs[0].values);
			wt_run_set_clear(&set);
		}
		left += !run->ended;
	}
	engine_progress_show(&g->progress, left);
}

/* true: a signal tells us to end. */
static bool second_wait(struct engine *g)
{
	struct timespec second = { .tv_sec = 1 };
	int signum = sigtimedwait(&g->waited, NULL, &second);

	if (signum != SIGINT && signum != SIGTERM && signum != SIGHUP)
		return false;
	g->signals++;
	g->stop = true;
	g->result->interrupted = true;
	return true;
}

/* Until no task of the array waits or runs, or a signal: the array goes on then. */
static void array_await(struct engine *g, const char *name, const char *id)
{
	struct array_mark *result = &g->result->array;
	int64_t asked_us = 0;
	bool told = false;

	snprintf(result->name, sizeof(result->name), "%s", name);
	snprintf(result->id, sizeof(result->id), "%s", id);
	while (!second_wait(g)) {
		struct wt_error error;
		int active = 1;

		progress_look(g);
		if (wt_clock_wall_us() - asked_us >= ASK_US) {
			active = array_job_active(name, result->id, &error);
			asked_us = wt_clock_wall_us();
		}
		if (active < 0 && errno == EINTR)
			continue;
		/* slurmctld may be restarted while we wait: silence is told once, and is no end of the array. */
		if (active < 0 && !told)
			engine_progress_note(&g->progress, "%s; waiting", error.text);
		told = active < 0;
		if (!active) {
			memset(result, 0, sizeof(*result));
			return;
		}
	}
}

/* Tasks that somebody cancelled would be run again as dead ones: a cancelled array is an order to stop. */
static void cancelled_look(struct engine *g, const char *name)
{
	if (!g->signals && array_job_cancelled(name))
		g->result->interrupted = g->stop = true;
}

/* Ctrl-C while sbatch was at it: whether there is an array is found out when this is resumed. */
static int submission_cut(struct engine *g, const char *name)
{
	snprintf(g->result->array.name, sizeof(g->result->array.name), "%s", name);
	while (!second_wait(g))
		;
	return 0;
}

/* sbatch failed, and may have submitted it all the same, when only the answer was lost: 1, the array is there; -1, it is
 * not, or slurmctld does not tell, and then the mark stays. */
static int refused_look(struct engine *g, const char *name, char id[ARRAY_ID_SIZE])
{
	int saved_errno = errno, active = array_job_active(name, id, NULL);

	if (active == 0)
		mark_drop(g);
	errno = saved_errno;
	return active == 1 ? 1 : -1;
}

static int array_run(struct engine *g, const struct array_request *request, struct wt_error *errp)
{
	char id[ARRAY_ID_SIZE] = "";
	int rc = mark_write(g, request->name, id, errp);

	if (rc < 0)
		return rc;
	rc = array_job_submit(request, id, errp);
	if (rc < 0 && errno == EINTR)
		return submission_cut(g, request->name);
	if (rc < 0 && refused_look(g, request->name, id) < 0)
		return rc;
	mark_write(g, request->name, id, NULL); /* without it the name says enough */
	engine_progress_note(&g->progress, "job array %s: %zu runs", id, request->tasks);
	array_await(g, request->name, id);
	cancelled_look(g, request->name);
	if (!g->signals)
		mark_drop(g);
	return 0;
}

static int chunk_run(struct engine *g, struct engine_array_run *const *runs, size_t count, struct wt_error *errp)
{
	char name[ARRAY_NAME_SIZE], *script = script_make(g, runs, count, errp),
				    *output = array_job_output(g->dir, "logs/task-%A_%a.log");
	struct array_request request = {
		.name = name,
		.partition = *g->options->on ? g->options->on : NULL,
		.output = output,
		.script = script,
		.tasks = count,
		.at_once = g->options->jobs,
		.exclusive = engine_jobs(g->plan, 2, INFINITY) == 1, /* a neighbour would change what is measured */
	};
	int rc;

	array_job_name_make(name);
	rc = script && output ? array_run(g, &request, errp) : -1;
	free(script);
	free(output);
	return rc;
}

/* All that have not ended, or at first all that have not ended well. */
static int attempt_run(struct engine *g, bool first, size_t *begun, struct wt_error *errp)
{
	struct engine_array_run **runs = calloc(g->array_count + 1, sizeof(struct engine_array_run *));
	size_t count = 0;
	int rc = 0;

	if (!runs)
		return wt_error_errno(errp, ENOMEM, "%s", g->dir);
	for (size_t i = 0; i < g->array_count; i++) {
		enum task_state state = task_look(g, &g->array_runs[i]);

		if (state == TASK_NONE || (first && state != TASK_WELL))
			runs[count++] = &g->array_runs[i];
	}
	/* One array after the other: two would be two marks, and array.json holds one. */
	for (size_t at = 0; rc == 0 && at < count && !g->stop; at += ARRAY_TASKS_MAX)
		rc = chunk_run(g, runs + at, count - at < ARRAY_TASKS_MAX ? count - at : ARRAY_TASKS_MAX, errp);
	*begun = count;
	free(runs);
	return rc;
}

/* The array of an earlier call of this command may still be at work. */
static int earlier_await(struct engine *g, struct wt_error *errp)
{
	char id[ARRAY_ID_SIZE];
	struct array_mark mark;
	int rc = engine_array_left(g->dir, &mark, errp), active;

	if (rc != 1)
		return rc;
	active = array_job_active(mark.name, id, NULL);
	engine_progress_note(&g->progress, "job array %s of before: waiting for its end", *mark.id ? mark.id : mark.name);
	array_await(g, mark.name, mark.id);
	/* One that was cancelled before is why somebody goes on. */
	if (active)
		cancelled_look(g, mark.name);
	if (!g->signals)
		mark_drop(g);
	return 0;
}

static int account(struct engine *g, struct wt_error *errp)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < g->array_count; i++) {
		const struct engine_array_run *run = &g->array_runs[i];
		enum task_state state = task_look(g, run);

		if (g->result->interrupted && state != TASK_WELL && state != TASK_FAILED)
			continue;
		rc = engine_run_note(g, run->case_index, run->number, state == TASK_WELL ? 0 : 1, NAN, errp);
	}
	return rc;
}

int engine_array_wait(struct engine *g, struct wt_error *errp)
{
	size_t begun = 1;
	int rc = earlier_await(g, errp);

	for (unsigned int attempt = 0; rc == 0 && !g->stop && begun && attempt < ARRAY_ATTEMPTS; attempt++) {
		rc = attempt_run(g, attempt == 0, &begun, errp);
		for (size_t i = 0; rc == 0 && !g->stop && i < g->array_count; i++)
			if (task_look(g, &g->array_runs[i]) == TASK_INTERRUPTED)
				g->result->interrupted = g->stop = true;
	}
	if (rc == 0) {
		progress_look(g);
		rc = account(g, errp);
	}
	g->array_count = 0;
	return rc;
}
