/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/page/html.h"
#include "harness/page/part.h"

static void figure_duration(const struct part *part, enum wt_figure_id figure)
{
	duration_write(part->out, wt_figure_infos[figure].key, figure_value(part, figure));
}

static void figure_percent(const struct part *part, enum wt_figure_id figure)
{
	number_write(part->out, wt_figure_infos[figure].key, figure_value(part, figure), 100, 1, " %");
}

static void count_write(FILE *out, const char *key, size_t count)
{
	number_write(out, key, (double) count, 1, 0, "");
}

/* ---- title and the grey line -------------------------------------------------------------------------------------- */

static void title_write(const struct part *part)
{
	const struct wt_record *record = part->run->record;

	fprintf(part->out, "<h%d id=\"%s\">", part->level, part->run->id);
	if (record->workload)
		html_name(part->out, record->workload);
	else
		html_name(part->out, part->run->name);
	if (record->nodes) {
		fputs(" on ", part->out);
		number_write(part->out, NULL, record->nodes, 1, 0, record->nodes == 1 ? " node" : " nodes");
	}
	fprintf(part->out, "</h%d>\n", part->level);
}

static void dot_text(FILE *out, const char *before, const char *text, const char *behind)
{
	if (!text || !*text)
		return;
	fprintf(out, " \xc2\xb7 %s", before);
	html_name(out, text);
	fputs(behind, out);
}

static void date_write(const struct part *part)
{
	double begin_s = part->run->record->begin_s;
	time_t begin = begin_s > 0 && begin_s < 4e10 ? (time_t) begin_s : 0;
	struct tm tm;
	char text[64];

	/* A virtual clock begins at a fixed date, which tells nothing. */
	if (part->run->record->clock && !strcmp(part->run->record->clock, "virtual"))
		return;
	if (begin && gmtime_r(&begin, &tm) && strftime(text, sizeof(text), "%d %b %Y %H:%M UTC", &tm))
		dot_text(part->out, "", text, "");
}

static void grey_line_write(const struct part *part)
{
	const struct wt_record *record = part->run->record;
	const json_t *versions = json_object_get(part->run->scenario, "versions");
	FILE *out = part->out;
	char seed[32];

	fputs("<p class=\"grey\">", out);
	html_name(out, part->run->name);
	if (record->cpus) {
		fputs(" \xc2\xb7 ", out);
		number_write(out, NULL, record->cpus, 1, 0, " CPUs");
	}
	dot_text(out, "", record->backend, " nodes");
	dot_text(out, "Slurm ", json_string_value(json_object_get(versions, "slurm")), "");
	dot_text(out, "", part->run->scheduler, "");
	dot_text(out, "", part->run->select, "");
	if (part->run->summary) {
		snprintf(seed, sizeof(seed), "%llu", (unsigned long long) record->seed);
		dot_text(out, "seed ", seed, "");
	}
	dot_text(out, "", record->clock, " clock");
	if (record->time_scale != 1) {
		fputs(" \xc2\xb7 ", out);
		number_write(out, NULL, record->time_scale, 1, 3, " \xc3\x97 the workload's times");
	}
	date_write(part);
	fputs("</p>\n", out);
}

/* ---- sentences ---------------------------------------------------------------------------------------------------- */

static void state_write(const struct part *part, const char *state, double count, const char **before)
{
	char number[HTML_DURATION_SIZE];

	if (!strcmp(state, "COMPLETED") || !(count > 0))
		return;
	html_number(number, count, 0);
	fprintf(part->out, "%s%s ", *before, number);
	html_name(part->out, state);
	*before = ", ";
}

/* Those of summary.json, or what was counted without it. */
static void states_write(const struct part *part)
{
	const size_t *by_state = part->run->metrics.by_state;
	const char *state, *before = ": ";
	json_t *count;

	json_object_foreach(json_object_get(part->run->summary, "jobs_by_state"), state, count)
		state_write(part, state, json_number_value(count), &before);
	for (size_t i = 0; part->run->metrics_recomputed && i < WT_JOB_STATE_COUNT; i++)
		state_write(part, wt_job_state_name((enum wt_job_state) i), (double) by_state[i], &before);
}

