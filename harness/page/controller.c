/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <string.h>

#include "harness/page/chart.h"
#include "harness/page/html.h"
#include "harness/page/section.h"
#include "harness/page/sample_rates.h"

static void samples_fill(struct chart_curve *curve, const struct section *section, sample_rate rate)
{
	const struct wt_record *record = section->run->record;
	double last = NAN;

	for (size_t i = 1; i < record->sample_count; i++) {
		last = rate(&record->samples[i], &record->samples[i - 1]);
		/* A rate between two samples holds from the first of them on: steps are drawn from there. */
		chart_curve_add(curve, fmax(0, record->samples[i - 1].time_s - record->begin_s), last);
	}
	if (record->sample_count > 1)
		chart_curve_add(curve, fmax(0, record->samples[record->sample_count - 1].time_s - record->begin_s), last);
}

static int has_value(const struct chart_curve *curve)
{
	for (size_t i = 0; i < curve->count; i++)
		if (curve->y[i] > 0)
			return 1;
	return 0;
}

static int controller_chart_write(const struct section *section, struct chart *chart, enum wt_figure_id kind_of)
{
	int rc = 0, any = 0;

	chart->run_id = section->run->id;
	chart->x_key = "time_s";
	chart->axis = CHART_TIME;
	chart->x_to = section->run->period_s;
	chart->kind = wt_kind_name(section->run->metrics.figures[kind_of].kind);
	for (size_t c = 0; c < chart->curve_count; c++)
		any = any || has_value(&chart->curves[c]);
	if (any)
		rc = chart_write(section->out, chart);
	for (size_t c = 0; c < chart->curve_count; c++)
		chart_curve_clear(&chart->curves[c]);
	return rc;
}

static int cpu_chart_write(const struct section *section)
{
	struct chart_curve curve = { .label = "CPU", .key = "cpu", .step = true, .area = true };
	struct chart chart = {
		.key = "controller-cpu",
		.title = "CPU time of slurmctld, % of one CPU by the run's clock",
		.y_key = "percent",
		.y_unit = "%",
		.curves = &curve,
		.curve_count = 1,
	};

	samples_fill(&curve, section, sample_cpu_rate);
	return controller_chart_write(section, &chart, WT_FIG_SUBMIT_RATE);
}

static int rpc_chart_write(const struct section *section)
{
	struct chart_curve curve = { .label = "RPCs", .key = "rpcs", .step = true };
	struct chart chart = {
		.key = "rpcs",
		.title = "RPCs that slurmctld answered, a second (sdiag)",
		.y_key = "per_s",
		.y_unit = "/s",
		.curves = &curve,
		.curve_count = 1,
	};

	samples_fill(&curve, section, sample_rpc_rate);
	return controller_chart_write(section, &chart, WT_FIG_SUBMIT_RATE);
}

static int time_chart_write(const struct section *section)
{
	struct chart_curve curves[] = {
		{ .label = "an RPC, mean", .key = "rpc_mean", .step = true },
		{ .label = "last main cycle", .key = "main_cycle", .step = true },
		{ .label = "last backfill cycle", .key = "backfill_cycle", .step = true },
	};
	struct chart chart = {
		.key = "cycles",
		.title = "How long slurmctld was at work on one thing, ms (sdiag)",
		.y_key = "ms",
		.y_unit = " ms",
		.curves = curves,
		.curve_count = 3,
	};

	samples_fill(&curves[0], section, sample_rpc_ms);
	samples_fill(&curves[1], section, sample_schedule_ms);
	samples_fill(&curves[2], section, sample_backfill_ms);
	return controller_chart_write(section, &chart, WT_FIG_SUBMIT_LATENCY_MEAN);
}

static int cycles_chart_write(const struct section *section)
{
	struct chart_curve curves[] = {
		{ .label = "main scheduler", .key = "main", .step = true },
		{ .label = "backfill", .key = "backfill", .step = true },
	};
	struct chart chart = {
		.key = "scheduling",
		.title = "Time in cycles of the schedulers, % of the run's clock (sdiag)",
		.y_key = "percent",
		.y_unit = "%",
		.curves = curves,
		.curve_count = 2,
	};

	samples_fill(&curves[0], section, sample_schedule_percent);
	samples_fill(&curves[1], section, sample_backfill_percent);
	return controller_chart_write(section, &chart, WT_FIG_SUBMIT_LATENCY_MEAN);
}

