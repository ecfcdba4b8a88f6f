/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "harness/page/html.h"
#include "harness/page/part.h"
#include "lib/json.h"

#define DEPTH_MAX 8	/* of objects in objects; deeper ones are written as JSON */

/* ---- what was left out -------------------------------------------------------------------------------------------- */

static void item_count(const struct part *part, const char *key, const char *what)
{
	json_int_t count = json_integer_value(json_object_get(part->run->summary, key));

	if (count > 0)
		fprintf(part->out, "<li><data value=\"%lld\" data-key=\"%s\">%lld</data> %s</li>\n", (long long) count, key,
			(long long) count, what);
}

static void trace_left_out_write(const struct part *part)
{
	static const struct { const char *key, *reason;
	} reasons[] = {
		{ "no_run_time", "their run time is not known" },
		{ "no_size", "their size is not known" },
		{ "not_run", "they were cancelled, or failed, before they ran" },
		{ "part", "these lines are parts of jobs" },
		{ "bad", "their lines cannot be read" },
		{ "profile", "their profile cannot be run" },
		{ "large", "they are larger than the machine" },
		{ "outside", "they are not in the slice" },
	};
	const json_t *trace = json_object_get(part->run->summary, "trace"), *left_out = json_object_get(trace, "left_out");

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		json_int_t count = json_integer_value(json_object_get(left_out, reasons[i].key));

		if (count > 0)
			fprintf(part->out, "<li>%lld jobs of the trace: %s</li>\n", (long long) count, reasons[i].reason);
	}
	if (json_integer_value(json_object_get(trace, "run_times_cut")) > 0)
		fprintf(part->out, "<li>%lld run times of the trace were cut</li>\n",
			(long long) json_integer_value(json_object_get(trace, "run_times_cut")));
}

static void problems_write(const struct part *part)
{
	const char *job;
	json_t *why;
	size_t written = 0;

	json_object_foreach(json_object_get(part->run->summary, "problems"), job, why) {
		if (written++ == 20)
			break;
		fputs("<li>", part->out);
		html_name(part->out, job);
		fputs(": ", part->out);
		html_text(part->out, json_string_value(why));
		fputs("</li>\n", part->out);
	}
	if (written > 20)
		fprintf(part->out, "<li>and %zu jobs more: see problems in summary.json</li>\n",
			json_object_size(json_object_get(part->run->summary, "problems")) - 20);
}

static void notes_write(const struct part *part)
{
	const char *notes = part->run->notes.text ? part->run->notes.text : "";

	for (size_t len; *notes; notes += len + (notes[len] == '\n')) {
		char *line;

		len = strcspn(notes, "\n");
		line = strndup(notes, len);
		fputs("<li>", part->out);
		html_text(part->out, line);
		fputs("</li>\n", part->out);
		free(line);
	}
}

static void not_written_write(const struct part *part)
{
	const char *files = json_string_value(json_object_get(part->run->summary, "not_written"));

	if (!files || !*files)
		return;
	fputs("<li>files that the run could not write: ", part->out);
	html_text(part->out, files);
	fputs("</li>\n", part->out);
}

void left_out_write(const struct part *part)
{
	heading_write(part, 1, "left-out", "What is missing here, and why?");
	fputs("<ul>\n", part->out);
	notes_write(part);
	not_written_write(part);
	item_count(part, "jobs_missing", "jobs were in no final state at the end");
	problems_write(part);
	item_count(part, "probes_failed", "calls of starting jobs had no answer: they are not among the probe latencies");
	item_count(part, "events_malformed", "lines of the nodes' events could not be read");
	item_count(part, "jobs_resubmitted", "jobs were lost in a restart of slurmctld, and submitted once more");
	item_count(part, "controller_restarts", "restarts of slurmctld");
	item_count(part, "outages", "times slurmctld did not answer");
	trace_left_out_write(part);
	if (part->sweep.impossible)
		fprintf(part->out,
			"<li>%zu jobs have times that are not possible, as an end before the start: they are not in what is "
			"drawn over time, nor in "
			"the losses</li>\n",
			part->sweep.impossible);
	if (!part->run->groups[PAGE_GROUP_USER].count)
		fprintf(part->out, "<li>waits by partition, account, user and QOS: %s does not say them</li>\n",
			part->run->single_file ? "the file" : "jobs.csv");
	if (!part->run->single_file)
		fputs("<li>events.csv (when each node was released) is not drawn: completing nodes come from each job's "
		      "sum</li>\n",
		      part->out);
	fputs("<li>curves of more than 2,000 points are thinned to the least, the greatest and the last value of equal "
	      "parts of the axis; the data beside "
	      "them are what is drawn</li>\n</ul>\n",
	      part->out);
}

