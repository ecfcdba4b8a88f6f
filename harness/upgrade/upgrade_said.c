/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "harness/upgrade/upgrade_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/str.h"

#define LINE_MAX_SHOWN 600

/* Behind "[2026-11-28T11:32:47.748] ". */
static const char *words_of(const char *line)
{
	const char *end = *line == '[' ? strpbrk(line, "]\n") : NULL;

	return end && *end == ']' && end[1] == ' ' ? end + 2 : line;
}

static bool words_begin(const char *line, const char *mark)
{
	return !strncmp(words_of(line), mark, strlen(mark));
}

/* The words of a line, to be freed. */
static char *line_copy(const char *line)
{
	const char *words = words_of(line);
	char *raw = strndup(words, strcspn(words, "\n")), *text = raw ? wt_str_make_line(raw, LINE_MAX_SHOWN) : NULL;

	free(raw);
	return text;
}

static const char *line_next(const char *line)
{
	line = strchr(line, '\n');
	return line ? line + 1 : NULL;
}

/* With the lines behind it that have no time: Slurm says some things in several. */
static char *lines_copy(const char *line)
{
	struct wt_str s = { 0 };
	char *raw, *text;

	wt_str_add_bytes(&s, words_of(line), strcspn(words_of(line), "\n"));
	while ((line = line_next(line)) && *line && *line != '[') {
		wt_str_add(&s, " ");
		wt_str_add_bytes(&s, line, strcspn(line, "\n"));
	}
	raw = wt_str_take(&s);
	text = raw ? wt_str_make_line(raw, LINE_MAX_SHOWN) : NULL;
	free(raw);
	return text;
}

char *upgrade_fatal_find(const char *log)
{
	for (const char *line = log; line && *line; line = line_next(line))
		if (words_begin(line, "fatal: "))
			return lines_copy(line);
	errno = 0;
	return NULL;
}

static bool said_by(const char *log, const char *words)
{
	size_t len = strcspn(words, "\n");

	for (const char *line = log; line && *line; line = line_next(line)) {
		const char *own = words_of(line);

		if (strcspn(own, "\n") == len && !strncmp(own, words, len))
			return true;
	}
	return false;
}

char *upgrade_strange_node_find(const char *log)
{
	static const char mark[] = " has vanished from configuration";

	for (const char *line = log; line && *line; line = line_next(line)) {
		const char *at = strstr(line, mark), *end = line + strcspn(line, "\n");

		if (words_begin(line, "error: ") && at && at < end)
			return line_copy(line);
	}
	errno = 0;
	return NULL;
}

static bool said_before(const struct upgrade_said *said, const char *text)
{
	for (size_t i = 0; i < said->count; i++)
		if (!strcmp(said->lines[i], text))
			return true;
	return false;
}

/* Others are about plugins and libraries that this machine lacks. */
static bool about_state(const char *line)
{
	static const char *const marks[] = { "state",  "checkpoint", "recover", "may be lost",
					     "JobId=", "vanished",   "nvalid",  "reservation" };
	const char *end = line + strcspn(line, "\n");

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		const char *at = strstr(line, marks[i]);

		if (at && at < end)
			return true;
	}
	return false;
}

/* The errors; with an 'end' those up to it that are about the state. */
static int said_collect(struct upgrade_said *said, const char *log, const char *end, const char *control_log,
			struct wt_error *errp)
{
	for (const char *line = log; line && *line && (!end || line < end); line = line_next(line)) {
		char *text;

		if ((!words_begin(line, "error: ") && !words_begin(line, "fatal: ")) || (end && !about_state(line)))
			continue;
		if (words_begin(line, "error: High latency for ") || said_by(control_log, words_of(line)))
			continue; /* the first is about this machine */
		if (said->count == UPGRADE_SAID_MAX) {
			said->more++;
			continue;
		}
		text = line_copy(line);
		if (!text)
			return wt_error_errno(errp, ENOMEM, "slurmctld.log");
		if (said_before(said, text))
			free(text);
		else
			said->lines[said->count++] = text;
	}
	return 0;
}

int upgrade_said_read(struct upgrade_said *said, const char *log, const char *control_log, struct wt_error *errp)
{
	return said_collect(said, log, NULL, control_log, errp);
}

int upgrade_said_recovering(struct upgrade_said *said, const char *log, struct wt_error *errp)
{
	const char *end = log;

	while (end && *end && !words_begin(end, "Running as primary controller"))
		end = line_next(end);
	return said_collect(said, log, end, NULL, errp);
}

char *upgrade_unsaved_find(const char *log)
{
	/* src/slurmctld's words from 22.05 to 24.11, where %m follows */
	static const char *const marks[] = { "Can't save state, ", "Error writing file ", " state save file: " };

	for (const char *line = log; line && *line; line = line_next(line)) {
		const char *end = line + strcspn(line, "\n");

		for (size_t i = 0; words_begin(line, "error: ") && i < sizeof(marks) / sizeof(*marks); i++) {
			const char *at = strstr(line, marks[i]);

			if (at && at < end)
				return line_copy(line);
		}
	}
	errno = 0;
	return NULL;
}

char *upgrade_crash_words(const char *log, const char *how, unsigned int times)
{
	const char *last = NULL;
	char *line, *text;

	for (const char *at = log; at && *at; at = line_next(at))
		if (*words_of(at) && *words_of(at) != '\n')
			last = at;
	line = last ? line_copy(last) : NULL;
	text = wt_str_format("it ended %u times by %s%s%s", times, how, line ? ", the last time behind: " : "",
			     line ? line : "");
	free(line);
	return text;
}

static void said_clear(struct upgrade_said *said)
{
	for (size_t i = 0; i < said->count; i++)
		free(said->lines[i]);
}

void upgrade_hop_clear(struct upgrade_hop *hop)
{
	upgrade_result_clear(&hop->result);
	for (int kind = 0; kind < UPGRADE_KINDS; kind++) {
		upgrade_records_clear(&hop->control[kind]);
		upgrade_records_clear(&hop->after[kind]);
	}
	said_clear(&hop->said);
	said_clear(&hop->recovering);
	free(hop->control_refused);
	free(hop->refused);
	*hop = (struct upgrade_hop){ 0 };
}
