/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/experiment/engine.h"
#include "harness/experiment/engine_progress.h"
#include "lib/str.h"

int engine_progress_init(struct engine_progress *p, const struct experiment_plan *plan, const struct experiment *e,
			 const struct engine_options *options, unsigned int slots)
{
	unsigned int cases = 0;

	for (size_t c = 0; c < plan->count; c++)
		cases += plan->cases[c].wanted;
	*p = (struct engine_progress){
		.plan = plan,
		.experiment = e,
		.quiet = options->quiet,
		.terminal = isatty(STDERR_FILENO),
		.open_end = options->until,
		.slots = slots,
		.total = cases * options->repeat,
		.case_total = options->repeat,
		.case_ended = calloc(plan->count, sizeof(*p->case_ended)),
		.case_wall_s = calloc(plan->count, sizeof(*p->case_wall_s)),
	};
	if (p->case_ended && p->case_wall_s)
		return 0;
	engine_progress_finish(p);
	return -1;
}

static void line_clear(const struct engine_progress *p)
{
	if (p->terminal && !p->quiet)
		fputs("\r\033[K", stderr);
}

void engine_progress_finish(struct engine_progress *p)
{
	line_clear(p);
	free(p->case_ended);
	free(p->case_wall_s);
	p->case_ended = NULL;
	p->case_wall_s = NULL;
}

/* Each case's own mean where it has one: grid points may differ by hours, and a mean over all would jump from case to
 * case. */
double engine_progress_left_s(const struct engine_progress *p)
{
	double all_s = 0, left_s = 0;
	unsigned int ended = 0;

	for (size_t c = 0; c < p->plan->count; c++) {
		all_s += p->case_wall_s[c];
		ended += p->case_ended[c];
	}
	if (!ended)
		return NAN;
	for (size_t c = 0; c < p->plan->count; c++) {
		double mean_s = p->case_ended[c] ? p->case_wall_s[c] / p->case_ended[c] : all_s / ended;
		double share = p->total > p->found ? (double) (p->total - p->found) / p->total : 0;

		if (p->plan->cases[c].wanted)
			left_s += mean_s * fmax(0, p->case_total * share - p->case_ended[c]);
	}
	return left_s / p->slots;
}

void engine_progress_note(const struct engine_progress *p, const char *fmt, ...)
{
	va_list ap;

	line_clear(p);
	fputs("windtunnel experiment: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

/* "makespan 1067.2 s, wait, mean 210.1 s" */
static void figures_text(const struct engine_progress *p, char *text, size_t size, const double *values)
{
	size_t used = 0;

	*text = 0;
	for (size_t i = 0; i < p->experiment->figure_count && used < size; i++) {
		const struct wt_figure_info *info = &wt_figure_infos[p->experiment->figures[i]];
		double value = values[p->experiment->figures[i]];

		if (!isnan(value))
			used += (size_t) snprintf(text + used, size - used, "%s%s %.4g %s", used ? "; " : "", info->label,
						  value * info->scale, info->unit);
	}
}

/* ", about 00:12:30 left", or nothing */
static void left_text(const struct engine_progress *p, char *text, size_t size)
{
	double left_s = engine_progress_left_s(p);
	char left[WT_DURATION_SIZE];

	*text = 0;
	if (!isfinite(left_s) || left_s <= 0)
		return;
	wt_str_duration(left, left_s);
	snprintf(text, size, ", about %s left", left);
}

void engine_progress_ended(struct engine_progress *p, size_t case_index, unsigned int number, double wall_s,
			   const double values[WT_FIG_COUNT])
{
	char figures[256], wall[WT_DURATION_SIZE], left[64];

	p->ended++;
	p->case_ended[case_index]++;
	p->case_wall_s[case_index] += wall_s;
	if (p->quiet)
		return;
	figures_text(p, figures, sizeof(figures), values);
	wt_str_duration(wall, wall_s);
	left_text(p, left, sizeof(left));
	engine_progress_note(p, "%u of %s%u%s: %s, run %u in %s: %s", p->ended + p->found, p->open_end ? "at most " : "",
			     p->total, left, p->plan->cases[case_index].name, number, wall, figures);
}

void engine_progress_found(struct engine_progress *p)
{
	p->found++;
}

void engine_progress_show(const struct engine_progress *p, unsigned int busy)
{
	char left[64];

	if (p->quiet || !p->terminal)
		return;
	left_text(p, left, sizeof(left));
	fprintf(stderr, "\r\033[K%u of %s%u runs ended, %u under way%s", p->ended + p->found, p->open_end ? "at most " : "",
		p->total, busy, left);
	fflush(stderr);
}
