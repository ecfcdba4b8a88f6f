/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "harness/upgrade/upgrade_fields.h"

#include <string.h>

#include "lib/str.h"

static const struct {
	enum upgrade_kind kind;
	const char *field;
} moving[] = {
	{ UPGRADE_JOB, "RunTime" },   { UPGRADE_JOB, "LastSchedEval" }, { UPGRADE_JOB, "Scheduler" },
	{ UPGRADE_NODE, "BootTime" }, /* now less the uptime: a second more or less */
	{ UPGRADE_NODE, "CPULoad" },  { UPGRADE_NODE, "FreeMem" },      { UPGRADE_NODE, "LastBusyTime" },
	{ UPGRADE_NODE, "NodeAddr" }, /* each cluster has its own */
	{ UPGRADE_NODE, "OS" },       { UPGRADE_NODE, "Port" },         { UPGRADE_NODE, "SlurmdStartTime" },
	{ UPGRADE_NODE, "Version" },
};

static bool one_of(const char *value, const char *const *words, size_t count)
{
	for (size_t i = 0; value && i < count; i++)
		if (!strcmp(value, words[i]))
			return true;
	return false;
}

bool upgrade_job_ended(const struct upgrade_record *job)
{
	static const char *const ended[] = { "BOOT_FAIL", "CANCELLED",     "COMPLETED", "COMPLETING", "DEADLINE", "FAILED",
					     "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED",    "TIMEOUT" };

	return !job->odd && one_of(upgrade_record_get(job, "JobState"), ended, sizeof(ended) / sizeof(*ended));
}

bool upgrade_job_ran(const struct upgrade_record *job)
{
	static const char *const ran[] = { "CONFIGURING", "RUNNING", "STOPPED", "SUSPENDED" };

	return one_of(upgrade_record_get(job, "JobState"), ran, sizeof(ran) / sizeof(*ran));
}

/* The length of the first words of a State: up to '*' (older releases) or "+NOT_RESPONDING". */
static bool state_same(const char *a, const char *b)
{
	static const char mark[] = "+NOT_RESPONDING";

	while (*a || *b) {
		if (*a == '*')
			a++;
		else if (*b == '*')
			b++;
		else if (!strncmp(a, mark, strlen(mark)))
			a += strlen(mark);
		else if (!strncmp(b, mark, strlen(mark)))
			b += strlen(mark);
		else if (*a++ != *b++)
			return false;
	}
	return true;
}

bool upgrade_value_same(enum upgrade_kind kind, const char *field, const char *before, const char *after)
{
	if (!before || !after)
		return !before && !after;
	if (kind == UPGRADE_NODE && !strcmp(field, "State"))
		return state_same(before, after);
	return !strcmp(before, after);
}

/* Is one of the two releases older than 'since', and the other not? */
static bool crossed(const char *from, const char *to, const char *since)
{
	return (strverscmp(from, since) < 0) != (strverscmp(to, since) < 0);
}

static bool positive(const char *value)
{
	uint64_t n;

	return wt_str_to_u64(value, 1, UINT64_MAX, "priority", &n, NULL) == 0;
}

/* "4-4" is 4. */
static bool number_same(const char *range, const char *number)
{
	size_t len = strlen(number);

	return !strncmp(range, number, len) && range[len] == '-' && !strcmp(range + len + 1, number);
}

static const char *known_why(const struct upgrade_change *c, const char *from, const char *to)
{
	static const char *const sensors[] = { "ExtSensorsJoules", "ExtSensorsTemp", "ExtSensorsWatts" };
	static const char *const nothing[] = { "n/a", "n/s", "0" };
	size_t words = sizeof(nothing) / sizeof(*nothing);

	if (!c->before || !c->after)
		return NULL;
	/* 0 is a job that is held: it is no other default that lets it go */
	if (c->kind == UPGRADE_JOB && !strcmp(c->field, "Priority") && crossed(from, to, "23.11") && positive(c->before) &&
	    positive(c->after))
		return "without PriorityType in slurm.conf it is priority/basic before 23.11, priority/multifactor since";
	if (c->kind == UPGRADE_JOB && !strcmp(c->field, "NumNodes") &&
	    (number_same(c->before, c->after) || number_same(c->after, c->before)))
		return "the same number, written otherwise";
	if (c->kind == UPGRADE_NODE && one_of(c->field, sensors, sizeof(sensors) / sizeof(*sensors)) &&
	    one_of(c->before, nothing, words) && one_of(c->after, nothing, words))
		return "no value, written otherwise";
	return NULL;
}

/* A job that waits: its times and nodes are what backfill expects, its reason which of two rules held it up last. */
static bool expected(const struct upgrade_change *c)
{
	static const char *const times[] = { "StartTime", "EndTime", "SchedNodeList" };
	static const char *const reasons[] = { "None", "Priority", "Resources" };
	const char *state = upgrade_record_get(c->record, "JobState");

	if (c->kind != UPGRADE_JOB || !state || strcmp(state, "PENDING"))
		return false;
	if (!strcmp(c->field, "Reason"))
		return one_of(c->before, reasons, sizeof(reasons) / sizeof(*reasons)) &&
		       one_of(c->after, reasons, sizeof(reasons) / sizeof(*reasons));
	return one_of(c->field, times, sizeof(times) / sizeof(*times));
}

enum upgrade_cause upgrade_field_cause(const struct upgrade_change *change, const char *from, const char *to,
				       const char **why)
{
	*why = NULL;
	for (size_t i = 0; i < sizeof(moving) / sizeof(*moving); i++)
		if (change->kind == moving[i].kind && !strcmp(change->field, moving[i].field))
			return UPGRADE_MOVES;
	if (expected(change))
		return UPGRADE_EXPECTED;
	*why = known_why(change, from, to);
	return *why ? UPGRADE_KNOWN : UPGRADE_BY_RELEASE;
}
