/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "harness/page/chart.h"
#include "harness/page/section.h"

static void track(struct chart_curve *curve, const struct section *section, sweep_delta delta, double scale)
{
	const struct sweep *sweep = &section->sweep;
	double value = 0, drawn = 0;

	chart_curve_add(curve, 0, 0);
	for (size_t i = 0; i < sweep->count; i++) {
		const struct page_job *job = &section->run->jobs[sweep->events[i].job];

		value += delta(job, sweep->events[i].kind);
		if (i + 1 < sweep->count && sweep->events[i + 1].time_s == sweep->events[i].time_s)
			continue;
		if (fabs(value) < 1e-7)
			value = 0;	/* what sums of fractions leave behind */
		if (value != drawn)
			chart_curve_add(curve, sweep->events[i].time_s, scale * value);
		drawn = value;
	}
	chart_curve_add(curve, section->run->period_s, scale * value);
}

/* NULL: no memory. */
static struct chart_mark *marks_make(const struct page_run *run)
{
	struct chart_mark *marks = calloc(run->event_count + 1, sizeof(*marks));

	for (size_t i = 0; marks && i < run->event_count; i++)
		marks[i] = (struct chart_mark) { run->events[i].time_s, run->events[i].what };
	return marks;
}

int run_chart_write(const struct section *section, struct chart *chart)
{
	struct chart_mark *marks = marks_make(section->run);
	int rc;

	chart->run_id = section->run->id;
	chart->x_key = "time_s";
	chart->axis = CHART_TIME;
	chart->x_to = section->run->period_s;
	chart->kind = wt_kind_name(section->run->metrics.figures[WT_FIG_MAKESPAN].kind);
	chart->marks = marks;
	chart->mark_count = marks ? section->run->event_count : 0;
	chart->marks_are = "events of the cluster";
	rc = marks ? chart_write(section->out, chart) : -1;
	free(marks);
	for (size_t c = 0; c < chart->curve_count; c++)
		chart_curve_clear(&chart->curves[c]);
	return rc;
}

int busy_chart_write(const struct section *section)
{
	const struct loss_moment *moment = answer_moment(section);
	char *label = moment ? answer_moment_label(section) : NULL;
	struct chart_box box = { moment ? moment->from_s : 0, moment ? moment->to_s : 0, label };
	struct chart_curve curve = { .label = "CPUs that jobs had", .key = "busy", .step = true, .area = true };
	struct chart chart = {
		.key = "busy",
		.title = "Utilisation: CPUs that jobs had, % of all",
		.y_key = "percent",
		.y_unit = "%",
		.y_to = 100,
		.curves = &curve,
		.curve_count = 1,
		.box = label ? &box : NULL,
		.over = "idle",
		.tall = true,
	};
	int rc = 0;

	if (section->run->record->cpus && section->sweep.count) {
		track(&curve, section, sweep_busy, 100.0 / section->run->record->cpus);
		rc = run_chart_write(section, &chart);
	}
	free(label);
	return rc;
}

int queue_chart_write(const struct section *section)
{
	struct chart_curve curves[] = {
		{ .label = "waiting", .key = "waiting", .step = true },
		{ .label = "running", .key = "running", .step = true },
	};
	struct chart chart = {
		.key = "queue",
		.title = "Queue: jobs that waited, and that ran",
		.y_key = "jobs",
		.y_whole = true,
		.curves = curves,
		.curve_count = 2,
	};

	if (!section->sweep.count)
		return 0;
	track(&curves[0], section, sweep_waiting, 1);
	track(&curves[1], section, sweep_running, 1);
	return run_chart_write(section, &chart);
}

int gpus_chart_write(const struct section *section)
{
	struct chart_curve curve = { .label = "GPUs", .key = "gpus", .step = true, .area = true };
	struct chart chart = {
		.key = "gpus", .title = "GPUs that jobs had", .y_key = "gpus", .curves = &curve, .curve_count = 1,
		.y_whole = true,
	};
	bool any = false;

	for (size_t i = 0; i < section->run->job_count; i++)
		any |= sweep_gpus(&section->run->jobs[i], SWEEP_START) > 0;
	if (!any)
		return 0;
	track(&curve, section, sweep_gpus, 1);
	return run_chart_write(section, &chart);
}

int completing_chart_write(const struct section *section)
{
	struct chart_curve curve = { .label = "completing", .key = "completing", .step = true, .area = true };
	struct chart chart = {
		.key = "completing",
		.title =
			"Completing nodes: of jobs that had ended, not yet released (each job's node seconds spread evenly)",
		.y_key = "nodes",
		.curves = &curve,
		.curve_count = 1,
	};

	if (!(figure_value(section, WT_FIG_COMPLETING_NODE) > 0))
		return 0;
	track(&curve, section, sweep_completing, 1);
	return run_chart_write(section, &chart);
}

/* ---- rates -------------------------------------------------------------------------------------------------------- */

#define RATE_PARTS 120	/* of the time axis, about */

static void rates_fill(struct chart_curve *curve, const struct section *section, enum sweep_kind kind, double width_s)
{
	size_t count = 0, bin = 0;

	for (size_t i = 0; i < section->sweep.count; i++) {
		const struct sweep_event *event = &section->sweep.events[i];
		size_t at = (size_t) fmin(event->time_s / width_s, 1e6);

		if (event->kind != kind)
			continue;
		while (at && (double) at * width_s >= section->run->period_s)
			at--;	/* the very end belongs to the last part */
		for (; bin < at; bin++, count = 0)
			chart_curve_add(curve, (double) bin * width_s, (double) count / width_s);
		count++;
	}
	for (; (double) bin * width_s < section->run->period_s; bin++, count = 0)
		chart_curve_add(curve, (double) bin * width_s, (double) count / width_s);
	chart_curve_add(curve, section->run->period_s, 0);
}

int rates_chart_write(const struct section *section)
{
	double width_s = chart_nice(section->run->period_s / RATE_PARTS);
	struct chart_curve curves[] = {
		{ .label = "submitted", .key = "submitted", .step = true },
		{ .label = "started", .key = "started", .step = true },
		{ .label = "ended", .key = "ended", .step = true },
	};
	static const enum sweep_kind kinds[] = { SWEEP_SUBMIT, SWEEP_START, SWEEP_END };
	struct chart chart = {
		.key = "rates-chart", .y_key = "jobs_per_s", .curves = curves, .curve_count = 3, .y_unit = "/s", .tall = true
	};
	struct wt_str title = { 0 };
	int rc;

	if (!section->sweep.count)
		return 0;
	for (size_t c = 0; c < 3; c++)
		rates_fill(&curves[c], section, kinds[c], width_s);
	wt_str_printf(&title, "Jobs submitted, started and ended a second, over each %g s", width_s);
	chart.title = title.text ? title.text : "Jobs submitted, started and ended a second";
	rc = run_chart_write(section, &chart);
	wt_str_clear(&title);
	return rc;
}
