/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order in which slurmctld placed the jobs, and what it let them choose from (windtunnel-bestfit(5)), from its log.  The
 * node side sees them start in the order in which their launches arrive, which differs for jobs that were placed in one
 * cycle: a job would be judged by nodes that it did not leave free. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/placement/placements_reader.h"
#include "lib/fs.h"
#include "lib/str.h"

#define LAUNCH_SLACK_S 10.0	/* a start that is later than that of a job placed after it by more is another story */

/* The lines of the main scheduler, of backfill, and of a salloc or srun that had not to wait; they begin after "[TIME] ". */
static const char *const placed[] = {
	"sched: Allocate JobId=", "sched/backfill: _start_job: Started JobId=",
		"sched: _slurm_rpc_allocate_resources JobId=",
};

/* "[TIME] windtunnel bestfit: offered: JobId=5 16:n[0-3] 3:n7": the job, and what is behind it; 0: another line, or half of
 * one. */
static uint32_t offered_job(const char *line, const char **offer)
{
	static const char mark[] = "windtunnel bestfit: offered: JobId=";
	const char *text = strstr(line, "] ");
	unsigned long id;
	char *end;

	if (!text || strncmp(text + 2, mark, sizeof(mark) - 1) || !strchr(text, '\n'))
		return 0;
	id = strtoul(text + 2 + sizeof(mark) - 1, &end, 10);
	*offer = end;
	return *end == ' ' && id <= UINT32_MAX ? (uint32_t) id : 0;
}

/* 0: none.  "5" is 5; "5_1(7)" of an array, or "5+1(6)" of a heterogeneous job: the number in parentheses. */
static uint32_t job_of(const char *line)
{
	const char *text = strstr(line, "] ");
	char *end;

	for (size_t i = 0; text && i < sizeof(placed) / sizeof(placed[0]); i++) {
		unsigned long id;

		if (strncmp(text + 2, placed[i], strlen(placed[i])))
			continue;
		id = strtoul(text + 2 + strlen(placed[i]), &end, 10);
		if (*end == '_' || *end == '+') {
			end += strcspn(end, "( ");
			id = *end == '(' ? strtoul(end + 1, NULL, 10) : 0;
		}
		return id <= UINT32_MAX ? (uint32_t) id : 0;
	}
	return 0;
}

static int by_id(const void *a, const void *b)
{
	const struct raw_job *x = a, *y = b;

	return (x->job_id > y->job_id) - (x->job_id < y->job_id);
}

static int by_start(const void *a, const void *b)
{
	const struct raw_job *x = a, *y = b;

	if (x->job.start_s != y->job.start_s)
		return x->job.start_s < y->job.start_s ? -1 : 1;
	return x->order != y->order ? (x->order > y->order) - (x->order < y->order) : by_id(a, b);
}

static int by_order(const void *a, const void *b)
{
	const struct raw_job *x = a, *y = b;

	return (x->order > y->order) - (x->order < y->order);
}

/* No job starts after one that was placed after it. */
static void starts_correct(struct raw *raw)
{
	double next_s = INFINITY;

	qsort(raw->jobs, raw->count, sizeof(*raw->jobs), by_order);
	for (size_t i = raw->count; i-- > 0 && raw->jobs[i].order;) {
		double *start_s = &raw->jobs[i].job.start_s;

		/* From the last one backwards: a start is moved to the earliest of those placed after it. */
		if (*start_s > next_s && *start_s - next_s < LAUNCH_SLACK_S)
			*start_s = next_s;
		next_s = *start_s < next_s ? *start_s : next_s;
	}
	qsort(raw->jobs, raw->count, sizeof(*raw->jobs), by_start);	/* what starts together is taken in this order */
}

static struct raw_job *job_find(const struct raw *raw, uint32_t job_id)
{
	const struct raw_job key = { .job_id = job_id };

	return job_id ? bsearch(&key, raw->jobs, raw->count, sizeof(key), by_id) : NULL;
}

/* The last offer counts: a job may have been tried before. */
static int offer_take(const struct raw *raw, char *line, struct wt_error *errp)
{
	const char *text = NULL;
	struct raw_job *job = job_find(raw, offered_job(line, &text));
	struct offer offer;

	if (!job)
		return 0;
	line[strcspn(line, "\n")] = '\0';
	if (offer_read(raw->tree, text, &offer, errp) < 0)
		return wt_error_prefix(errp, "what job %u was offered", job->job_id);
	free((void *) job->job.offer_nodes);
	free((void *) job->job.offer_units);
	job->job.offer_nodes = offer.nodes;
	job->job.offer_units = offer.units;
	job->job.offer_count = offer.count;
	return 0;
}

/* A requeued job's last placement counts, as its start does. */
int raw_read_log(struct raw *raw, FILE *in, struct wt_error *errp)
{
	uint32_t order = 0;
	char *line = NULL;
	size_t size = 0;
	int rc = 0;

	/* To find each line's job by bisection; starts_correct () puts them into the order of their starts again. */
	qsort(raw->jobs, raw->count, sizeof(*raw->jobs), by_id);
	while (rc == 0 && wt_fs_line(in, &line, &size, LINE_BYTES_MAX) > 0) {
		struct raw_job *job = job_find(raw, job_of(line));

		if (job)
			job->order = ++order;
		else
			rc = offer_take(raw, line, errp);
	}
	if (rc == 0 && errno)
		rc = wt_error_errno(errp, errno, "cannot read");
	free(line);
	if (rc == 0)
		starts_correct(raw);
	return rc;
}

int raw_read_order(struct raw *raw, const char *dir, struct wt_error *errp)
{
	char *path = wt_str_format("%s/logs/slurmctld.log", dir);
	FILE *in = path ? wt_fs_stream_regular(path, errp) : NULL;
	int rc = 0;

	if (!path)
		return wt_error_errno(errp, ENOMEM, "%s", dir);
	if (!in && errno != ENOENT && errno != ENOTDIR)
		rc = -1;
	if (in && raw->count && raw_read_log(raw, in, errp) < 0)
		rc = wt_error_prefix(errp, "%s", path);
	if (in)
		fclose(in);
	free(path);
	return rc;
}