static void jobs_sentence_write(const struct part *part)
{
	const struct wt_metrics *m = &part->run->metrics;
	FILE *out = part->out;
	int all = m->jobs_completed == m->jobs_total, every = all && m->jobs_total > 1;

	if (!m->jobs_total) {
		if (!part->run->summary && !part->run->single_file)
			fputs("<strong>This run left no summary</strong>: it goes on still, or was ended. ", out);
		fputs("No job is recorded.", out);
		return;
	}
	if (part->run->interrupted) {
		fputs(part->run->summary ? "<strong>This run was interrupted</strong>"
					 : "<strong>This run left no summary</strong>",
		      out);
		fputs(": ", out);
	}
	if (every)
		fputs(part->run->interrupted ? "all " : "All ", out);
	count_write(out, "jobs_completed", m->jobs_completed);
	if (!all) {
		fputs(" of ", out);
		count_write(out, "jobs_total", m->jobs_total);
	}
	fputs(m->jobs_total == 1 ? " job finished" : all ? " jobs finished" : " jobs completed", out);
	if (isfinite(figure_value(part, WT_FIG_MAKESPAN))) {
		fputs(" in ", out);
		figure_duration(part, WT_FIG_MAKESPAN);
	}
	if (!all)
		states_write(part);
	fputs(". ", out);
}

static void load_sentence_write(const struct part *part)
{
	double wait_s = figure_value(part, WT_FIG_WAIT_MEDIAN);
	FILE *out = part->out;

	if (!isfinite(figure_value(part, WT_FIG_UTILIZATION)))
		return;
	fputs("The cluster was ", out);
	figure_percent(part, WT_FIG_UTILIZATION);
	fputs(part->run->interrupted ? " busy with jobs that ended" : " busy", out);
	if (isfinite(wait_s) && wait_s < 0.0005) {
		fputs("; half of the jobs started at once", out);
	} else if (isfinite(wait_s)) {
		fputs(wait_s < 1 ? "; half of the jobs started within " : "; half of the jobs waited longer than ", out);
		figure_duration(part, WT_FIG_WAIT_MEDIAN);
	}
	fputs(".", out);
}

/* The cause of the largest loss in one piece. */
static enum loss_cause moment_cause(const struct losses *losses)
{
	int first = 0;

	for (int c = 1; c < LOSS_CAUSE_COUNT; c++)
		if (losses->largest[c].cpu_s > losses->largest[first].cpu_s)
			first = c;
	return (enum loss_cause) first;
}

const struct loss_moment *answer_moment(const struct part *part)
{
	const struct loss_moment *moment = &part->losses.largest[moment_cause(&part->losses)];

	return losses_points(&part->losses, moment->cpu_s) >= 0.1 ? moment : NULL;
}

char *answer_moment_label(const struct part *part)
{
	static const char *const short_names[LOSS_CAUSE_COUNT] = {
		"filling", "drain for", "tail", "completing", "no job waited", "a waiting job fitted", "nothing fitted",
	};
	const struct loss_moment *moment = answer_moment(part);
	enum loss_cause cause = moment_cause(&part->losses);
	double points;

	if (!moment)
		return strdup("");
	points = losses_points(&part->losses, moment->cpu_s);
	if (cause == LOSS_DRAIN)
		return wt_str_format("drain for %.60s: %.1f points", part->run->jobs[moment->job].record->name, points);
	return wt_str_format("%s: %.1f points", short_names[cause], points);
}

static void span_write(FILE *out, const struct loss_moment *moment, double period_s)
{
	double step_s = moment->to_s - moment->from_s < 5 && period_s < 100 ? 0.1 : 1;
	char from[HTML_DURATION_SIZE], to[HTML_DURATION_SIZE];

	html_axis_time(from, moment->from_s, step_s);
	html_axis_time(to, moment->to_s, step_s);
	fprintf(out, "from %s to %s", from, to);
}

static void cause_write(const struct part *part, enum loss_cause cause, const struct loss_moment *moment)
{
	static const char *const sentences[LOSS_CAUSE_COUNT] = {
		[LOSS_START] = "the cluster was filling, and not yet as busy as it was on average",
		[LOSS_DRAIN] = "the cluster drained for jobs that need (nearly) all of it",
		[LOSS_TAIL] = "the last jobs ran, and none was left to start",
		[LOSS_COMPLETING] = "nodes of jobs that had ended were not released yet",
		[LOSS_NO_JOB] = "no job waited",
		[LOSS_FITTED] = "a job waited that asked for no more CPUs than were idle (by their count only: what kept it "
				"from them is not recorded)",
		[LOSS_NOT_FITTED] = "jobs waited, but all of them asked for more CPUs than were idle",
	};

	if (cause != LOSS_DRAIN || !moment) {
		fputs(sentences[cause], part->out);
		return;
	}
	fputs("the cluster drained for <b>", part->out);
	html_name(part->out, part->run->jobs[moment->job].record->name);
	fputs(part->run->jobs[moment->job].cpus >= part->run->record->cpus ? "</b>, which needs all of it"
									   : "</b>, which needs nearly all of it",
	      part->out);
}

