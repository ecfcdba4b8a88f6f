/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tasks of job arrays that speculate: heartbeats.jsonl, as windtunnel straggler record writes it. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/page/chart.h"
#include "harness/page/html.h"
#include "harness/page/section.h"
#include "lib/fs.h"
#include "straggler/trace_log.h"

#define ARRAYS_MAX 20		/* drawn */
#define LINES_MAX 400		/* in one picture */
#define POINTS_MAX 64		/* of one line */
#define SLOW_NODES_MAX 4	/* named in the first sentences */

struct arrays_drawing {
	const struct section *section;
	size_t arrays;
};

/* What a task is drawn as; also the class of its line. */
enum lane { LANE_STEADY, LANE_SLOW, LANE_COPY };

struct array_view {		/* one array */
	const struct section *section;
	const struct wt_trace *trace;
	const char *job;
	char id[32];
	bool *slow;		/* [tasks]: flagged, or had a copy, or a straggler by its duration */
	bool *copy_won;		/* [tasks]: its original was stopped, and did not come to its end */
	double from_s, to_s;	/* its first start and its last heartbeat, on the receiver's clock */
	size_t ended, slow_count, copies, copies_won;
};

static void span_see(struct array_view *v, const struct wt_heartbeat *hb)
{
	if (isfinite(hb->received_s) && isfinite(hb->elapsed_s) && hb->elapsed_s >= 0) {
		v->from_s = fmin(v->from_s, hb->received_s - hb->elapsed_s);
		v->to_s = fmax(v->to_s, hb->received_s);
	}
}

static void attempts_see(struct array_view *v)
{
	for (size_t i = 0; i < v->trace->attempt_count; i++) {
		const struct wt_trace_attempt *a = &v->trace->attempts[i];

		v->slow[a->task] = true;
		v->copies += a->attempt > 1;
		v->copies_won += a->attempt > 1 && a->won;
		v->copy_won[a->task] |= a->attempt > 1 && a->won;
	}
}

/* 0, or -1 without memory. */
static int view_make(struct array_view *v)
{
	const struct wt_trace *t = v->trace;
	bool *ended = calloc(t->tasks, sizeof(*ended));

	v->from_s = INFINITY;
	v->to_s = -INFINITY;
	v->slow = calloc(t->tasks, sizeof(*v->slow));
	v->copy_won = calloc(t->tasks, sizeof(*v->copy_won));
	if (!ended || !v->slow || !v->copy_won) {
		free(ended);
		return -1;
	}
	for (size_t i = 0; i < t->count; i++) {
		span_see(v, &t->heartbeats[i]);
		ended[t->heartbeats[i].task] |= t->heartbeats[i].end;
	}
	for (size_t i = 0; i < t->copy_count; i++) {
		span_see(v, &t->copies[i].hb);
		ended[t->copies[i].hb.task] |= t->copies[i].hb.end;
		v->slow[t->copies[i].hb.task] = true;
	}
	attempts_see(v);
	for (uint32_t i = 0; i < t->tasks; i++) {
		v->slow[i] |= t->task[i].known && t->task[i].straggler;
		v->slow_count += v->slow[i];
		v->ended += ended[i];
	}
	free(ended);
	return 0;
}

/* ---- the picture -------------------------------------------------------------------------------------------------- */

struct progress_beat {
	uint32_t task, attempt;
	double time_s, progress;
	bool end;
};

static int beat_compare(const void *a, const void *b)
{
	const struct progress_beat *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->attempt != y->attempt)
		return x->attempt < y->attempt ? -1 : 1;
	return (x->time_s > y->time_s) - (x->time_s < y->time_s);
}

static void beat_add(const struct array_view *v, struct progress_beat *beats, size_t *count, uint32_t attempt,
		     const struct wt_heartbeat *hb)
{
	/* An original that was stopped because its copy won has not done all of its work: its line ends where it was. */
	double progress = hb->end && (attempt > 1 || !v->copy_won[hb->task]) ? 1 : hb->progress;

	if (isfinite(hb->received_s) && progress >= 0 && progress <= 1)
		beats[(*count)++] = (struct progress_beat) {
			hb->task, attempt, hb->received_s - v->from_s, progress, hb->end,
		};
}

