/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "harness/page/html.h"
#include "harness/page/section.h"

#define ROWS_MAX 40	/* of a table by group: the largest ones */

struct entry {			/* a job that has started */
	uint32_t group;
	double wait_s;
};

struct row {
	uint32_t group;
	size_t jobs;
	double median_s, p90_s, mean_s, max_s;
	double cpu_s;
};

static int entry_compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->wait_s > y->wait_s) - (x->wait_s < y->wait_s);
}

/* Linear between neighbours, as the medians of summary.json are. */
static double quantile(const struct entry *entries, size_t count, double share)
{
	double at = share * (double) (count - 1), below = floor(at);
	size_t i = (size_t) below;

	return i + 1 < count ? entries[i].wait_s + (at - below) * (entries[i + 1].wait_s - entries[i].wait_s)
			     : entries[i].wait_s;
}

static uint32_t group_of(const struct page_job *job, int group)
{
	return group < 0 ? (job->size == PAGE_SIZE_UNKNOWN ? PAGE_NO_GROUP : (uint32_t) job->size) : job->group[group];
}

static struct row row_make(const struct entry *entries, size_t count)
{
	struct row row = { .group = entries->group, .jobs = count };

	for (size_t i = 0; i < count; i++)
		row.mean_s += entries[i].wait_s / (double) count;
	row.median_s = quantile(entries, count, 0.5);
	row.p90_s = quantile(entries, count, 0.9);
	row.max_s = entries[count - 1].wait_s;
	return row;
}

static void cpu_time_add(const struct section *section, int group, double *cpu_s, size_t groups)
{
	for (size_t i = 0; i < section->run->job_count; i++) {
		const struct page_job *job = &section->run->jobs[i];
		uint32_t g = group_of(job, group);

		if (g < groups && job->end_s >= job->start_s)
			cpu_s[g] += job->cpus * (job->end_s - job->start_s);
	}
}

static size_t entries_fill(const struct section *section, int group, struct entry *entries)
{
	size_t count = 0;

	for (size_t i = 0; i < section->run->job_count; i++) {
		const struct page_job *job = &section->run->jobs[i];
		double wait_s = job->start_s - job->sent_s;

		if (group_of(job, group) != PAGE_NO_GROUP && isfinite(wait_s))
			entries[count++] = (struct entry) { group_of(job, group), fmax(0, wait_s) };
	}
	qsort(entries, count, sizeof(*entries), entry_compare);
	return count;
}

/* A row for each group that has a job that started, in the groups' order.  NULL: no memory. */
static struct row *rows_make(const struct section *section, int group, size_t groups, size_t *count)
{
	struct entry *entries = malloc((section->run->job_count + 1) * sizeof(*entries));
	struct row *rows = calloc(groups + 1, sizeof(*rows));
	double *cpu_s = calloc(groups + 1, sizeof(*cpu_s));
	size_t n, end;

	*count = 0;
	if (!entries || !rows || !cpu_s) {
		free(rows);
		rows = NULL;
		goto out;
	}
	n = entries_fill(section, group, entries);
	cpu_time_add(section, group, cpu_s, groups);
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && entries[end].group == entries[i].group; end++)
			;
		rows[*count] = row_make(&entries[i], end - i);
		rows[*count].cpu_s = cpu_s[entries[i].group];
		++*count;
	}
out:
	free(cpu_s);
	free(entries);
	return rows;
}

static int row_larger(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->jobs != y->jobs)
		return x->jobs > y->jobs ? -1 : 1;
	return (x->group > y->group) - (x->group < y->group);
}

static void cell_duration(FILE *out, double seconds)
{
	fputs("<td>", out);
	duration_write(out, NULL, seconds);
	fputs("</td>", out);
}

static void row_write(const struct section *section, const struct row *row, int group)
{
	double capacity = section->losses.capacity_cpu_s;
	FILE *out = section->out;

	fputs("<tr><th scope=\"row\">", out);
	if (group < 0)
		fprintf(out, "<i class=\"size z%u\"></i>%s", row->group, page_size_name((enum page_size) row->group));
	else
		html_name(out, section->run->groups[group].words[row->group]);
	fputs("</th><td>", out);
	number_write(out, NULL, (double) row->jobs, 1, 0, "");
	fputs("</td><td>", out);
	number_write(out, NULL, capacity > 0 ? row->cpu_s / capacity : NAN, 100, 1, " %");
	fputs("</td>", out);
	cell_duration(out, row->median_s);
	cell_duration(out, row->mean_s);
	cell_duration(out, row->p90_s);
	cell_duration(out, row->max_s);
	fputs("</tr>\n", out);
}

