/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "harness/page/experiment_section.h"
#include "harness/page/page_frame.h"
#include "harness/page/gantt_section.h"
#include "harness/page/html.h"
#include "harness/page/section.h"
#include "harness/page/placement.h"
#include "harness/page/side.h"

static int schedule_write(const struct section *section)
{
	fprintf(section->out, "<section aria-labelledby=\"%s-time\">\n", section->run->id);
	heading_write(section, 1, "time", "When was the cluster busy?");
	if (!section->run->job_count)
		fputs("<p class=\"none\">jobs.csv has no job: nothing can be drawn over time.</p>\n", section->out);
	if (busy_chart_write(section) < 0 || queue_chart_write(section) < 0)
		return -1;

	if (gpus_chart_write(section) < 0 || completing_chart_write(section) < 0)
		return -1;
	if (section->run->job_count)
		heading_write(section, 2, "gantt", "Where did each job run?");
	if (section->run->job_count && !gantt_known(section->run)) {
		fputs("<p class=\"none\">Not known: of no job is it told which nodes it had.</p>\n", section->out);
	} else if (section->run->job_count) {
		gantt_section_write(section->out, section->run);
		fputs("<p class=\"none\">A job's CPUs are taken to be spread evenly over its nodes, where jobs share "
		      "nodes.</p>\n",
		      section->out);
	}
	fputs("</section>\n", section->out);
	return 0;
}

static int jobs_write(const struct section *section)
{
	if (!section->run->job_count)
		return 0;
	fprintf(section->out, "<section aria-labelledby=\"%s-jobs\">\n", section->run->id);
	heading_write(section, 1, "jobs", "How were the jobs served?");
	if (job_charts_write(section) < 0)
		return -1;
	fprintf(section->out, "</section>\n<section aria-labelledby=\"%s-rates\">\n", section->run->id);
	heading_write(section, 1, "rates", "How fast did jobs come and go?");
	if (rates_chart_write(section) < 0)
		return -1;
	fputs("</section>\n", section->out);
	return 0;
}

typedef int (*section_fn)(const struct section *section);

static int section_write(const struct section *section, const char *id, section_fn write)
{
	int rc;

	fprintf(section->out, "<section aria-labelledby=\"%s-%s\">\n", section->run->id, id);
	rc = write(section);
	fputs("</section>\n", section->out);
	return rc;
}

static int losses_section(const struct section *section)
{
	loss_table_write(section);
	return 0;
}

static int figures_section(const struct section *section)
{
	figures_table_write(section);
	return 0;
}

static int left_out_section(const struct section *section)
{
	left_out_write(section);
	return 0;
}

static int provenance_section(const struct section *section)
{
	provenance_write(section);
	return 0;
}

/* No section without a heading: not all runs have groups. */
static int parts_write(const struct section *section)
{
	if (section->run->heartbeats_only)
		return straggler_section_write(section) < 0 || section_write(section, "left-out", left_out_section) < 0 ||
		       section_write(section, "provenance", provenance_section) < 0 ? -1 : 0;
	if (schedule_write(section) < 0)
		return -1;
	events_section_write(section);
	if (section_write(section, "losses", losses_section) < 0 ||
	    section_write(section, "sizes", size_table_write) < 0 || group_tables_write(section) < 0 ||
	    pending_table_write(section) < 0 || jobs_write(section) < 0 ||
	    placement_section_write(section) < 0 || power_section_write(section) < 0 ||
	    straggler_section_write(section) < 0 ||
	    section_write(section, "controller", controller_write) < 0)
		return -1;
	return section_write(section, "figures", figures_section) < 0 ||
			       section_write(section, "left-out", left_out_section) < 0 ||
			       section_write(section, "provenance", provenance_section) < 0
		       ? -1
		       : 0;
}

static int run_write(FILE *out, const struct page_run *run, const struct placement *placement, int level,
		     struct wt_error *errp)
{
	struct section section = { .out = out, .run = run, .placement = placement, .level = level };
	int rc = sweep_make(&section.sweep, run, errp);

	if (rc == 0)
		rc = losses_compute(&section.losses, run, &section.sweep, errp);
	if (rc == 0) {
		fprintf(out, "<article class=\"run\" aria-labelledby=\"%s\">\n", run->id);
		answer_write(&section);
		rc = parts_write(&section);
		fputs("</article>\n", out);
		if (rc < 0)
			wt_error_errno(errp, errno, "page of %s", run->path);
	}
	sweep_clear(&section.sweep);
	return rc;
}

static void head_write(FILE *out, const struct page_input *input)
{
	const struct page_run *first = &input->runs[0];

	page_frame_title(out);
	if (input->cases && *input->cases->title)
		html_name(out, input->cases->title);
	else
		html_name(out, first->record->workload ? first->record->workload : first->name);
	fputs(input->run_count > 1 ? " and others" : "", out);
	page_frame_body(out, gantt_style_write);
}

static int runs_write(FILE *out, const struct page_input *input, const struct placement *placements, struct wt_error *errp)
{
	struct section first = { .out = out, .run = &input->runs[0], .level = 1 };

	if (input->cases && experiment_section_write(&first, page_runs_written(input) > 0, input->cases) < 0)
		return wt_error_errno(errp, ENOMEM, "%s", input->cases->title);
	if (side_wanted(input) && side_write(out, input, placements, errp) < 0)
		return -1;
	for (size_t i = 0; i < page_runs_written(input); i++)
		if (run_write(out, &input->runs[i], &placements[i], input->run_count > 1 ? 2 : 1, errp) < 0)
			return -1;
	return 0;
}

static int body_write(FILE *out, const struct page_input *input, struct wt_error *errp)
{
	struct placement *placements = calloc(input->run_count, sizeof(*placements));
	int rc = placements ? 0 : wt_error_errno(errp, ENOMEM, "page of %zu runs", input->run_count);

	for (size_t i = 0; rc == 0 && i < input->run_count; i++)
		rc = placement_read(&placements[i], &input->runs[i], errp);
	if (rc == 0)
		rc = runs_write(out, input, placements, errp);
	for (size_t i = 0; placements && i < input->run_count; i++)
		placement_clear(&placements[i]);
	free(placements);
	return rc;
}

int page_write(FILE *out, const void *arg, struct wt_error *errp)
{
	const struct page_input *input = arg;

	head_write(out, input);
	if (body_write(out, input, errp) < 0)
		return -1;
	/* Data and scripts last: the text can be read while a browser still loads them. */
	page_frame_scripts(out);
	for (size_t i = 0; i < page_runs_written(input); i++)
		if (gantt_known(&input->runs[i]) && gantt_blocks_write(out, &input->runs[i], errp) < 0)
			return -1;
	gantt_script_write(out);
	page_frame_end(out);
	return 0;
}
