/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "harness/run/submit_dependency.h"
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
