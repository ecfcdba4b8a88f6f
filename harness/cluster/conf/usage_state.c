/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "harness/cluster/conf/usage_state.h"
#include "lib/csv.h"

#define RAW_MAX UINT64_C(1000000000000000000)	/* a hundred thousand CPUs for 300,000 years */

struct usage_row {
	const char *account, *user;
	uint64_t raw;
};

typedef int (*usage_row_fn)(const struct usage_row *row, void *arg, struct wt_error *errp);

static int row_read(const struct wt_csv_row *csv, struct usage_row *row, struct wt_error *errp)
{
	if (csv->count != 3 || !*csv->fields[0] || !*csv->fields[1])
		return wt_error_set(errp, EINVAL, "not ACCOUNT,USER,RAW_USAGE");
	row->account = csv->fields[0];
	row->user = csv->fields[1];
	return wt_str_to_u64(csv->fields[2], 0, RAW_MAX, "raw_usage", &row->raw, errp);
}

static int rows_read(FILE *in, const char *where, usage_row_fn fn, void *arg, struct wt_error *errp)
{
	struct wt_csv_row csv = WT_CSV_ROW_INIT;
	struct usage_row row;
	int rc = wt_csv_read(&csv, in, where, errp);

	if (rc == 0 || (rc > 0 && (csv.count != 3 || strcmp(csv.fields[0], "account") || strcmp(csv.fields[1], "user") ||
				   strcmp(csv.fields[2], "raw_usage"))))
		rc = wt_error_set(errp, EINVAL, "%s:1: its header is not account,user,raw_usage", where);
	while (rc > 0 && (rc = wt_csv_read(&csv, in, where, errp)) > 0) {
		if (row_read(&csv, &row, errp) < 0)
			rc = wt_error_prefix(errp, "%s:%zu", where, csv.line);
		else if (fn && fn(&row, arg, errp) < 0)
			rc = -1;
	}
	wt_csv_row_free(&csv);
	return rc;
}

static int usage_read(const char *where, const char *text, size_t len, usage_row_fn fn, void *arg, struct wt_error *errp)
{
	FILE *in;
	int rc;

	if (!len)	/* fmemopen (3) takes no empty one */
		return wt_error_set(errp, EINVAL, "%s: it is empty", where);
	in = fmemopen((char *) text, len, "r");
	if (!in)
		return wt_error_errno(errp, errno, "%s", where);
	rc = rows_read(in, where, fn, arg, errp);
	fclose(in);
	return rc;
}

int wt_usage_check(const char *where, const char *text, size_t len, struct wt_error *errp)
{
	return usage_read(where, text, len, NULL, NULL, errp);
}

/* ---- associations ---- */

/* As sacctmgr (1) keeps both, in lower case; to be freed.  NULL with ENOMEM. */
static char *place_name(const char *account, const char *user)
{
	char *name = wt_str_format("%s\n%s", account, user);

	for (char *p = name; p && *p; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p = (char) (*p - 'A' + 'a');
	return name;
}

/* "3|physics|ann|": ids["physics\nann"] = 3.  One without a partition is better than one before it. */
static int association_take(json_t *ids, json_t *whole, char *line)
{
	char *fields[4], *rest = line, *name;
	size_t count = 0;
	uint64_t id;
	int rc = 0;

	while (count < 4 && (fields[count] = strsep(&rest, "|")))
		count++;
	if (count < 4 || !*fields[2] || wt_str_to_u64(fields[0], 1, UINT32_MAX, "id", &id, NULL) < 0)
		return 0;
	name = place_name(fields[1], fields[2]);
	if (!name)
		return -1;
	if (!json_object_get(ids, name) || (!*fields[3] && !json_object_get(whole, name)))
		rc = json_object_set_new(ids, name, json_integer((json_int_t) id));
	if (rc == 0 && !*fields[3])
		rc = json_object_set_new(whole, name, json_true());
	free(name);
	return rc;
}

/* To be released; NULL with ENOMEM. */
static json_t *associations_read(const char *text)
{
	json_t *ids = json_object(), *whole = json_object();
	char *copy = strdup(text), *rest = copy, *line;
	int rc = ids && whole && copy ? 0 : -1;

	while (rc == 0 && (line = strsep(&rest, "\n")))
		rc = association_take(ids, whole, line);
	free(copy);
	json_decref(whole);
	if (rc == 0)
		return ids;
	json_decref(ids);
	errno = ENOMEM;
	return NULL;
}

/* ---- the file ---- */

static void put(struct wt_str *s, uint64_t value, size_t bytes)
{
	char text[sizeof(value)];

	for (size_t i = 0; i < bytes; i++)
		text[i] = (char) (value >> (8 * (bytes - 1 - i)));
	wt_str_add_bytes(s, text, bytes);
}

struct usage_maker {
	struct wt_usage_state *state;
	const json_t *ids;
};

/* Number of the association; usage, as text; usage of each TRES (none is told) and wall time of the group's jobs. */
static int row_put(const struct usage_row *row, void *arg, struct wt_error *errp)
{
	const struct usage_maker *m = arg;
	struct wt_usage_state *s = m->state;
	char *name = place_name(row->account, row->user), raw[32];
	const json_t *id = name ? json_object_get(m->ids, name) : NULL;

	free(name);
	if (!name)
		return wt_error_errno(errp, ENOMEM, "usage");
	if (!row->raw)
		return 0;
	s->given++;
	if (!id) {
		if (!*s->missing)
			snprintf(s->missing, sizeof(s->missing), "%s/%s", row->account, row->user);
		return 0;
	}
	s->taken++;
	snprintf(raw, sizeof(raw), "%llu.000000", (unsigned long long) row->raw);
	put(&s->bytes, (uint64_t) json_integer_value(id), 4);
	put(&s->bytes, strlen(raw) + 1, 4);
	wt_str_add_bytes(&s->bytes, raw, strlen(raw) + 1);
	put(&s->bytes, 0, 4);
	put(&s->bytes, 0, 4);
	return 0;
}

int wt_usage_state_make(struct wt_usage_state *s, const char *usage, const char *associations, uint16_t protocol,
			int64_t now_s, struct wt_error *errp)
{
	json_t *ids = associations_read(associations);
	const struct usage_maker m = { .state = s, .ids = ids };
	int rc;

	if (!ids)
		return wt_error_errno(errp, ENOMEM, "usage");
	put(&s->bytes, protocol, 2);
	put(&s->bytes, (uint64_t) now_s, 8);
	rc = usage_read("usage.csv", usage, strlen(usage), row_put, (void *) &m, errp);
	json_decref(ids);
	if (rc == 0 && s->bytes.failed)
		rc = wt_error_errno(errp, ENOMEM, "usage");
	return rc;
}

void wt_usage_state_clear(struct wt_usage_state *s)
{
	int saved_errno = errno;

	wt_str_clear(&s->bytes);
	*s = (struct wt_usage_state) { 0 };
	errno = saved_errno;
}
