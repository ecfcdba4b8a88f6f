/* SPDX-License-Identifier: GPL-2.0-or-later */
/* site_jobs.h: lists of events of UBCCR's simulator of Slurm (github.com/ubccr-slurm-simulator, tutorials): lines
 *	-dt SECONDS -e submit_batch_job | OPTIONS
 * with options of sbatch and three of its own: -sim-walltime (what the job would take; negative: until its limit), -jid and
 * -cancel-in.  What -sim-walltime 0 and -1 do was read off its output. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/site/job_options.h"
#include "harness/site/reasons.h"
#include "harness/site/site_jobs.h"
#include "lib/fs.h"
#include "lib/str.h"

#define LINE_MAX_BYTES ((size_t) 1 << 20)
#define TIME_MAX 1e10

struct event {			/* one line */
	double after_s, walltime_s, cancel_s;	/* NAN: not told */
	char *options;		/* of sbatch alone; owned */
	const char *id;		/* in the line; NULL */
};

struct events {			/* one file that is being read */
	struct wt_site_jobs *jobs;
	const char *name;
	size_t line;
};

static double number_read(const char *text)
{
	char *end;
	double number = strtod(text, &end);

	return end == text || *end || !(fabs(number) <= TIME_MAX) ? NAN : number;
}

/* The next word at *p; NULL: there is none. */
static char *word_take(char **p)
{
	char *word = *p + strspn(*p, " \t\r\n");

	*p = word + strcspn(word, " \t\r\n");
	if (**p)
		*(*p)++ = '\0';
	return *word ? word : NULL;
}

/* Before the bar: when, and what. */
static int head_read(struct event *e, char **p, struct wt_error *errp)
{
	char *word, *value;

	while ((word = word_take(p)) && strcmp(word, "|")) {
		value = word_take(p);
		if (value && !strcmp(word, "-dt")) {
			e->after_s = number_read(value);
		} else if (!value || strcmp(word, "-e")) {
			return wt_error_set(errp, EINVAL, "not '-dt SECONDS -e submit_batch_job | OPTIONS'");
		} else if (strcmp(value, "submit_batch_job")) {
			return wt_error_set(errp, ENOTSUP, "events of other kinds than submit_batch_job");
		}
	}
	if (!word || !(e->after_s >= 0))
		return wt_error_set(errp, EINVAL, "not '-dt SECONDS -e submit_batch_job | OPTIONS'");
	return 0;
}

/* Behind it: the simulator's own options, and all that are sbatch's. */
static int options_read(struct event *e, char **p, struct wt_error *errp)
{
	struct wt_str rest = { 0 };
	char *word, *value;
	bool good = true;

	while (good && (word = word_take(p))) {
		double *number = !strcmp(word, "-sim-walltime") ? &e->walltime_s : !strcmp(word, "-cancel-in") ?
				 &e->cancel_s : NULL;

		if (number || !strcmp(word, "-jid")) {
			value = word_take(p);
			if (number)
				*number = value ? number_read(value) : NAN;
			else
				e->id = value;
			good = number ? !isnan(*number) : value != NULL;
		} else {
			wt_str_printf(&rest, "%s%s", rest.len ? " " : "", word);
		}
	}
	e->options = wt_str_take(&rest);
	if (!e->options)
		return wt_error_errno(errp, ENOMEM, "events");
	return good ? 0 : wt_error_set(errp, EINVAL, "-sim-walltime, -cancel-in or -jid without its value");
}

/* A job that would take longer than it may ends at its limit. */
static int end_take(struct events *ev, const struct event *e, struct wt_site_job *job, const char *limit,
		    struct wt_error *errp)
{
	double limit_s = limit ? wt_job_option_time(limit) : NAN;
	struct wt_job_ask *ask = job->job.ask;

	if (limit_s > 0 && isfinite(limit_s))
		job->job.requested_time_s = limit_s;
	if (isnan(e->walltime_s))
		return wt_error_set(errp, EINVAL, "no -sim-walltime");
	if (e->walltime_s < 0 || (limit_s > 0 && e->walltime_s > limit_s))
		ask->end = WT_END_TIME_LIMIT;
	else
		job->job.run_time_s = e->walltime_s;
	if (isnan(e->cancel_s))
		return 0;
	ask->end = WT_END_CANCELLED;
	return wt_site_job_number(ev->jobs, job, "cancel_after_s", e->cancel_s, errp);
}

