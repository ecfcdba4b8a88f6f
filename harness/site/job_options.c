/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/site/job_options.h"

enum takes { TAKES_NONE, TAKES_VALUE, MAY_TAKE };

#define IGNORED (-1)		/* does nothing to the schedule */
#define NO_WORD (-2)		/* can change the schedule, and windtunnel-jobs(5) has no word for it */

struct option_line {
	char letter;
	unsigned char takes;
	signed char which;	/* enum wt_job_option, or one of the above */
	const char *name;
};

static const struct option_line rows[] = {
	{ 'A', TAKES_VALUE, WT_OPTION_ACCOUNT, "account" },
	{ 'q', TAKES_VALUE, WT_OPTION_QOS, "qos" },
	{ 'p', TAKES_VALUE, WT_OPTION_PARTITION, "partition" },
	{ 'J', TAKES_VALUE, WT_OPTION_NAME, "job-name" },
	{ 'C', TAKES_VALUE, WT_OPTION_CONSTRAINT, "constraint" },
	{ 'd', TAKES_VALUE, WT_OPTION_DEPENDENCY, "dependency" },
	{ 'L', TAKES_VALUE, WT_OPTION_LICENSES, "licenses" },
	{ 'w', TAKES_VALUE, WT_OPTION_NODE_LIST, "nodelist" },
	{ 'x', TAKES_VALUE, WT_OPTION_EXCLUDE, "exclude" },
	{ 0, TAKES_VALUE, WT_OPTION_RESERVATION, "reservation" },
	{ 0, TAKES_VALUE, WT_OPTION_WCKEY, "wckey" },
	{ 'N', TAKES_VALUE, WT_OPTION_NODES, "nodes" },
	{ 'n', TAKES_VALUE, WT_OPTION_TASKS, "ntasks" },
	{ 'c', TAKES_VALUE, WT_OPTION_CPUS_PER_TASK, "cpus-per-task" },
	{ 0, TAKES_VALUE, WT_OPTION_TASKS_PER_NODE, "ntasks-per-node" },
	{ 0, TAKES_VALUE, WT_OPTION_TASKS_PER_NODE, "tasks-per-node" },
	{ 0, TAKES_VALUE, WT_OPTION_TASKS_PER_SOCKET, "ntasks-per-socket" },
	{ 0, TAKES_VALUE, WT_OPTION_TASKS_PER_CORE, "ntasks-per-core" },
	{ 0, TAKES_VALUE, WT_OPTION_SOCKETS, "sockets-per-node" },
	{ 0, TAKES_VALUE, WT_OPTION_CORES, "cores-per-socket" },
	{ 0, TAKES_VALUE, WT_OPTION_THREADS, "threads-per-core" },
	{ 0, TAKES_VALUE, WT_OPTION_CPUS_MIN, "mincpus" },
	{ 0, TAKES_VALUE, WT_OPTION_MEMORY, "mem" },
	{ 0, TAKES_VALUE, WT_OPTION_MEMORY_PER_CPU, "mem-per-cpu" },
	{ 0, TAKES_VALUE, WT_OPTION_TMP, "tmp" },
	{ 0, TAKES_VALUE, WT_OPTION_GRES, "gres" },
	{ 'G', TAKES_VALUE, WT_OPTION_GPUS, "gpus" },
	{ 0, TAKES_VALUE, WT_OPTION_GPUS_PER_NODE, "gpus-per-node" },
	{ 0, TAKES_VALUE, WT_OPTION_GPUS_PER_TASK, "gpus-per-task" },
	{ 0, TAKES_VALUE, WT_OPTION_GPUS_PER_SOCKET, "gpus-per-socket" },
	{ 0, MAY_TAKE, WT_OPTION_EXCLUSIVE, "exclusive" },
	{ 's', TAKES_NONE, WT_OPTION_OVERSUBSCRIBE, "oversubscribe" },
	{ 0, TAKES_NONE, WT_OPTION_OVERSUBSCRIBE, "share" },
	{ 'b', TAKES_VALUE, WT_OPTION_BEGIN, "begin" },
	{ 0, TAKES_VALUE, WT_OPTION_DEADLINE, "deadline" },
	{ 't', TAKES_VALUE, WT_OPTION_TIME, "time" },
	{ 0, TAKES_VALUE, WT_OPTION_TIME_MIN, "time-min" },
	{ 0, MAY_TAKE, WT_OPTION_NICE, "nice" },
	{ 0, TAKES_VALUE, WT_OPTION_PRIORITY, "priority" },
	{ 0, TAKES_VALUE, WT_OPTION_SWITCHES, "switches" },
	{ 0, TAKES_NONE, WT_OPTION_CONTIGUOUS, "contiguous" },
	{ 0, TAKES_NONE, WT_OPTION_REQUEUE, "requeue" },
	{ 0, TAKES_NONE, WT_OPTION_NO_REQUEUE, "no-requeue" },
	{ 'O', TAKES_NONE, WT_OPTION_OVERCOMMIT, "overcommit" },
	{ 0, TAKES_NONE, WT_OPTION_SPREAD, "spread-job" },
	{ 'S', TAKES_VALUE, WT_OPTION_CORE_SPEC, "core-spec" },
	{ 'H', TAKES_NONE, WT_OPTION_HOLD, "hold" },
	{ 'a', TAKES_VALUE, WT_OPTION_ARRAY, "array" },
	{ 0, TAKES_VALUE, WT_OPTION_USER, "uid" },
	{ 0, TAKES_VALUE, WT_OPTION_GROUP, "gid" },
	{ 0, TAKES_VALUE, NO_WORD, "batch" }, { 0, TAKES_VALUE, NO_WORD, "bb" }, { 0, TAKES_VALUE, NO_WORD, "bbf" },
	{ 0, TAKES_VALUE, NO_WORD, "cluster-constraint" }, { 0, TAKES_VALUE, NO_WORD, "cpus-per-gpu" },
	{ 0, TAKES_VALUE, NO_WORD, "delay-boot" }, { 'm', TAKES_VALUE, NO_WORD, "distribution" },
	{ 'B', TAKES_VALUE, NO_WORD, "extra-node-info" }, { 0, TAKES_VALUE, NO_WORD, "gres-flags" },
	{ 0, TAKES_VALUE, NO_WORD, "hint" }, { 'I', MAY_TAKE, NO_WORD, "immediate" },
	{ 0, TAKES_VALUE, NO_WORD, "mcs-label" }, { 0, TAKES_VALUE, NO_WORD, "mem-per-gpu" },
	{ 0, TAKES_VALUE, NO_WORD, "network" }, { 'F', TAKES_VALUE, NO_WORD, "nodefile" },
	{ 0, TAKES_VALUE, NO_WORD, "ntasks-per-gpu" }, { 0, TAKES_VALUE, NO_WORD, "ntasks-per-tres" },
	{ 0, TAKES_VALUE, NO_WORD, "power" }, { 0, TAKES_VALUE, NO_WORD, "prefer" },
	{ 0, TAKES_NONE, NO_WORD, "reboot" }, { 0, TAKES_VALUE, NO_WORD, "thread-spec" },
	{ 0, TAKES_NONE, NO_WORD, "use-min-nodes" }, { 0, TAKES_VALUE, NO_WORD, "segment" },
	{ 0, TAKES_NONE, NO_WORD, "stepmgr" }, { 0, TAKES_VALUE, NO_WORD, "tres-per-task" },
	{ 0, TAKES_VALUE, NO_WORD, "consolidate-segments" }, { 0, TAKES_NONE, NO_WORD, "spread-segments" },
	{ 0, TAKES_VALUE, IGNORED, "acctg-freq" }, { 0, TAKES_VALUE, IGNORED, "accel-bind" },
	{ 0, TAKES_VALUE, IGNORED, "argv" }, { 0, MAY_TAKE, IGNORED, "bcast" },
	{ 0, TAKES_VALUE, IGNORED, "bcast-exclude" }, { 0, TAKES_NONE, IGNORED, "bell" },
	{ 'D', TAKES_VALUE, IGNORED, "chdir" }, { 0, TAKES_VALUE, IGNORED, "workdir" },
	{ 'M', TAKES_VALUE, IGNORED, "clusters" }, { 0, TAKES_VALUE, IGNORED, "cluster" },
	{ 0, TAKES_VALUE, IGNORED, "comment" }, { 0, MAY_TAKE, IGNORED, "compress" },
	{ 0, TAKES_VALUE, IGNORED, "container" }, { 0, TAKES_VALUE, IGNORED, "container-id" },
	{ 0, TAKES_VALUE, IGNORED, "context" }, { 0, TAKES_VALUE, IGNORED, "cpu-bind" },
	{ 0, TAKES_VALUE, IGNORED, "cpu_bind" }, { 0, TAKES_VALUE, IGNORED, "cpu-freq" },
	{ 'X', TAKES_NONE, IGNORED, "disable-status" }, { 0, TAKES_VALUE, IGNORED, "epilog" },
	{ 'e', TAKES_VALUE, IGNORED, "error" }, { 0, TAKES_NONE, IGNORED, "exact" },
	{ 0, TAKES_VALUE, IGNORED, "export" }, { 0, TAKES_VALUE, IGNORED, "export-file" },
	{ 0, TAKES_NONE, IGNORED, "external" }, { 0, TAKES_VALUE, IGNORED, "extra" },
	{ 0, MAY_TAKE, IGNORED, "get-user-env" }, { 0, TAKES_VALUE, IGNORED, "gpu-bind" },
	{ 0, TAKES_VALUE, IGNORED, "gpu-freq" }, { 0, TAKES_VALUE, IGNORED, "het-group" },
	{ 0, TAKES_NONE, IGNORED, "ignore-pbs" }, { 'i', TAKES_VALUE, IGNORED, "input" },
	{ 0, TAKES_NONE, IGNORED, "interactive" }, { 0, TAKES_VALUE, IGNORED, "jobid" },
	{ 'K', MAY_TAKE, IGNORED, "kill-command" }, { 0, MAY_TAKE, IGNORED, "kill-on-bad-exit" },
	{ 0, TAKES_VALUE, IGNORED, "kill-on-invalid-dep" }, { 'l', TAKES_NONE, IGNORED, "label" },
	{ 0, TAKES_VALUE, IGNORED, "mail-type" }, { 0, TAKES_VALUE, IGNORED, "mail-user" },
	{ 0, TAKES_VALUE, IGNORED, "mem-bind" }, { 0, TAKES_VALUE, IGNORED, "mem_bind" },
	{ 0, TAKES_VALUE, IGNORED, "mpi" }, { 0, TAKES_VALUE, IGNORED, "msg-timeout" },
	{ 0, TAKES_NONE, IGNORED, "multi-prog" }, { 'Z', TAKES_NONE, IGNORED, "no-allocate" },
	{ 0, TAKES_NONE, IGNORED, "no-bell" }, { 'k', MAY_TAKE, IGNORED, "no-kill" },
	{ 0, TAKES_NONE, IGNORED, "no-shell" }, { 0, TAKES_VALUE, IGNORED, "oom-kill-step" },
	{ 0, TAKES_VALUE, IGNORED, "open-mode" }, { 'o', TAKES_VALUE, IGNORED, "output" },
	{ 0, MAY_TAKE, IGNORED, "overlap" }, { 0, TAKES_NONE, IGNORED, "parsable" },
	{ 'E', TAKES_NONE, IGNORED, "preserve-env" }, { 0, TAKES_VALUE, IGNORED, "profile" },
	{ 0, TAKES_VALUE, IGNORED, "prolog" }, { 0, MAY_TAKE, IGNORED, "propagate" },
	{ 0, MAY_TAKE, IGNORED, "pty" }, { 'Q', TAKES_NONE, IGNORED, "quiet" },
	{ 0, TAKES_NONE, IGNORED, "quit-on-interrupt" }, { 'r', TAKES_VALUE, IGNORED, "relative" },
	{ 0, MAY_TAKE, IGNORED, "resv-ports" }, { 0, MAY_TAKE, IGNORED, "send-libs" },
	{ 0, TAKES_VALUE, IGNORED, "signal" }, { 0, TAKES_VALUE, IGNORED, "slurmd-debug" },
	{ 0, TAKES_VALUE, IGNORED, "task-epilog" }, { 0, TAKES_VALUE, IGNORED, "task-prolog" },
	{ 0, TAKES_NONE, IGNORED, "test-only" }, { 'T', TAKES_VALUE, IGNORED, "threads" },
	{ 0, TAKES_VALUE, IGNORED, "treewidth" }, { 'u', TAKES_NONE, IGNORED, "unbuffered" },
	{ 'v', TAKES_NONE, IGNORED, "verbose" }, { 0, TAKES_VALUE, IGNORED, "wait-all-nodes" },
	{ 0, TAKES_VALUE, IGNORED, "wait-for-switch" }, { 0, TAKES_NONE, IGNORED, "whole" },
	{ 0, TAKES_VALUE, IGNORED, "wrap" }, { 0, MAY_TAKE, IGNORED, "x11" },
};

