/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/report/run_advice.h"
#include "lib/stats.h"

/* Slurm's own values where slurm.conf has none (slurm.conf(5)). */
#define EPILOG_MSG_TIME_US 2000
#define BF_INTERVAL_S      30
#define BF_MAX_JOB_TEST    500
/* Nodes of jobs on fewer do not take turns (src/slurmd/slurmd/req.c, _sync_messages_kill). */
#define NODES_LEAST        65
#define JOBS_LEAST         5 /* fewer show no proportion */
/* What the median may be of nodes x EpilogMsgTime.  The nodes of a job take turns in a fixed order, which begins anew after
 * that time whenever the job ends: the last one is released between (nodes - 1) / nodes of it and the whole. */
#define PROPORTION_LEAST   0.7
#define PROPORTION_MOST    1.2
#define NODE_TIME_LEAST    0.001 /* of all node time: less is not worth a word */
/* Below these nothing is said: one long cycle, or one full queue, may be chance. */
#define LOOKS_LEAST        5
#define INTERVAL_SHARE     0.5

/* The last line counts, as for slurmctld.  The file is one of ours, with neither blanks around '=' nor continued
 * lines. */
char *run_conf_value(const char *text, const char *key)
{
	size_t len = strlen(key), last = 0;
	const char *value = NULL;

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (!strncasecmp(line, key, len) && line[len] == '=') {
			value = line + len + 1;
			last = strcspn(value, " \t\r\n#");
		}
	return value ? strndup(value, last) : NULL;
}

double run_conf_scheduler_number(const char *text, const char *name, double otherwise)
{
	char *parameters = run_conf_value(text, "SchedulerParameters"), *rest = parameters, *word, *end;
	size_t len = strlen(name);
	double value = otherwise, read;

	while (rest && (word = strsep(&rest, ",")))
		if (!strncasecmp(word, name, len) && word[len] == '=') {
			read = strtod(word + len + 1, &end);
			value = end > word + len + 1 && isfinite(read) ? read : otherwise;
		}
	free(parameters);
	return value;
}

/* ---- EpilogMsgTime ------------------------------------------------------------------------------------------------- */

/* How many jobs on more than 64 nodes have both times; completing time over nodes x EpilogMsgTime into ratios[]. */
static size_t ratios_fill(double *ratios, const struct wt_record *record, double message_s)
{
	size_t count = 0;

	for (size_t i = 0; i < record->job_count; i++) {
		const struct wt_job_record *job = &record->jobs[i];
		double ratio = (job->release_s - job->end_s) / (job->alloc_nodes * message_s);

		if (job->alloc_nodes >= NODES_LEAST && isfinite(ratio))
			ratios[count++] = ratio;
	}
	return count;
}

static bool epilog_hint(struct run_hint *hint, const struct wt_record *record, const struct wt_metrics *m, const char *conf)
{
	char *set = run_conf_value(conf, "EpilogMsgTime"), *epilog = run_conf_value(conf, "Epilog");
	double message_us = set ? strtod(set, NULL) : EPILOG_MSG_TIME_US;
	double share = m->figures[WT_FIG_COMPLETING_NODE].value / (record->nodes * m->figures[WT_FIG_MAKESPAN].value);
	double *ratios = calloc(record->job_count + 1, sizeof(*ratios));
	struct wt_stats stats = { .median = NAN };
	size_t count = 0;
	bool there;

	if (ratios && epilog && *epilog && message_us > 0)
		count = ratios_fill(ratios, record, message_us / 1e6);
	if (count)
		wt_stats_compute(&stats, ratios, count);
	there = count >= JOBS_LEAST && stats.median >= PROPORTION_LEAST && stats.median <= PROPORTION_MOST &&
		share >= NODE_TIME_LEAST;
	if (there) {
		*hint = (struct run_hint){ .setting = "EpilogMsgTime",
					   .value = message_us,
					   .kind = m->figures[WT_FIG_COMPLETING_MAX].kind };
		snprintf(hint->text, sizeof(hint->text),
			 "%zu jobs on more than 64 nodes were completing for %.2f times nodes x EpilogMsgTime (median), the "
			 "longest for %.2f s; nodes spent %.2f %% of all node time so. It is this setting that they wait "
			 "for: "
			 "less of it shortens that in proportion.",
			 count, stats.median, m->figures[WT_FIG_COMPLETING_MAX].value, 100 * share);
	}
	free(ratios);
	free(set);
	free(epilog);
	return there;
}

