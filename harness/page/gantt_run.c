/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/page/gantt_run.h"

static const enum page_group groups[GANTT_LABELS] = {
	[GANTT_CLASS] = PAGE_GROUP_CLASS,         [GANTT_USER] = PAGE_GROUP_USER, [GANTT_ACCOUNT] = PAGE_GROUP_ACCOUNT,
	[GANTT_PARTITION] = PAGE_GROUP_PARTITION, [GANTT_QOS] = PAGE_GROUP_QOS,   [GANTT_STATE] = PAGE_GROUP_COUNT,
};

static int64_t time_ms(double time_s)
{
	return isfinite(time_s) && fabs(time_s) < 1e12 ? llround(time_s * 1000) : GANTT_TIME_NONE;
}

/* A number of at most nine digits; sscanf () would take a sign, too. */
static bool number_next(const char **at, uint32_t *number)
{
	int used = 0;

	if (!isdigit((unsigned char) **at) || sscanf(*at, "%9" SCNu32 "%n", number, &used) != 1)
		return false;
	*at += used;
	return true;
}

/* One range of "0-17 40" at *at, which is moved behind it; false: there is none, or what is there is none. */
static bool range_next(const char **at, uint32_t *first, uint32_t *last)
{
	*at += strspn(*at, " ");
	if (!number_next(at, first))
		return false;
	*last = *first;
	if (**at == '-') {
		++*at;
		if (!number_next(at, last))
			return false;
	}
	return *last >= *first;
}

/* Append a job's ranges, those that touch joined; a text that is no rising set of nodes is one that is not known. */
static void ranges_read(struct gantt_run *s, struct gantt_job *job, const char *text)
{
	size_t before = s->ranges.count;
	uint32_t first, last, end = 0;

	job->range_first = before / 2;
	while (text && range_next(&text, &first, &last)) {
		if (s->ranges.count > before && first < end)
			break;
		if (s->ranges.count > before && first == end) {
			s->ranges.values[s->ranges.count - 1] += last + 1 - first;
		} else {
			number_list_add(&s->ranges, first);
			number_list_add(&s->ranges, last + 1 - first);
		}
		end = last + 1;
	}
	/* Half of a set would draw the job where it was not: a text with any fault is no set at all. */
	if (text && *text)
		s->ranges.count = before;
	job->range_count = (uint32_t) (s->ranges.count - before) / 2;
	if (job->range_count && end > s->node_count)
		s->node_count = end;
}

static void job_make(struct gantt_run *s, struct gantt_job *job, const struct page_job *from)
{
	*job = (struct gantt_job){ .name = from->record->name,
				   .submit_ms = time_ms(from->sent_s),
				   .start_ms = time_ms(from->start_s),
				   .end_ms = time_ms(from->end_s),
				   .job_id = from->id,
				   .cpus = from->cpus };
	if (job->start_ms == GANTT_TIME_NONE)
		job->end_ms = GANTT_TIME_NONE;
	else
		ranges_read(s, job, from->record->node_intervals);
	if (job->end_ms != GANTT_TIME_NONE && job->end_ms < job->start_ms)
		job->end_ms = job->start_ms;
	for (int label = 0; label < GANTT_STATE; label++)
		job->labels[label] = from->group[groups[label]] == PAGE_NO_GROUP ? 0 : from->group[groups[label]] + 1;
	job->labels[GANTT_STATE] = (uint32_t) from->record->state + 1;
}

static void labels_make(struct gantt_run *s)
{
	for (int state = 0; state < WT_JOB_STATE_COUNT; state++)
		s->states[state] = wt_job_state_name((enum wt_job_state) state);
	for (int label = 0; label < GANTT_STATE; label++) {
		s->input.labels[label] = (const char *const *) s->run->groups[groups[label]].words;
		s->input.label_count[label] = (uint32_t) s->run->groups[groups[label]].count;
	}
	s->input.labels[GANTT_STATE] = s->states;
	s->input.label_count[GANTT_STATE] = WT_JOB_STATE_COUNT;
}

int gantt_run_make(struct gantt_run *s, const struct page_run *run, struct wt_error *errp)
{
	const struct wt_record *record = run->record;

	*s = (struct gantt_run){ .run = run, .node_count = record->nodes };
	s->jobs = calloc(s->run->job_count + 1, sizeof(*s->jobs));
	for (size_t i = 0; i < s->run->job_count && s->jobs; i++)
		job_make(s, &s->jobs[i], &s->run->jobs[i]);
	if (!s->jobs || s->ranges.failed)
		return wt_error_set(errp, ENOMEM, "not enough memory for the page's %zu jobs", s->run->job_count);
	if (gantt_machine_read(&s->machine, s->run, s->node_count, errp) < 0)
		return -1;
	s->input.job_count = s->run->job_count;
	s->input.jobs = s->jobs;
	s->input.ranges = (const struct gantt_range *) s->ranges.values;
	s->input.node_count = s->node_count;
	s->input.cpus_per_node = record->nodes ? (record->cpus + record->nodes - 1) / record->nodes : 0;
	s->input.node_names = s->machine.names;
	s->input.node_order = s->machine.order;
	s->input.level_count = s->machine.level_count;
	s->input.levels = s->machine.levels;
	labels_make(s);
	return 0;
}

void gantt_run_clear(struct gantt_run *s)
{
	free(s->jobs);
	number_list_clear(&s->ranges);
	gantt_machine_clear(&s->machine);
}