/* All, by task, attempt and time.  NULL: no memory. */
static struct progress_beat *beats_make(const struct array_view *v, size_t *count)
{
	struct progress_beat *beats = calloc(v->trace->count + v->trace->copy_count + 1, sizeof(*beats));

	*count = 0;
	for (size_t i = 0; beats && i < v->trace->count; i++)
		beat_add(v, beats, count, 1, &v->trace->heartbeats[i]);
	for (size_t i = 0; beats && i < v->trace->copy_count; i++)
		beat_add(v, beats, count, v->trace->copies[i].attempt, &v->trace->copies[i].hb);
	if (beats)
		qsort(beats, *count, sizeof(*beats), beat_compare);
	return beats;
}

static enum lane lane_of(const struct array_view *v, const struct progress_beat *beat)
{
	return beat->attempt > 1 ? LANE_COPY : v->slow[beat->task] ? LANE_SLOW : LANE_STEADY;
}

static void line_write(const struct array_view *v, const struct progress_beat *beats, size_t count)
{
	static const char *const names[] = { "steady", "slow", "copy" };
	size_t step = count > POINTS_MAX ? (count + POINTS_MAX - 1) / POINTS_MAX : 1;
	double span_s = v->to_s - v->from_s;
	FILE *out = v->section->out;

	fprintf(out, "<path class=\"c %s\" d=\"M", names[lane_of(v, beats)]);
	for (size_t i = 0; i < count; i += i + 1 < count && i + step >= count ? count - 1 - i : step)
		fprintf(out, "%s%.0f %.0f", i ? "L" : "", fmax(0, 10000 * beats[i].time_s / span_s),
			1000 - 1000 * beats[i].progress);
	fputs("\"/>", out);
}

/* Those of a kind; how many were left out. */
static size_t lines_write(const struct array_view *v, const struct progress_beat *beats, size_t count, enum lane lane)
{
	size_t lines = 0;

	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && beats[end].task == beats[i].task && beats[end].attempt == beats[i].attempt;
		     end++)
			;
		if (lane_of(v, &beats[i]) == lane && lines++ < LINES_MAX)
			line_write(v, &beats[i], end - i);
	}
	return lines > LINES_MAX ? lines - LINES_MAX : 0;
}

static void axis_write(FILE *out, double span_s)
{
	double step_s = chart_time_step(span_s);
	char text[HTML_DURATION_SIZE];

	fputs("<div class=\"x\" aria-hidden=\"true\">", out);
	for (int i = 0; i * step_s <= span_s * (1 + 1e-9) && i < 32; i++) {
		html_axis_time(text, i * step_s, step_s);
		fprintf(out, "<span%s style=\"left:%.2f%%\">%s</span>",
			i % 2 ? " class=\"odd\"" : i * step_s > 0.93 * span_s ? " class=\"end\"" : "",
			100 * i * step_s / span_s, text);
	}
	fputs("</div>", out);
}

static void data_write(const struct array_view *v, const struct progress_beat *beats, size_t count)
{
	FILE *out = v->section->out;

	fprintf(out, "<details class=\"data\"><summary>Data <span class=\"of\">of: progress of array %s</span> (CSV, %zu "
		"rows)</summary><pre tabindex=\"0\" data-name=\"%s-progress-%s.csv\">task,attempt,time_s,progress\n", v->job,
		count, v->section->run->id, v->job);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%u,%u,%.6g,%.6g\n", beats[i].task, beats[i].attempt, beats[i].time_s, beats[i].progress);
	fputs("</pre></details>", out);
}

