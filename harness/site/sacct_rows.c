/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/site/sacct_rows.h"

#define SEPARATOR '\x1f'
#define RECORD_LINES_MAX 1000	/* of one record: more is a line that has lost its end */
#define LOST_LINES_MAX 8	/* behind such a line, so that a file of them is not read a thousand times */

static const char *const names[WT_SACCT_FIELDS] = {
	[WT_SACCT_JOB_ID] = "JobID", [WT_SACCT_JOB_ID_RAW] = "JobIDRaw", [WT_SACCT_NAME] = "JobName",
	[WT_SACCT_USER] = "User", [WT_SACCT_GROUP] = "Group", [WT_SACCT_ACCOUNT] = "Account", [WT_SACCT_QOS] = "QOS",
	[WT_SACCT_PARTITION] = "Partition", [WT_SACCT_SUBMIT] = "Submit", [WT_SACCT_ELIGIBLE] = "Eligible",
	[WT_SACCT_START] = "Start", [WT_SACCT_END] = "End", [WT_SACCT_ELAPSED_RAW] = "ElapsedRaw",
	[WT_SACCT_SUSPENDED] = "Suspended", [WT_SACCT_STATE] = "State", [WT_SACCT_EXIT_CODE] = "ExitCode",
	[WT_SACCT_TIME_LIMIT_RAW] = "TimelimitRaw", [WT_SACCT_REQ_CPUS] = "ReqCPUS",
	[WT_SACCT_ALLOC_CPUS] = "AllocCPUS", [WT_SACCT_REQ_NODES] = "ReqNodes",
	[WT_SACCT_ALLOC_NODES] = "AllocNodes", [WT_SACCT_REQ_MEM] = "ReqMem", [WT_SACCT_REQ_TRES] = "ReqTRES",
	[WT_SACCT_CONSTRAINTS] = "Constraints", [WT_SACCT_RESERVATION] = "Reservation", [WT_SACCT_WCKEY] = "WCKey",
	[WT_SACCT_NODE_LIST] = "NodeList", [WT_SACCT_SUBMIT_LINE] = "SubmitLine", [WT_SACCT_LICENSES] = "Licenses",
	[WT_SACCT_ALLOC_TRES] = "AllocTRES",
};

/* Columns that users write, in the words of any release. */
static const char *const users_words[] = {
	"JobName", "Comment", "AdminComment", "SystemComment", "SubmitLine", "WorkDir", "WCKey", "Reservation", "Container",
	"Constraints", "Extra", "StdIn", "StdOut", "StdErr", "FailedNode", "Reason", "Account", "Licenses",
};

/* ---- lines ---- */

static int text_add(struct wt_sacct_rows *r, char c)
{
	if (r->len + 1 >= r->size) {
		size_t size = r->size ? r->size * 2 : 4096;
		char *longer = realloc(r->text, size);

		if (!longer)
			return -1;
		r->text = longer;
		r->size = size;
	}
	r->text[r->len++] = c;
	r->text[r->len] = '\0';
	return 0;
}

static int byte_next(struct wt_sacct_rows *r)
{
	if (r->ahead_at < r->ahead_len)
		return (unsigned char) r->ahead[r->ahead_at++];
	return getc_unlocked(r->in);
}

/* Add one line, with its newline: 1; 0: the end; -1 with errno.  What is too long is read, and not kept: *good is false. */
static int line_add(struct wt_sacct_rows *r, bool *good, struct wt_error *errp)
{
	size_t begin = r->len;
	int c;

	errno = 0;
	while ((c = byte_next(r)) != EOF) {
		if (r->len >= WT_SACCT_RECORD_MAX || !c)
			*good = false;
		if (*good && text_add(r, (char) c) < 0)
			return wt_error_errno(errp, ENOMEM, "%s", r->name);
		if (c == '\n')
			break;
	}
	if (c == EOF && ferror(r->in))
		return wt_error_errno(errp, errno ? errno : EIO, "%s", r->name);
	if (c == EOF && r->len == begin && *good)
		return 0;
	r->next_line++;
	return 1;
}

