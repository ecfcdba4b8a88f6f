/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where slurmctld's CPU time went, of a run with --profile. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/page/html.h"
#include "harness/page/section.h"
#include "harness/profile/flame.h"
#include "harness/profile/profile_log.h"
#include "lib/fs.h"
#include "lib/str.h"

#define JSON_BYTES_MAX	 ((size_t) 16 << 20)
#define STACKS_BYTES_MAX ((size_t) 256 << 20)
#define THREADS_MAX	 12	/* in the table */
#define FUNCTIONS_MAX	 15
#define QUEUES_MAX	 16	/* columns; a stranger's file may have more */

/* 1: text that the caller frees; 0: there is no such file, or this is no folder; -1: why. */
static int file_read(const struct page_run *run, const char *name, size_t max, char **text, size_t *len,
		     struct wt_error *errp)
{
	char *path = run->single_file ? NULL : wt_str_format("%s/%s", run->path, name);
	int rc;

	if (!path)
		return run->single_file ? 0 : wt_error_errno(errp, ENOMEM, "%s", name);
	rc = wt_fs_read_regular(path, max, text, len, errp);
	free(path);
	return rc == 0 ? 1 : errno == ENOENT ? 0 : -1;
}

static double number_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) && isfinite(json_number_value(value)) ? json_number_value(value) : NAN;
}

static double cpu_of(const json_t *uses, const char *thread)
{
	const json_t *list = json_object_get(uses, "threads"), *one;
	size_t i;

	json_array_foreach(list, i, one) {
		const char *name = json_string_value(json_object_get(one, "name"));

		if (name && !strcmp(name, thread))
			return number_of(one, "cpu_s");
	}
	return 0;
}

/* ---- threads ------------------------------------------------------------------------------------------------------- */

static void queue_head_write(FILE *out, const json_t *queue)
{
	double from = number_of(queue, "from"), to = number_of(queue, "to");

	fputs("<th scope=\"col\">", out);
	if (to == from)
		fprintf(out, "%.0f wait", from);
	else if (isnan(to))
		fprintf(out, "%.0f or more wait", from);
	else
		fprintf(out, "%.0f to %.0f wait", from, to);
	fputs("</th>", out);
}

/* Queues that the run had. */
static size_t queues_find(const json_t *profile, const json_t *queues[QUEUES_MAX])
{
	const json_t *list = json_object_get(profile, "queues"), *one;
	size_t i, count = 0;

	json_array_foreach(list, i, one)
		if (count < QUEUES_MAX && number_of(one, "time_s") > 0 && number_of(one, "from") >= 0)
			queues[count++] = one;
	return count;
}

/* CPU seconds, their share, and of a second with so many jobs that waited. */
static void use_cells(FILE *out, double cpu_s, double all_s)
{
	fputs("<td>", out);
	digits_write(out, "cpu_s", cpu_s, 1, "");
	fputs("</td><td>", out);
	number_write(out, NULL, all_s > 0 ? cpu_s / all_s : NAN, 100, 1, "");
	fputs("</td>", out);
}

static void queue_cell(FILE *out, double cpu_s, const json_t *queue)
{
	fputs("<td>", out);
	number_write(out, "queue_share", cpu_s / number_of(queue, "time_s"), 100, 1, "");
	fputs("</td>", out);
}

static void thread_row(FILE *out, const json_t *thread, double all_s, const json_t *const *queues, size_t count)
{
	const char *name = json_string_value(json_object_get(thread, "name"));

	fputs("<tr><th scope=\"row\">", out);
	html_name(out, name);
	fputs("</th>", out);
	use_cells(out, number_of(thread, "cpu_s"), all_s);
	for (size_t q = 0; q < count; q++)
		queue_cell(out, cpu_of(queues[q], name ? name : ""), queues[q]);
	fputs("</tr>\n", out);
}

static void all_rows(FILE *out, const json_t *profile, const json_t *const *queues, size_t count)
{
	double all_s = number_of(profile, "cpu_s"), time_s = number_of(profile, "time_s");

	fputs("<tr><th scope=\"row\">all</th>", out);
	use_cells(out, all_s, all_s);
	for (size_t q = 0; q < count; q++)
		queue_cell(out, number_of(queues[q], "cpu_s"), queues[q]);
	fputs("</tr>\n<tr><th scope=\"row\">so long, % of the run</th><td></td><td></td>", out);
	for (size_t q = 0; q < count; q++) {
		fputs("<td>", out);
		number_write(out, NULL, number_of(queues[q], "time_s") / time_s, 100, 1, "");
		fputs("</td>", out);
	}
	fputs("</tr>\n", out);
}

