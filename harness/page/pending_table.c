/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting time by Slurm's reason: the sums of pending_times of jobs.csv. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/page/html.h"
#include "harness/page/section.h"

#define REASONS_MAX 64	/* told apart; Slurm has more, and files may have any: what comes later is one row */

struct reason {
	char *text;
	double wait_s;
	size_t jobs;
};

struct reasons {
	struct reason of[REASONS_MAX + 1];	/* the last: all others */
	size_t count;
	double waits_s;		/* of all jobs that are known to have waited */
};

static struct reason *reason_find(struct reasons *reasons, const char *text, size_t len)
{
	for (size_t i = 0; i < reasons->count; i++)
		if (!strncmp(reasons->of[i].text, text, len) && !reasons->of[i].text[len])
			return &reasons->of[i];
	if (reasons->count == REASONS_MAX)
		return &reasons->of[REASONS_MAX];
	reasons->of[reasons->count].text = strndup(text, len);
	return reasons->of[reasons->count].text ? &reasons->of[reasons->count++] : NULL;
}

/* "Resources=30.5;Priority=2": foreign text; what is none of it is passed over. */
static int times_add(struct reasons *reasons, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, ";"), name = strcspn(text, "=;");
		char *end = NULL;
		double wait_s = name < len ? strtod(text + name + 1, &end) : NAN;

		if (name && end == text + len && wait_s >= 0 && isfinite(wait_s)) {
			struct reason *reason = reason_find(reasons, text, name);

			if (!reason)
				return -1;
			reason->wait_s += wait_s;
			reason->jobs++;
		}
		text += len + (text[len] == ';');
	}
	return 0;
}

static int longer(const void *a, const void *b)
{
	const struct reason *x = a, *y = b;

	return (x->wait_s < y->wait_s) - (x->wait_s > y->wait_s);
}

static void row_write(const struct section *section, const struct reasons *reasons, const struct reason *reason,
		      const char *name)
{
	double share = reasons->waits_s > 0 ? reason->wait_s / reasons->waits_s : NAN;
	FILE *out = section->out;

	fputs("<tr><th scope=\"row\">", out);
	html_name(out, name);
	fputs("</th><td>", out);
	number_write(out, "wait_h", reason->wait_s / 3600, 1, 2, "");
	fputs("</td><td>", out);
	if (isfinite(share))
		number_write(out, "share", share, 100, 1, " %");
	fprintf(out,
		"</td><td class=\"bar\"><svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
		"<rect width=\"%.1f\" height=\"10\"/></svg></td><td>",
		isfinite(share) ? fmin(100, 100 * share) : 0);
	if (reason->jobs)
		number_write(out, "jobs", (double) reason->jobs, 1, 0, "");
	fputs("</td></tr>\n", out);
}

static void table_write(const struct section *section, struct reasons *reasons)
{
	static const char *const columns[] = { "reason", "hours waited", "of all waiting", "", "jobs", NULL };
	struct reason unseen = { .wait_s = reasons->waits_s };

	table_begin(section, "class=\"pending\"", "Waiting time of all jobs by Slurm's reason", columns);
	for (size_t i = 0; i <= REASONS_MAX; i++) {
		unseen.wait_s -= reasons->of[i].wait_s;
		if (reasons->of[i].jobs)
			row_write(section, reasons, &reasons->of[i],
				  i < REASONS_MAX ? reasons->of[i].text : "other reasons");
	}
	if (unseen.wait_s > 0.0005 * reasons->waits_s)
		row_write(section, reasons, &unseen, "not seen by any look");
	table_end(section);
	fputs("<p class=\"none\">From one look at the queue to the next a job counts as waiting for the reason that the "
	      "first of them saw (pending_times of jobs.csv).</p>\n",
	      section->out);
}

/* Until it started, or left the queue; or is waiting still. */
static double job_waited_s(const struct page_run *run, const struct page_job *job)
{
	double until_s = isfinite(job->start_s) ? job->start_s : isfinite(job->end_s) ? job->end_s : run->period_s;

	return fmax(0, until_s - job->sent_s);
}

int pending_table_write(const struct section *section)
{
	struct reasons *reasons = calloc(1, sizeof(*reasons));
	int rc = reasons ? 0 : -1;

	for (size_t i = 0; rc == 0 && i < section->run->job_count; i++) {
		const struct page_job *job = &section->run->jobs[i];

		if (job->record->pending_times)
			rc = times_add(reasons, job->record->pending_times);
		if (isfinite(job->sent_s))
			reasons->waits_s += job_waited_s(section->run, job);
	}
	if (rc == 0 && reasons->count) {
		qsort(reasons->of, reasons->count, sizeof(reasons->of[0]), longer);
		heading_write(section, 1, "pending", "What did jobs wait for?");
		rc = pending_chart_write(section);
		table_write(section, reasons);
	}
	for (size_t i = 0; reasons && i < reasons->count; i++)
		free(reasons->of[i].text);
	free(reasons);
	return rc;
}