/* Of sbatch it stands alone, of srun and salloc it takes a number. */
static const struct option_line wait_alone = { 'W', TAKES_NONE, IGNORED, "wait" };
static const struct option_line wait_value = { 'W', TAKES_VALUE, IGNORED, "wait" };

struct line_reading {		/* of one line */
	const struct option_line *last;	/* the option that was read last */
	struct wt_job_options *o;
	const struct option_line *wait;
	size_t at;		/* the next word */
};

/* Words are cut at blanks; a quote or backslash is a letter: accounting has lost them. */
static bool words_cut(struct wt_job_options *o)
{
	char *rest = o->text, *word;

	while ((word = strsep(&rest, " \t\n\r")))
		if (*word) {
			if (o->word_count == WT_JOB_WORDS_MAX)
				return false;
			o->words[o->word_count++] = word;
		}
	return true;
}

/* As getopt_long(3): the name, or an unmistakable beginning of it. */
static const struct option_line *long_find(const struct line_reading *r, const char *name, size_t len)
{
	const struct option_line *found = NULL;

	if (len == strlen("wait") && !strncmp(name, "wait", len))
		return r->wait;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!len || strncmp(rows[i].name, name, len))
			continue;
		if (!rows[i].name[len])
			return &rows[i];
		if (found && found->which != rows[i].which)
			return NULL;
		found = &rows[i];
	}
	return found;
}

