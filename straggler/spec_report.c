/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What tasks report: all of it foreign. */
#include "config.h"

#include "straggler/spec_private.h"

/* A record is taken at most this often per window: one is expected, two more may come with the start and the end. */
#define FLOOD_SHARE .2

/* Whether the record tells something new of 'a' that makes sense. */
static bool record_accept(struct wt_spec *s, const struct spec_attempt *a, const struct beat_record *r, double now_s)
{
	struct wt_spec_counters *c = &s->counters;
	double elapsed_s = (double) r->elapsed_us / 1e6;

	bool end = (r->flags & BEAT_END) && !a->end_fed;	/* the job may have ended before its agent says so */

	if (r->restart != a->restart || a->end_heard || (!spec_alive(a) && !end)) {
		c->stale++;
		return false;
	}
	/* Negated, so that a progress that is no number is refused, too. */
	if (!(r->progress >= 0 && r->progress <= 1) || elapsed_s > WT_STRAGGLER_ELAPSED_MAX_S) {
		c->range++;
		return false;
	}
	if (!a->heard)
		return true;
	if (r->progress < a->progress || elapsed_s < a->elapsed_s) {
		c->backwards++;
		return false;
	}
	/* Not of the end, which comes once: without it the task would look silent. */
	if (!end && now_s - a->received_s < FLOOD_SHARE * s->options.window_s) {
		c->flood++;
		return false;
	}
	return true;
}

static void record_take(struct wt_spec *s, struct spec_attempt *a, const struct beat_record *r, double now_s)
{
	a->heard = true;
	a->elapsed_s = (double) r->elapsed_us / 1e6;
	a->progress = r->progress;
	a->received_s = now_s;
	/* Before active_s is set anew: see hung (). */
	if (now_s - a->task->array->active_s > SPEC_GAP_WINDOWS * s->options.window_s)
		a->task->array->heard_since_s = now_s;
	a->task->array->active_s = now_s;
	if (r->progress >= WT_STRAGGLER_PROGRESS_MIN && !a->task->reported) {
		a->task->reported = true;
		a->task->array->reporting++;
	}
	s->counters.accepted++;
	/* The detector is fed by end_feed (), once slurmctld has said that the end was a good one. */
	if (r->flags & BEAT_END) {
		a->end_heard = true;
		spec_look_file(s, a);
	} else {
		spec_detector_feed(s, a, false, now_s);
	}
}

void spec_report_late(struct wt_spec *s, struct spec_attempt *a, const struct spec_lookup *lookup, double now_s)
{
	if (!lookup->reported)
		return;
	if (!spec_may(s, lookup->uid, a->task->array->uid))
		s->counters.foreign++;
	else if (record_accept(s, a, &lookup->record, now_s))
		record_take(s, a, &lookup->record, now_s);
}

enum port_code wt_spec_report(struct wt_spec *s, uint32_t uid, const struct port_message *message, double now_s)
{
	uint32_t foreign = 0;

	s->counters.messages++;
	for (uint32_t i = 0; i < message->count; i++) {
		const struct beat_record *r = &message->records[i];
		struct spec_attempt *a = spec_attempt_find(s, r->job_id);

		if (!a) {
			s->counters.unknown++;
			spec_lookup_asked(s, uid, r->job_id, now_s);
			spec_lookup_record(s, uid, r);
		} else if (!spec_may(s, uid, a->task->array->uid)) {
			s->counters.foreign++;
			foreign++;
		} else if (r->restart > a->restart) {	/* it was requeued */
			s->counters.stale++;
			spec_lookup_add(s, r->job_id, now_s);
			spec_lookup_record(s, uid, r);
		} else if (record_accept(s, a, r, now_s)) {
			record_take(s, a, r, now_s);
		}
	}
	/* Some records of an agent's may be of a job that is another user's by now; only a message with nothing else is a
	 * mistake. */
	return message->count && foreign == message->count ? PORT_DENIED : PORT_OK;
}