void table_begin(const struct section *section, const char *attributes, const char *caption, const char *const columns[])
{
	FILE *out = section->out;

	fprintf(out,
		"<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">\n<table %s><caption><span>%s</span>"
		"</caption>\n",
		caption, attributes, caption);
	fputs("<thead><tr>", out);
	for (size_t i = 0; columns[i]; i++)
		fprintf(out, "<th scope=\"col\">%s</th>", columns[i]);
	fputs("</tr></thead><tbody>\n", out);
}

void table_end(const struct section *section)
{
	fputs("</tbody></table></div>\n", section->out);
}

static void waits_begin(const struct section *section, const char *name, const char *caption)
{
	const char *const columns[] = { name, "jobs", "of the CPUs' time", "wait, median", "mean", "90 %", "longest", NULL };
	char attributes[64];

	snprintf(attributes, sizeof(attributes), "class=\"waits\" data-by=\"%s\"", name);
	table_begin(section, attributes, caption, columns);
}

static void waits_end(const struct section *section, size_t left_out)
{
	table_end(section);
	if (left_out)
		fprintf(section->out, "<p class=\"none\">%zu with fewer jobs are left out.</p>\n", left_out);
}

/* What the figures say, and only where they are far apart: medians of the smallest and of the largest jobs. */
static void size_sentence_write(const struct section *section, const struct row *rows, size_t count)
{
	const struct row *small = &rows[0], *large = &rows[count - 1];

	fputs("<p>", section->out);
	if (count < 2) {
		fputs("All jobs are of one size.", section->out);
	} else {
		if (large->median_s > 1.5 * small->median_s + 1)
			fputs("Yes: half of the largest waited longer than ", section->out);
		else if (small->median_s > 1.5 * large->median_s + 1)
			fputs("No, the small ones did: half of the largest waited longer than ", section->out);
		else
			fputs("Not much: half of the largest waited longer than ", section->out);
		duration_write(section->out, NULL, large->median_s);
		fputs(", half of the smallest longer than ", section->out);
		duration_write(section->out, NULL, small->median_s);
		fputs(". When they were submitted counts as well.", section->out);
	}
	fputs("</p>\n", section->out);
}

int size_table_write(const struct section *section)
{
	size_t count;
	struct row *rows = rows_make(section, -1, PAGE_SIZE_COUNT, &count);
	int rc;

	if (!rows)
		return -1;
	heading_write(section, 1, "sizes", "Did big jobs wait longer?");
	if (!count) {
		fputs("<p class=\"none\">No job has started, or the size of the machine is not known.</p>\n", section->out);
		free(rows);
		return 0;
	}
	size_sentence_write(section, rows, count);
	rc = size_chart_write(section);
	waits_begin(section, "size", "Waits by the CPUs that jobs asked for");
	for (size_t i = 0; i < count; i++)
		row_write(section, &rows[i], -1);
	waits_end(section, 0);
	free(rows);
	return rc;
}

static int group_table_write(const struct section *section, int group)
{
	static const char *const captions[PAGE_GROUP_COUNT] = {
		"Waits by class of job", "Waits by partition", "Waits by account",
		"Waits by user",         "Waits by QOS",       "Waits by Slurm's reason for the longest part of them",
	};
	size_t count;
	struct row *rows = rows_make(section, group, section->run->groups[group].count, &count);

	if (!rows)
		return -1;
	/* By size only where not all have room: else the groups' own order is easier to find things in. */
	if (count > ROWS_MAX)
		qsort(rows, count, sizeof(*rows), row_larger);
	if (count) {
		waits_begin(section, page_group_name((enum page_group) group), captions[group]);
		for (size_t i = 0; i < count && i < ROWS_MAX; i++)
			row_write(section, &rows[i], group);
		waits_end(section, count > ROWS_MAX ? count - ROWS_MAX : 0);
	}
	free(rows);
	return 0;
}

/* One group only says nothing that the figures of all jobs do not. */
int group_tables_write(const struct section *section)
{
	int any = 0;

	for (int g = 0; g < PAGE_GROUP_COUNT; g++) {
		if (section->run->groups[g].count < 2)
			continue;
		if (!any++)
			heading_write(section, 1, "groups", "Who waited?");
		if (group_table_write(section, g) < 0)
			return -1;
	}
	return 0;
}

/* ---- losses ------------------------------------------------------------------------------------------------------- */

