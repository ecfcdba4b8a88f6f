/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "harness/page/html.h"
#include "harness/page/section.h"
#include "lib/json.h"

#define DEPTH_MAX 8	/* of objects in objects; deeper ones are written as JSON */

/* ---- what was left out -------------------------------------------------------------------------------------------- */

static void item_count(const struct section *section, const char *key, const char *what)
{
	json_int_t count = json_integer_value(json_object_get(section->run->summary, key));

	if (count > 0)
		fprintf(section->out, "<li><data value=\"%lld\" data-key=\"%s\">%lld</data> %s</li>\n",
			(long long) count, key, (long long) count, what);
}

static void trace_left_out_write(const struct section *section)
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
		{ "end", "they end in a way that cannot be made" },
		{ "outside", "they are not in the slice" },
	};
	static const struct { const char *key, *what;
	} changes[] = {
		{ "run_times_cut", "run times of the trace were cut" },
		{ "dependencies_cut", "dependencies on jobs that are not in the workload were left out" },
		{ "minutes_rounded", "dependencies have rounded minutes, because Slurm takes whole ones only" },
	};
	const json_t *trace = json_object_get(section->run->summary, "trace");
	const json_t *left_out = json_object_get(trace, "left_out");

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		json_int_t count = json_integer_value(json_object_get(left_out, reasons[i].key));

		if (count > 0)
			fprintf(section->out, "<li>%lld jobs of the trace: %s</li>\n", (long long) count, reasons[i].reason);
	}
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		json_int_t count = json_integer_value(json_object_get(trace, changes[i].key));

		if (count > 0)
			fprintf(section->out, "<li>%lld %s</li>\n", (long long) count, changes[i].what);
	}
}

static void problems_write(const struct section *section)
{
	const char *job;
	json_t *why;
	size_t written = 0;

	json_object_foreach(json_object_get(section->run->summary, "problems"), job, why) {
		if (written++ == 20)
			break;
		fputs("<li>", section->out);
		html_name(section->out, job);
		fputs(": ", section->out);
		html_text(section->out, json_string_value(why));
		fputs("</li>\n", section->out);
	}
	if (written > 20)
		fprintf(section->out, "<li>and %zu jobs more: see problems in summary.json</li>\n",
			json_object_size(json_object_get(section->run->summary, "problems")) - 20);
}

static void notes_write(const struct section *section)
{
	const char *notes = section->run->notes.text ? section->run->notes.text : "";

	for (size_t len; *notes; notes += len + (notes[len] == '\n')) {
		char *line;

		len = strcspn(notes, "\n");
		line = strndup(notes, len);
		fputs("<li>", section->out);
		html_text(section->out, line);
		fputs("</li>\n", section->out);
		free(line);
	}
}

static void not_written_write(const struct section *section)
{
	const char *files = json_string_value(json_object_get(section->run->summary, "not_written"));

	if (!files || !*files)
		return;
	fputs("<li>files that the run could not write: ", section->out);
	html_text(section->out, files);
	fputs("</li>\n", section->out);
}