/* From 'begin' on. */
static size_t delimiters(const struct wt_sacct_rows *r, size_t begin)
{
	size_t count = 0;

	for (size_t i = begin; i < r->len; i++)
		count += r->text[i] == r->delimiter;
	return count;
}

/* Without what ends a line. */
static size_t length_bare(const struct wt_sacct_rows *r)
{
	size_t len = r->len;

	len -= len && r->text[len - 1] == '\n';
	len -= len && r->text[len - 1] == '\r';
	return len;
}

/* Behind the newline of the line at 'begin'. */
static size_t line_behind(const struct wt_sacct_rows *r, size_t begin)
{
	const char *newline = begin < r->len ? memchr(r->text + begin, '\n', r->len - begin) : NULL;

	return newline ? (size_t) (newline - r->text) + 1 : r->len;
}

/* Where the lines begin that could be another record: not the first one, nor those behind it without a delimiter, of which
 * *dropped becomes the number.  (Of a record whose first field may have newlines they could be its beginning.) */
static size_t lines_begin(const struct wt_sacct_rows *r, size_t *dropped)
{
	size_t begin = line_behind(r, 0);

	for (*dropped = 0; begin < r->len && !r->newlines[0]; ++*dropped) {
		size_t behind = line_behind(r, begin);

		if (memchr(r->text + begin, r->delimiter, behind - begin))
			break;
		begin = behind;
	}
	return begin;
}

/* What follows the first line of the record is read once more. */
static int lines_return(struct wt_sacct_rows *r, struct wt_error *errp)
{
	size_t dropped, begin = lines_begin(r, &dropped), back = r->len - begin, left = r->ahead_len - r->ahead_at;
	char *both;

	r->next_line = r->line + dropped;
	if (!back)
		return 0;
	both = malloc(back + left);
	if (!both)
		return wt_error_errno(errp, ENOMEM, "%s", r->name);
	memcpy(both, r->text + begin, back);
	if (left)
		memcpy(both + back, r->ahead + r->ahead_at, left);
	free(r->ahead);
	r->ahead = both;
	r->ahead_at = 0;
	r->ahead_len = back + left;
	return 0;
}

static int record_refuse(struct wt_sacct_rows *r, const char *why, struct wt_error *errp)
{
	r->lost = true;
	if (lines_return(r, errp) < 0)
		return -1;
	return wt_error_set(errp, EINVAL, "%s:%zu: %s", r->name, r->line, why);
}

/* ---- the header ---- */

static void column_know(struct wt_sacct_rows *r, size_t column, const char *name)
{
	if (!strcasecmp(name, "NCPUS"))
		name = names[WT_SACCT_ALLOC_CPUS];
	if (!strcasecmp(name, "NNodes") && r->column_of[WT_SACCT_ALLOC_NODES] == SIZE_MAX)
		name = names[WT_SACCT_ALLOC_NODES];
	for (size_t i = 0; i < WT_SACCT_FIELDS; i++)
		if (!strcasecmp(name, names[i]))
			r->column_of[i] = column;
	for (size_t i = 0; i < sizeof(users_words) / sizeof(users_words[0]); i++)
		r->newlines[column] |= !strcasecmp(name, users_words[i]);
}

static int header_check(const struct wt_sacct_rows *r, struct wt_error *errp)
{
	static const enum wt_sacct_field needed[] = { WT_SACCT_SUBMIT, WT_SACCT_STATE, WT_SACCT_JOB_ID };

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (!wt_sacct_has(r, needed[i]))
			return wt_error_set(errp, EINVAL, "%s:1: no header of sacct with a field %s: "
					    "windtunnel-site(5) has the command", r->name, names[needed[i]]);
	return 0;
}