static const struct option_line *letter_find(const struct line_reading *r, char letter)
{
	if (letter == 'W')
		return r->wait;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].letter == letter)
			return &rows[i];
	return NULL;
}

/* The quotes around a text with blanks are lost: its second word looks like the command. */
static bool may_have_blanks(const struct option_line *row)
{
	static const char *const names[] = { "comment", "job-name", "chdir", "output", "error", "input", "export", "extra",
					     "mail-user", "wrap" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(row->name, names[i]))
			return true;
	return false;
}

static void option_keep(struct line_reading *r, const struct option_line *row, const char *value)
{
	struct wt_job_options *o = r->o;

	r->last = row;
	if (row->which >= 0)
		o->value[row->which] = value ? value : "";
	else if (row->which == NO_WORD && o->other_count < sizeof(o->others) / sizeof(o->others[0]))
		o->others[o->other_count++] = row->name;
}

/* The next word as a value; false: there is none. */
static bool value_next(struct line_reading *r, const char **value)
{
	if (r->at >= r->o->word_count)
		return false;
	*value = r->o->words[r->at++];
	return true;
}

static bool long_take(struct line_reading *r, char *word)
{
	size_t len = strcspn(word, "=");
	const struct option_line *row = long_find(r, word, len);
	const char *value = word[len] ? word + len + 1 : NULL;

	if (!row || (row->takes == TAKES_NONE && value))
		return false;
	if (row->takes == TAKES_VALUE && !value && !value_next(r, &value))
		return false;
	option_keep(r, row, value);
	return true;
}

