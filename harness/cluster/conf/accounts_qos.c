/* SPDX-License-Identifier: GPL-2.0-or-later */
/* accounts.h: QOS from the table that "sacctmgr -P show qos" prints (sacctmgr(1), "LIST/SHOW QOS FORMAT OPTIONS"). */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/cluster/conf/accounts.h"

#define COLUMNS_MAX 64

struct qos_table {			/* one pass over it */
	const char *where;
	char *columns[COLUMNS_MAX];	/* of the header */
	size_t count;
	unsigned int line;
};

/* A column's header, and what a QOS is set by; NULL: the same word. */
static const struct { const char *column, *option; } names[] = {
	{ "Priority", NULL },
	{ "GraceTime", NULL }, { "Preempt", NULL }, { "PreemptExemptTime", NULL }, { "PreemptMode", NULL },
	{ "Flags", NULL }, { "UsageThres", "UsageThreshold" }, { "UsageFactor", NULL }, { "GrpTRES", NULL },
	{ "GrpTRESMins", NULL }, { "GrpTRESRunMins", NULL }, { "GrpJobs", NULL }, { "GrpSubmit", "GrpSubmitJobs" },
	{ "GrpWall", NULL },
	{ "MaxTRES", "MaxTRESPerJob" }, { "MaxTRESPerNode", NULL }, { "MaxTRESMins", "MaxTRESMinsPerJob" },
	{ "MaxWall", "MaxWallDurationPerJob" }, { "MaxTRESPU", "MaxTRESPerUser" }, { "MaxJobsPU", "MaxJobsPerUser" },
	{ "MaxSubmitPU", "MaxSubmitJobsPerUser" }, { "MaxTRESPA", "MaxTRESPerAccount" },
	{ "MaxJobsPA", "MaxJobsPerAccount" }, { "MaxSubmitPA", "MaxSubmitJobsPerAccount" }, { "MinTRES", "MinTRESPerJob" },
	{ "LimitFactor", NULL }, { "GrpJobsAccrue", NULL }, { "MinPrioThres", "MinPrioThreshold" },
};

static const char *option_of(const char *column)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcasecmp(names[i].column, column))
			return names[i].option ? names[i].option : names[i].column;
	return NULL;
}

/* Cut at each '|'; the empty field behind the last one counts for nothing. */
static size_t fields_cut(char *line, char *fields[COLUMNS_MAX])
{
	size_t count = 0;

	while (line && count < COLUMNS_MAX)
		fields[count++] = strsep(&line, "|");
	return count;
}

/* A name that needs no quotes. */
static bool is_plain(const char *text)
{
	return *text && !text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.,:=/@+-*%")];
}

/* A grace time is shown as hours, minutes and seconds, and set as seconds. */
static void grace_add(struct wt_str *s, const char *value)
{
	unsigned int days = 0, h = 0, m = 0, sec = 0;

	if (sscanf(value, "%u-%u:%u:%u", &days, &h, &m, &sec) != 4) {
		days = 0;
		if (sscanf(value, "%u:%u:%u", &h, &m, &sec) != 3)
			return;
	}
	wt_str_printf(s, " GraceTime=%u", ((days * 24 + h) * 60 + m) * 60 + sec);
}

static int row_set(struct wt_str *commands, const struct qos_table *t, char *fields[COLUMNS_MAX], size_t count,
		   struct wt_error *errp)
{
	struct wt_str s = { 0 };
	char *text;

	for (size_t i = 1; i < count && i < t->count; i++) {
		const char *option = option_of(t->columns[i]);

		/* "cluster": as PreemptMode of slurm.conf, which is the default. */
		if (!option || !*fields[i] || (!strcasecmp(option, "PreemptMode") && !strcasecmp(fields[i], "cluster")))
			continue;
		if (!is_plain(fields[i])) {
			wt_str_clear(&s);
			return wt_error_set(errp, EINVAL, "%s: line %u: QOS '%s': the value of %s is none", t->where,
					    t->line, fields[0], t->columns[i]);
		}
		if (!strcasecmp(option, "GraceTime"))
			grace_add(&s, fields[i]);
		else
			wt_str_printf(&s, " %s=%s", option, fields[i]);
	}
	text = wt_str_take(&s);
	if (!text)
		return wt_error_errno(errp, ENOMEM, "%s", t->where);
	if (*text)
		wt_str_printf(commands, "modify qos where name=%s set%s\n", fields[0], text);
	free(text);
	return 0;
}

static int row_take(struct wt_str *commands, struct qos_table *t, char *line, bool set, struct wt_error *errp)
{
	char *fields[COLUMNS_MAX];
	size_t count = fields_cut(line, fields);

	if (!is_plain(fields[0]) || strpbrk(fields[0], ",=") || count < t->count)
		return wt_error_set(errp, EINVAL, "%s: line %u is no row of 'sacctmgr -P show qos': %zu fields, its "
				    "header has %zu", t->where, t->line, count, t->count);
	if (set)
		return row_set(commands, t, fields, count, errp);
	if (strcasecmp(fields[0], "normal"))	/* slurmdbd makes that */
		wt_str_printf(commands, "add qos %s\n", fields[0]);
	return 0;
}

/* All are added before any is set: one may name others, which it preempts. */
static int pass(struct wt_str *commands, const char *where, const char *text, bool set, struct wt_error *errp)
{
	struct qos_table t = { .where = where };
	char *copy = strdup(text), *rest = copy, *line;
	int rc = copy ? 0 : wt_error_errno(errp, ENOMEM, "%s", where);

	while (rc == 0 && (line = strsep(&rest, "\n"))) {
		line[strcspn(line, "\r")] = '\0';
		if (++t.line == 1)
			t.count = fields_cut(line, t.columns);
		else if (*line)
			rc = row_take(commands, &t, line, set, errp);
	}
	free(copy);
	return rc;
}

int wt_accounts_qos(struct wt_str *commands, const char *where, const char *text, struct wt_error *errp)
{
	return pass(commands, where, text, false, errp) < 0 ? -1 : pass(commands, where, text, true, errp);
}