void left_out_write(const struct section *section)
{
	heading_write(section, 1, "left-out", "What is missing here, and why?");
	fputs("<ul>\n", section->out);
	notes_write(section);
	not_written_write(section);
	item_count(section, "jobs_missing", "jobs were in no final state at the end");
	problems_write(section);
	item_count(section, "probes_failed", "calls of starting jobs had no answer: they are not among the probe latencies");
	item_count(section, "events_malformed", "lines of the nodes' events could not be read");
	item_count(section, "jobs_resubmitted", "jobs were lost in a restart of slurmctld, and submitted once more");
	item_count(section, "jobs_before", "jobs that are not of this run waited or ran when it began");
	item_count(section, "jobs_requeued", "times slurmctld gave a job to nodes anew (requeue)");
	item_count(section, "controller_restarts", "restarts of slurmctld");
	item_count(section, "host_losses", "times one of the hosts that have the nodes was lost");
	item_count(section, "outages", "times slurmctld did not answer");
	trace_left_out_write(section);
	if (section->sweep.impossible)
		fprintf(section->out,
			"<li>%zu jobs have times that are not possible, as an end before the start: they are not in what is "
			"drawn over time, nor in "
			"the losses</li>\n",
			section->sweep.impossible);
	overfull_write(section, "<li>", "</li>\n");
	if (!section->run->groups[PAGE_GROUP_USER].count && !section->run->heartbeats_only)
		fprintf(section->out, "<li>waits by partition, account, user and QOS: %s does not say them</li>\n",
			section->run->single_file ? "the file" : "jobs.csv");
	if (!section->run->single_file)
		fputs("<li>events.csv (when each node was released) is not drawn: completing nodes come from each job's "
		      "sum</li>\n",
		      section->out);
	fputs("<li>curves of more than 2,000 points are thinned to the least, the greatest and the last value of equal "
	      "parts of the axis; the data beside "
	      "them are what is drawn</li>\n</ul>\n",
	      section->out);
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
static void rows_write(const struct section *section, const json_t *object, const char *path, int depth)
{
	const json_t *kinds = depth ? NULL : json_object_get(object, "kinds");
	const char *key;
	json_t *value;

	json_object_foreach((json_t *) object, key, value) {
		char *name = wt_str_format("%s%s%s", path, *path ? "." : "", key);

		if (value == kinds && kinds) {
			;
		} else if (json_is_object(value) && json_object_size(value) && depth < DEPTH_MAX) {
			rows_write(section, value, name ? name : key, depth + 1);
		} else {
			fputs("<tr><th scope=\"row\">", section->out);
			html_name(section->out, name);
			fputs("</th><td>", section->out);
			value_write(section->out, value);
			fputs("</td><td>", section->out);
			html_name(section->out, json_string_value(json_object_get(kinds, key)));
			fputs("</td></tr>\n", section->out);
		}
		free(name);
	}
}

static void file_write(const struct section *section, const char *name, const json_t *object)
{
	static const char *const columns[] = { "key", "value", "kind", NULL };

	if (!object)
		return;
	fprintf(section->out, "<details class=\"raw\"><summary>All of %s</summary>\n", name);
	table_begin(section, "class=\"all\"", name, columns);
	rows_write(section, object, "", 0);
	table_end(section);
	fputs("</details>\n", section->out);
}

static void command_write(const struct section *section)
{
	struct wt_str command = { 0 }, gaps = { 0 };

	command_line_make(section->run->scenario, &command, &gaps);
	if (command.text && *command.text) {
		fputs("<p>This command makes such a run again:</p>\n<pre class=\"command\" tabindex=\"0\">", section->out);
		html_lines(section->out, command.text);
		fputs("</pre>\n", section->out);
	} else {
		fputs("<p class=\"none\">The command is not known: there is no scenario.json with its options.</p>\n",
		      section->out);
	}
	if (gaps.text) {
		fputs("<p class=\"none\">", section->out);
		html_text(section->out, gaps.text);
		fputs("</p>\n", section->out);
	}
	wt_str_clear(&command);
	wt_str_clear(&gaps);
}

void provenance_write(const struct section *section)
{
	heading_write(section, 1, "provenance", "How was it made?");
	if (section->run->heartbeats_only) {
		fputs("<p>By <code>windtunnel straggler record</code>, from a slurmctld with the straggler plugin.</p>\n",
		      section->out);
		return;
	}
	if (section->run->single_file) {
		fputs("<p>Another program, or another cluster, wrote <b>", section->out);
		html_name(section->out, section->run->name);
		fputs("</b>. Whether its times are measured, modelled or invented is known there: the figures here are "
		      "computed from what it tells (kind: told).</p>\n",
		      section->out);
		return;
	}
	what_table_write(section);
	command_write(section);
	file_write(section, "summary.json", section->run->summary);
	file_write(section, "scenario.json", section->run->scenario);
}
