/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/site/reasons.h"
#include "harness/site/site_usage.h"
#include "lib/csv.h"
#include "lib/str.h"

#define COLUMNS_MAX 64
#define UNKNOWN_MAX_S 3600.0	/* so long after the last job usage is still taken for that of its end */
/* Of what sshare tells: less than that share, besides the jobs, is none.  slurmctld decays usage in steps, whole seconds are
 * recorded, and sshare rounds; and who has used nothing is before all others, which a rest must not decide. */
#define TOLD_APART 0.01

enum usage_column { COLUMN_ACCOUNT, COLUMN_USER, COLUMN_RAW_USAGE, COLUMNS };

struct usage_table {		/* of sshare */
	size_t columns, of[COLUMNS];
};

int wt_site_usage_init(struct wt_site_usage *u, struct wt_error *errp)
{
	u->left_out = json_object();
	u->assumed = json_object();
	u->places = json_object();
	return u->left_out && u->assumed && u->places ? 0 : wt_error_errno(errp, ENOMEM, "usage");
}

static void rows_clear(struct wt_site_usage *u)
{
	for (size_t i = 0; i < u->count; i++) {
		free(u->list[i].account);
		free(u->list[i].user);
	}
	free(u->list);
	u->list = NULL;
	u->count = u->capacity = 0;
}

void wt_site_usage_clear(struct wt_site_usage *u)
{
	int saved_errno = errno;

	rows_clear(u);
	json_decref(u->left_out);
	json_decref(u->assumed);
	json_decref(u->places);
	*u = (struct wt_site_usage) { 0 };
	errno = saved_errno;
}

/* Neither sacctmgr nor a line of a file takes a newline in a name. */
static char *place_name(const char *account, const char *user)
{
	return wt_str_format("%s\n%s", account, user);
}

/* NULL: there is none. */
static struct wt_site_usage_row *row_find(const struct wt_site_usage *u, const char *account, const char *user)
{
	char *name = place_name(account, user);
	json_t *place = name ? json_object_get(u->places, name) : NULL;

	free(name);
	return place ? &u->list[json_integer_value(place)] : NULL;
}

/* Takes both names over. */
static int row_add(struct wt_site_usage *u, char *account, char *user, double raw)
{
	char *name = account && user ? place_name(account, user) : NULL;
	struct wt_site_usage_row *longer = u->list;
	size_t capacity = u->capacity ? 2 * u->capacity : 64;

	if (name && u->count == u->capacity && (longer = reallocarray(u->list, capacity, sizeof(*longer)))) {
		u->list = longer;
		u->capacity = capacity;
	}
	if (!name || !longer || json_object_set_new(u->places, name, json_integer((json_int_t) u->count)) < 0) {
		free(name);
		free(account);
		free(user);
		return -1;
	}
	free(name);
	u->list[u->count++] = (struct wt_site_usage_row) { .account = account, .user = user, .raw = raw };
	return 0;
}

/* An account has a user's name in it or none; blanks before it tell how deep it lies. */
static int record_take(struct wt_site_usage *u, const char *account, const char *user, const char *usage,
		       struct wt_error *errp)
{
	struct wt_site_usage_row *row;
	char *end, *account_alias, *user_alias;
	double raw = strtod(usage, &end);

	account += strspn(account, " ");
	if (!*user)	/* the sum of an account */
		return 0;
	u->read++;
	if (!*account || !*usage || *end || !isfinite(raw) || raw < 0)
		return wt_reason_count(u->left_out, "a record without an account and a usage", errp);
	account_alias = wt_alias(u->aliases, WT_ALIAS_ACCOUNT, account);
	user_alias = wt_alias(u->aliases, WT_ALIAS_USER, user);
	row = account_alias && user_alias ? row_find(u, account_alias, user_alias) : NULL;
	if (!row)
		return row_add(u, account_alias, user_alias, raw) == 0 ? 0 : wt_error_errno(errp, ENOMEM, "usage");
	row->raw += raw;
	free(account_alias);
	free(user_alias);
	return wt_reason_count(u->assumed, "a user's usage in several partitions is one usage in his account", errp);
}

/* The fields of a line, cut at its bars: as many as there are, at most 'max'. */
static size_t line_cut(char *line, char **fields, size_t max)
{
	size_t count = 0;

	line[strcspn(line, "\r")] = '\0';
	while (line && count < max)
		fields[count++] = strsep(&line, "|");
	return count;
}

static int header_read(struct usage_table *table, char *line, const char *where, struct wt_error *errp)
{
	static const char *const names[COLUMNS] = { "Account", "User", "RawUsage" };
	char *fields[COLUMNS_MAX];

	table->columns = line ? line_cut(line, fields, COLUMNS_MAX) : 0;
	for (int c = 0; c < COLUMNS; c++) {
		size_t i = 0;

		while (i < table->columns && strcmp(fields[i], names[c]))
			i++;
		if (i == table->columns)
			return wt_error_set(errp, EINVAL, "%s:1: not what 'sshare -a -P' prints: its header has no %s",
					    where, names[c]);
		table->of[c] = i;
	}
	return 0;
}

