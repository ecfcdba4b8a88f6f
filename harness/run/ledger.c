/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "harness/run/ledger_private.h"

/* A job that one view does not show may be between two tables of slurmctld; two views in a row are an answer. */
#define ABSENT_VIEWS 2

static bool entry_open(const struct wt_entry *e)
{
	return e->phase == WT_ENTRY_UNSURE || (e->phase == WT_ENTRY_ACCEPTED && !e->ended);
}

static bool entry_settled(const struct wt_entry *e)
{
	return (e->phase == WT_ENTRY_ACCEPTED && e->ended) || e->phase == WT_ENTRY_REFUSED || e->phase == WT_ENTRY_MISSING;
}

static size_t *state_counter(struct wt_ledger_counts *c, const struct wt_entry *e, const struct wt_job_record *r)
{
	if (e->ended)
		return &c->ended;
	if (r->state == WT_JOB_PENDING)
		return &c->pending;
	return r->state == WT_JOB_RUNNING ? &c->running : &c->completing;
}

/* Adds 'one' for the entry wherever it counts. */
static void entry_count(struct wt_ledger *l, size_t i, size_t one)
{
	const struct wt_entry *e = &l->entries[i];
	struct wt_ledger_counts *c = &l->counts;

	c->resubmitted += one * e->resubmissions;
	c->refused += one * (e->phase == WT_ENTRY_REFUSED);
	c->missing += one * (e->phase == WT_ENTRY_MISSING);
	c->unsure += one * (e->phase == WT_ENTRY_UNSURE);
	l->lost += one * (e->phase == WT_ENTRY_LOST);
	l->settled += one * entry_settled(e);
	if (e->phase != WT_ENTRY_ACCEPTED)
		return;
	c->submitted += one;
	*state_counter(c, e, &l->records[i]) += one;
	c->completed += one * (e->ended && l->records[i].state == WT_JOB_COMPLETED);
}

/* Around each change of an entry's phase, its end, its job's state or its count of resubmissions. */
static void entry_change_begin(struct wt_ledger *l, size_t i)
{
	entry_count(l, i, SIZE_MAX);	/* takes one away: sizes wrap */
}

static void entry_change_end(struct wt_ledger *l, size_t i)
{
	struct wt_entry *e = &l->entries[i];
	size_t last;

	entry_count(l, i, 1);
	if (entry_open(e) && !e->open_place) {
		l->open[l->open_count] = i;
		e->open_place = ++l->open_count;
	} else if (!entry_open(e) && e->open_place) {
		last = l->open[--l->open_count];
		l->open[e->open_place - 1] = last;
		l->entries[last].open_place = e->open_place;
		e->open_place = 0;
	}
}

struct wt_ledger *wt_ledger_create(const struct wt_workload *workload)
{
	struct wt_ledger *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->count = workload->job_count;
	l->state.first_sent_s = NAN;
	l->entries = calloc(l->count + 1, sizeof(*l->entries));
	l->open = calloc(l->count + 1, sizeof(*l->open));
	l->record = wt_record_create(workload, NULL);
	if (!l->entries || !l->open || !l->record || name_index_init(&l->index, l->count) < 0)
		goto error;
	l->records = l->record->jobs;
	for (size_t i = 0; i < l->count; i++)
		name_index_add(&l->index, l->records[i].name, (uint32_t) i);
	return l;
error:
	wt_ledger_destroy(l);
	return NULL;
}

void wt_ledger_destroy(struct wt_ledger *l)
{
	int saved_errno = errno;

	if (!l)
		return;
	for (size_t i = 0; l->entries && i < l->count; i++) {
		free(l->entries[i].problem);
		wt_pending_clear(&l->entries[i].pending);
	}
	name_index_clear(&l->index);
	free(l->entries);
	free(l->open);
	wt_record_destroy(l->record);
	free(l);
	errno = saved_errno;
}

void wt_ledger_boot_note(struct wt_ledger *l, int64_t boot_s)
{
	l->boot_s = boot_s;
}