static void picture_write(const struct array_view *v, const struct progress_beat *beats, size_t count)
{
	static const char *const keys[] = { "other tasks", "slow task", "copy" };
	static const char *const names[] = { "steady", "slow", "copy" };
	FILE *out = v->section->out;
	size_t missing = 0;

	fprintf(out, "<figure class=\"progress tall\" id=\"%s\" aria-labelledby=\"%s-name\"><figcaption>"
		"<span class=\"what\" id=\"%s-name\">Progress of each task of array %s over time, %%</span>"
		"<span class=\"keys\">", v->id, v->id, v->id, v->job);
	for (size_t i = 0; i < 3; i++)
		fprintf(out, "<span class=\"key\"><svg viewBox=\"0 0 24 10\" aria-hidden=\"true\"><path class=\"c %s\" "
			"d=\"M0 5H24\"/></svg>%s</span>", names[i], keys[i]);
	fputs("</span></figcaption><div class=\"plot\"><div class=\"y\" aria-hidden=\"true\"><span style=\"top:0%\">100%"
	      "</span><span style=\"top:50%\">50%</span><span style=\"top:100%\">0%</span></div><div class=\"canvas\">"
	      "<svg viewBox=\"0 0 10000 1000\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"Progress over time; "
	      "the table and the data tell what is slow\"><path class=\"grid\" d=\"M0 500H10000\"/>", out);
	/* The lines that matter last: they lie on top of the others. */
	for (int lane = LANE_STEADY; lane <= LANE_COPY; lane++)
		missing += lines_write(v, beats, count, (enum lane) lane);
	fputs("</svg></div>", out);
	axis_write(out, v->to_s - v->from_s);
	fputs("</div>", out);
	data_write(v, beats, count);
	if (missing)
		fprintf(out, "<p class=\"none\">%zu lines are not drawn; the data have them.</p>", missing);
	fputs("</figure>\n", out);
}

/* ---- words and table ---------------------------------------------------------------------------------------------- */

static void sentence_write(const struct array_view *v)
{
	FILE *out = v->section->out;

	fprintf(out, "<p>Array %s: <data value=\"%zu\" data-key=\"tasks_ended\">%zu</data> of %u tasks ended; "
		"<data value=\"%zu\" data-key=\"tasks_slow\">%zu</data> %s found slow or took at least 1.2 times the mean; ",
		v->job, v->ended, v->ended, v->trace->tasks, v->slow_count, v->slow_count,
		v->slow_count == 1 ? "was" : "were");
	if (!v->trace->attempt_count && v->trace->copy_count)
		fputs("copies ran, but who won is not in the log.</p>\n", out);
	else
		fprintf(out, "<data value=\"%zu\" data-key=\"copies\">%zu</data> %s made, of which "
			"<data value=\"%zu\" data-key=\"copies_won\">%zu</data> won.</p>\n", v->copies, v->copies,
			v->copies == 1 ? "copy was" : "copies were", v->copies_won, v->copies_won);
}

/* How long the attempt ran, as far as its heartbeats tell. */
static double attempt_elapsed_s(const struct wt_trace *t, const struct wt_trace_attempt *a)
{
	double elapsed_s = NAN;

	for (size_t i = 0; a->attempt == 1 && i < t->count; i++)
		if (t->heartbeats[i].task == a->task)
			elapsed_s = fmax(elapsed_s, t->heartbeats[i].elapsed_s);
	for (size_t i = 0; a->attempt > 1 && i < t->copy_count; i++)
		if (t->copies[i].hb.task == a->task && t->copies[i].attempt == a->attempt)
			elapsed_s = fmax(elapsed_s, t->copies[i].hb.elapsed_s);
	return elapsed_s;
}

#define ROWS_MAX 60

static void attempts_table_write(const struct array_view *v)
{
	static const char *const columns[] = { "task", "attempt", "node", "ran", "state", "outcome", NULL };
	FILE *out = v->section->out;

	if (!v->trace->attempt_count)
		return;
	table_begin(v->section, "class=\"attempts\"", "Tasks that were found slow or had a copy, and who won", columns);
	for (size_t i = 0; i < v->trace->attempt_count && i < ROWS_MAX; i++) {
		const struct wt_trace_attempt *a = &v->trace->attempts[i];

		fprintf(out, "<tr><th scope=\"row\">%s_", v->job);
		if (a->task_id >= 0)
			fprintf(out, "%lld", (long long) a->task_id);
		else
			fprintf(out, "? (number %u of the log)", a->task);
		fprintf(out, "</th><td>%u%s</td><td>%s</td><td>", a->attempt, a->attempt > 1 ? " (copy)" : "",
			*a->node ? a->node : "not known");
		duration_write(out, NULL, attempt_elapsed_s(v->trace, a));
		fprintf(out, "</td><td>%s</td><td>%s</td></tr>\n", *a->state ? a->state : "not known",
			a->won ? "won" : v->copy_won[a->task] ? "stopped" : "");
	}
	table_end(v->section);
	if (v->trace->attempt_count > ROWS_MAX)
		fprintf(out, "<p class=\"none\">And %zu more.</p>\n", v->trace->attempt_count - ROWS_MAX);
}