/* "-HN2": letters without a value, the last one perhaps with it. */
static bool letters_take(struct line_reading *r, char *word)
{
	for (; *word; word++) {
		const struct option_line *row = letter_find(r, *word);
		const char *value = NULL;

		if (!row)
			return false;
		if (row->takes != TAKES_NONE && word[1])
			value = word + 1;
		else if (row->takes == TAKES_VALUE && !value_next(r, &value))
			return false;
		option_keep(r, row, value);
		if (row->takes != TAKES_NONE)
			return true;
	}
	return true;
}

/* What is run, of which the quotes are lost: options behind it are its own, or the job's. */
static bool is_wrap(const struct option_line *row)
{
	return row && !strcmp(row->name, "wrap");
}

/* Up to the first word that is no option: what is run. */
static void options_read(struct line_reading *r)
{
	struct wt_job_options *o = r->o;

	while (r->at < o->word_count && o->words[r->at][0] == '-' && o->words[r->at][1] && !is_wrap(r->last)) {
		char *word = o->words[r->at++];

		if (!strcmp(word, "--"))
			return;
		if (word[1] == '-' ? !long_take(r, word + 2) : !letters_take(r, word + 1)) {
			o->stopped = true;
			return;
		}
	}
	for (size_t i = r->at; r->last && may_have_blanks(r->last) && i < o->word_count; i++)
		o->doubtful |= o->words[i][0] == '-';
}