/* What users feel of the controller. */
static int latency_chart_write(const struct section *section)
{
	struct chart_curve curves[] = { { .label = "a submission", .key = "submission" },
					{ .label = "a job's call at its start", .key = "probe" } };
	struct chart chart = {
		.key = "latencies",
		.title = "How long slurmctld took to answer, ms",
		.y_key = "ms",
		.y_unit = " ms",
		.curves = curves,
		.curve_count = 2,
	};

	for (size_t i = 0; i < section->sweep.count; i++) {
		const struct sweep_event *event = &section->sweep.events[i];
		const struct wt_job_record *record = section->run->jobs[event->job].record;

		if (event->kind == SWEEP_SUBMIT && record->submit_latency_s >= 0)
			chart_curve_add(&curves[0], event->time_s, 1000 * record->submit_latency_s);
		if (event->kind == SWEEP_START && record->probe_latency_s >= 0)
			chart_curve_add(&curves[1], event->time_s, 1000 * record->probe_latency_s);
	}
	return controller_chart_write(section, &chart, WT_FIG_SUBMIT_LATENCY_MEAN);
}

static void virtual_sentence_write(FILE *out, bool stood)
{
	fputs("This run was in virtual time: CPU seconds are real, the seconds that they are divided by are virtual, and ",
	      out);
	fputs(stood ? "the clock stood while slurmctld worked (charge none): latencies and the times of its messages and "
		      "cycles are 0 or nearly so, and tell nothing of a real controller."
		    : "latencies are what the clock's model makes of them.", out);
}

static void sentence_write(const struct section *section)
{
	const json_t *clock = json_object_get(section->run->summary, "virtual_clock");
	const char *charge = json_string_value(json_object_get(clock, "charge"));
	bool stood = charge && !strcmp(charge, "none");
	double cpu_s = figure_value(section, WT_FIG_CONTROLLER_CPU), makespan_s = figure_value(section, WT_FIG_MAKESPAN);
	double p95_s = figure_value(section, WT_FIG_SUBMIT_LATENCY_P95);

	fputs("<p>", section->out);
	if (isfinite(cpu_s) && makespan_s > 0) {
		fputs("slurmctld needed ", section->out);
		duration_write(section->out, "controller_cpu_s", cpu_s);
		fputs(" of a CPU (", section->out);
		number_write(section->out, NULL, cpu_s / makespan_s, 100, 1, " % of the makespan)");
		fputs(". ", section->out);
	}
	if (isfinite(p95_s) && !stood) {
		fputs("95 % of the submissions were answered within ", section->out);
		duration_write(section->out, "submit_latency_p95_s", p95_s);
		fputs(". ", section->out);
	}
	if (json_is_object(clock))
		virtual_sentence_write(section->out, stood);
	fputs("</p>\n", section->out);
}

#define COSTS_MAX 12	/* types of message in the table */

/* Which messages it was: summary.json has them, the dearest first. */
static void costs_write(const struct section *section)
{
	static const char *const columns[] = { "message", "number", "time of all, s", "mean, ms", NULL };
	const json_t *costs = json_object_get(section->run->summary, "rpc_costs");
	size_t i;
	json_t *cost;

	if (!json_array_size(costs))
		return;
	table_begin(section, "class=\"costs\"", "What slurmctld spent on which messages (sdiag)", columns);
	json_array_foreach(costs, i, cost) {
		double count = json_number_value(json_object_get(cost, "count"));
		double total_us = json_number_value(json_object_get(cost, "total_us"));

		if (i == COSTS_MAX)
			break;
		fputs("<tr><th scope=\"row\">", section->out);
		html_name(section->out, json_string_value(json_object_get(cost, "type")));
		fputs("</th><td>", section->out);
		number_write(section->out, NULL, count, 1, 0, "");
		fputs("</td><td>", section->out);
		digits_write(section->out, NULL, total_us, 1e-6, "");
		fputs("</td><td>", section->out);
		digits_write(section->out, NULL, count > 0 ? total_us / count : NAN, 1e-3, "");
		fputs("</td></tr>\n", section->out);
	}
	table_end(section);
	if (json_array_size(costs) > COSTS_MAX)
		fprintf(section->out, "<p class=\"none\">%zu types that cost less are in summary.json.</p>\n",
			json_array_size(costs) - COSTS_MAX);
}

int controller_write(const struct section *section)
{
	heading_write(section, 1, "controller", "What did it cost the controller?");
	sentence_write(section);
	if (section->run->record->sample_count < 2)
		fputs("<p class=\"none\">series.csv has fewer than two samples: nothing of the controller can be drawn over "
		      "time.</p>\n",
		      section->out);
	if (cpu_chart_write(section) < 0 || rpc_chart_write(section) < 0 || time_chart_write(section) < 0 ||
	    cycles_chart_write(section) < 0 || latency_chart_write(section) < 0)
		return -1;
	costs_write(section);
	profile_section_write(section);
	return 0;
}
