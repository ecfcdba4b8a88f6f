/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sacct_record.h: how large a job is. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/site/reasons.h"
#include "harness/site/sacct_record.h"
#include "lib/str.h"

#define COUNT_MAX 1e8

struct job_size {			/* what sacct says of one job */
	const char *tres;
	double cpus, nodes, nodes_had;
};

static bool asked(const struct wt_sacct_record *r, enum wt_ask_number which)
{
	return !isnan(r->job->job.ask->number[which]);
}

static double count_read(const char *text)
{
	double number = *text && strlen(text) < 12 && !text[strspn(text, "0123456789")] ? strtod(text, NULL) : NAN;

	return number >= 1 && number <= COUNT_MAX ? number : NAN;
}

double wt_sacct_tres(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = list; *p;) {
		size_t n = strcspn(p, ",");

		if (n > len + 1 && n < len + 32 && p[len] == '=' && !strncmp(p, name, len)) {
			char text[32];

			memcpy(text, p + len + 1, n - len - 1);
			text[n - len - 1] = '\0';
			return wt_job_option_memory(text, NULL);
		}
		p += n + (p[n] == ',');
	}
	return NAN;
}

static void size_read(const struct wt_sacct_record *r, struct job_size *s)
{
	s->tres = wt_sacct_get(r->rows, WT_SACCT_REQ_TRES);
	s->cpus = wt_sacct_tres(s->tres, "cpu");
	s->nodes = wt_sacct_tres(s->tres, "node");
	if (isnan(s->cpus))
		s->cpus = count_read(wt_sacct_get(r->rows, WT_SACCT_REQ_CPUS));
	if (isnan(s->nodes))
		s->nodes = count_read(wt_sacct_get(r->rows, WT_SACCT_REQ_NODES));
	s->nodes_had = count_read(wt_sacct_get(r->rows, WT_SACCT_ALLOC_NODES));
}

static int tasks_take(struct wt_sacct_record *r, const struct job_size *s, struct wt_error *errp)
{
	double per_task = wt_job_ask_number(r->job->job.ask, WT_ASK_CPUS_PER_TASK, 1);
	double tasks = wt_job_ask_number(r->job->job.ask, WT_ASK_TASKS, NAN);

	if (isnan(s->cpus))
		return isnan(tasks) && !asked(r, WT_ASK_NODES_MIN) ?
		       wt_reason_count(r->jobs->unknown, "its size: it has one task", errp) : 0;
	if (isnan(tasks))
		return wt_site_job_number(r->jobs, r->job, "tasks", fmax(1, floor(s->cpus / per_task)), errp);
	/* More than its line says: the script says more. */
	if (!asked(r, WT_ASK_CPUS_PER_TASK) && s->cpus >= 2 * tasks && fmod(s->cpus, tasks) == 0 &&
	    !(wt_job_ask_number(r->job->job.ask, WT_ASK_NODES_MIN, 0) > tasks))
		return wt_site_job_number(r->jobs, r->job, "cpus_per_task", s->cpus / tasks, errp);
	return 0;
}

/* One node is what every job has that asks for none. */
static int nodes_take(struct wt_sacct_record *r, const struct job_size *s, struct wt_error *errp)
{
	if (asked(r, WT_ASK_NODES_MIN) || !(s->nodes > 1))
		return 0;
	return wt_site_job_number(r->jobs, r->job, "nodes", s->nodes, errp);
}

/* Its nodes are so many and no others: then what it has in all can be told as of a node. */
static bool nodes_fixed(const struct wt_sacct_record *r, const struct job_size *s)
{
	const struct wt_job_ask *ask = r->job->job.ask;

	if (asked(r, WT_ASK_NODES_MAX) && ask->number[WT_ASK_NODES_MAX] > ask->number[WT_ASK_NODES_MIN])
		return false;
	return s->nodes >= 1 && (asked(r, WT_ASK_NODES_MIN) || s->nodes_had == s->nodes);
}

