/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/clock.h"
#include "harness/run/run_progress.h"
#include "lib/str.h"

#define TERMINAL_PERIOD_S 0.25
#define LOG_PERIOD_S 10

static double wall_s(void)
{
	return wt_clock_wall_us() / 1e6;
}

void wt_progress_init(struct wt_progress *p, bool quiet, double now_s)
{
	memset(p, 0, sizeof(*p));
	p->quiet = quiet;
	p->terminal = isatty(STDERR_FILENO);
	p->begin_s = now_s;
	p->shown_s = p->terminal ? 0 : wall_s();
	p->cpu_percent = NAN;
}

/* By the wall's time, whatever the run's clock is: it is a person who reads it. */
static bool due(struct wt_progress *p)
{
	double now_s = wall_s();

	if (p->quiet || now_s - p->shown_s < (p->terminal ? TERMINAL_PERIOD_S : LOG_PERIOD_S))
		return false;
	p->shown_s = now_s;
	return true;
}

static void line_show(const struct wt_progress *p, const char *line)
{
	struct winsize size = { .ws_col = 0 };
	int columns = 200;

	if (!p->terminal) {
		fprintf(stderr, "%s\n", line);
		return;
	}
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
		columns = size.ws_col - 1;
	fprintf(stderr, "\r\033[K%.*s", columns, line);
	fflush(stderr);
}

void wt_progress_phase(struct wt_progress *p, const char *phase, uint32_t done, uint32_t total, double now_s)
{
	char line[256];

	if (p->live && total) {
		snprintf(line, sizeof(line), "%s: %u of %u nodes", phase, done, total);
		live_feed_phase(p->live, p->live->state.phase, line, wall_s());
	} else if (p->live) {
		live_feed_phase(p->live, p->live->state.phase, phase, wall_s());
	}
	if (!due(p))
		return;
	if (total)
		snprintf(line, sizeof(line), "%6.1f s  %s: %u of %u nodes", now_s - p->begin_s, phase, done, total);
	else
		snprintf(line, sizeof(line), "%6.1f s  %s", now_s - p->begin_s, phase);
	line_show(p, line);
}

static void cpu_update(struct wt_progress *p, const struct wt_sample *sample)
{
	double elapsed = sample->time_s - p->cpu_time_s;

	if (elapsed <= 0)
		return;
	if (p->cpu_time_s > 0 && sample->controller_cpu_s >= p->cpu_s)
		p->cpu_percent = 100 * (sample->controller_cpu_s - p->cpu_s) / elapsed;
	p->cpu_s = sample->controller_cpu_s;
	p->cpu_time_s = sample->time_s;
}

/* " 42 %, about 00:01:20 left  1234.0 s (00:20:34)" */
static void share_tell(struct wt_progress *p, char *text, size_t size, double share, double left_s, double elapsed_s)
{
	char left[WT_DURATION_SIZE], elapsed[WT_DURATION_SIZE];
	int used;

	/* The estimate may take back what it said; a share that falls would look like a fault. */
	p->share = fmax(p->share, share);
	used = snprintf(text, size, "%3.0f %%", floor(100 * p->share));
	if (isfinite(left_s)) {
		wt_str_duration(left, left_s);
		used += snprintf(text + used, size - (size_t) used, ", about %s left", left);
	}
	used += snprintf(text + used, size - (size_t) used, "  %.1f s", elapsed_s);
	if (elapsed_s < 60)
		return;
	wt_str_duration(elapsed, elapsed_s);
	snprintf(text + used, size - (size_t) used, " (%s)", elapsed);
}

void wt_progress_run(struct wt_progress *p, const struct wt_ledger_counts *c, size_t jobs, const struct wt_sample *sample,
		     uint32_t cpus, const char *outage, double share, double left_s, double now_s)
{
	char line[512], cpu[64] = "", how_far[128];

	cpu_update(p, sample);
	if (!due(p))
		return;
	share_tell(p, how_far, sizeof(how_far), share, left_s, now_s - p->begin_s);
	if (*outage)
		snprintf(cpu, sizeof(cpu), "slurmctld does not answer: %.30s", outage);
	else if (!isnan(p->cpu_percent))
		snprintf(cpu, sizeof(cpu), "slurmctld %.0f %% CPU", p->cpu_percent);
	snprintf(line, sizeof(line),
		 "%s  %zu of %zu jobs ended, %zu submitted, %zu pending, %zu running | CPUs %.0f %% | nodes %u busy, %u "
		 "completing%s%.0u%s | %s", how_far, c->ended, jobs, c->submitted, c->pending, c->running,
		 cpus ? 100.0 * sample->cpus_allocated / cpus : 0, sample->nodes_allocated, sample->nodes_completing,
		 sample->nodes_down ? ", " : "", sample->nodes_down, sample->nodes_down ? " down" : "", cpu);
	line_show(p, line);
}

void wt_progress_end(struct wt_progress *p)
{
	if (p->terminal && !p->quiet && p->shown_s > 0) {
		fprintf(stderr, "\r\033[K");
		fflush(stderr);
	}
	p->shown_s = p->terminal ? 0 : p->shown_s;
}

void wt_progress_note(struct wt_progress *p, const char *fmt, ...)
{
	va_list ap;

	wt_progress_end(p);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}
