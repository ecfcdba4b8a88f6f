/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was run, for who has never seen such a page: two sentences, and a table. */
#include "config.h"

#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/page/html.h"
#include "harness/page/part.h"

static const json_t *options_of(const struct part *part)
{
	return json_object_get(part->run->scenario, "options");
}

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* ---- the workload in words ---------------------------------------------------------------------------------------- */

/* 'which' stays outside of what is never broken into lines. */
static void jobs_write(const struct part *part, const char *which)
{
	size_t count = part->run->metrics.jobs_total;

	number_write(part->out, NULL, (double) count, 1, 0, count == 1 ? " job " : " jobs ");
	fputs(which, part->out);
}

static bool esp_write(const struct part *part, const char *variant)
{
	static const char *const names[][2] = {
		{ "esp", "ESP" }, { "light", "Light-ESP" }, { "parallel-light", "Parallel Light-ESP" },
	};

	for (size_t i = 0; variant && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(variant, names[i][0])) {
			fprintf(part->out, "%s, a benchmark: ", names[i][1]);
			jobs_write(part, "of fixed shares of the machine, up to all of it");
			return true;
		}
	return false;
}

static void regular_write(const struct part *part, const json_t *workload)
{
	const json_t *cpus = json_object_get(workload, "job_cpus");
	double run_time_s = json_number_value(json_object_get(workload, "run_time_s"));
	double interval_s = json_number_value(json_object_get(workload, "interval_s"));
	FILE *out = part->out;

	jobs_write(part, "of ");
	if (json_is_string(cpus)) {
		html_name(out, json_string_value(cpus));
		fputs(" CPUs", out);
	} else {
		number_write(out, NULL, json_number_value(cpus), 1, 0, json_integer_value(cpus) == 1 ? " CPU" : " CPUs");
	}
	fputs(" and ", out);
	duration_write(out, NULL, run_time_s);
	if (interval_s > 0) {
		fputs(", one every ", out);
		duration_write(out, NULL, interval_s);
	} else {
		fputs(", all at once", out);
	}
}

static void traced_write(const struct part *part, const char *path)
{
	char *copy = strdup(path);

	jobs_write(part, "of the trace ");
	html_name(part->out, copy ? basename(copy) : path);
	free(copy);
}

static void workload_write(const struct part *part)
{
	const json_t *workload = json_object_get(options_of(part), "workload");
	const char *name = text_of(workload, "name"), *trace = text_of(workload, "trace");

	if (esp_write(part, text_of(options_of(part), "variant")))
		return;
	if (trace) {
		traced_write(part, trace);
	} else if (name && !strcmp(name, "lublin")) {
		jobs_write(part, "drawn from the model of Lublin and Feitelson");
	} else if (json_is_number(json_object_get(workload, "run_time_s"))) {
		regular_write(part, workload);
	} else {
		jobs_write(part, "of the workload ");
		html_name(part->out, part->run->record->workload);
	}
}

/* ---- sentences ---------------------------------------------------------------------------------------------------- */

static void nodes_write(const struct part *part)
{
	const struct wt_record *record = part->run->record;
	const char *backend = record->backend ? record->backend : "";
	FILE *out = part->out;

	fputs(", sent to a real slurmctld", out);
	if (!record->nodes)
		return;
	fputs(" with ", out);
	number_write(out, NULL, record->nodes, 1, 0, !strcmp(backend, "virtual") ? " virtual" : "");
	fputs(record->nodes == 1 ? " node" : " nodes", out);
	if (record->cpus && record->cpus % record->nodes == 0) {
		fputs(" of ", out);
		number_write(out, NULL, record->cpus / record->nodes, 1, 0,
			     record->cpus == record->nodes ? " CPU" : " CPUs");
	}
	if (!strcmp(backend, "slurmd"))
		fputs(", a slurmd each, all on one machine", out);
}

static void time_write(const struct part *part)
{
	const char *verdict = text_of(json_object_get(part->run->summary, "repeatable"), "verdict");
	const json_t *clock = json_object_get(part->run->summary, "virtual_clock");
	FILE *out = part->out;

	if (json_is_object(clock)) {
		fputs("Its time is virtual (", out);
		duration_write(out, NULL, json_number_value(json_object_get(clock, "virtual_s")));
		fputs(" passed within ", out);
		duration_write(out, NULL, json_number_value(json_object_get(clock, "wall_s")));
		fputs(verdict && !strcmp(verdict, "yes") ? "), and the schedule comes out the same each time" : ")", out);
	} else {
		fputs("It ran in real time", out);
		if (part->run->record->time_scale != 1) {
			fputs(", with all of the workload's times multiplied by ", out);
			number_write(out, NULL, part->run->record->time_scale, 1, 3, "");
		}
	}
	fprintf(out, ". <a href=\"#%s-provenance\">How it was made</a></p>\n", part->run->id);
}

void what_sentences_write(const struct part *part)
{
	if (!json_is_object(options_of(part)) || !part->run->summary || !part->run->record->workload ||
	    !part->run->metrics.jobs_total)
		return;
	fputs("<p class=\"what-run\">What was run: ", part->out);
	workload_write(part);
	nodes_write(part);
	fputs(". ", part->out);
	time_write(part);
}

/* ---- the table ---------------------------------------------------------------------------------------------------- */