int wt_site_usage_read(struct wt_site_usage *u, const char *where, const char *text, struct wt_error *errp)
{
	char *copy = strdup(text), *rest = copy, *line = strsep(&rest, "\n"), *fields[COLUMNS_MAX];
	struct usage_table table = { 0 };
	int rc = copy ? header_read(&table, line, where, errp) : wt_error_errno(errp, ENOMEM, "%s", where);

	while (rc == 0 && (line = strsep(&rest, "\n"))) {
		if (!*line)
			continue;
		if (line_cut(line, fields, COLUMNS_MAX) != table.columns)
			rc = wt_reason_count(u->left_out, "a record with another number of fields", errp);
		else
			rc = record_take(u, fields[table.of[COLUMN_ACCOUNT]], fields[table.of[COLUMN_USER]],
					 fields[table.of[COLUMN_RAW_USAGE]], errp);
	}
	free(copy);
	return rc;
}

/* ---- back to the first job ---- */

/* What is left at the time of the capture of the usage of a second that was 'ago_s' before. */
static double decay(const struct wt_site_usage_times *t, double ago_s)
{
	return isinf(t->half_life_s) ? 1 : exp2(-ago_s / t->half_life_s);
}

/* What one billed TRES has used of 'from_s' to 'to_s', as it counts at the time of the capture. */
static double used(const struct wt_site_usage_times *t, double from_s, double to_s)
{
	if (isinf(t->half_life_s))
		return to_s - from_s;
	return (decay(t, t->captured_s - to_s) - decay(t, t->captured_s - from_s)) * t->half_life_s / M_LN2;
}

/* Take off what the job has used since 'begin_s': 'left' has as many as 'list'. */
static void job_take_off(const struct wt_site_usage *u, double *left, const struct wt_site_job *job,
			 const struct wt_site_usage_times *t, double begin_s)
{
	const struct wt_job_ask *ask = job->job.ask;
	const char *account = ask ? ask->text[WT_ASK_ACCOUNT] : NULL;
	const char *user = ask && ask->text[WT_ASK_USER] ? ask->text[WT_ASK_USER] : "root";	/* it names no root */
	double from_s = fmax(job->start_s, begin_s), to_s = isnan(job->end_s) ? t->captured_s : job->end_s;
	double billing = job->billing > 0 ? job->billing : job->cpus;
	struct wt_site_usage_row *row;

	to_s = fmin(to_s, t->captured_s);
	if (isnan(job->start_s) || !(from_s < to_s) || !account)
		return;
	row = row_find(u, account, user);
	if (row)
		left[row - u->list] -= billing * used(t, from_s, to_s);
}

/* NULL: it can be.  'since_s' is from when on all jobs are known. */
static const char *cannot_be_known(const struct wt_site_usage_times *t, double since_s)
{
	if (t->captured_s <= 0)
		return "usage of a time that is not known, beside jobs";
	if (isnan(t->half_life_s))
		return "usage, whose PriorityDecayHalfLife cannot be read";
	if (t->resets)
		return "usage that PriorityUsageResetPeriod may have reset between the jobs";
	if (t->until_s > 0 && t->captured_s - t->until_s > UNKNOWN_MAX_S)
		return "usage that has grown by jobs behind the end of the period";
	/* What differs, as by QOS' UsageFactor, would be taken for usage of before, and double with each half-life. */
	if (decay(t, fmax(0, t->captured_s - since_s)) < TOLD_APART)
		return "usage of before the jobs, of which its half-life has left nothing at the capture";
	return NULL;
}

static int all_leave_out(struct wt_site_usage *u, const char *why, struct wt_error *errp)
{
	int rc = 0;

	for (size_t i = 0; i < u->count && rc == 0; i++)
		rc = wt_reason_count(u->left_out, why, errp);
	rows_clear(u);
	json_object_clear(u->places);
	return rc;
}

int wt_site_usage_rewind(struct wt_site_usage *u, const struct wt_site_jobs *jobs, const struct wt_site_usage_times *t,
			 struct wt_error *errp)
{
	double begin_s = jobs->count ? jobs->list[0].job.submit_s : 0, *left;
	const char *why = cannot_be_known(t, fmax(begin_s, t->from_s));
	int rc = 0;

	if (!jobs->count || !u->count)
		return 0;
	if (why)
		return all_leave_out(u, why, errp);
	left = calloc(u->count, sizeof(*left));
	if (!left)
		return wt_error_errno(errp, ENOMEM, "usage");
	for (size_t i = 0; i < u->count; i++)
		left[i] = u->list[i].raw;
	for (size_t i = 0; i < jobs->count; i++)
		job_take_off(u, left, &jobs->list[i], t, begin_s);
	for (size_t i = 0; i < u->count && rc == 0; i++) {
		double before = left[i] / decay(t, fmax(0, t->captured_s - begin_s));

		u->list[i].raw = left[i] > TOLD_APART * u->list[i].raw && isfinite(before) ? before : 0;
		rc = wt_reason_count(u->assumed, "usage is that of the capture, less that of the jobs, reckoned back to "
				     "the first job", errp);
	}
	free(left);
	return rc;
}

int wt_site_usage_write(FILE *out, const void *usage, struct wt_error *errp)
{
	const struct wt_site_usage *u = usage;
	struct wt_csv csv = { .out = out };

	(void) errp;	/* the stream's errors are the caller's */
	wt_csv_text(&csv, "account");
	wt_csv_text(&csv, "user");
	wt_csv_text(&csv, "raw_usage");
	wt_csv_end(&csv);
	for (size_t i = 0; i < u->count; i++) {
		wt_csv_text(&csv, u->list[i].account);
		wt_csv_text(&csv, u->list[i].user);
		wt_csv_uint(&csv, u->list[i].raw < 1e18 ? (uint64_t) llround(u->list[i].raw) : (uint64_t) 1e18);
		wt_csv_end(&csv);
	}
	return 0;
}