/* ---- what was recorded -------------------------------------------------------------------------------------------- */

static void value_write(FILE *out, const json_t *value)
{
	char *text;

	if (json_is_string(value)) {
		html_text(out, json_string_value(value));
		return;
	}
	text = wt_json_dump(value, JSON_ENCODE_ANY | JSON_COMPACT);
	html_text(out, text);
	free(text);
}

/* The row of each value below 'object'; the kinds, which stand beside their figures, are left out. */
static void rows_write(const struct part *part, const json_t *object, const char *path, int depth)
{
	const json_t *kinds = depth ? NULL : json_object_get(object, "kinds");
	const char *key;
	json_t *value;

	json_object_foreach((json_t *) object, key, value) {
		char *name = wt_str_format("%s%s%s", path, *path ? "." : "", key);

		if (value == kinds && kinds) {
			;
		} else if (json_is_object(value) && json_object_size(value) && depth < DEPTH_MAX) {
			rows_write(part, value, name ? name : key, depth + 1);
		} else {
			fputs("<tr><th scope=\"row\">", part->out);
			html_name(part->out, name);
			fputs("</th><td>", part->out);
			value_write(part->out, value);
			fputs("</td><td>", part->out);
			html_name(part->out, json_string_value(json_object_get(kinds, key)));
			fputs("</td></tr>\n", part->out);
		}
		free(name);
	}
}

static void file_write(const struct part *part, const char *name, const json_t *object)
{
	static const char *const columns[] = { "key", "value", "kind", NULL };

	if (!object)
		return;
	fprintf(part->out, "<details class=\"keys\"><summary>All of %s</summary>\n", name);
	table_begin(part, "class=\"all\"", name, columns);
	rows_write(part, object, "", 0);
	table_end(part);
	fputs("</details>\n", part->out);
}

static void command_write(const struct part *part)
{
	struct wt_str command = { 0 }, gaps = { 0 };

	command_line_make(part->run->scenario, &command, &gaps);
	if (command.text && *command.text) {
		fputs("<p>This command makes such a run again:</p>\n<pre class=\"command\" tabindex=\"0\">", part->out);
		html_lines(part->out, command.text);
		fputs("</pre>\n", part->out);
	} else {
		fputs("<p class=\"none\">The command is not known: there is no scenario.json with its options.</p>\n",
		      part->out);
	}
	if (gaps.text) {
		fputs("<p class=\"none\">", part->out);
		html_text(part->out, gaps.text);
		fputs("</p>\n", part->out);
	}
	wt_str_clear(&command);
	wt_str_clear(&gaps);
}

void provenance_write(const struct part *part)
{
	heading_write(part, 1, "provenance", "How was it made?");
	if (part->run->heartbeats_only) {
		fputs("<p>By <code>windtunnel straggler record</code>, from a slurmctld with the straggler plugin.</p>\n",
		      part->out);
		return;
	}
	if (part->run->single_file) {
		fputs("<p>Another program, or another cluster, wrote <b>", part->out);
		html_name(part->out, part->run->name);
		fputs("</b>. Whether its times are measured, modelled or invented is known there: the figures here are "
		      "computed from what it tells (kind: told).</p>\n",
		      part->out);
		return;
	}
	what_table_write(part);
	command_write(part);
	file_write(part, "summary.json", part->run->summary);
	file_write(part, "scenario.json", part->run->scenario);
}
