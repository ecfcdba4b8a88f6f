/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page.h: events of the cluster of a run, from world.csv and hosts.csv. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "harness/page/page.h"
#include "record/field.h"

#define EVENTS_MAX 100000	/* of a file that may be foreign */

enum { W_EVENT, W_TIME, W_OUTCOME, W_REQUIRED, W_NODES = W_REQUIRED, W_NAME, W_ANSWER, W_COLUMNS };

static const char *const columns[W_COLUMNS] = { "event", "time", "outcome", "nodes", "name", "answer" };

static void event_clear(struct page_event *event)
{
	free(event->what);
	free(event->outcome);
}

/* Those that were not reached have no time, and are left out. */
static int row_take(struct page_run *run, struct field_reader *r)
{
	const char *of = *field_text(r, W_NAME) ? field_text(r, W_NAME) : field_text(r, W_NODES);
	struct page_event event = { 0 }, *more;
	double time_s;

	if (field_number(r, W_TIME, &time_s) < 0)
		return -1;
	if (!isfinite(time_s))
		return 0;
	if ((run->event_count & (run->event_count - 1)) == 0) {	/* it grows at 0, 1, 2, 4, ... */
		more = reallocarray(run->events, run->event_count ? 2 * run->event_count : 1, sizeof(*more));
		if (!more)
			return wt_error_errno(r->errp, ENOMEM, "%s", r->name);
		run->events = more;
	}
	event.time_s = time_s - run->record->begin_s;
	event.what = wt_str_format("%s %s", field_text(r, W_EVENT), of);
	event.outcome = wt_str_format("%s%s%s", field_text(r, W_OUTCOME), *field_text(r, W_ANSWER) ? ": " : "",
				      field_text(r, W_ANSWER));
	if (!event.what || !event.outcome) {
		event_clear(&event);
		return wt_error_errno(r->errp, ENOMEM, "%s", r->name);
	}
	run->events[run->event_count++] = event;
	return 0;
}

static int time_order(const void *a, const void *b)
{
	const struct page_event *x = a, *y = b;

	return (x->time_s > y->time_s) - (x->time_s < y->time_s);
}

int page_events_read(struct page_run *run, FILE *in, const char *name, struct wt_error *errp)
{
	struct field_reader r;
	int rc;

	if (field_open(&r, in, name, columns, W_REQUIRED, W_COLUMNS, errp) < 0)
		return -1;
	while ((rc = field_next(&r)) > 0) {
		rc = run->event_count < EVENTS_MAX ? row_take(run, &r) :
		     wt_error_set(errp, EINVAL, "%s: more than %d events", name, EVENTS_MAX);
		if (rc < 0)
			break;
	}
	field_close(&r);
	if (run->event_count)
		qsort(run->events, run->event_count, sizeof(*run->events), time_order);
	return rc;
}

void page_events_clear(struct page_run *run)
{
	for (size_t i = 0; i < run->event_count; i++)
		event_clear(&run->events[i]);
	free(run->events);
	run->events = NULL;
	run->event_count = 0;
}