struct wt_entry_state wt_ledger_entry_look(const struct wt_ledger *l, size_t i)
{
	const struct wt_entry *e = &l->entries[i];

	return (struct wt_entry_state) { .phase = e->phase, .ended = e->ended, .problem = e->problem };
}

struct wt_ledger_state wt_ledger_look(const struct wt_ledger *l)
{
	return l->state;
}

struct wt_record *wt_ledger_record_look(const struct wt_ledger *l)
{
	return l->record;
}

static void phase_set(struct wt_ledger *l, size_t i, enum wt_entry_phase phase)
{
	entry_change_begin(l, i);
	l->entries[i].phase = phase;
	entry_change_end(l, i);
}

static void problem_set(struct wt_entry *e, const char *problem)
{
	free(e->problem);
	e->problem = problem ? strdup(problem) : NULL;
}

void wt_ledger_sending(struct wt_ledger *l, size_t i, double now_s)
{
	struct wt_entry *e = &l->entries[i];

	entry_change_begin(l, i);
	if (e->phase == WT_ENTRY_LOST)
		e->resubmissions++;
	e->phase = WT_ENTRY_SENDING;
	entry_change_end(l, i);
	e->sent_s = now_s;
	e->boot_at_send_s = l->boot_s;
	e->absent = 0;
	wt_pending_clear(&e->pending);
	if (isnan(l->state.first_sent_s))
		l->state.first_sent_s = now_s;
}

void wt_ledger_accepted(struct wt_ledger *l, size_t i, uint32_t job_id, double now_s)
{
	struct wt_entry *e = &l->entries[i];
	struct wt_job_record *r = &l->records[i];

	entry_change_begin(l, i);
	e->phase = WT_ENTRY_ACCEPTED;
	r->state = WT_JOB_PENDING;
	entry_change_end(l, i);
	e->seen_s = now_s;
	e->absent = 0;
	wt_pending_begin(&e->pending, now_s);
	problem_set(e, NULL);
	r->job_id = job_id;
	r->submit_s = now_s;
	r->submit_latency_s = now_s - e->sent_s;
	l->state.progress_s = now_s;
}

void wt_ledger_task_accepted(struct wt_ledger *l, size_t i, uint32_t array_job_id, double now_s)
{
	wt_ledger_accepted(l, i, 0, now_s);
	l->entries[i].array_job_id = array_job_id;
}

uint32_t wt_ledger_waited_id(const struct wt_ledger *l, size_t i)
{
	return l->entries[i].array_job_id ? l->entries[i].array_job_id : l->records[i].job_id;
}

void wt_ledger_unsure(struct wt_ledger *l, size_t i, const char *problem, double now_s)
{
	struct wt_entry *e = &l->entries[i];

	if (e->phase != WT_ENTRY_SENDING)	/* a view has shown it meanwhile */
		return;
	phase_set(l, i, WT_ENTRY_UNSURE);
	e->absent = 0;
	e->seen_s = now_s;
	problem_set(e, problem);
}

void wt_ledger_refused(struct wt_ledger *l, size_t i, const char *problem, double now_s)
{
	phase_set(l, i, WT_ENTRY_REFUSED);
	problem_set(&l->entries[i], problem);
	l->state.progress_s = now_s;
}

/* Certainly not delivered. */
static void entry_send_again(struct wt_ledger *l, size_t i)
{
	struct wt_entry *e = &l->entries[i];

	entry_change_begin(l, i);
	e->phase = e->resubmissions ? WT_ENTRY_LOST : WT_ENTRY_WAITING;
	/* wt_ledger_sending () counts the next attempt; this one was none. */
	if (e->resubmissions)
		e->resubmissions--;
	entry_change_end(l, i);
}

void wt_ledger_unsent(struct wt_ledger *l, size_t i)
{
	entry_send_again(l, i);
}

void wt_ledger_view_begin(struct wt_ledger *l, double asked_s)
{
	l->asked_s = asked_s;
	for (size_t k = 0; k < l->open_count; k++) {
		struct wt_entry *e = &l->entries[l->open[k]];

		e->absent += asked_s > e->seen_s;
	}
}

