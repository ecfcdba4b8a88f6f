/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "harness/upgrade/upgrade_records.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *word, *plural, *key;
} kinds[UPGRADE_KINDS] = {
	[UPGRADE_JOB] = { "job", "jobs", "JobId=" },
	[UPGRADE_NODE] = { "node", "nodes", "NodeName=" },
	[UPGRADE_RESERVATION] = { "reservation", "reservations", "ReservationName=" },
	[UPGRADE_PARTITION] = { "partition", "partitions", "PartitionName=" },
};

const char *upgrade_kind_word(enum upgrade_kind kind)
{
	return kinds[kind].word;
}

const char *upgrade_kind_plural(enum upgrade_kind kind)
{
	return kinds[kind].plural;
}

/* "AllocNode:Sid=": a capital, then what such names have; *value is behind the '='.  Cuts nothing yet. */
static bool name_at(const char *text, const char **value)
{
	const char *at = text;

	if (!isupper((unsigned char) *at))
		return false;
	while (isalnum((unsigned char) *at) || (*at && strchr("_/:.-()", *at)))
		at++;
	*value = at + 1;
	return *at == '=';
}

static bool name_there(const struct upgrade_field *fields, size_t count, const char *name, size_t len)
{
	for (size_t i = 0; i < count; i++)
		if (!strncmp(fields[i].name, name, len) && !fields[i].name[len])
			return true;
	return false;
}

static void blanks_cut(char *from, char *end)
{
	while (end > from && isspace((unsigned char) end[-1]))
		end--;
	*end = '\0';
}

static int field_compare(const void *a, const void *b)
{
	return strcmp(((const struct upgrade_field *) a)->name, ((const struct upgrade_field *) b)->name);
}

/* Cuts the line of one record into its fields. */
static int record_parse(struct upgrade_record *record, char *line, struct wt_error *errp)
{
	struct upgrade_field fields[UPGRADE_FIELDS_MAX];
	size_t count = 0;
	const char *value;

	for (char *at = line; *at; at++) {
		if ((at != line && at[-1] != ' ') || count == UPGRADE_FIELDS_MAX || !name_at(at, &value))
			continue;
		if (name_there(fields, count, at, (size_t) (value - 1 - at))) {
			record->odd = true;
			continue;
		}
		if (count)
			blanks_cut(line + (fields[count - 1].value - line), at);
		fields[count++] = (struct upgrade_field){ .name = at, .value = value };
		line[value - 1 - line] = '\0';
		at = line + (value - line) - 1;
	}
	if (!count)
		return wt_error_set(errp, EINVAL, "a record without a field");
	blanks_cut(line + (fields[count - 1].value - line),
		   line + (fields[count - 1].value - line) + strlen(fields[count - 1].value));
	record->key = fields[0].value;
	record->fields = calloc(count, sizeof(*fields));
	if (!record->fields)
		return wt_error_errno(errp, ENOMEM, "records");
	memcpy(record->fields, fields, count * sizeof(*fields));
	record->field_count = count;
	qsort(record->fields, count, sizeof(*fields), field_compare);
	return 0;
}

/* Where the next record begins behind 'at': a line with the key.  NULL: there is none. */
static char *record_next(char *at, const char *key)
{
	while ((at = strchr(at, '\n')))
		if (!strncmp(++at, key, strlen(key)))
			return at;
	return NULL;
}

static int record_compare(const void *a, const void *b)
{
	const struct upgrade_record *one = a, *other = b;
	int order = strverscmp(one->key, other->key);

	return order ? order : (one->key > other->key) - (one->key < other->key);
}

static int record_add(struct upgrade_records *records, char *line, struct wt_error *errp)
{
	if (!(records->count & (records->count - 1))) { /* room for twice as many at each power of two */
		struct upgrade_record *more =
			reallocarray(records->items, records->count ? 2 * records->count : 1, sizeof(*more));

		if (!more)
			return wt_error_errno(errp, ENOMEM, "records");
		records->items = more;
	}
	records->items[records->count] = (struct upgrade_record){ 0 };
	for (char *at = line; *at; at++)
		if (*at == '\n')
			*at = ' ';
	return record_parse(&records->items[records->count++], line, errp);
}

int upgrade_records_parse(struct upgrade_records *records, enum upgrade_kind kind, const char *text, size_t len,
			  struct wt_error *errp)
{
	char *line, *next;
	int rc = 0;

	*records = (struct upgrade_records){ 0 };
	if (!text || memchr(text, '\0', len))
		return wt_error_set(errp, EINVAL, "%s: no text of scontrol", kinds[kind].plural);
	records->text = strndup(text, len);
	if (!records->text)
		return wt_error_errno(errp, ENOMEM, "records");
	line = records->text;
	if (strncmp(line, kinds[kind].key, strlen(kinds[kind].key))) {
		if (line[strspn(line, " \n")] && strncmp(line, "No ", 3))
			return wt_error_set(errp, EINVAL, "scontrol show %s: '%.60s': no record of a %s", kinds[kind].word,
					    line, kinds[kind].word);
		line = record_next(line, kinds[kind].key);
	}
	for (; rc == 0 && line; line = next) {
		next = record_next(line, kinds[kind].key);
		if (next)
			next[-1] = '\0';
		rc = record_add(records, line, errp);
	}
	if (rc == 0 && records->count)
		qsort(records->items, records->count, sizeof(*records->items), record_compare);
	return rc;
}

void upgrade_records_clear(struct upgrade_records *records)
{
	for (size_t i = 0; i < records->count; i++)
		free(records->items[i].fields);
	free(records->items);
	free(records->text);
	*records = (struct upgrade_records){ 0 };
}

const char *upgrade_record_get(const struct upgrade_record *record, const char *name)
{
	const struct upgrade_field wanted = { .name = name }, *found = NULL;

	if (record)
		found = bsearch(&wanted, record->fields, record->field_count, sizeof(wanted), field_compare);
	return found ? found->value : NULL;
}

#define TASK_MAX 100000000ULL /* more than any MaxArraySize */

static bool number_take(const char **at, unsigned long long *n)
{
	char *end;

	if (!isdigit((unsigned char) **at))
		return false;
	*n = strtoull(*at, &end, 10);
	*at = end;
	return *n <= TASK_MAX;
}

unsigned long long upgrade_tasks_count(const char *text)
{
	unsigned long long first, last, step, count = 0;

	for (const char *at = text; at; at++) {
		step = 1;
		if (!number_take(&at, &first))
			return 0;
		last = first;
		if (*at == '-' && (at++, !number_take(&at, &last) || last < first))
			return 0;
		if (*at == ':' && (at++, !number_take(&at, &step) || !step))
			return 0;
		count += (last - first) / step + 1;
		if (!*at || *at == '%')
			return count;
		if (*at != ',')
			return 0;
	}
	return 0;
}