static void threads_write(const struct section *section, const json_t *profile)
{
	const json_t *list = json_object_get(profile, "threads"), *thread;
	const json_t *queues[QUEUES_MAX];
	size_t count = queues_find(profile, queues), i;
	FILE *out = section->out;

	fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Threads of slurmctld\">"
	      "<table class=\"profile\"><caption><span>CPU time by thread, and how busy it was while so many jobs waited, "
	      "in % of a CPU</span></caption>\n"
	      "<thead><tr><th scope=\"col\">thread</th><th scope=\"col\">CPU s</th><th scope=\"col\">%</th>", out);
	for (size_t q = 0; q < count; q++)
		queue_head_write(out, queues[q]);
	fputs("</tr></thead>\n<tbody>\n", out);
	json_array_foreach(list, i, thread) {
		if (i == THREADS_MAX)
			break;
		thread_row(out, thread, number_of(profile, "cpu_s"), queues, count);
	}
	all_rows(out, profile, queues, count);
	fputs("</tbody></table></div>\n", out);
	fputs("<p class=\"none\">bckfl is backfill, sched_agent the main scheduler, rpcmgr takes connections; (ended) are "
	      "threads that answered a request and are gone. Seconds of a CPU are real, those that they are divided by are "
	      "of the run's clock.", out);
	fputs(json_array_size(list) > THREADS_MAX ? " Threads that used less are in profile.json.</p>\n" : "</p>\n", out);
}

/* ---- functions ----------------------------------------------------------------------------------------------------- */

static void functions_write(const struct section *section, const json_t *profile)
{
	static const char *const columns[] = { "function", "itself, %", "with what it calls, %", NULL };
	const json_t *list = json_object_get(profile, "functions"), *one;
	double samples = number_of(profile, "samples");
	size_t i;

	table_begin(section, "class=\"profile\"", "CPU time by function (samples of perf)", columns);
	json_array_foreach(list, i, one) {
		if (i == FUNCTIONS_MAX)
			break;
		fputs("<tr><th scope=\"row\">", section->out);
		html_name(section->out, json_string_value(json_object_get(one, "name")));
		fputs("</th><td>", section->out);
		number_write(section->out, NULL, number_of(one, "self") / samples, 100, 1, "");
		fputs("</td><td>", section->out);
		number_write(section->out, NULL, number_of(one, "total") / samples, 100, 1, "");
		fputs("</td></tr>\n", section->out);
	}
	table_end(section);
}

/* Its functions' names come from a file: flame_print () writes them as text. */
static int flame_write(const struct section *section, struct wt_error *errp)
{
	struct stacks stacks = { .count = 0 };
	char *text = NULL;
	size_t len = 0;
	int rc = file_read(section->run, "profile.stacks", STACKS_BYTES_MAX, &text, &len, errp);

	if (rc > 0)
		rc = stacks_read(text, len, &stacks, errp) < 0 ? -1 : 1;
	free(text);
	if (rc > 0 && stacks.count) {
		fputs("<details class=\"flame\" open><summary>The same as a picture: threads at the bottom, upon each "
		      "function those that it calls</summary>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
		      "aria-label=\"Flame graph\">", section->out);
		flame_print(&stacks, "slurmctld", section->out);
		fputs("</div></details>\n", section->out);
	}
	stacks_clear(&stacks);
	return rc < 0 ? -1 : 0;
}

static void why_write(FILE *out, const char *before, const char *why)
{
	fputs(before, out);
	html_text(out, why);
	fputs("</p>\n", out);
}

static void parts_write(const struct section *section, const json_t *profile)
{
	const char *why = json_string_value(json_object_get(profile, "functions_missing"));
	struct wt_error error = { "" };

	heading_write(section, 2, "profile", "Where does slurmctld's CPU time go?");
	threads_write(section, profile);
	if (json_array_size(json_object_get(profile, "functions"))) {
		functions_write(section, profile);
		if (flame_write(section, &error) < 0)
			why_write(section->out, "<p class=\"warn\">", error.text);
	} else {
		why_write(section->out, "<p class=\"none\">Its functions are not known: ",
			  why ? why : "no sample was taken");
	}
}

void profile_section_write(const struct section *section)
{
	struct wt_error error = { "" };
	char *text = NULL;
	size_t len = 0;
	int rc = file_read(section->run, "profile.json", JSON_BYTES_MAX, &text, &len, &error);
	json_t *profile = rc > 0 ? json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL) : NULL;

	free(text);
	if (json_is_object(profile) && json_is_array(json_object_get(profile, "threads")))
		parts_write(section, profile);
	else if (rc)
		why_write(section->out, "<p class=\"warn\">", rc < 0 ? error.text : "profile.json is damaged");
	json_decref(profile);
}
