/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz records of scontrol, their comparison, and the log of slurmctld. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/upgrade/upgrade_report.h"
#include "lib/fuzz.h"

/* The input's two halves, split at the first '\f', are before and after. */
static size_t half_find(const char *text, size_t size)
{
	const char *at = memchr(text, '\f', size);

	return at ? (size_t) (at - text) : size / 2;
}

/* Each record is accounted for, and nothing differs from itself. */
static void tallies_check(const struct upgrade_hop *hop)
{
	for (int kind = 0; kind < UPGRADE_KINDS; kind++) {
		const struct upgrade_tally *t = &hop->result.tallies[kind];

		if (t->before != hop->before[kind].count || t->before != t->kept + t->changed + t->lost + t->forgotten ||
		    t->appeared > hop->after[kind].count)
			abort();
	}
}

static void hop_check(struct upgrade_hop *hop, const char *log)
{
	const struct upgrade_side before = { "22.05.8", hop->before }, after = { "24.11.5", hop->after };
	char *printed = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&printed, &len);
	json_t *json;

	if (!upgrade_at_rest(&before, &before))
		abort();
	if (upgrade_compare(&hop->result, &before, &before, &after, NULL) < 0 ||
	    upgrade_said_read(&hop->said, log, NULL, NULL) < 0 || !out)
		abort();
	tallies_check(hop);
	upgrade_print(out, hop, 1);
	fclose(out);
	for (size_t i = 0; i < len; i++)
		if ((unsigned char) printed[i] < ' ' && printed[i] != '\n')
			abort();
	json = upgrade_json(hop, 1, NULL);
	if (!json)
		abort();
	json_decref(json);
	free(printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *) data;
	size_t half = half_find(text, size), rest = half < size ? half + 1 : size;
	struct upgrade_records before[UPGRADE_KINDS] = { 0 };
	struct upgrade_hop hop = { .from = "22.05.8", .to = "24.11.5", .before = before };
	char *log = strndup(text, size), *fatal = log ? upgrade_fatal_find(log) : NULL;
	char *strange = log ? upgrade_strange_node_find(log) : NULL;

	for (int kind = 0; kind < UPGRADE_KINDS; kind++) {
		if (upgrade_records_parse(&before[kind], (enum upgrade_kind) kind, text, half, NULL) < 0) {
			upgrade_records_clear(&before[kind]);
			continue;
		}
		if (upgrade_records_parse(&hop.after[kind], (enum upgrade_kind) kind, text + rest, size - rest, NULL) < 0)
			upgrade_records_clear(&hop.after[kind]);
	}
	hop_check(&hop, log);
	for (int kind = 0; kind < UPGRADE_KINDS; kind++)
		upgrade_records_clear(&before[kind]);
	upgrade_hop_clear(&hop);
	free(fatal);
	free(strange);
	free(log);
	return 0;
}

static const char *const seeds[] = {
	"JobId=1 ArrayJobId=1 ArrayTaskId=1-6:2%2 JobName=a b JobState=RUNNING Priority=4 NumNodes=1-1 Reason=None TRES=c\n"
	"JobId=2 JobName=x JobState=COMPLETED\n\fJobId=1 ArrayJobId=1 ArrayTaskId=3 JobName=a b JobState=PENDING\n",
	"NodeName=n1 State=IDLE* Reason=disk errors [root@2026-11-28T11:32:47] OS=Linux 6 #1\n\fNodeName=n1 State=IDLE\n",
	"ReservationName=r Users=root\n\fNo reservations in the system\n",
	"[2026-11-28T11:32:47.748] error: x\n[2026-11-28T11:32:47.748] fatal: Can not recover\n",
};

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	size_t len;

	if (index >= sizeof(seeds) / sizeof(seeds[0]))
		return 0;
	len = strlen(seeds[index]) < size ? strlen(seeds[index]) : size;
	memcpy(buf, seeds[index], len);
	return len;
}
