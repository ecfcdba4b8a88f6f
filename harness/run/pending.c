/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/run/pending.h"
#include "lib/str.h"

void wt_pending_begin(struct wt_pending *p, double now_s)
{
	p->waiting = true;
	p->current = SIZE_MAX;
	p->since_s = now_s;
}

static int time_add(struct wt_pending *p, const char *reason)
{
	struct wt_pending_time *times = reallocarray(p->times, p->count + 1, sizeof(*times));
	char *copy = strdup(reason);

	if (times)
		p->times = times;
	if (!times || !copy) {
		free(copy);
		return -1;
	}
	/* The column of jobs.csv is "REASON=S;REASON=S": neither mark may stand in a reason. */
	for (char *c = copy; *c; c++)
		if (*c == ';' || *c == '=')
			*c = '_';
	times[p->count++] = (struct wt_pending_time) { .reason = copy };
	return 0;
}

static bool reason_same(const char *kept, const char *reason)
{
	for (; *kept && *reason; kept++, reason++)
		if (*kept != (*reason == ';' || *reason == '=' ? '_' : *reason))
			return false;
	return *kept == *reason;
}

/* Its place, made where there was none. */
static size_t time_find(struct wt_pending *p, const char *reason)
{
	for (size_t i = 0; i < p->count; i++)
		if (reason_same(p->times[i].reason, reason))
			return i;
	if (time_add(p, reason) == 0)
		return p->count - 1;
	p->failed = true;
	return SIZE_MAX;
}

static void time_count(struct wt_pending *p, double until_s)
{
	if (p->waiting && p->current != SIZE_MAX)
		p->times[p->current].s += fmax(until_s - p->since_s, 0);
}

void wt_pending_see(struct wt_pending *p, const char *reason, double now_s)
{
	bool first = p->waiting && p->current == SIZE_MAX;

	if (!reason || !*reason) {
		wt_pending_end(p, now_s);
		return;
	}
	time_count(p, now_s);
	p->current = time_find(p, reason);
	/* Until the first look the reason is not seen: that time goes to the first that is seen. */
	if (first)
		time_count(p, now_s);
	p->waiting = true;
	p->since_s = now_s;
}

void wt_pending_end(struct wt_pending *p, double end_s)
{
	time_count(p, end_s);
	p->waiting = false;
}

const char *wt_pending_now(const struct wt_pending *p)
{
	return p->waiting && p->current < p->count ? p->times[p->current].reason : NULL;
}

/* The index of the longest that is not marked, and marks it; count: there is none. */
static size_t longest_take(const struct wt_pending *p, bool *taken)
{
	size_t longest = p->count;

	for (size_t i = 0; i < p->count; i++)
		if (!taken[i] && (longest == p->count || p->times[i].s > p->times[longest].s))
			longest = i;
	if (longest < p->count)
		taken[longest] = true;
	return longest;
}

int wt_pending_tell(const struct wt_pending *p, char **reason, char **times)
{
	struct wt_str text = { 0 };
	bool *taken;
	size_t i;

	*reason = *times = NULL;
	if (!p->count && !p->failed)
		return 0;
	taken = calloc(p->count + 1, sizeof(*taken));
	while (taken && (i = longest_take(p, taken)) < p->count) {
		if (!*reason)
			*reason = strdup(p->times[i].reason);
		/* Looks are seconds apart, and a look's own microseconds are the machine's whim. */
		wt_str_printf(&text, "%s%s=%.3f", text.len ? ";" : "", p->times[i].reason, p->times[i].s);
	}
	free(taken);
	*times = wt_str_take(&text);
	if (taken && *reason && *times && !p->failed)
		return 0;
	free(*reason);
	free(*times);
	*reason = *times = NULL;
	errno = ENOMEM;
	return -1;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Slurm's reasons (REASON of squeue) in five groups: resources, turn, other jobs, limits, and the rest. */
uint64_t *wt_pending_counter(struct wt_sample *sample, const char *reason)
{
	if (!reason)
		return &sample->pending_other;
	if (!strcmp(reason, "Resources"))
		return &sample->pending_resources;
	if (!strcmp(reason, "Priority"))
		return &sample->pending_priority;
	if (begins(reason, "Dependency"))
		return &sample->pending_dependency;
	if (begins(reason, "QOS") || begins(reason, "Assoc") || begins(reason, "Partition"))
		return &sample->pending_limit;
	return &sample->pending_other;
}

void wt_pending_clear(struct wt_pending *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->times[i].reason);
	free(p->times);
	*p = (struct wt_pending) { 0 };
}