/* ---- the backfill scheduler ---------------------------------------------------------------------------------------- */

struct cycles {
	size_t looks, cut; /* samples with a queue; those whose last cycle reached the limit and left jobs */
	uint64_t queue_most; /* of the latter */
	double count, sum_s; /* of all cycles; counters begin again at times */
};

static struct cycles cycles_read(const struct wt_record *record, double depth_most)
{
	struct cycles c = { 0 };

	for (size_t i = 0; i < record->sample_count; i++) {
		const struct wt_sample *now = &record->samples[i], *before = i ? now - 1 : NULL;

		if (now->backfill_cycles == WT_COUNT_UNKNOWN || now->backfill_queue == WT_COUNT_UNKNOWN ||
		    now->backfill_depth == WT_COUNT_UNKNOWN)
			continue;
		c.looks += now->backfill_queue > 0;
		if ((double) now->backfill_depth >= depth_most && now->backfill_queue > now->backfill_depth) {
			c.cut++;
			c.queue_most = now->backfill_queue > c.queue_most ? now->backfill_queue : c.queue_most;
		}
		if (before && before->backfill_cycles != WT_COUNT_UNKNOWN &&
		    now->backfill_cycles > before->backfill_cycles &&
		    now->backfill_cycle_sum_us >= before->backfill_cycle_sum_us) {
			c.count += (double) (now->backfill_cycles - before->backfill_cycles);
			c.sum_s += (double) (now->backfill_cycle_sum_us - before->backfill_cycle_sum_us) / 1e6;
		}
	}
	return c;
}

static enum wt_kind cycle_kind(const struct wt_record *record)
{
	return record->clock && strcmp(record->clock, "real") ? WT_KIND_MODELLED : WT_KIND_REAL;
}

static bool depth_hint(struct run_hint *hint, const struct wt_record *record, const struct cycles *c, double depth_most,
		       double interval_s)
{
	if (c->cut < LOOKS_LEAST || c->count < 1)
		return false;
	*hint = (struct run_hint){ .setting = "bf_max_job_test", .value = depth_most, .kind = cycle_kind(record) };
	snprintf(hint->text, sizeof(hint->text),
		 "At %zu of %zu looks with a queue the last cycle of the backfill scheduler had looked at as many jobs as "
		 "this "
		 "limit, or more, and left others, with up to %llu jobs waiting; a cycle took %.3f s on average, of %g s "
		 "from "
		 "one to the next (bf_interval).",
		 c->cut, c->looks, (unsigned long long) c->queue_most, c->sum_s / c->count, interval_s);
	return true;
}

static bool interval_hint(struct run_hint *hint, const struct wt_record *record, const struct cycles *c, double interval_s)
{
	double mean_s = c->sum_s / c->count;

	if (c->count < LOOKS_LEAST || !(mean_s >= INTERVAL_SHARE * interval_s))
		return false;
	*hint = (struct run_hint){ .setting = "bf_interval", .value = interval_s, .kind = cycle_kind(record) };
	snprintf(hint->text, sizeof(hint->text),
		 "%.0f cycles of the backfill scheduler took %.2f s on average: it was at work for %.0f %% of the time, and "
		 "plans were that old when they ended.",
		 c->count, mean_s, 100 * mean_s / (mean_s + interval_s));
	return true;
}

size_t run_advice_make(struct run_hint hints[RUN_HINTS_MAX], const struct wt_record *record,
		       const struct wt_metrics *metrics, const char *slurm_conf)
{
	double interval_s = run_conf_scheduler_number(slurm_conf, "bf_interval", BF_INTERVAL_S);
	double depth_most = run_conf_scheduler_number(slurm_conf, "bf_max_job_test", BF_MAX_JOB_TEST);
	struct cycles c = cycles_read(record, depth_most);
	size_t count = 0;

	if (!*slurm_conf)
		return 0;
	count += epilog_hint(&hints[count], record, metrics, slurm_conf);
	count += depth_hint(&hints[count], record, &c, depth_most, interval_s);
	count += interval_hint(&hints[count], record, &c, interval_s);
	return count;
}