int wt_job_options_words(struct wt_job_options *options, const char *words)
{
	struct line_reading r = { .o = options, .wait = &wait_alone };

	memset(options, 0, sizeof(*options));
	options->text = strdup(words);
	if (!options->text)
		return -1;
	if (!words_cut(options))
		options->stopped = true;
	options_read(&r);
	return 0;
}

/* Read the options of the next component behind a ':'; false: there is none.  Only srun has a program before it. */
static bool component_read(struct line_reading *r, bool is_srun)
{
	struct wt_job_options *o = r->o;

	while (is_srun && r->at < o->word_count && strcmp(o->words[r->at], ":"))
		r->at++;
	if (o->stopped || r->at >= o->word_count || strcmp(o->words[r->at], ":"))
		return false;
	r->at++;
	memset(o->value, 0, sizeof(o->value));
	o->other_count = 0;
	o->doubtful = false;
	r->last = NULL;
	options_read(r);
	return true;
}

int wt_job_options_line(struct wt_job_options *options, const char *line, unsigned int component)
{
	struct line_reading r = { .o = options, .wait = &wait_value, .at = 1 };
	const char *slash;

	memset(options, 0, sizeof(*options));
	options->text = strdup(line);
	if (!options->text)
		return -1;
	if (!words_cut(options))
		options->stopped = true;
	if (!options->word_count)
		return 1;
	slash = strrchr(options->words[0], '/');
	slash = slash ? slash + 1 : options->words[0];
	if (!strcmp(slash, "sbatch"))
		r.wait = &wait_alone;
	else if (strcmp(slash, "salloc") && strcmp(slash, "srun"))
		return 1;
	options_read(&r);
	for (unsigned int i = 0; i < component; i++)
		if (!component_read(&r, !strcmp(slash, "srun")))
			return 1;
	return 0;
}

void wt_job_options_clear(struct wt_job_options *options)
{
	int saved_errno = errno;

	free(options->text);
	memset(options, 0, sizeof(*options));
	errno = saved_errno;
}