static int job_fill(struct events *ev, const struct event *e, struct wt_site_job *job, const struct wt_job_options *o,
		    struct wt_error *errp)
{
	static const struct { enum wt_job_option which; const char *key; } texts[] = {
		{ WT_OPTION_NAME, "name" }, { WT_OPTION_ACCOUNT, "account" }, { WT_OPTION_QOS, "qos" },
		{ WT_OPTION_PARTITION, "partition" },
	};
	const char *user = o->value[WT_OPTION_USER];
	int rc = 0;

	job->job.submit_s = e->after_s;
	job->line = ev->line;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && rc == 0; i++)
		rc = wt_site_job_text(ev->jobs, job, texts[i].key, o->value[texts[i].which], errp);
	if (rc == 0 && user)
		rc = wt_site_job_user(ev->jobs, job, user, o->value[WT_OPTION_GROUP], errp);
	if (rc == 0)
		rc = wt_job_options_ask(o, job->job.ask, ev->jobs->unknown, errp);
	if (rc == 0 && o->value[WT_OPTION_BEGIN])
		rc = wt_reason_count(ev->jobs->unknown, WT_REASON_VALUE " --begin", errp);
	if (rc == 0)
		rc = end_take(ev, e, job, o->value[WT_OPTION_TIME], errp);
	return rc == 0 ? wt_site_job_check(job, errp) : -1;
}

static int job_add(struct events *ev, const struct event *e, struct wt_error *errp)
{
	struct wt_job_options options = { .text = NULL };
	struct wt_site_job *job;
	char number[32];
	int rc = -1, saved_errno;

	snprintf(number, sizeof(number), "%zu", ev->jobs->read);
	job = wt_site_jobs_add(ev->jobs, e->id ? e->id : number, errp);
	if (!job)
		return -1;
	if (wt_job_options_words(&options, e->options) < 0)
		wt_error_errno(errp, ENOMEM, "events");
	else
		rc = job_fill(ev, e, job, &options, errp);
	saved_errno = errno;
	wt_job_options_clear(&options);
	if (rc < 0)
		wt_site_jobs_drop_last(ev->jobs);
	errno = saved_errno;
	return rc;
}

static bool is_id(const char *text)
{
	return !text || (*text && strlen(text) <= 10 && !text[strspn(text, "0123456789")]);
}

static int event_take(struct events *ev, char *line, struct wt_error *errp)
{
	struct event e = { .after_s = NAN, .walltime_s = NAN, .cancel_s = NAN };
	struct wt_error bad = { "" };
	int rc;

	ev->jobs->read++;
	rc = head_read(&e, &line, &bad) < 0 || options_read(&e, &line, &bad) < 0 ? -1 : 0;
	if (rc == 0 && !is_id(e.id))
		rc = wt_error_set(&bad, EINVAL, "-jid is no number");
	if (rc == 0)
		rc = job_add(ev, &e, &bad);
	free(e.options);
	if (rc == 0)
		return 0;
	if (errno == ENOTSUP)
		return wt_reason_count(ev->jobs->left_out, bad.text, errp);
	if (errno != EINVAL)
		return wt_error_set(errp, errno, "%s", bad.text);
	wt_error_prefix(&bad, "%s:%zu", ev->name, ev->line);
	return wt_site_jobs_bad(ev->jobs, &bad, errp);
}

int wt_site_jobs_events(struct wt_site_jobs *jobs, FILE *in, const char *name, struct wt_error *errp)
{
	struct events ev = { .jobs = jobs, .name = name };
	char *line = NULL;
	size_t size = 0;
	ssize_t len;
	int rc = 0;

	while (rc == 0 && (len = wt_fs_line(in, &line, &size, LINE_MAX_BYTES)) >= 0) {
		const char *first = line + strspn(line, " \t\r\n");

		ev.line++;
		if (memchr(line, '\0', (size_t) len))
			rc = wt_error_set(errp, EINVAL, "%s:%zu: a NUL byte", name, ev.line);
		else if (*first && *first != '#')
			rc = event_take(&ev, line, errp);
	}
	if (rc == 0 && errno)
		rc = wt_error_errno(errp, errno, "%s:%zu", name, ev.line + 1);
	free(line);
	return rc;
}