static void loss_row_write(const struct section *section, enum loss_cause cause)
{
	static const char *const meanings[LOSS_CAUSE_COUNT] = {
		"until the cluster was first as busy as on average",
		"the next job to start needs 90 % of the CPUs or more, and did not fit yet",
		"the last job had started, none waited",
		"a node's job had ended, the node was not released yet",
		"between the first start and the last",
		"by the number of CPUs only: its nodes, limits, reservations and priorities are not looked at",
		"all that waited asked for more CPUs than were idle",
	};
	const struct loss_moment *moment = &section->losses.largest[cause];
	char from[HTML_DURATION_SIZE], to[HTML_DURATION_SIZE];
	FILE *out = section->out;

	fprintf(out, "<tr><th scope=\"row\">%s<small>%s</small></th><td>", loss_cause_name(cause), meanings[cause]);
	number_write(out, loss_cause_name(cause), losses_points(&section->losses, section->losses.cpu_s[cause]), 1, 2, "");
	fputs("</td><td>", out);
	digits_write(out, NULL, section->losses.cpu_s[cause] / 3600, 1, "");
	fputs("</td><td>", out);
	if (moment->cpu_s > 0) {
		html_axis_time(from, moment->from_s, 1);
		html_axis_time(to, moment->to_s, 1);
		fprintf(out, "%s to %s", from, to);
		if (cause == LOSS_DRAIN) {
			fputs(", ", out);
			html_name(out, section->run->jobs[moment->job].record->name);
		}
	}
	fputs("</td></tr>\n", out);
}

void loss_table_write(const struct section *section)
{
	static const char *const columns[] = { "cause", "points", "CPU hours", "longest piece", NULL };
	const struct losses *losses = &section->losses;
	FILE *out = section->out;

	heading_write(section, 1, "losses", "Where did the idle time go?");
	if (!(losses->capacity_cpu_s > 0)) {
		fputs("<p class=\"none\">Not known: no job has ended, or the size of the machine is not known.</p>\n", out);
		return;
	}
	table_begin(section, "class=\"losses\"", "Idle CPU time from the first submission to the last end, by its cause",
		    columns);
	for (int c = 0; c < LOSS_CAUSE_COUNT; c++)
		if (losses->cpu_s[c] > 0)
			loss_row_write(section, (enum loss_cause) c);
	fputs("</tbody><tfoot><tr><th scope=\"row\">all idle time</th><td>", out);
	number_write(out, "idle_points", losses_points(losses, losses->idle_cpu_s), 1, 2, "");
	fputs("</td><td>", out);
	digits_write(out, NULL, losses->idle_cpu_s / 3600, 1, "");
	fputs("</td><td></td></tr></tfoot></table></div>\n", out);
	fprintf(out, "<p class=\"none\">Points are percent of all CPUs over the makespan%s. The causes "
		"are found from the jobs' times and CPUs alone; of several at once the first in this list counts, "
		"completing nodes before all.</p>\n",
		losses_overfull(losses) ? "" : "; with the utilisation they add up to 100");
	overfull_write(section, "<p class=\"warn\">", "</p>\n");
}

/* ---- all figures -------------------------------------------------------------------------------------------------- */

static void figure_row_write(const struct section *section, enum wt_figure_id f)
{
	const struct wt_figure_info *info = &wt_figure_infos[f];
	FILE *out = section->out;

	fprintf(out, "<tr><th scope=\"row\">%s</th><td>", info->label);
	digits_write(out, info->key, figure_value(section, f), info->scale, "");
	fprintf(out, "</td><td>%s</td><td>", info->unit);
	kind_write(section, f);
	fputs("</td></tr>\n", out);
}

/* One line instead of a row each. */
static void unknown_figures_write(const struct section *section)
{
	static const char before[] = "<p class=\"none\">Not known of this run: ";
	bool any = false;

	for (size_t f = 0; f < WT_FIG_COUNT; f++) {
		/* What nodes cost was not asked for. */
		if (isfinite(figure_value(section, (enum wt_figure_id) f)) ||
		    (f >= WT_FIG_NODES_BUSY && f <= WT_FIG_ENERGY_ALWAYS_ON))
			continue;
		fprintf(section->out, "%s%s", any ? ", " : before, wt_figure_infos[f].label);
		any = true;
	}
	fputs(any ? ".</p>\n" : "", section->out);
}

void figures_table_write(const struct section *section)
{
	static const char *const columns[] = { "figure", "value", "unit", "kind", NULL };
	FILE *out = section->out;

	heading_write(section, 1, "figures", "Which figures were measured?");
	table_begin(section, "class=\"figures\"",
		    section->run->single_file ? "Figures computed from the times that the file tells"
		    : section->run->metrics_recomputed
		    ? "Figures computed from jobs.csv and series.csv, for there is no summary.json"
		    : "Figures of summary.json",
		    columns);
	for (size_t f = 0; f < WT_FIG_COUNT; f++)
		if (isfinite(figure_value(section, (enum wt_figure_id) f)))
			figure_row_write(section, (enum wt_figure_id) f);
	table_end(section);
	unknown_figures_write(section);
	fputs("<p class=\"none\">Real: measured by a real clock. Virtual: of a schedule in virtual time. Modelled: "
	      "computed, as is all that "
	      "tells in virtual time how fast the controller is. See windtunnel-run(5).</p>\n",
	      out);
}
