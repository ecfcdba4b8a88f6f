/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was run, for a reader who has never seen such a page: two sentences, and a table. */
#include "config.h"

#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/page/html.h"
#include "harness/page/section.h"

static const json_t *options_of(const struct section *section)
{
	return json_object_get(section->run->scenario, "options");
}

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

/* ---- the workload in words ---------------------------------------------------------------------------------------- */

/* 'which' stays outside of what is never broken into lines. */
static void jobs_write(const struct section *section, const char *which)
{
	size_t count = section->run->metrics.jobs_total;

	number_write(section->out, NULL, (double) count, 1, 0, count == 1 ? " job " : " jobs ");
	fputs(which, section->out);
}

static bool esp_write(const struct section *section, const char *variant)
{
	static const char *const names[][2] = {
		{ "esp", "ESP" }, { "light", "Light-ESP" }, { "parallel-light", "Parallel Light-ESP" },
	};

	for (size_t i = 0; variant && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(variant, names[i][0])) {
			fprintf(section->out, "%s, a benchmark: ", names[i][1]);
			jobs_write(section, "of fixed shares of the machine, up to all of it");
			return true;
		}
	return false;
}

static void regular_write(const struct section *section, const json_t *workload)
{
	const json_t *cpus = json_object_get(workload, "job_cpus");
	double run_time_s = json_number_value(json_object_get(workload, "run_time_s"));
	double interval_s = json_number_value(json_object_get(workload, "interval_s"));
	FILE *out = section->out;

	jobs_write(section, "of ");
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

static void traced_write(const struct section *section, const char *path)
{
	char *copy = strdup(path);

	jobs_write(section, "of the trace ");
	html_name(section->out, copy ? basename(copy) : path);
	free(copy);
}

static void workload_write(const struct section *section)
{
	const json_t *workload = json_object_get(options_of(section), "workload");
	const char *name = text_of(workload, "name"), *trace = text_of(workload, "trace");

	if (esp_write(section, text_of(options_of(section), "variant")))
		return;
	if (trace) {
		traced_write(section, trace);
	} else if (name && !strcmp(name, "lublin")) {
		jobs_write(section, "drawn from the model of Lublin and Feitelson");
	} else if (json_is_number(json_object_get(workload, "run_time_s"))) {
		regular_write(section, workload);
	} else {
		jobs_write(section, "of the workload ");
		html_name(section->out, section->run->record->workload);
	}
}

/* ---- sentences ---------------------------------------------------------------------------------------------------- */

static bool own_site(const struct section *section)
{
	return json_is_string(json_object_get(json_object_get(options_of(section), "own_cluster"), "site"));
}

static void nodes_write(const struct section *section)
{
	const struct wt_record *record = section->run->record;
	const char *backend = record->backend ? record->backend : "";
	FILE *out = section->out;

	fputs(", sent to a real slurmctld", out);
	if (!record->nodes)
		return;
	fputs(" with ", out);
	number_write(out, NULL, record->nodes, 1, 0, !strcmp(backend, "virtual") ? " virtual" : "");
	fputs(record->nodes == 1 ? " node" : " nodes", out);
	/* Those of a site are of several kinds. */
	if (record->cpus && record->cpus % record->nodes == 0 && !own_site(section)) {
		fputs(" of ", out);
		number_write(out, NULL, record->cpus / record->nodes, 1, 0,
			     record->cpus == record->nodes ? " CPU" : " CPUs");
	}
	if (!strcmp(backend, "slurmd"))
		fputs(", a slurmd each, all on one machine", out);
}

static void time_write(const struct section *section, bool linked)
{
	const char *verdict = text_of(json_object_get(section->run->summary, "repeatable"), "verdict");
	const json_t *clock = json_object_get(section->run->summary, "virtual_clock");
	FILE *out = section->out;

	if (json_is_object(clock)) {
		fputs("Its time is virtual (", out);
		duration_write(out, NULL, json_number_value(json_object_get(clock, "virtual_s")));
		fputs(" passed within ", out);
		duration_write(out, NULL, json_number_value(json_object_get(clock, "wall_s")));
		fputs(verdict && !strcmp(verdict, "yes") ? "), and the schedule comes out the same each time" : ")", out);
	} else {
		fputs("It ran in real time", out);
		if (section->run->record->time_scale != 1) {
			fputs(", with all of the workload's times multiplied by ", out);
			number_write(out, NULL, section->run->record->time_scale, 1, 3, "");
		}
	}
	fputs(".", out);
	if (linked)
		fprintf(out, " <a href=\"#%s-provenance\">How it was made</a>", section->run->id);
	fputs("</p>\n", out);
}

/* How the schedule of a file came about is known to who wrote it. */
static void file_sentence_write(const struct section *section)
{
	fputs("<p class=\"what-run\">What was run: ", section->out);
	jobs_write(section, "as the file ");
	html_name(section->out, section->run->name);
	fputs(section->run->record->cpus ? " tells them; by which scheduler, it does not say.</p>\n"
					 : " tells them; on what, and by which scheduler, it does not say.</p>\n",
	      section->out);
}

void what_sentences_write(const struct section *section, const char *of, bool linked)
{
	if (section->run->single_file && section->run->metrics.jobs_total) {
		file_sentence_write(section);
		return;
	}
	if (!json_is_object(options_of(section)) || !section->run->summary || !section->run->record->workload ||
	    !section->run->metrics.jobs_total)
		return;
	fprintf(section->out, "<p class=\"what-run\">What was run%s: ", of);
	workload_write(section);
	nodes_write(section);
	fputs(". ", section->out);
	time_write(section, linked);
}

/* ---- the table ---------------------------------------------------------------------------------------------------- */

static void row_open(const struct section *section, const char *name)
{
	fprintf(section->out, "<tr><th scope=\"row\">%s</th><td>", name);
}

static void row_close(const struct section *section)
{
	fputs("</td></tr>\n", section->out);
}

/* Nothing where the text is missing. */
static void text_row(const struct section *section, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	row_open(section, name);
	html_text(section->out, text);
	row_close(section);
}

static void workload_row(const struct section *section)
{
	const struct wt_record *record = section->run->record;

	if (!record->workload)
		return;
	row_open(section, "workload");
	html_name(section->out, record->workload);
	fputs(": ", section->out);
	number_write(section->out, NULL, (double) section->run->metrics.jobs_total, 1, 0, " jobs");
	if (section->run->summary)
		fprintf(section->out, ", seed %llu", (unsigned long long) record->seed);
	if (record->time_scale != 1) {
		fputs(", times \xc3\x97 ", section->out);
		number_write(section->out, NULL, record->time_scale, 1, 3, "");
	}
	row_close(section);
}

static void cluster_row(const struct section *section)
{
	const struct wt_record *record = section->run->record;
	const char *partition = text_of(json_object_get(section->run->scenario, "cluster"), "partition");

	if (!record->nodes)
		return;
	row_open(section, "cluster");
	number_write(section->out, NULL, record->nodes, 1, 0, " ");
	html_name(section->out, record->backend);
	fputs(record->backend ? " nodes" : "nodes", section->out);
	if (record->cpus) {
		fputs(", ", section->out);
		number_write(section->out, NULL, record->cpus, 1, 0, " CPUs");
	}
	if (partition) {
		fputs(", partition ", section->out);
		html_name(section->out, partition);
	}
	row_close(section);
}

static void words_add(struct wt_str *text, const char *before, const char *word)
{
	if (word && *word)
		wt_str_printf(text, "%s%s%s", text->len ? ", " : "", before, word);
}

static void scheduler_row(const struct section *section)
{
	const json_t *own = json_object_get(options_of(section), "own_cluster"), *set = json_object_get(own, "set");
	struct wt_str text = { 0 };
	json_t *value;
	size_t i;

	words_add(&text, "", section->run->scheduler);
	words_add(&text, "", section->run->select);
	words_add(&text, "plugin ", text_of(own, "plugin"));
	words_add(&text, "switches of ", text_of(own, "topology"));
	words_add(&text, "settings of ", text_of(own, "conf"));
	json_array_foreach(set, i, value)
		words_add(&text, "", json_string_value(value));
	text_row(section, "scheduler", text.text);
	wt_str_clear(&text);
}

static void clock_row(const struct section *section)
{
	const char *charge = text_of(json_object_get(section->run->summary, "virtual_clock"), "charge");

	if (!section->run->record->clock)
		return;
	row_open(section, "clock");
	html_name(section->out, section->run->record->clock);
	if (charge) {
		fputs(", charge ", section->out);
		html_name(section->out, charge);
		fputs(!strcmp(charge, "none") ? ": the controller's work takes no time" :
		      ": the controller's work takes as long as here", section->out);
	}
	row_close(section);
}

static void versions_row(const struct section *section)
{
	const json_t *versions = json_object_get(section->run->scenario, "versions");
	struct wt_str text = { 0 };

	words_add(&text, "windtunnel ", text_of(versions, "windtunnel"));
	words_add(&text, "Slurm ", text_of(versions, "slurm"));
	text_row(section, "versions", text.text);
	wt_str_clear(&text);
}

static void machine_rows(const struct section *section)
{
	const json_t *machine = json_object_get(section->run->scenario, "machine"),
		     *load = json_object_get(machine, "load_average");
	FILE *out = section->out;

	if (!json_is_object(machine))
		return;
	row_open(section, "machine");
	number_write(out, NULL, json_number_value(json_object_get(machine, "cpus")), 1, 0, " CPUs");
	fputs(" (", out);
	html_name(out, text_of(machine, "cpu_model"));
	fputs("), ", out);
	number_write(out, NULL, json_number_value(json_object_get(machine, "memory_mib")), 1 / 1024.0, 1, " GiB");
	fputs(", Linux ", out);
	html_name(out, text_of(machine, "kernel"));
	row_close(section);
	if (!json_is_number(json_array_get(load, 0)))
		return;
	row_open(section, "its load when the run began");
	number_write(out, NULL, json_number_value(json_array_get(load, 0)), 1, 2, "");
	row_close(section);
}

static void repeats_row(const struct section *section)
{
	const json_t *repeatable = json_object_get(section->run->summary, "repeatable");
	const char *verdict = text_of(repeatable, "verdict"), *basis = text_of(repeatable, "basis");

	if (!verdict || !basis)
		return;
	row_open(section, "the same schedule again?");
	fputs("<b>", section->out);
	html_name(section->out, verdict);
	fputs("</b>: ", section->out);
	html_text(section->out, basis);
	row_close(section);
}

void what_table_write(const struct section *section)
{
	static const char *const columns[] = { "what", "as it was", NULL };

	table_begin(section, "class=\"what-table\"", "What was run, on what", columns);
	workload_row(section);
	cluster_row(section);
	scheduler_row(section);
	clock_row(section);
	versions_row(section);
	machine_rows(section);
	repeats_row(section);
	table_end(section);
}