static int memory_take(struct wt_sacct_record *r, const struct job_size *s, struct wt_error *errp)
{
	char per;
	double old = wt_job_option_memory(wt_sacct_get(r->rows, WT_SACCT_REQ_MEM), &per);
	double all = wt_sacct_tres(s->tres, "mem");

	if (asked(r, WT_ASK_MEMORY_PER_NODE) || asked(r, WT_ASK_MEMORY_PER_CPU))
		return 0;
	if (!isnan(old) && per)
		return wt_site_job_number(r->jobs, r->job, per == 'c' ? "memory_per_cpu_mib" : "memory_per_node_mib", old,
					  errp);
	if (isnan(all))
		all = old;
	if (!(all > 0))
		return 0;
	if (nodes_fixed(r, s))
		return wt_site_job_number(r->jobs, r->job, "memory_per_node_mib", ceil(all / s->nodes), errp);
	if (!(s->cpus >= 1))
		return wt_reason_count(r->jobs->unknown, "its memory, in all, but not of a node or CPU", errp);
	return wt_site_job_number(r->jobs, r->job, "memory_per_cpu_mib", ceil(all / s->cpus), errp);
}

/* "gres/gpu:a100=2" at 'p', of 'n' bytes: its name without "gres/", and how many; 0: it is none. */
static size_t gres_name(const char *p, size_t n, double *count)
{
	static const char begin[] = "gres/";
	size_t skip = strlen(begin), len;
	char text[32];

	if (n <= skip || strncmp(p, begin, skip))
		return 0;
	len = strcspn(p + skip, "=,");
	if (!len || skip + len + 1 >= n || n - skip - len - 1 >= sizeof(text) || p[skip + len] != '=')
		return 0;
	memcpy(text, p + skip + len + 1, n - skip - len - 1);
	text[n - skip - len - 1] = '\0';
	*count = count_read(text);
	return *count >= 1 ? len : 0;
}

/* gres/gpu=2,gres/gpu:a100=2 tells the same two twice. */
static bool has_types(const char *tres, const char *name, size_t len)
{
	for (const char *p = tres; (p = strstr(p, "gres/")); p += 5)
		if (!strncmp(p + 5, name, len) && p[5 + len] == ':')
			return true;
	return false;
}

/* What no option of the line has told: in all, so of each node if it divides. */
static int gres_take(struct wt_sacct_record *r, const struct job_size *s, struct wt_error *errp)
{
	static const enum wt_ask_text told[] = {
		WT_ASK_GRES, WT_ASK_GPUS, WT_ASK_GPUS_PER_NODE, WT_ASK_GPUS_PER_TASK, WT_ASK_GPUS_PER_SOCKET,
	};
	double nodes = nodes_fixed(r, s) ? s->nodes : 1;
	struct wt_str list = { 0 };
	bool whole = true;
	char *text;
	int rc;

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		if (r->job->job.ask->text[told[i]])
			return 0;
	for (const char *p = s->tres; *p;) {
		size_t n = strcspn(p, ","), len;
		double count;

		len = gres_name(p, n, &count);
		if (len && (memchr(p + 5, ':', len) || !has_types(s->tres, p + 5, len))) {
			whole &= fmod(count, nodes) == 0;
			wt_str_printf(&list, "%s%.*s:%.0f", list.len ? "," : "", (int) len, p + 5, ceil(count / nodes));
		}
		p += n + (p[n] == ',');
	}
	text = wt_str_take(&list);
	rc = text ? wt_site_job_text(r->jobs, r->job, "gres", text, errp) : wt_error_errno(errp, ENOMEM, "jobs");
	free(text);
	if (rc == 0 && !whole)
		rc = wt_reason_count(r->jobs->assumed, "its GRES are spread evenly over its nodes, and rounded up", errp);
	return rc;
}

int wt_sacct_size(struct wt_sacct_record *r, struct wt_error *errp)
{
	struct job_size s;

	size_read(r, &s);
	if (nodes_take(r, &s, errp) < 0 || tasks_take(r, &s, errp) < 0 || memory_take(r, &s, errp) < 0)
		return -1;
	return gres_take(r, &s, errp);
}