/* With the cause where it was not just said. */
static void piece_write(const struct part *part, const struct loss_moment *moment, const char *before, bool said)
{
	fputs(before, part->out);
	number_write(part->out, "largest_piece_points", losses_points(&part->losses, moment->cpu_s), 1, 1, " points ");
	span_write(part->out, moment, part->run->period_s);
	if (!said) {
		fputs(", while ", part->out);
		cause_write(part, moment_cause(&part->losses), moment);
	}
	fputs(".", part->out);
}

/* What also cost much and was not said yet: half as much as the first cause, and a point. */
static void next_cause_write(const struct part *part, enum loss_cause first, enum loss_cause said)
{
	const struct losses *losses = &part->losses;
	int next = -1;

	for (int c = 0; c < LOSS_CAUSE_COUNT; c++)
		if (c != (int) first && c != (int) said && (next < 0 || losses->cpu_s[c] > losses->cpu_s[next]))
			next = c;
	if (next < 0 || losses->cpu_s[next] < losses->cpu_s[first] / 2 || losses_points(losses, losses->cpu_s[next]) < 1)
		return;
	fputs(" Besides: ", part->out);
	number_write(part->out, "next_loss_points", losses_points(losses, losses->cpu_s[next]), 1, 1, " points");
	fputs(", while ", part->out);
	cause_write(part, (enum loss_cause) next, NULL);
	fputs(".", part->out);
}

/* The piece that is boxed comes first where it is most of its cause, and its cause is the largest; else the cause does. */
static void loss_sentence_write(const struct part *part)
{
	const struct losses *losses = &part->losses;
	enum loss_cause cause = losses_first(losses);
	const struct loss_moment *moment = answer_moment(part);
	double points = losses_points(losses, losses->cpu_s[cause]);

	if (!(losses->capacity_cpu_s > 0))
		return;
	fputs("<p class=\"loss\">", part->out);
	if (points < 0.1) {
		fputs("No CPU was idle for as much as 0.1 % of the time.</p>\n", part->out);
		return;
	}
	if (moment && moment_cause(losses) == cause && moment->cpu_s >= losses->cpu_s[cause] / 2) {
		piece_write(part, moment, "The largest loss: ", false);
	} else {
		fputs("The largest loss: ", part->out);
		number_write(part->out, "largest_loss_points", points, 1, 1, " points");
		fputs(" in many pieces, while ", part->out);
		cause_write(part, cause, NULL);
		fputs(".", part->out);
		if (moment)
			piece_write(part, moment, " The largest in one piece: ",
				    moment_cause(losses) == cause && cause != LOSS_DRAIN);
	}
	next_cause_write(part, cause, moment ? moment_cause(losses) : cause);
	fputs("</p>\n", part->out);
}

/* ---- tiles -------------------------------------------------------------------------------------------------------- */

static void tile_open(const struct part *part, const char *name, int figure)
{
	fprintf(part->out, "<div class=\"tile\"><dt>%s", name);
	if (figure >= 0)
		kind_write(part, (enum wt_figure_id) figure);
	fputs("</dt><dd><b>", part->out);
}

static void small_open(const struct part *part)
{
	fputs("</b> <small>", part->out);
}

static void tile_close(const struct part *part)
{
	fputs("</small></dd></div>\n", part->out);
}

