/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "harness/run/submit_dependency.h"
#include "lib/str.h"
#include "workload/dependency.h"

struct depends_look {
	struct wt_ledger *ledger;
	const char *prefix;	/* of the names of the workload's jobs: what stands before their ids */
	size_t prefix_len;
	enum wt_depends state;
	char lost[128], id[16];
};

static const char *job_id_of(const char *id, size_t len, void *arg)
{
	struct depends_look *look = arg;
	char name[512];
	ssize_t i;

	snprintf(name, sizeof(name), "%.*s%.*s", (int) look->prefix_len, look->prefix, (int) len, id);
	i = wt_ledger_find(look->ledger, name);
	switch (i < 0 ? WT_ENTRY_MISSING : wt_ledger_entry_look(look->ledger, (size_t) i).phase) {
	case WT_ENTRY_ACCEPTED:
		snprintf(look->id, sizeof(look->id), "%u", wt_ledger_record_look(look->ledger)->jobs[i].job_id);
		return look->id;
	case WT_ENTRY_REFUSED:
	case WT_ENTRY_MISSING:
		look->state = WT_DEPENDS_LOST;
		snprintf(look->lost, sizeof(look->lost), "%.*s", (int) len, id);
		return "0";
	default:
		if (look->state == WT_DEPENDS_READY)
			look->state = WT_DEPENDS_WAITS;
		return "0";
	}
}

enum wt_depends wt_submit_dependency(struct wt_ledger *ledger, const struct wt_job *job, char **text, struct wt_error *errp)
{
	struct depends_look look = {
		.ledger = ledger, .prefix = job->name, .prefix_len = strlen(job->name) - strlen(job->trace_id),
	};

	*text = wt_dependency_map(job->ask->text[WT_ASK_DEPENDENCY], job_id_of, &look, errp);
	if (!*text)
		return WT_DEPENDS_LOST;
	if (look.state == WT_DEPENDS_READY)
		return WT_DEPENDS_READY;
	free(*text);
	*text = NULL;
	if (look.state == WT_DEPENDS_LOST)
		wt_error_set(errp, ENOENT, "it depends on %s, which slurmctld does not have", look.lost);
	return look.state;
}

/* Its tasks are one array for slurmctld, or several: what it has lost was submitted again alone. */
enum wt_depends wt_submit_waits(struct wt_ledger *ledger, const struct wt_workload *workload, const struct wt_job *job,
				char **text, struct wt_error *errp)
{
	const struct wt_job *before = &workload->jobs[job->waits_for - 1];
	size_t first = before->number - before->array_task, count = before->array_tasks ? before->array_tasks : 1;
	enum wt_depends state = WT_DEPENDS_READY;
	struct wt_str ids = { 0 };
	uint32_t last = 0;

	*text = NULL;
	for (size_t i = first; i < first + count && state != WT_DEPENDS_LOST; i++) {
		enum wt_entry_phase phase = wt_ledger_entry_look(ledger, i).phase;
		uint32_t id = wt_ledger_waited_id(ledger, i);

		if (phase == WT_ENTRY_REFUSED || phase == WT_ENTRY_MISSING) {
			wt_error_set(errp, ENOENT, "it waits for job %s, which slurmctld does not have",
				     workload->jobs[i].name);
			state = WT_DEPENDS_LOST;
		} else if (phase != WT_ENTRY_ACCEPTED) {
			state = WT_DEPENDS_WAITS;
		} else if (id != last) {
			wt_str_printf(&ids, last ? ":%u" : "afterok:%u", id);
			last = id;
		}
	}
	if (state == WT_DEPENDS_READY)
		*text = wt_str_take(&ids);
	wt_str_clear(&ids);
	return state == WT_DEPENDS_READY && !*text ? WT_DEPENDS_WAITS : state;	/* no memory: it is tried again */
}