int wt_sacct_rows_open(struct wt_sacct_rows *rows, FILE *in, const char *name, struct wt_error *errp)
{
	bool good = true;
	char *rest, *column;
	size_t len;
	int rc;

	memset(rows, 0, sizeof(*rows));
	rows->in = in;
	rows->name = name;
	rows->line = 1;
	for (size_t i = 0; i < WT_SACCT_FIELDS; i++)
		rows->column_of[i] = SIZE_MAX;
	rc = line_add(rows, &good, errp);
	if (rc < 0)
		return -1;
	if (rc == 0 || !good)
		return wt_error_set(errp, EINVAL, "%s: no header of sacct", name);
	rows->delimiter = memchr(rows->text, SEPARATOR, rows->len) ? SEPARATOR : '|';
	len = length_bare(rows);
	rows->ended = len && rows->text[len - 1] == rows->delimiter;
	rows->text[len - rows->ended] = '\0';
	for (rest = rows->text; (column = strsep(&rest, (char [2]) { rows->delimiter, '\0' }));) {
		if (rows->columns == WT_SACCT_COLUMNS_MAX)
			return wt_error_set(errp, EINVAL, "%s:1: more than %d fields", name, WT_SACCT_COLUMNS_MAX);
		column_know(rows, rows->columns++, column);
	}
	return header_check(rows, errp);
}

/* ---- records ---- */

/* Cut the record, which has the right number of delimiters, into its fields. */
static bool fields_cut(struct wt_sacct_rows *r)
{
	size_t len = length_bare(r);
	char *p = r->text, *end;

	if (r->ended && (!len || r->text[len - 1] != r->delimiter))
		return false;
	r->text[len - r->ended] = '\0';
	for (size_t i = 0; i < r->columns; i++) {
		r->fields[i] = p;
		end = i + 1 < r->columns ? strchr(p, r->delimiter) : NULL;
		if (end)
			*end = '\0';
		if (strchr(p, '\n') && !r->newlines[i]) {
			for (size_t k = 0; k < i + (end != NULL); k++)	/* whole again: it is read once more */
				r->fields[k][strlen(r->fields[k])] = r->delimiter;
			return false;
		}
		if (end)
			p = end + 1;
	}
	return true;
}

/* Lines up to the last delimiter of a record: 1, 0 at the end, -1. */
static int record_read(struct wt_sacct_rows *r, struct wt_error *errp)
{
	size_t wanted = r->columns - 1 + r->ended, most = r->lost ? LOST_LINES_MAX : RECORD_LINES_MAX, lines = 0, count = 0;
	size_t begin;
	bool good = true;
	int rc;

	do {
		begin = r->len;
		rc = line_add(r, &good, errp);
		if (rc < 0)
			return -1;
		if (rc == 0)
			return lines ? record_refuse(r, "a record without its end", errp) : 0;
		if (!good)	/* what was read of it is no line: none of it comes again */
			return wt_error_set(errp, EINVAL, "%s:%zu: a NUL byte, or a record of more than a MiB", r->name,
					    r->line);
		count += delimiters(r, begin);
		/* A whole record behind a line that has lost its end. */
		if (lines++ && delimiters(r, begin) == wanted && count > wanted)
			break;
	} while (count < wanted && r->ended && lines < most && length_bare(r));
	if (lines == 1 && !length_bare(r)) {	/* an empty line */
		r->len = 0;
		return 2;
	}
	if (count != wanted)
		return record_refuse(r, count < wanted ? "fewer fields than the header has" :
				     "more fields than the header has", errp);
	return 1;
}

int wt_sacct_rows_next(struct wt_sacct_rows *rows, struct wt_error *errp)
{
	char saved;
	size_t len;
	int rc;

	do {
		rows->len = 0;
		rows->line = rows->next_line + 1;
		rc = record_read(rows, errp);
	} while (rc == 2);
	if (rc <= 0)
		return rc;
	len = length_bare(rows) - rows->ended;
	saved = rows->text[len];
	if (fields_cut(rows)) {
		rows->lost = false;
		return 1;
	}
	rows->text[len] = saved;
	return record_refuse(rows, "a newline where none can be, or text behind the last field", errp);
}

bool wt_sacct_has(const struct wt_sacct_rows *rows, enum wt_sacct_field field)
{
	return rows->column_of[field] != SIZE_MAX;
}

const char *wt_sacct_get(const struct wt_sacct_rows *rows, enum wt_sacct_field field)
{
	return wt_sacct_has(rows, field) ? rows->fields[rows->column_of[field]] : "";
}

void wt_sacct_rows_clear(struct wt_sacct_rows *rows)
{
	int saved_errno = errno;

	free(rows->text);
	free(rows->ahead);
	memset(rows, 0, sizeof(*rows));
	errno = saved_errno;
}