ssize_t wt_ledger_find(struct wt_ledger *l, const char *name)
{
	uint32_t i = name_index_find(&l->index, name);

	return i == NAME_INDEX_NONE ? -1 : (ssize_t) i;
}

bool wt_ledger_wants_cpus(struct wt_ledger *l, const struct wt_ledger_view *v)
{
	ssize_t i = wt_ledger_find(l, v->name);
	const struct wt_entry *e = i < 0 ? NULL : &l->entries[i];

	return e && e->phase == WT_ENTRY_ACCEPTED && l->records[i].job_id == v->job_id &&
	       ledger_allocation_wants_cpus(e, &l->records[i], v);
}

static void entry_update(struct wt_ledger *l, size_t i, const struct wt_ledger_view *v)
{
	struct wt_entry *e = &l->entries[i];
	struct wt_job_record *r = &l->records[i];
	enum wt_job_state state = v->completing && !wt_job_state_final(v->state) ? WT_JOB_COMPLETING : v->state;
	bool ended = wt_job_state_final(v->state) && !v->completing;

	if (state != r->state || ended != e->ended || v->restarts != e->restarts)
		l->state.progress_s = l->asked_s;
	entry_change_begin(l, i);
	e->ended = ended;
	r->state = state;
	entry_change_end(l, i);
	e->seen_s = l->asked_s;
	e->absent = 0;
	if (v->restarts != e->restarts)
		e->begun = false;
	r->exit_code = v->exit_code;
	/* Of a job that was cancelled while it waited slurmctld tells the time of that as its start, too. */
	if (ledger_allocated(v))
		r->start_s = v->start_s;
	else if (state == WT_JOB_PENDING)
		r->start_s = NAN;
	r->end_s = wt_job_state_final(v->state) ? v->end_s : NAN;
	ledger_allocation_note(e, r, v);
	ledger_facts_note(e, r, v, l->asked_s);
	e->restarts = v->restarts;
}

void wt_ledger_view_show(struct wt_ledger *l, const struct wt_ledger_view *v)
{
	ssize_t i = wt_ledger_find(l, v->name);
	struct wt_entry *e;

	if (i < 0)
		return;
	e = &l->entries[i];
	switch (e->phase) {
	case WT_ENTRY_UNSURE:
	case WT_ENTRY_MISSING:
	case WT_ENTRY_LOST:	/* the verdict was wrong: it is there */
		wt_ledger_accepted(l, i, v->job_id, l->asked_s);
		e->array_job_id = v->array_job_id;
		break;
	case WT_ENTRY_ACCEPTED:
		if (l->records[i].job_id == v->job_id && e->array_job_id == v->array_job_id)
			break;
		if (e->array_job_id && e->array_job_id == v->array_job_id) {
			if (v->job_id)
				l->records[i].job_id = v->job_id;
			break;
		}
		/* Another id of the same name.  An answer of before the acceptance may show a job that was lost since; a
		 * later one shows that slurmctld has the job twice. */
		if (l->asked_s >= l->records[i].submit_s)
			l->state.duplicates++;
		return;
	default:		/* its reply is on the way */
		return;
	}
	entry_update(l, i, v);
}

/* Of an open entry. */
static bool entry_suspicious(const struct wt_ledger *l, const struct wt_entry *e)
{
	return e->absent && e->seen_s < l->asked_s;
}

bool wt_ledger_view_suspicious(const struct wt_ledger *l)
{
	for (size_t k = 0; k < l->open_count; k++)
		if (entry_suspicious(l, &l->entries[l->open[k]]))
			return true;
	return false;
}

/* slurmctld tells its start in whole seconds, rounded down. */
static bool restarted_since(int64_t boot_s, double time_s)
{
	return (double) boot_s + 1 > time_s;
}