static int array_write(const char *job, const struct wt_trace *trace, void *arg, struct wt_error *errp)
{
	struct arrays_drawing *d = arg;
	struct array_view v = { .section = d->section, .trace = trace, .job = job };
	struct progress_beat *beats = NULL;
	size_t count = 0;
	int rc;

	if (d->arrays++ >= ARRAYS_MAX)
		return 0;
	snprintf(v.id, sizeof(v.id), "%s-array%zu", d->section->run->id, d->arrays);
	rc = view_make(&v);
	if (rc == 0 && v.to_s > v.from_s) {
		beats = beats_make(&v, &count);
		rc = beats ? 0 : -1;
	}
	if (rc == 0)
		sentence_write(&v);
	if (rc == 0 && count)
		picture_write(&v, beats, count);
	if (rc == 0)
		attempts_table_write(&v);
	free(beats);
	free(v.slow);
	free(v.copy_won);
	return rc < 0 ? wt_error_errno(errp, ENOMEM, "array %s", job) : 0;
}

static void end_write(const struct arrays_drawing *d, const struct wt_error *error)
{
	FILE *out = d->section->out;

	if (d->arrays > ARRAYS_MAX)
		fprintf(out, "<p class=\"none\">%zu more arrays are not drawn.</p>\n", d->arrays - ARRAYS_MAX);
	if (error) {
		fputs("<p class=\"none\">Read up to a damaged line: ", out);
		html_text(out, error->text);
		fputs("</p>\n", out);
	}
	fputs("<p class=\"none\">From heartbeats.jsonl, by the receiver's clock; a slow task is one that the detector "
	      "flagged, or that had a copy, or took at least 1.2 times the mean of its array.</p>\n</section>\n", out);
}

/* ---- the first sentence of a page of a log alone ------------------------------------------------------------------ */

struct arrays_sum {
	size_t arrays, tasks, ended, slow, copies, copies_won;
	double longest_s;	/* from an array's first start to its last heartbeat */
	bool winners_unknown;	/* copies ran, and the log does not tell which attempts won */
	bool nodes_many;	/* more than 'nodes' has */
	size_t node_count;
	char nodes[SLOW_NODES_MAX][65];	/* where slow tasks began: those that are told */
	char job[65];		/* the last array's name: wt_trace_log_name_ok () */
};

/* Foreign text: a name that is too long is not told. */
static void slow_node_add(struct arrays_sum *sum, const char *node)
{
	if (!*node || strlen(node) >= sizeof(sum->nodes[0]))
		return;
	for (size_t i = 0; i < sum->node_count; i++)
		if (!strcmp(sum->nodes[i], node))
			return;
	if (sum->node_count == SLOW_NODES_MAX)
		sum->nodes_many = true;
	else
		memcpy(sum->nodes[sum->node_count++], node, strlen(node) + 1);
}

static int array_sum(const char *job, const struct wt_trace *trace, void *arg, struct wt_error *errp)
{
	struct arrays_sum *sum = arg;
	struct array_view v = { .trace = trace, .job = job };
	int rc = view_make(&v);

	if (rc == 0) {
		sum->arrays++;
		sum->tasks += trace->tasks;
		sum->ended += v.ended;
		sum->slow += v.slow_count;
		sum->copies += v.copies;
		sum->copies_won += v.copies_won;
		sum->longest_s = fmax(sum->longest_s, v.to_s - v.from_s);
		sum->winners_unknown |= !trace->attempt_count && trace->copy_count;
		snprintf(sum->job, sizeof(sum->job), "%s", job);
		for (size_t i = 0; i < trace->attempt_count; i++)
			if (trace->attempts[i].attempt == 1)
				slow_node_add(sum, trace->attempts[i].node);
	}
	free(v.slow);
	free(v.copy_won);
	return rc < 0 ? wt_error_errno(errp, ENOMEM, "array %s", job) : 0;
}

static void count_words(FILE *out, const char *key, size_t count, const char *one, const char *more)
{
	number_write(out, key, (double) count, 1, 0, "");
	fputs(count == 1 ? one : more, out);	/* a number and its unit stay on one line; these are sentences */
}

