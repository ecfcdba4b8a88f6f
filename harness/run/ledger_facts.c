/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose a job of the ledger is, where it ran, and for what it waited. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/run/ledger_private.h"
#include "lib/str.h"

#define TEXT_BYTES 128	/* users choose some of these texts; windtunnel-run(5) */

/* What is not told does not make forget what was. */
static void text_keep(char **kept, const char *text)
{
	char *line;

	if (!text || !*text || (*kept && !strcmp(*kept, text)))
		return;
	line = wt_str_make_line(text, TEXT_BYTES);
	if (!line)
		return;
	free(*kept);
	*kept = line;
}

static void pending_note(struct wt_pending *p, const struct wt_ledger_view *v, double asked_s)
{
	if (v->state == WT_JOB_PENDING && !v->completing)
		wt_pending_see(p, v->pending_reason, asked_s);
	else	/* of a job that was cancelled while it waited slurmctld tells the time of that as its start */
		wt_pending_end(p, fmin(asked_s, v->start_s));
}

void ledger_facts_note(struct wt_entry *e, struct wt_job_record *r, const struct wt_ledger_view *v, double asked_s)
{
	/* Of a job that is cancelled while it waits slurmctld forgets all partitions but one. */
	if (!r->partition || v->state == WT_JOB_PENDING || ledger_allocated(v))
		text_keep(&r->partition, v->partition);
	text_keep(&r->account, v->account);
	text_keep(&r->user, v->user);
	text_keep(&r->qos, v->qos);
	if (ledger_allocated(v))
		r->alloc_gpus = v->alloc_gpus;
	else if (r->alloc_gpus == WT_GPUS_UNKNOWN)
		r->alloc_gpus = 0;
	pending_note(&e->pending, v, asked_s);
}

const char *wt_ledger_waits_for(const struct wt_ledger *l, size_t i)
{
	return wt_pending_now(&l->entries[i].pending);
}
