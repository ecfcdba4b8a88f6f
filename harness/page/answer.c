/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/page/html.h"
#include "harness/page/section.h"

static void figure_duration(const struct section *section, enum wt_figure_id figure)
{
	duration_write(section->out, wt_figure_infos[figure].key, figure_value(section, figure));
}

static void figure_percent(const struct section *section, enum wt_figure_id figure)
{
	number_write(section->out, wt_figure_infos[figure].key, figure_value(section, figure), 100, 1, " %");
}

static void count_write(FILE *out, const char *key, size_t count)
{
	number_write(out, key, (double) count, 1, 0, "");
}

/* ---- title and the grey line -------------------------------------------------------------------------------------- */

static void title_write(const struct section *section)
{
	const struct wt_record *record = section->run->record;

	fprintf(section->out, "<h%d id=\"%s\">", section->level, section->run->id);
	if (record->workload)
		html_name(section->out, record->workload);
	else
		html_name(section->out, section->run->name);
	if (record->nodes) {
		fputs(" on ", section->out);
		number_write(section->out, NULL, record->nodes, 1, 0, record->nodes == 1 ? " node" : " nodes");
	}
	fprintf(section->out, "</h%d>\n", section->level);
}

static void dot_text(FILE *out, const char *before, const char *text, const char *behind)
{
	if (!text || !*text)
		return;
	fprintf(out, " \xc2\xb7 %s", before);
	html_name(out, text);
	fputs(behind, out);
}

static void date_write(const struct section *section)
{
	double begin_s = section->run->record->begin_s;
	time_t begin = begin_s > 0 && begin_s < 4e10 ? (time_t) begin_s : 0;
	struct tm tm;
	char text[64];

	/* A virtual clock begins at a fixed date, which tells nothing. */
	if (section->run->record->clock && !strcmp(section->run->record->clock, "virtual"))
		return;
	if (begin && gmtime_r(&begin, &tm) && strftime(text, sizeof(text), "%d %b %Y %H:%M UTC", &tm))
		dot_text(section->out, "", text, "");
}

static void grey_line_write(const struct section *section)
{
	const struct wt_record *record = section->run->record;
	const json_t *versions = json_object_get(section->run->scenario, "versions");
	FILE *out = section->out;
	char seed[32];

	fputs("<p class=\"grey\">", out);
	html_name(out, section->run->name);
	if (record->cpus) {
		fputs(" \xc2\xb7 ", out);
		number_write(out, NULL, record->cpus, 1, 0, " CPUs");
	}
	dot_text(out, "", record->backend, " nodes");
	dot_text(out, "Slurm ", json_string_value(json_object_get(versions, "slurm")), "");
	dot_text(out, "", section->run->scheduler, "");
	dot_text(out, "", section->run->select, "");
	if (section->run->summary) {
		snprintf(seed, sizeof(seed), "%llu", (unsigned long long) record->seed);
		dot_text(out, "seed ", seed, "");
	}
	dot_text(out, "", record->clock, " clock");
	if (record->time_scale != 1) {
		fputs(" \xc2\xb7 ", out);
		number_write(out, NULL, record->time_scale, 1, 3, " \xc3\x97 the workload's times");
	}
	date_write(section);
	fputs("</p>\n", out);
}

/* ---- sentences ---------------------------------------------------------------------------------------------------- */

static void state_write(const struct section *section, const char *state, double count, const char **before)
{
	char number[HTML_DURATION_SIZE];

	if (!strcmp(state, "COMPLETED") || !(count > 0))
		return;
	html_number(number, count, 0);
	fprintf(section->out, "%s%s ", *before, number);
	html_name(section->out, state);
	*before = ", ";
}

/* Those of summary.json, or what was counted without it. */
static void states_write(const struct section *section)
{
	const size_t *by_state = section->run->metrics.by_state;
	const char *state, *before = ": ";
	json_t *count;

	json_object_foreach(json_object_get(section->run->summary, "jobs_by_state"), state, count)
		state_write(section, state, json_number_value(count), &before);
	for (size_t i = 0; section->run->metrics_recomputed && i < WT_JOB_STATE_COUNT; i++)
		state_write(section, wt_job_state_name((enum wt_job_state) i), (double) by_state[i], &before);
}

