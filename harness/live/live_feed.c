/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/live/live_feed.h"

/* Four times a second, and at most one fiftieth of the time: the feed is told by the process that is measured. */
#define PERIOD_S 0.25
#define REST_SHARE 50

enum { JOB_SEEN_START = 1, JOB_SEEN_END = 2 };

struct live_feed *live_feed_create(struct live_memory *memory)
{
	struct live_feed *feed = calloc(1, sizeof(*feed));

	if (!feed)
		return NULL;
	feed->memory = memory;
	live_state_init(&feed->state);
	return feed;
}

void live_feed_destroy(struct live_feed *feed)
{
	if (!feed)
		return;
	free(feed->seen);
	free(feed);
}

void live_feed_begin(struct live_feed *feed, const char *title, const char *folder, double wall_s)
{
	uint32_t number, count;

	if (!feed)
		return;
	number = feed->state.run_number;
	count = feed->state.run_count;
	live_state_init(&feed->state);
	free(feed->seen);
	feed->seen = NULL;
	feed->seen_count = feed->sample_read = 0;
	feed->due_wall_s = 0;
	feed->began_wall_s = wall_s;
	feed->state.run_number = number;
	feed->state.run_count = count;
	live_text_set(feed->state.title, sizeof(feed->state.title), title);
	live_text_set(feed->state.folder, sizeof(feed->state.folder), folder);
	live_feed_put(feed, wall_s, wall_s);
}

void live_feed_phase(struct live_feed *feed, enum live_phase phase, const char *doing, double wall_s)
{
	if (!feed || (phase == feed->state.phase && !strcmp(doing, feed->state.doing)))
		return;
	feed->state.phase = phase;
	live_text_set(feed->state.doing, sizeof(feed->state.doing), doing);
	live_feed_put(feed, wall_s, wall_s);
}

bool live_feed_due(const struct live_feed *feed, double wall_s)
{
	return feed && wall_s >= feed->due_wall_s;
}

static double span_s(double from_s, double to_s)
{
	return to_s < from_s ? 0 : to_s - from_s;	/* slurmctld tells whole seconds */
}

static void job_tell(struct live_feed *feed, const struct wt_job_record *job, double time_s, enum wt_job_state state)
{
	struct live_job told = {
		.id = job->job_id, .state = state, .time_s = time_s,
		.nodes = job->alloc_nodes ? job->alloc_nodes : job->nodes,
		.cpus = job->alloc_cpus ? job->alloc_cpus : job->cpus,
		.wait_s = span_s(wt_job_sent_s(job), job->start_s),
		.run_s = wt_job_state_final(state) ? span_s(job->start_s, job->end_s) : NAN,
	};

	live_text_set(told.name, sizeof(told.name), job->name);
	live_state_job_add(&feed->state, &told);
}

static void job_look(struct live_feed *feed, const struct wt_job_record *job, unsigned char *seen, double begin_s)
{
	bool final = wt_job_state_final(job->state);

	if (!(*seen & JOB_SEEN_START) && isfinite(job->start_s) && (final || job->state == WT_JOB_RUNNING ||
								   job->state == WT_JOB_COMPLETING)) {
		*seen |= JOB_SEEN_START;
		feed->state.started++;
		live_histogram_add(&feed->state.waits, job->start_s - wt_job_sent_s(job));
		live_histogram_add(&feed->state.submissions, job->submit_latency_s);
		if (!final)
			job_tell(feed, job, job->start_s - begin_s, WT_JOB_RUNNING);
	}
	if (!(*seen & JOB_SEEN_END) && final) {
		*seen |= JOB_SEEN_END;
		job_tell(feed, job, job->end_s - begin_s, job->state);
	}
}

static void samples_take(struct live_feed *feed, const struct wt_record *record, double begin_s)
{
	if (record->sample_count - feed->sample_read > LIVE_SAMPLES)
		feed->sample_read = record->sample_count - LIVE_SAMPLES;
	for (; feed->sample_read < record->sample_count; feed->sample_read++) {
		struct wt_sample sample = record->samples[feed->sample_read];

		sample.time_s -= begin_s;
		live_state_sample_add(&feed->state, &sample);
	}
}

void live_feed_record(struct live_feed *feed, const struct wt_record *record, double begin_s)
{
	if (!feed)
		return;
	if (!feed->seen && record->job_count) {
		feed->seen = calloc(record->job_count, 1);
		feed->seen_count = feed->seen ? record->job_count : 0;	/* without memory the page lacks the jobs */
	}
	for (size_t i = 0; i < feed->seen_count; i++)
		if (feed->seen[i] != (JOB_SEEN_START | JOB_SEEN_END))
			job_look(feed, &record->jobs[i], &feed->seen[i], begin_s);
	samples_take(feed, record, begin_s);
}

void live_feed_put(struct live_feed *feed, double since_s, double wall_s)
{
	if (!feed)
		return;
	feed->state.wall_s = wall_s - feed->began_wall_s;
	live_memory_put(feed->memory, &feed->state);
	feed->due_wall_s = wall_s + fmax(PERIOD_S, REST_SHARE * (wall_s - since_s));
}

void live_feed_end(struct live_feed *feed, int exit_status)
{
	struct live_state *last = feed ? malloc(sizeof(*last)) : NULL;
	uint64_t sequence;

	if (!feed)
		return;
	/* With --repeat each run tells from a process of its own. */
	if (last && live_memory_get(feed->memory, last, &sequence))
		feed->state = *last;
	free(last);
	feed->state.phase = LIVE_ENDED;
	feed->state.exit_status = exit_status;
	live_text_set(feed->state.doing, sizeof(feed->state.doing), "");
	live_memory_put(feed->memory, &feed->state);
}