static void entry_judge(struct wt_ledger *l, size_t i, int64_t boot_s, uint32_t min_job_age_s, double now_s)
{
	struct wt_entry *e = &l->entries[i];
	/* Within the second of a start only a boot time that has changed tells which came first. */
	bool restarted = restarted_since(boot_s, e->sent_s) && (!e->boot_at_send_s || boot_s > e->boot_at_send_s);
	bool purgeable = min_job_age_s && now_s - e->seen_s >= min_job_age_s;

	if (e->phase == WT_ENTRY_UNSURE) {
		/* Without a restart the request may still be under way: sent again it could make a second job. */
		if (restarted)
			entry_send_again(l, i);
	} else if (restarted && !purgeable && !e->resubmissions) {
		phase_set(l, i, WT_ENTRY_LOST);
		e->begun = false;
	} else {
		phase_set(l, i, WT_ENTRY_MISSING);
		l->records[i].state = WT_JOB_UNKNOWN;	/* counts with no entry that is missing */
		problem_set(e, !restarted ? "slurmctld does not know it any more, and its end was not seen" :
			    e->resubmissions ? "slurmctld lost it twice" :
			    "slurmctld restarted and does not know it; it may have ended before");
	}
	if (e->phase != WT_ENTRY_UNSURE)
		l->state.progress_s = now_s;
}

void wt_ledger_view_end(struct wt_ledger *l, int64_t boot_s, uint32_t min_job_age_s, double now_s)
{
	/* Unless it is known when slurmctld started (0: it was not asked) an absent job proves nothing. */
	if (!boot_s)
		return;
	/* From the end on: the last one takes the place of one that is open no more. */
	for (size_t k = l->open_count; k-- > 0;) {
		const struct wt_entry *e = &l->entries[l->open[k]];

		if (entry_suspicious(l, e) && e->absent >= ABSENT_VIEWS)
			entry_judge(l, l->open[k], boot_s, min_job_age_s, now_s);
	}
	l->boot_s = boot_s;
}

ssize_t wt_ledger_next_lost(const struct wt_ledger *l)
{
	for (size_t i = 0; l->lost && i < l->count; i++)
		if (l->entries[i].phase == WT_ENTRY_LOST)
			return i;
	return -1;
}

bool wt_ledger_settled(const struct wt_ledger *l)
{
	return l->settled == l->count;
}

struct wt_ledger_counts wt_ledger_count(const struct wt_ledger *l)
{
	return l->counts;
}

/* Index the jobs by their ids.  Of two entries with one id (slurmctld gives the ids of jobs that it lost again) the one that
 * the last view showed has it; the other one has none any more. */
static int ids_index(struct wt_ledger *l, bool shown, struct wt_error *errp)
{
	for (size_t i = 0; i < l->count; i++) {
		struct wt_job_record *r = &l->records[i];
		const struct wt_entry *e = &l->entries[i];
		uint32_t job_id = r->job_id;

		if (!job_id || (e->phase == WT_ENTRY_ACCEPTED && e->seen_s >= l->asked_s) != shown)
			continue;
		r->job_id = 0;
		if (wt_record_set_job_id(l->record, r, job_id, errp) < 0 && errno != EEXIST)
			return -1;
	}
	return 0;
}

static int pending_tell(struct wt_ledger *l, struct wt_error *errp)
{
	for (size_t i = 0; i < l->count; i++) {
		struct wt_job_record *r = &l->records[i];

		free(r->pending_reason);
		free(r->pending_times);
		if (wt_pending_tell(&l->entries[i].pending, &r->pending_reason, &r->pending_times) < 0)
			return wt_error_errno(errp, ENOMEM, "job %s", r->name);
	}
	return 0;
}

struct wt_record *wt_ledger_take_record(struct wt_ledger *l, struct wt_error *errp)
{
	struct wt_record *record = l->record;

	record->begin_s = l->state.first_sent_s;
	if (pending_tell(l, errp) < 0 || ids_index(l, true, errp) < 0 || ids_index(l, false, errp) < 0)
		return NULL;
	l->record = NULL;
	l->records = NULL;
	return record;
}
