/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <sqlite3.h>

#include "harness/experiment/experiment_index.h"
#include "lib/str.h"

#define INDEX_VERSION  1
#define APPLICATION_ID 0x77745831 /* "wtX1": other people's SQLite files are not taken for ours */
#define BUSY_MS        10000 /* a user may be looking at it with sqlite3(1) */

struct experiment_index {
	sqlite3 *db;
	char *path;
};

static const char schema[] =
	"CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL);"
	"CREATE TABLE experiment_case (folder TEXT PRIMARY KEY, name TEXT NOT NULL, position INTEGER NOT NULL,"
	" options TEXT NOT NULL);"
	"CREATE TABLE run (folder TEXT NOT NULL, number INTEGER NOT NULL, seed TEXT NOT NULL, status INTEGER NOT NULL,"
	" wall_s REAL NOT NULL, ended TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, PRIMARY KEY (folder, number));"
	"CREATE TABLE figure (folder TEXT NOT NULL, number INTEGER NOT NULL, key TEXT NOT NULL, value REAL NOT NULL,"
	" kind TEXT NOT NULL, PRIMARY KEY (folder, number, key));";

static int index_refuse(const struct experiment_index *index, struct wt_error *errp)
{
	int code = sqlite3_errcode(index->db), errnum = EIO;

	if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT || code == SQLITE_ERROR)
		errnum = EINVAL;
	else if (code == SQLITE_FULL)
		errnum = ENOSPC;
	else if (code == SQLITE_READONLY || code == SQLITE_PERM)
		errnum = EACCES;
	else if (code == SQLITE_NOMEM)
		errnum = ENOMEM;
	return wt_error_set(errp, errnum, "%s: %s%s", index->path, sqlite3_errmsg(index->db),
			    errnum == EINVAL ? "; move it away: it is made again from the run folders" : "");
}