/* A run without a summary may go on still: nothing here may sound as if it were over. */
static void jobs_sentence_write(const struct section *section)
{
	const struct wt_metrics *m = &section->run->metrics;
	FILE *out = section->out;
	int all = m->jobs_completed == m->jobs_total, every = all && m->jobs_total > 1;

	if (!m->jobs_total) {
		if (!section->run->summary && !section->run->single_file)
			fputs("<strong>This run left no summary</strong>: it goes on still, or was ended. ", out);
		fputs("No job is recorded.", out);
		return;
	}
	if (section->run->interrupted) {
		fputs(section->run->summary ? "<strong>This run was interrupted</strong>"
					 : "<strong>This run left no summary</strong>",
		      out);
		fputs(": ", out);
	}
	if (every)
		fputs(section->run->interrupted ? "all " : "All ", out);
	count_write(out, "jobs_completed", m->jobs_completed);
	if (!all) {
		fputs(" of ", out);
		count_write(out, "jobs_total", m->jobs_total);
	}
	fputs(m->jobs_total == 1 ? " job finished" : all ? " jobs finished" : " jobs completed", out);
	if (isfinite(figure_value(section, WT_FIG_MAKESPAN))) {
		fputs(" in ", out);
		figure_duration(section, WT_FIG_MAKESPAN);
	}
	if (!all)
		states_write(section);
	fputs(". ", out);
}