static void schedule_tiles_write(const struct part *part)
{
	double fitted = part->losses.cpu_s[LOSS_FITTED];
	FILE *out = part->out;

	tile_open(part, "Makespan", WT_FIG_MAKESPAN);
	figure_duration(part, WT_FIG_MAKESPAN);
	small_open(part);
	if (isfinite(figure_value(part, WT_FIG_IDEAL))) {
		fputs("ideal: ", out);
		figure_duration(part, WT_FIG_IDEAL);
		fputs(part->run->interrupted ? " for all jobs" : " (", out);
		if (!part->run->interrupted) {
			figure_percent(part, WT_FIG_EFFICIENCY);
			fputs(")", out);
		}
	}
	tile_close(part);
	tile_open(part, "Utilisation", WT_FIG_UTILIZATION);
	figure_percent(part, WT_FIG_UTILIZATION);
	small_open(part);
	if (part->losses.capacity_cpu_s > 0) {
		number_write(out, "idle_points", losses_points(&part->losses, part->losses.idle_cpu_s), 1, 1, " % idle; ");
		fprintf(out, "<a href=\"#%s-losses\">why?</a>", part->run->id);
	}
	tile_close(part);
	tile_open(part, "Idle though a waiting job fitted", -1);
	if (part->losses.capacity_cpu_s > 0)
		number_write(out, "fitted_points", losses_points(&part->losses, fitted), 1, 1, " %");
	else
		fputs("not known", out);
	small_open(part);
	fputs("by the number of CPUs only", out);
	tile_close(part);
}

/* What is less than one in ten seconds reads better by the hour. */
static void start_rate_write(const struct part *part)
{
	double rate = figure_value(part, WT_FIG_START_RATE);

	if (rate < 0.1)
		number_write(part->out, "start_rate_per_s", rate, 3600, 1, " started an hour");
	else
		number_write(part->out, "start_rate_per_s", rate, 1, 2, " started a second");
}

static void job_tiles_write(const struct part *part)
{
	const struct wt_metrics *m = &part->run->metrics;
	FILE *out = part->out;

	tile_open(part, "Wait, median", WT_FIG_WAIT_MEDIAN);
	figure_duration(part, WT_FIG_WAIT_MEDIAN);
	small_open(part);
	fputs("mean ", out);
	figure_duration(part, WT_FIG_WAIT_MEAN);
	fputs(", longest ", out);
	figure_duration(part, WT_FIG_WAIT_MAX);
	tile_close(part);
	tile_open(part, "Jobs completed", -1);
	count_write(out, "jobs_completed", m->jobs_completed);
	fputs(" of ", out);
	count_write(out, "jobs_total", m->jobs_total);
	small_open(part);
	start_rate_write(part);
	if (!isnan(figure_value(part, WT_FIG_END_RATE))) {
		fputs("; ", out);
		number_write(out, "end_rate_per_s", figure_value(part, WT_FIG_END_RATE), 1, 2,
			     " ended a second when they were cancelled");
	}
	tile_close(part);
}

static void controller_tile_write(const struct part *part)
{
	FILE *out = part->out;

	tile_open(part, "Controller CPU", WT_FIG_CONTROLLER_CPU);
	figure_duration(part, WT_FIG_CONTROLLER_CPU);
	small_open(part);
	if (isfinite(figure_value(part, WT_FIG_CONTROLLER_CPU))) {
		figure_duration(part, WT_FIG_CONTROLLER_CPU_PER_JOB);
		fputs(" a job; memory ", out);
		number_write(out, "controller_rss_max_kib", figure_value(part, WT_FIG_CONTROLLER_RSS_MAX), 1 / 1024.0, 0,
			     " MiB");
	}
	tile_close(part);
}

void answer_write(const struct part *part)
{
	const char *failure = json_string_value(json_object_get(part->run->summary, "failure"));

	fputs("<header>\n", part->out);
	title_write(part);
	grey_line_write(part);
	if (part->run->heartbeats_only) {
		straggler_lead_write(part);
		fputs("</header>\n", part->out);
		return;
	}
	what_sentences_write(part);
	fputs("<p class=\"lead\">", part->out);
	jobs_sentence_write(part);
	load_sentence_write(part);
	fputs("</p>\n", part->out);
	if (failure && *failure) {
		fputs("<p class=\"warn\">The run failed: ", part->out);
		html_text(part->out, failure);
		fputs("</p>\n", part->out);
	}
	if (part->run->jobs_cut)
		fprintf(part->out,
			"<p class=\"warn\">jobs.csv is not whole: charts and tables of jobs show <data value=\"%zu\" "
			"data-key=\"jobs_shown\">%zu</data> of them only.</p>\n",
			part->run->job_count, part->run->job_count);
	loss_sentence_write(part);
	fputs("<dl class=\"tiles\">\n", part->out);
	schedule_tiles_write(part);
	job_tiles_write(part);
	if (!part->run->single_file)
		controller_tile_write(part);
	fputs("</dl>\n</header>\n", part->out);
}
