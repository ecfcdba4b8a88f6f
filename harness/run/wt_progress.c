/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "wt_progress.h"

#define TERMINAL_PERIOD_S 0.25
#define LOG_PERIOD_S 10

void wt_progress_init(struct wt_progress *p, bool quiet, double now_s)
{
	memset(p, 0, sizeof(*p));
	p->quiet = quiet;
	p->terminal = isatty(STDERR_FILENO);
	p->begin_s = now_s;
	p->shown_s = p->terminal ? 0 : now_s;
	p->cpu_percent = NAN;
}

static bool due(struct wt_progress *p, double now_s)
{
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

	if (!due(p, now_s))
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

void wt_progress_run(struct wt_progress *p, const struct wt_ledger_counts *c, size_t jobs, const struct wt_sample *sample,
		     uint32_t cpus, const char *outage, double now_s)
{
	char line[512], cpu[64] = "";

	cpu_update(p, sample);
	if (!due(p, now_s))
		return;
	if (*outage)
		snprintf(cpu, sizeof(cpu), "slurmctld does not answer: %.30s", outage);
	else if (!isnan(p->cpu_percent))
		snprintf(cpu, sizeof(cpu), "slurmctld %.0f %% CPU", p->cpu_percent);
	snprintf(line, sizeof(line),
		 "%6.1f s  %zu of %zu jobs ended, %zu submitted, %zu pending, %zu running | CPUs %.0f %% | nodes %u busy, %u "
		 "completing%s%.0u%s | %s", now_s - p->begin_s, c->ended, jobs, c->submitted, c->pending, c->running,
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