static int sql_run(struct experiment_index *index, const char *sql, struct wt_error *errp)
{
	return sqlite3_exec(index->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : index_refuse(index, errp);
}

/* Behind a failure, whose errno stays. */
static void sql_take_back(struct experiment_index *index)
{
	int saved_errno = errno;

	sqlite3_exec(index->db, "ROLLBACK", NULL, NULL, NULL);
	errno = saved_errno;
}

/* A statement with texts bound to ?1, ?2, ...; NULL on failure. */
static sqlite3_stmt *sql_prepare(struct experiment_index *index, const char *sql, const char *const *texts, size_t count,
				 struct wt_error *errp)
{
	sqlite3_stmt *statement = NULL;
	int rc = sqlite3_prepare_v2(index->db, sql, -1, &statement, NULL);

	for (size_t i = 0; rc == SQLITE_OK && i < count; i++)
		rc = sqlite3_bind_text(statement, (int) i + 1, texts[i], -1, SQLITE_TRANSIENT);
	if (rc == SQLITE_OK)
		return statement;
	index_refuse(index, errp);
	sqlite3_finalize(statement);
	return NULL;
}

static int sql_change(struct experiment_index *index, const char *sql, const char *const *texts, size_t count,
		      struct wt_error *errp)
{
	sqlite3_stmt *statement = sql_prepare(index, sql, texts, count, errp);
	int rc;

	if (!statement)
		return -1;
	rc = sqlite3_step(statement) == SQLITE_DONE ? 0 : index_refuse(index, errp);
	sqlite3_finalize(statement);
	return rc;
}

static int number_read(struct experiment_index *index, const char *pragma, int *number, struct wt_error *errp)
{
	sqlite3_stmt *statement = sql_prepare(index, pragma, NULL, 0, errp);
	int rc;

	if (!statement)
		return -1;
	rc = sqlite3_step(statement) == SQLITE_ROW ? 0 : index_refuse(index, errp);
	if (rc == 0)
		*number = sqlite3_column_int(statement, 0);
	sqlite3_finalize(statement);
	return rc;
}

static int schema_make(struct experiment_index *index, struct wt_error *errp)
{
	char pragmas[128];

	snprintf(pragmas, sizeof(pragmas), "PRAGMA application_id = %d; PRAGMA user_version = %d;", APPLICATION_ID,
		 INDEX_VERSION);
	/* The write lock at once: two windtunnels that both read first and then want to write would end in
	 * SQLITE_BUSY, which no timeout heals. */
	if (sql_run(index, "BEGIN IMMEDIATE", errp) < 0)
		return -1;
	if (sql_run(index, schema, errp) < 0 || sql_run(index, pragmas, errp) < 0 || sql_run(index, "COMMIT", errp) < 0) {
		sql_take_back(index);
		return -1;
	}
	return 0;
}

static int schema_check(struct experiment_index *index, bool create, struct wt_error *errp)
{
	static const char harm[] = "SELECT count(*) FROM sqlite_master WHERE type IN ('view', 'trigger')";
	int application, version, tables, programs;

	if (number_read(index, "PRAGMA application_id", &application, errp) < 0 ||
	    number_read(index, "PRAGMA user_version", &version, errp) < 0 ||
	    number_read(index, harm, &programs, errp) < 0 ||
	    number_read(index, "SELECT count(*) FROM sqlite_master", &tables, errp) < 0)
		return -1;
	/* An empty file is what sqlite3_open_v2 () has just made; one with tables is another program's. */
	if (create && !application && !tables)
		return schema_make(index, errp);
	/* A stranger's view may compute without end. */
	if (application != APPLICATION_ID || programs)
		return wt_error_set(errp, EINVAL, "%s is not the index of an experiment", index->path);
	if (version != INDEX_VERSION)
		return wt_error_set(errp, EINVAL, "%s was written by another version of windtunnel (format %d, ours is %d)",
				    index->path, version, INDEX_VERSION);
	return 0;
}

struct experiment_index *experiment_index_open(const char *dir, bool create, struct wt_error *errp)
{
	struct experiment_index *index = calloc(1, sizeof(*index));
	int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
	struct stat st;

	if (index)
		index->path = wt_str_format("%s/index.sqlite", dir);
	if (!index || !index->path) {
		wt_error_errno(errp, ENOMEM, "%s", dir);
	/* sqlite3_open_v2 () says only "unable to open": the caller wants to know ENOENT from other errors. */
	} else if (!create && stat(index->path, &st) < 0) {
		wt_error_errno(errp, errno, "%s", index->path);
	} else if (sqlite3_open_v2(index->path, &index->db, flags, NULL) != SQLITE_OK) {
		index_refuse(index, errp);
	} else {
		sqlite3_busy_timeout(index->db, BUSY_MS);
		if (schema_check(index, create, errp) == 0)
			return index;
	}
	experiment_index_close(index);
	return NULL;
}

void experiment_index_close(struct experiment_index *index)
{
	int saved = errno;

	if (!index)
		return;
	sqlite3_close(index->db);
	free(index->path);
	free(index);
	errno = saved;
}

/* The command line of a case, one option a line: options have no control characters. */
static char *options_text(const struct experiment_case *c)
{
	struct wt_str s = { 0 };

	wt_str_add(&s, c->verb);
	for (size_t i = 0; i < c->option_count; i++)
		wt_str_printf(&s, "\n%s", c->options[i]);
	return wt_str_take(&s);
}

/* The first column of the first row as a text that the caller frees; NULL with ENOENT: there is no row. */
static char *text_read(struct experiment_index *index, const char *sql, const char *const *texts, size_t count,
		       struct wt_error *errp)
{
	sqlite3_stmt *statement = sql_prepare(index, sql, texts, count, errp);
	char *text = NULL;
	int rc;

	if (!statement)
		return NULL;
	rc = sqlite3_step(statement);
	if (rc == SQLITE_ROW && sqlite3_column_text(statement, 0))
		text = strdup((const char *) sqlite3_column_text(statement, 0));
	if (!text && (rc == SQLITE_ROW || rc == SQLITE_DONE))
		wt_error_set(errp, ENOENT, "%s: %s is not there", index->path, count ? texts[0] : "it");
	else if (!text)
		index_refuse(index, errp);
	sqlite3_finalize(statement);
	return text;
}

static int case_put(struct experiment_index *index, const struct experiment_case *c, size_t position, struct wt_error *errp)
{
	char *options = options_text(c), *place = wt_str_format("%zu", position), *before = NULL, *run = NULL;
	const char *row[] = { c->folder, c->name, place, options };
	int rc = -1;

	if (!options || !place) {
		wt_error_errno(errp, ENOMEM, "%s", index->path);
		goto out;
	}
	before = text_read(index, "SELECT options FROM experiment_case WHERE folder = ?1", row, 1, errp);
	if (!before && errno != ENOENT)
		goto out;
	if (before && strcmp(before, options))
		run = text_read(index, "SELECT number FROM run WHERE folder = ?1", row, 1, errp);
	if (run)
		wt_error_set(errp, EINVAL,
			     "%s was run with other options before: take another --output, or remove its folder and %s",
			     c->name, index->path);
	else
		rc = sql_change(index,
				"INSERT OR REPLACE INTO experiment_case (folder, name, position, options) "
				"VALUES (?1, ?2, ?3, ?4)",
				row, 4, errp);
out:
	free(before);
	free(run);
	free(options);
	free(place);
	return rc;
}

static int fact_put(struct experiment_index *index, const char *name, const char *value, struct wt_error *errp)
{
	const char *row[] = { name, value };

	return sql_change(index, "INSERT OR REPLACE INTO fact (name, value) VALUES (?1, ?2)", row, 2, errp);
}

static int facts_put(struct experiment_index *index, const struct experiment *e, struct wt_error *errp)
{
	struct wt_str figures = { 0 };
	char *text;
	int rc;

	for (size_t i = 0; i < e->figure_count; i++)
		wt_str_printf(&figures, "%s%s", i ? " " : "", wt_figure_infos[e->figures[i]].key);
	text = wt_str_take(&figures);
	if (!text)
		return wt_error_errno(errp, ENOMEM, "%s", index->path);
	rc = fact_put(index, "title", e->title, errp);
	if (rc == 0)
		rc = fact_put(index, "figures", text, errp);
	if (rc == 0)
		rc = fact_put(index, "version", PACKAGE_VERSION, errp);
	free(text);
	return rc;
}

/* The file may have changed: cases that it does not have any more stand behind its own, where they have runs. */
static int cases_before_put(struct experiment_index *index, struct wt_error *errp)
{
	char sql[128];

	snprintf(sql, sizeof(sql), "UPDATE experiment_case SET position = %d + position %% %d", EXPERIMENT_CASES_MAX,
		 EXPERIMENT_CASES_MAX);
	if (sql_run(index, "DELETE FROM experiment_case WHERE folder NOT IN (SELECT folder FROM run)", errp) < 0)
		return -1;
	return sql_run(index, sql, errp);
}

int experiment_index_plan(struct experiment_index *index, const struct experiment *e, const struct experiment_plan *plan,
			  struct wt_error *errp)
{
	int rc = sql_run(index, "BEGIN IMMEDIATE", errp);

	if (rc < 0)
		return -1;
	rc = facts_put(index, e, errp);
	if (rc == 0)
		rc = cases_before_put(index, errp);
	for (size_t i = 0; rc == 0 && i < plan->count; i++)
		rc = case_put(index, &plan->cases[i], i, errp);
	if (rc == 0)
		rc = sql_run(index, "COMMIT", errp);
	if (rc < 0)
		sql_take_back(index);
	return rc;
}

int experiment_index_done(struct experiment_index *index, const char *folder, unsigned int number, uint64_t seed,
			  struct wt_error *errp)
{
	char number_text[16], seed_text[32], *status;
	const char *row[] = { folder, number_text, seed_text };
	int rc;

	snprintf(number_text, sizeof(number_text), "%u", number);
	/* Seeds are texts: SQLite's integers have a sign, and seeds have 64 bits. */
	snprintf(seed_text, sizeof(seed_text), "%llu", (unsigned long long) seed);
	status = text_read(index, "SELECT status FROM run WHERE folder = ?1 AND number = ?2 AND seed = ?3", row, 3, errp);
	if (!status)
		return errno == ENOENT ? 0 : -1;
	rc = !strcmp(status, "0");
	free(status);
	return rc;
}

static int figure_put(struct experiment_index *index, const struct experiment_run *run, enum wt_figure_id figure,
		      const char *number, struct wt_error *errp)
{
	const char *kind = wt_kind_name(run->set->kinds[figure]);
	const char *row[] = { run->folder, number, wt_figure_infos[figure].key, kind };
	sqlite3_stmt *statement = sql_prepare(index,
					      "INSERT OR REPLACE INTO figure (folder, number, key, kind, value) "
					      "VALUES (?1, ?2, ?3, ?4, ?5)",
					      row, 4, errp);
	int rc;

	if (!statement)
		return -1;
	sqlite3_bind_double(statement, 5, run->set->runs[0].values[figure]);
	rc = sqlite3_step(statement) == SQLITE_DONE ? 0 : index_refuse(index, errp);
	sqlite3_finalize(statement);
	return rc;
}

static int run_put(struct experiment_index *index, const struct experiment_run *run, struct wt_error *errp)
{
	char number[16], seed[32], status[16], wall[32];
	const char *row[] = { run->folder, number, seed, status, wall };
	int rc;

	snprintf(number, sizeof(number), "%u", run->number);
	snprintf(seed, sizeof(seed), "%llu", (unsigned long long) run->seed);
	snprintf(status, sizeof(status), "%d", run->status);
	snprintf(wall, sizeof(wall), "%.3f", run->wall_s);
	/* A run that is made again may lack a figure that it had: the old one must not stay. */
	rc = sql_change(index, "DELETE FROM figure WHERE folder = ?1 AND number = ?2", row, 2, errp);
	if (rc == 0)
		rc = sql_change(index,
				"INSERT OR REPLACE INTO run (folder, number, seed, status, wall_s) "
				"VALUES (?1, ?2, ?3, ?4, ?5)",
				row, 5, errp);
	for (size_t f = 0; rc == 0 && run->set && run->set->count && f < WT_FIG_COUNT; f++)
		if (!isnan(run->set->runs[0].values[f]))
			rc = figure_put(index, run, (enum wt_figure_id) f, number, errp);
	return rc;
}

int experiment_index_put(struct experiment_index *index, const struct experiment_run *run, struct wt_error *errp)
{
	if (sql_run(index, "BEGIN IMMEDIATE", errp) < 0)
		return -1;
	if (run_put(index, run, errp) == 0 && sql_run(index, "COMMIT", errp) == 0)
		return 0;
	sql_take_back(index);
	return -1;
}

/* The index may be a stranger's, whose tables have NULL where ours do not: "" then.  NULL without memory. */
static char *text_column(sqlite3_stmt *row, int column)
{
	const char *text = (const char *) sqlite3_column_text(row, column);

	return strdup(text ? text : "");
}

/* What options_text () made, without the verb in its first line. */
static char *options_column(sqlite3_stmt *row, int column)
{
	const char *text = (const char *) sqlite3_column_text(row, column), *behind = text ? strchr(text, '\n') : NULL;

	return behind ? wt_str_format("%s\n", behind + 1) : strdup("");
}

static int case_add(struct experiment_index_case **cases, size_t *count, sqlite3_stmt *row)
{
	struct experiment_index_case *more = reallocarray(*cases, *count + 1, sizeof(*more)), *c;

	if (!more)
		return -1;
	*cases = more;
	c = &more[(*count)++];
	*c = (struct experiment_index_case){
		.name = text_column(row, 0),
		.folder = text_column(row, 1),
		.done = (unsigned int) sqlite3_column_int(row, 2),
		.failed = (unsigned int) sqlite3_column_int(row, 3),
		.wall_s = sqlite3_column_double(row, 4),
		.options = options_column(row, 5),
	};
	return c->name && c->folder && c->options ? 0 : -1;
}

int experiment_index_cases(struct experiment_index *index, struct experiment_index_case **cases, size_t *count,
			   struct wt_error *errp)
{
	sqlite3_stmt *statement =
		sql_prepare(index,
			    "SELECT c.name, c.folder, total(r.status = 0), total(r.status <> 0),"
			    " total(CASE WHEN r.status = 0 THEN r.wall_s END), c.options FROM experiment_case AS c"
			    " LEFT JOIN run AS r ON r.folder = c.folder GROUP BY c.folder ORDER BY c.position",
			    NULL, 0, errp);
	int step = SQLITE_DONE, rc = statement ? 0 : -1;

	*cases = NULL;
	*count = 0;
	while (rc == 0 && (step = sqlite3_step(statement)) == SQLITE_ROW)
		if (case_add(cases, count, statement) < 0)
			rc = wt_error_errno(errp, ENOMEM, "%s", index->path);
	if (rc == 0 && step != SQLITE_DONE)
		rc = index_refuse(index, errp);
	sqlite3_finalize(statement);
	if (rc < 0) {
		experiment_index_cases_free(*cases, *count);
		*cases = NULL;
		*count = 0;
	}
	return rc;
}

void experiment_index_cases_free(struct experiment_index_case *cases, size_t count)
{
	int saved = errno;

	for (size_t i = 0; i < count; i++) {
		free(cases[i].name);
		free(cases[i].folder);
		free(cases[i].options);
	}
	free(cases);
	errno = saved;
}

char *experiment_index_fact(struct experiment_index *index, const char *name, struct wt_error *errp)
{
	return text_read(index, "SELECT value FROM fact WHERE name = ?1", &name, 1, errp);
}
