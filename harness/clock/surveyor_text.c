/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "harness/clock/surveyor_private.h"

/* A process' name may be anything: what is not plain would not go into a log, or into JSON. */
static void name_plain(const struct wt_shm_process *p, char name[sizeof(p->name)])
{
	memcpy(name, p->name, sizeof(p->name));
	name[sizeof(p->name) - 1] = '\0';
	for (char *c = name; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}

void wt_surveyor_describe(const struct wt_surveyor *v, const struct wt_survey *s, char *text, size_t size)
{
	static const char *const what[] = {
		[WT_UNREST_NONE] = "nothing is busy",
		[WT_UNREST_THREAD] = "a thread is busy",
		[WT_UNREST_BIRTH] = "a thread is being made",
		[WT_UNREST_CHANGED] = "something runs again and again",
		[WT_UNREST_REAL_WAIT] = "a thread waits for real time",
		[WT_UNREST_STRANGER] = "a program runs without the clock library",
		[WT_UNREST_OUTSIDER] = "a client that is not in the experiment is served",
		[WT_UNREST_GUEST] = "a process of another user lives by the clock",
		[WT_UNREST_HELPER] = "a watched helper is busy",
	};
	bool thread = s->unrest == WT_UNREST_THREAD || s->unrest == WT_UNREST_REAL_WAIT;
	uint32_t i = thread ? v->shm->threads[s->slot].process : s->slot;
	const struct wt_shm_process *p = &v->shm->processes[i < WT_SHM_PROCESSES_MAX ? i : 0];
	char name[sizeof(p->name)];

	name_plain(p, name);
	if (s->unrest == WT_UNREST_HELPER || s->unrest == WT_UNREST_GUEST || s->unrest == WT_UNREST_CHANGED ||
	    s->unrest == WT_UNREST_NONE)
		snprintf(text, size, "%s", what[s->unrest]);
	else if (thread)
		snprintf(text, size, "%s%s: %s[%d], thread %d", what[s->unrest], s->spinning ? " reading the clock" : "",
			 name, p->pid, v->shm->threads[s->slot].tid);
	else
		snprintf(text, size, "%s: begun by %s[%d]", what[s->unrest], name, p->pid);
}