static void load_sentence_write(const struct section *section)
{
	double wait_s = figure_value(section, WT_FIG_WAIT_MEDIAN);
	FILE *out = section->out;

	if (!isfinite(figure_value(section, WT_FIG_UTILIZATION)))
		return;
	fputs("The cluster was ", out);
	figure_percent(section, WT_FIG_UTILIZATION);
	fputs(section->run->interrupted ? " busy with jobs that ended" : " busy", out);
	if (isfinite(wait_s) && wait_s < 0.0005) {
		fputs("; half of the jobs started at once", out);
	} else if (isfinite(wait_s)) {
		fputs(wait_s < 1 ? "; half of the jobs started within " : "; half of the jobs waited longer than ", out);
		figure_duration(section, WT_FIG_WAIT_MEDIAN);
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

/* The piece that the chart boxes and the sentence names; below a tenth of a point it is noise. */
const struct loss_moment *answer_moment(const struct section *section)
{
	const struct loss_moment *moment = &section->losses.largest[moment_cause(&section->losses)];

	return losses_points(&section->losses, moment->cpu_s) >= 0.1 ? moment : NULL;
}

/* Jobs of a file are called by their numbers. */
static const char *job_word(const char *name)
{
	return *name && !name[strspn(name, "0123456789")] ? "job " : "";
}

char *answer_moment_label(const struct section *section)
{
	static const char *const short_names[LOSS_CAUSE_COUNT] = {
		"filling", "drain for", "tail", "completing", "no job waited", "a waiting job fitted", "nothing fitted",
	};
	const struct loss_moment *moment = answer_moment(section);
	enum loss_cause cause = moment_cause(&section->losses);
	double points;

	if (!moment)
		return strdup("");
	points = losses_points(&section->losses, moment->cpu_s);
	if (cause == LOSS_DRAIN) {
		const char *name = section->run->jobs[moment->job].record->name;

		return wt_str_format("drain for %s%.60s: %.1f points", job_word(name), name, points);
	}
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

static void cause_write(const struct section *section, enum loss_cause cause, const struct loss_moment *moment)
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
		fputs(sentences[cause], section->out);
		return;
	}
	fprintf(section->out, "the cluster drained for <b>%s", job_word(section->run->jobs[moment->job].record->name));
	html_name(section->out, section->run->jobs[moment->job].record->name);
	fputs(section->run->jobs[moment->job].cpus >= section->run->record->cpus ? "</b>, which needs all of it"
									   : "</b>, which needs nearly all of it",
	      section->out);
}

/* With the cause where it was not just said. */
static void piece_write(const struct section *section, const struct loss_moment *moment, const char *before, bool said)
{
	fputs(before, section->out);
	number_write(section->out, "largest_piece_points", losses_points(&section->losses, moment->cpu_s), 1, 1, " points ");
	span_write(section->out, moment, section->run->period_s);
	if (!said) {
		fputs(", while ", section->out);
		cause_write(section, moment_cause(&section->losses), moment);
	}
	fputs(".", section->out);
}

/* What also cost much and was not said yet: half as much as the first cause, and a point. */
static void next_cause_write(const struct section *section, enum loss_cause first, enum loss_cause said)
{
	const struct losses *losses = &section->losses;
	int next = -1;

	for (int c = 0; c < LOSS_CAUSE_COUNT; c++)
		if (c != (int) first && c != (int) said && (next < 0 || losses->cpu_s[c] > losses->cpu_s[next]))
			next = c;
	if (next < 0 || losses->cpu_s[next] < losses->cpu_s[first] / 2 || losses_points(losses, losses->cpu_s[next]) < 1)
		return;
	fputs(" Besides: ", section->out);
	number_write(section->out, "next_loss_points", losses_points(losses, losses->cpu_s[next]), 1, 1, " points");
	fputs(", while ", section->out);
	cause_write(section, (enum loss_cause) next, NULL);
	fputs(".", section->out);
}

/* The piece that is boxed comes first where it is most of its cause, and its cause is the largest; else the cause does. */
static void loss_sentence_write(const struct section *section)
{
	const struct losses *losses = &section->losses;
	enum loss_cause cause = losses_first(losses);
	const struct loss_moment *moment = answer_moment(section);
	double points = losses_points(losses, losses->cpu_s[cause]);

	if (!(losses->capacity_cpu_s > 0))
		return;
	fputs("<p class=\"loss\">", section->out);
	if (points < 0.1) {
		fputs("No CPU was idle for as much as 0.1 % of the time.</p>\n", section->out);
		return;
	}
	if (moment && moment_cause(losses) == cause && moment->cpu_s >= losses->cpu_s[cause] / 2) {
		piece_write(section, moment, "The largest loss: ", false);
	} else {
		fputs("The largest loss: ", section->out);
		number_write(section->out, "largest_loss_points", points, 1, 1, " points");
		fputs(" of utilisation, in many pieces, while ", section->out);
		cause_write(section, cause, NULL);
		fputs(".", section->out);
		if (moment)
			piece_write(section, moment, " The largest in one piece: ",
				    moment_cause(losses) == cause && cause != LOSS_DRAIN);
	}
	next_cause_write(section, cause, moment ? moment_cause(losses) : cause);
	fputs("</p>\n", section->out);
}

/* ---- tiles -------------------------------------------------------------------------------------------------------- */

static void tile_open(const struct section *section, const char *name, int figure)
{
	fprintf(section->out, "<div class=\"tile\"><dt>%s", name);
	if (figure >= 0)
		kind_write(section, (enum wt_figure_id) figure);
	fputs("</dt><dd><b>", section->out);
}

static void small_open(const struct section *section)
{
	fputs("</b> <small>", section->out);
}

static void tile_close(const struct section *section)
{
	fputs("</small></dd></div>\n", section->out);
}

static void schedule_tiles_write(const struct section *section)
{
	double fitted = section->losses.cpu_s[LOSS_FITTED];
	FILE *out = section->out;

	tile_open(section, "Makespan", WT_FIG_MAKESPAN);
	figure_duration(section, WT_FIG_MAKESPAN);
	small_open(section);
	if (isfinite(figure_value(section, WT_FIG_IDEAL))) {
		fputs("ideal: ", out);
		figure_duration(section, WT_FIG_IDEAL);
		fputs(section->run->interrupted ? " for all jobs" : " (", out);
		if (!section->run->interrupted) {
			figure_percent(section, WT_FIG_EFFICIENCY);
			fputs(")", out);
		}
	}
	tile_close(section);
	tile_open(section, "Utilisation", WT_FIG_UTILIZATION);
	figure_percent(section, WT_FIG_UTILIZATION);
	small_open(section);
	if (section->losses.capacity_cpu_s > 0 && !section->run->jobs_cut) {
		number_write(out, "idle_points", losses_points(&section->losses, section->losses.idle_cpu_s), 1, 1,
			     " % idle; ");
		fprintf(out, "<a href=\"#%s-losses\">why?</a>", section->run->id);
	}
	tile_close(section);
	tile_open(section, "Idle though a waiting job fitted", -1);
	if (section->losses.capacity_cpu_s > 0 && !section->run->jobs_cut)
		number_write(out, "fitted_points", losses_points(&section->losses, fitted), 1, 1, " %");
	else
		fputs("not known", out);
	small_open(section);
	fputs("by the number of CPUs only", out);
	tile_close(section);
}

/* What is less than one in ten seconds reads better by the hour. */
static void start_rate_write(const struct section *section)
{
	double rate = figure_value(section, WT_FIG_START_RATE);

	if (rate < 0.1)
		number_write(section->out, "start_rate_per_s", rate, 3600, 1, " started an hour");
	else
		number_write(section->out, "start_rate_per_s", rate, 1, 2, " started a second");
}

static void job_tiles_write(const struct section *section)
{
	const struct wt_metrics *m = &section->run->metrics;
	FILE *out = section->out;

	tile_open(section, "Wait, median", WT_FIG_WAIT_MEDIAN);
	figure_duration(section, WT_FIG_WAIT_MEDIAN);
	small_open(section);
	fputs("mean ", out);
	figure_duration(section, WT_FIG_WAIT_MEAN);
	fputs(", longest ", out);
	figure_duration(section, WT_FIG_WAIT_MAX);
	tile_close(section);
	tile_open(section, "Jobs completed", -1);
	count_write(out, "jobs_completed", m->jobs_completed);
	fputs(" of ", out);
	count_write(out, "jobs_total", m->jobs_total);
	small_open(section);
	start_rate_write(section);
	if (!isnan(figure_value(section, WT_FIG_END_RATE))) {
		fputs("; ", out);
		number_write(out, "end_rate_per_s", figure_value(section, WT_FIG_END_RATE), 1, 2,
			     " ended a second when they were cancelled");
	}
	tile_close(section);
}

static void controller_tile_write(const struct section *section)
{
	FILE *out = section->out;

	tile_open(section, "Controller CPU", WT_FIG_CONTROLLER_CPU);
	figure_duration(section, WT_FIG_CONTROLLER_CPU);
	small_open(section);
	if (isfinite(figure_value(section, WT_FIG_CONTROLLER_CPU))) {
		figure_duration(section, WT_FIG_CONTROLLER_CPU_PER_JOB);
		fputs(" a job; memory ", out);
		number_write(out, "controller_rss_max_kib", figure_value(section, WT_FIG_CONTROLLER_RSS_MAX), 1 / 1024.0, 0,
			     " MiB");
	}
	tile_close(section);
}

/* Only where tariffs were given. */
static void cost_tile_write(const struct section *section)
{
	if (!isfinite(figure_value(section, WT_FIG_COST)))
		return;
	tile_open(section, "Cost of the nodes", WT_FIG_COST);
	number_write(section->out, "cost", figure_value(section, WT_FIG_COST), 1, 2, "");
	small_open(section);
	if (isfinite(figure_value(section, WT_FIG_COST_ALWAYS_ON)))
		number_write(section->out, "cost_always_on", figure_value(section, WT_FIG_COST_ALWAYS_ON), 1, 2,
			     " with all of them always on");
	tile_close(section);
}

void answer_write(const struct section *section)
{
	const char *failure = json_string_value(json_object_get(section->run->summary, "failure"));

	fputs("<header>\n", section->out);
	title_write(section);
	grey_line_write(section);
	if (section->run->heartbeats_only) {
		straggler_lead_write(section);
		fputs("</header>\n", section->out);
		return;
	}
	what_sentences_write(section, "", true);
	fputs("<p class=\"lead\">", section->out);
	jobs_sentence_write(section);
	load_sentence_write(section);
	fputs("</p>\n", section->out);
	overfull_write(section, "<p class=\"warn\">", "</p>\n");
	if (failure && *failure) {
		fputs("<p class=\"warn\">The run failed: ", section->out);
		html_text(section->out, failure);
		fputs("</p>\n", section->out);
	}
	if (section->run->jobs_cut)
		fprintf(section->out,
			"<p class=\"warn\">jobs.csv is not whole: charts and tables of jobs show <data value=\"%zu\" "
			"data-key=\"jobs_shown\">%zu</data> of them only.</p>\n",
			section->run->job_count, section->run->job_count);
	else
		loss_sentence_write(section);
	fputs("<dl class=\"tiles\">\n", section->out);
	schedule_tiles_write(section);
	job_tiles_write(section);
	if (!section->run->single_file)
		controller_tile_write(section);
	cost_tile_write(section);
	fputs("</dl>\n</header>\n", section->out);
}