static void lead_arrays_write(FILE *out, const struct arrays_sum *sum)
{
	bool all = sum->ended == sum->tasks;

	if (all && sum->tasks > 1)
		fputs("All ", out);
	count_words(out, "all_tasks_ended", sum->ended, "", "");
	if (!all) {
		fputs(" of ", out);
		count_words(out, "all_tasks", sum->tasks, "", "");
	}
	fputs(sum->tasks == 1 ? " task of " : " tasks of ", out);
	if (sum->arrays == 1)
		fprintf(out, "job array %s", sum->job);
	else
		count_words(out, "arrays", sum->arrays, "", " job arrays");
	fputs(" ended", out);
	if (sum->longest_s > 0) {
		fputs(sum->arrays == 1 ? "; it took " : "; the longest took ", out);
		duration_write(out, "longest_array_s", sum->longest_s);
	}
	fputs(". ", out);
}

static void lead_copies_write(FILE *out, const struct arrays_sum *sum)
{
	if (!sum->slow && !sum->copies) {
		fputs("None of them was slow, and none had a copy.", out);
		return;
	}
	count_words(out, "all_tasks_slow", sum->slow, " was slow; ", " were slow; ");
	if (sum->winners_unknown) {
		fputs("copies ran, but who won is not in the log.", out);
		return;
	}
	count_words(out, "all_copies", sum->copies, " copy was made, of which ", " copies were made, of which ");
	count_words(out, "all_copies_won", sum->copies_won, " won.", " won.");
}

/* What limited it: a node that is slow is told by its name. */
static void lead_nodes_write(FILE *out, const struct arrays_sum *sum)
{
	if (!sum->node_count)
		return;
	fputs("<p class=\"loss\">Slow tasks began on ", out);
	for (size_t i = 0; i < sum->node_count; i++) {
		if (i)
			fputs(i + 1 < sum->node_count || sum->nodes_many ? ", " : " and ", out);
		fputs("<b>", out);
		html_name(out, sum->nodes[i]);
		fputs("</b>", out);
	}
	fputs(sum->nodes_many ? " and other nodes.</p>\n" : ".</p>\n", out);
}

void straggler_lead_write(const struct section *section)
{
	struct arrays_sum sum = { 0 };
	struct wt_error error;
	FILE *in = wt_fs_stream_regular(section->run->path, &error);
	int rc = in ? wt_trace_log_read(in, PAGE_HEARTBEATS, array_sum, &sum, &error) : -1;

	if (in)
		fclose(in);
	fputs("<p class=\"what-run\">What was run: tasks of a job array that speculates. A task that falls behind the "
	      "others gets a copy on another node, and who ends first counts.</p>\n<p class=\"lead\">", section->out);
	if (rc < 0 || !sum.arrays) {
		fputs("Heartbeats of job arrays that speculate.", section->out);
	} else {
		lead_arrays_write(section->out, &sum);
		lead_copies_write(section->out, &sum);
	}
	fputs("</p>\n", section->out);
	lead_nodes_write(section->out, &sum);
}

/* There is such a file, and it cannot be read. */
static void unread_write(FILE *out, const struct wt_error *error)
{
	fputs("<p class=\"none\">Not known: ", out);
	html_text(out, error->text);
	fputs("</p>\n</section>\n", out);
}

int straggler_section_write(const struct section *section)
{
	const struct page_run *run = section->run;
	char *path = run->single_file ? strdup(run->path) : wt_str_format("%s/" PAGE_HEARTBEATS, run->path);
	struct arrays_drawing drawing = { .section = section };
	struct wt_error error;
	FILE *in;
	int rc;

	if (!path)
		return -1;
	in = !run->single_file || run->heartbeats_only ? wt_fs_stream_regular(path, &error) : NULL;
	free(path);
	if (!in && (errno == ENOENT || (run->single_file && !run->heartbeats_only)))
		return 0;
	fprintf(section->out, "<section aria-labelledby=\"%s-stragglers\">\n", run->id);
	heading_write(section, 1, "stragglers", "Which tasks were slow, and did copies help?");
	if (!in) {
		unread_write(section->out, &error);
		return 0;
	}
	rc = wt_trace_log_read(in, PAGE_HEARTBEATS, array_write, &drawing, &error);
	fclose(in);
	if (rc < 0 && errno == ENOMEM)
		return -1;
	end_write(&drawing, rc < 0 ? &error : NULL);
	return 0;
}