static void row_open(const struct part *part, const char *name)
{
	fprintf(part->out, "<tr><th scope=\"row\">%s</th><td>", name);
}

static void row_close(const struct part *part)
{
	fputs("</td></tr>\n", part->out);
}

/* Nothing where the text is missing. */
static void text_row(const struct part *part, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	row_open(part, name);
	html_text(part->out, text);
	row_close(part);
}

static void workload_row(const struct part *part)
{
	const struct wt_record *record = part->run->record;

	if (!record->workload)
		return;
	row_open(part, "workload");
	html_name(part->out, record->workload);
	fputs(": ", part->out);
	number_write(part->out, NULL, (double) part->run->metrics.jobs_total, 1, 0, " jobs");
	if (part->run->summary)
		fprintf(part->out, ", seed %llu", (unsigned long long) record->seed);
	if (record->time_scale != 1) {
		fputs(", times \xc3\x97 ", part->out);
		number_write(part->out, NULL, record->time_scale, 1, 3, "");
	}
	row_close(part);
}

static void cluster_row(const struct part *part)
{
	const struct wt_record *record = part->run->record;
	const char *partition = text_of(json_object_get(part->run->scenario, "cluster"), "partition");

	if (!record->nodes)
		return;
	row_open(part, "cluster");
	number_write(part->out, NULL, record->nodes, 1, 0, " ");
	html_name(part->out, record->backend);
	fputs(record->backend ? " nodes" : "nodes", part->out);
	if (record->cpus) {
		fputs(", ", part->out);
		number_write(part->out, NULL, record->cpus, 1, 0, " CPUs");
	}
	if (partition) {
		fputs(", partition ", part->out);
		html_name(part->out, partition);
	}
	row_close(part);
}

static void words_add(struct wt_str *text, const char *before, const char *word)
{
	if (word && *word)
		wt_str_printf(text, "%s%s%s", text->len ? ", " : "", before, word);
}

static void scheduler_row(const struct part *part)
{
	const json_t *own = json_object_get(options_of(part), "own_cluster"), *set = json_object_get(own, "set");
	struct wt_str text = { 0 };
	json_t *value;
	size_t i;

	words_add(&text, "", part->run->scheduler);
	words_add(&text, "", part->run->select);
	words_add(&text, "plugin ", text_of(own, "plugin"));
	words_add(&text, "switches of ", text_of(own, "topology"));
	words_add(&text, "settings of ", text_of(own, "conf"));
	json_array_foreach(set, i, value)
		words_add(&text, "", json_string_value(value));
	text_row(part, "scheduler", text.text);
	wt_str_clear(&text);
}

static void clock_row(const struct part *part)
{
	const char *charge = text_of(json_object_get(part->run->summary, "virtual_clock"), "charge");

	if (!part->run->record->clock)
		return;
	row_open(part, "clock");
	html_name(part->out, part->run->record->clock);
	if (charge) {
		fputs(", charge ", part->out);
		html_name(part->out, charge);
		fputs(!strcmp(charge, "none") ? ": the controller's work takes no time" :
		      ": the controller's work takes as long as here", part->out);
	}
	row_close(part);
}

static void versions_row(const struct part *part)
{
	const json_t *versions = json_object_get(part->run->scenario, "versions");
	struct wt_str text = { 0 };

	words_add(&text, "windtunnel ", text_of(versions, "windtunnel"));
	words_add(&text, "Slurm ", text_of(versions, "slurm"));
	text_row(part, "versions", text.text);
	wt_str_clear(&text);
}

static void machine_rows(const struct part *part)
{
	const json_t *machine = json_object_get(part->run->scenario, "machine"),
		     *load = json_object_get(machine, "load_average");
	FILE *out = part->out;

	if (!json_is_object(machine))
		return;
	row_open(part, "machine");
	number_write(out, NULL, json_number_value(json_object_get(machine, "cpus")), 1, 0, " CPUs");
	fputs(" (", out);
	html_name(out, text_of(machine, "cpu_model"));
	fputs("), ", out);
	number_write(out, NULL, json_number_value(json_object_get(machine, "memory_mib")), 1 / 1024.0, 1, " GiB");
	fputs(", Linux ", out);
	html_name(out, text_of(machine, "kernel"));
	row_close(part);
	if (!json_is_number(json_array_get(load, 0)))
		return;
	row_open(part, "its load when the run began");
	number_write(out, NULL, json_number_value(json_array_get(load, 0)), 1, 2, "");
	row_close(part);
}

static void repeats_row(const struct part *part)
{
	const json_t *repeatable = json_object_get(part->run->summary, "repeatable");
	const char *verdict = text_of(repeatable, "verdict"), *basis = text_of(repeatable, "basis");

	if (!verdict || !basis)
		return;
	row_open(part, "the same schedule again?");
	fputs("<b>", part->out);
	html_name(part->out, verdict);
	fputs("</b>: ", part->out);
	html_text(part->out, basis);
	row_close(part);
}

void what_table_write(const struct part *part)
{
	static const char *const columns[] = { "what", "as it was", NULL };

	table_begin(part, "class=\"what-table\"", "What was run, on what", columns);
	workload_row(part);
	cluster_row(part);
	scheduler_row(part);
	clock_row(part);
	versions_row(part);
	machine_rows(part);
	repeats_row(part);
	table_end(part);
}
