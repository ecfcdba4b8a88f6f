/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/vnode/model/job_behaviour.h"
#include "harness/vnode/model/script.h"
#include "harness/vnode/model/shellskip.h"

/* A script may loop for ever, and all nodes wait while it is read: beyond this it is one that is not understood. */
#define BUDGET 20000		/* commands and turns of loops, all together */
#define LOOPS_MAX 8		/* inside each other */

struct words {
	char **text;
	bool *sure;
	size_t count, capacity;
};

struct script {
	const struct wt_script_conf *conf;
	struct wt_script_plan *plan;
	struct wt_script_found *found;
	struct wt_shell shell;
	struct wt_shell_vars vars;
	char *cwd;		/* NULL: not known */
	unsigned int budget, loops;
	bool errexit, failed;
};

/* One pipeline of the script. */
struct script_place {
	enum wt_plan_when when;
	char after[4];		/* the operator behind it; "" at the end of a line */
	bool piped;		/* it has several commands */
};

static void words_clear(struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->text[i]);
	free(words->text);
	free(words->sure);
	*words = (struct words) { 0 };
}

/* Takes token->text. */
static void words_add(struct script *s, struct words *words, struct wt_shell_token *token)
{
	/* One place more: the words end with NULL, as an argv. */
	if (words->count + 1 >= words->capacity) {
		size_t capacity = words->capacity ? words->capacity * 2 : 16;
		char **text = realloc(words->text, capacity * sizeof(*text));
		bool *sure = text ? realloc(words->sure, capacity * sizeof(*sure)) : NULL;

		if (text)
			words->text = text;
		if (sure)
			words->sure = sure;
		if (!text || !sure) {
			s->failed = true;
			wt_shell_token_clear(token);
			return;
		}
		words->capacity = capacity;
	}
	words->text[words->count] = token->text;
	words->sure[words->count++] = token->sure;
	words->text[words->count] = NULL;
	token->text = NULL;
}

static void item_add(struct script *s, const struct script_place *place, struct wt_plan_item *item)
{
	item->when = (uint8_t) place->when;
	item->ends = s->errexit && place->when == WT_PLAN_ALWAYS && strcmp(place->after, "&&") && strcmp(place->after, "||");
	if (wt_plan_add(s->plan, item) < 0)
		s->failed = true;
}

static void status_add(struct script *s, const struct script_place *place, uint8_t status)
{
	struct wt_plan_item item = { .kind = WT_PLAN_STATUS, .status = status };
	const struct wt_plan_item *last = s->plan->count ? &s->plan->items[s->plan->count - 1] : NULL;

	/* A status that no command looks at. */
	if (!status && place->when == WT_PLAN_ALWAYS && last && last->kind == WT_PLAN_STATUS && !last->status &&
	    last->when == WT_PLAN_ALWAYS)
		return;
	item_add(s, place, &item);
}

static void span_add(struct script *s, const struct script_place *place, int64_t us)
{
	struct wt_plan_item item = { .kind = WT_PLAN_SPAN, .run_time_us = us };

	item_add(s, place, &item);
}

static void exit_add(struct script *s, const struct script_place *place, const char *status)
{
	struct wt_plan_item item = { .kind = WT_PLAN_EXIT, .keeps = !status };
	char *end;

	if (status) {
		item.status = (uint8_t) strtol(status, &end, 10);
		item.keeps = end == status || *end;
	}
	item_add(s, place, &item);
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The exported variables, and the assignments in front of a command, as an environment: malloc ()'ed, strings borrowed. */
static char **environment_make(struct script *s, const struct words *words, size_t first, size_t *count)
{
	char **list = malloc((s->vars.count + first + 1) * sizeof(*list));

	*count = 0;
	for (size_t i = 0; list && i < s->vars.count; i++) {
		const struct wt_shell_var *var = &s->vars.list[i];
		size_t len = strcspn(var->text, "=") + 1;
		/* A value that is not sure is as one that is not there: srun options must not come from a guess. */
		bool hidden = !var->exported || !var->sure;

		for (size_t k = 0; k < first && !hidden; k++)
			hidden = !strncmp(words->text[k], var->text, len);
		if (!hidden)
			list[(*count)++] = var->text;
	}
	for (size_t i = 0; list && i < first; i++)
		list[(*count)++] = words->text[i];
	s->failed = s->failed || !list;
	return list;
}

static bool assignments_sure(const struct words *words, size_t first)
{
	for (size_t i = 0; i < first; i++)
		if (!words->sure[i])
			return false;
	return true;
}

/* Words 'first' and on are an srun line; those before it are assignments, and perhaps "exec" or "time". */
static bool srun_add(struct script *s, const struct script_place *place, const struct words *words, size_t assigned,
		     size_t first)
{
	struct wt_plan_item item = { .kind = WT_PLAN_STEP, .hides = !strcmp(place->after, "|") };
	struct wt_script_srun srun = {
		.argv = words->text + first, .sure = words->sure + first, .argc = words->count - first, .cwd = s->cwd,
	};
	char **environment;
	bool good;

	if (!assignments_sure(words, assigned))
		return false;
	environment = environment_make(s, words, assigned, &srun.environment_count);
	srun.environment = environment;
	good = environment && s->conf->srun(s->conf->arg, &srun, &item);
	free(environment);
	if (good)
		item_add(s, place, &item);
	return good;
}

static void variables_set(struct script *s, const struct words *words, size_t first, size_t end, bool exported)
{
	for (size_t i = first; i < end; i++) {
		if (wt_shell_assigns(words->text[i])) {
			if (wt_shell_var_set(&s->vars, words->text[i], words->sure[i], exported) < 0)
				s->failed = true;
		} else if (exported) {
			wt_shell_var_export(&s->vars, words->text[i]);
		}
	}
}

static void folder_change(struct script *s, const char *folder, bool sure)
{
	char *path = NULL;

	/* Where the folder is not known, neither is what lies in it: programs by relative names are not looked at then. */
	if (folder && sure && *folder == '/')
		path = strdup(folder);
	else if (folder && sure && s->cwd && *folder != '-' && *folder != '~')
		path = wt_str_format("%s/%s", s->cwd, folder);
	free(s->cwd);
	s->cwd = path;
}

static void options_set(struct script *s, const struct words *words, size_t first)
{
	for (size_t i = first; i < words->count; i++) {
		const char *word = words->text[i];

		if ((*word == '-' || *word == '+') && strchr(word, 'e'))
			s->errexit = *word == '-';
		else if (!strcmp(word, "errexit") && i > first)
			s->errexit = *words->text[i - 1] == '-';
	}
}

static void sleep_add(struct script *s, const struct script_place *place, const struct words *words, size_t first)
{
	int64_t us = 0;

	for (size_t i = first + 1; i < words->count; i++) {
		if (!words->sure[i]) {
			status_add(s, place, 0);
			return;
		}
	}
	if (job_behaviour_sleep_us(words->text + first + 1, words->count - first - 1, &us))
		span_add(s, place, us);
	else
		status_add(s, place, 0);	/* what is no number is ignored, as in job_behaviour.h */
}

static bool word_mentions(const struct words *words, const char *name)
{
	for (size_t i = 0; i < words->count; i++)
		if (words->text[i] && strstr(words->text[i], name))
			return true;
	return false;
}

/* What the shell itself does, or what is known of a program; false: it is another one. */
static bool known_command(struct script *s, const struct script_place *place, const struct words *words, size_t first)
{
	const char *name = words->text[first], *operand = first + 1 < words->count ? words->text[first + 1] : NULL;
	bool sure = operand && words->sure[first + 1];

	if (!strcmp(base_of(name), "sleep")) {
		sleep_add(s, place, words, first);
	} else if (!strcmp(name, "wait")) {
		item_add(s, place, &(struct wt_plan_item) { .kind = WT_PLAN_WAIT });
	} else if (!strcmp(name, "exit")) {
		exit_add(s, place, sure ? operand : NULL);
	} else if (!strcmp(base_of(name), "false")) {
		status_add(s, place, 1);
	} else if (!strcmp(name, "export") || !strcmp(name, "readonly") || !strcmp(name, "declare")) {
		variables_set(s, words, first + 1, words->count, !strcmp(name, "export"));
		status_add(s, place, 0);
	} else if (!strcmp(name, "unset") || !strcmp(name, "read")) {
		for (size_t i = first + 1; i < words->count; i++)
			wt_shell_var_forget(&s->vars, words->text[i], strlen(words->text[i]));
		status_add(s, place, 0);
	} else if (!strcmp(name, "cd")) {
		folder_change(s, operand, sure);
		status_add(s, place, 0);
	} else if (!strcmp(name, "set")) {
		options_set(s, words, first + 1);
		status_add(s, place, 0);
	} else {
		return false;
	}
	return true;
}

static void unread_count(struct script *s, uint32_t count)
{
	s->found->unread += count;
}

static void command_add(struct script *s, const struct script_place *place, const struct words *words, bool first_of_pipe)
{
	size_t assigned = 0, first;
	bool exec;

	while (assigned < words->count && wt_shell_assigns(words->text[assigned]))
		assigned++;
	first = assigned;
	if (first == words->count)
		variables_set(s, words, 0, assigned, false);
	exec = first + 1 < words->count && !strcmp(words->text[first], "exec");
	if (exec || (first + 1 < words->count &&
		     (!strcmp(words->text[first], "time") || !strcmp(words->text[first], "command"))))
		first++;
	if (first < words->count && words->sure[first] && !strcmp(base_of(words->text[first]), "srun")) {
		if ((!first_of_pipe && s->plan->count && s->plan->items[s->plan->count - 1].kind == WT_PLAN_STEP) ||
		    !srun_add(s, place, words, assigned, first)) {
			unread_count(s, 1);
			status_add(s, place, 0);
		}
	} else if (first == words->count || !known_command(s, place, words, first)) {
		unread_count(s, word_mentions(words, "srun"));
		if (first_of_pipe)
			status_add(s, place, 0);
	}
	/* The shell is gone with it: what stands behind is never run. */
	if (exec)
		exit_add(s, &(struct script_place) { .when = WT_PLAN_ALWAYS }, NULL);
}

/* A compound command that is not understood: as in job_behaviour.h. */
static void skipped_add(struct script *s, const struct script_place *place, const struct wt_shell_skipped *skipped)
{
	unread_count(s, skipped->sruns);
	if (skipped->sleep_us)
		span_add(s, place, skipped->sleep_us);
	else
		status_add(s, place, 0);
}

static void forgotten_apply(void *arg, const char *name, size_t len)
{
	struct script *s = arg;

	wt_shell_var_forget(&s->vars, name, len);
}

static void list_read(struct script *s, const char *closer);

/* One turn of a loop. */
static void turn_run(struct script *s, const struct wt_shell *body, const char *name, const char *value)
{
	char *assignment = wt_str_format("%s=%s", name, value);

	if (!assignment || wt_shell_var_set(&s->vars, assignment, true, false) < 0)
		s->failed = true;
	free(assignment);
	/* Without budget the whole script is one that is not understood: half of its steps would be a lie. */
	if (!s->budget || s->failed) {
		s->failed = true;
		return;
	}
	s->budget--;
	s->shell = *body;
	list_read(s, "done");
}

/* for NAME in WORD...; do.  False: what it goes over is not known. */
static bool words_loop(struct script *s, const char *name, struct words *values)
{
	struct wt_shell_token token;
	struct wt_shell body;
	bool sure = true;

	for (;;) {
		wt_shell_next(&s->shell, &token);
		if (token.kind != WT_SHELL_WORD)
			break;
		sure = sure && token.sure && !strpbrk(token.text, "{*?[");
		words_add(s, values, &token);
	}
	while (token.kind == WT_SHELL_NEWLINE || !strcmp(token.op, ";"))
		wt_shell_next(&s->shell, &token);
	sure = sure && token.kind == WT_SHELL_WORD && !strcmp(token.text, "do");
	wt_shell_token_clear(&token);
	body = s->shell;
	for (size_t i = 0; sure && i < values->count && !s->failed; i++)
		turn_run(s, &body, name, values->text[i]);
	return sure;
}

/* for ((NAME = A; NAME < B; NAME++)) with numbers: 'text' is what stands between the words. */
static bool counting_loop(struct script *s, const char *text, size_t len)
{
	char header[128], name[33], name2[33], name3[33], sign[3] = "", step[3] = "", value[16];
	struct wt_shell_token token;
	struct wt_shell body;
	int from, to, used = 0;

	if (len >= sizeof(header))
		return false;
	memcpy(header, text, len);
	header[len] = '\0';
	if (sscanf(header, "(( %32[A-Za-z_] = %d ; %32[A-Za-z_] %2[<=] %d ; %32[A-Za-z_]%2[+] )) %n", name, &from, name2,
		   sign, &to, name3, step, &used) != 7 || header[used] || strcmp(name, name2) || strcmp(name, name3) ||
	    strcmp(step, "++") || (strcmp(sign, "<") && strcmp(sign, "<=")) || from < 0 || to > BUDGET)
		return false;
	do
		wt_shell_next(&s->shell, &token);
	while (token.kind == WT_SHELL_NEWLINE || !strcmp(token.op, ";"));
	if (token.kind != WT_SHELL_WORD || strcmp(token.text, "do")) {
		wt_shell_token_clear(&token);
		return false;
	}
	wt_shell_token_clear(&token);
	body = s->shell;
	for (int i = from; i < to + !strcmp(sign, "<=") && !s->failed; i++) {
		snprintf(value, sizeof(value), "%d", i);
		turn_run(s, &body, name, value);
	}
	return true;
}

/* Behind the word "for"; false: it is to be skipped. */
static bool loop_read(struct script *s)
{
	struct wt_shell_token name, in;
	struct words values = { 0 };
	bool good = false;

	wt_shell_next(&s->shell, &name);
	if (name.kind == WT_SHELL_OPERATOR && !strcmp(name.op, "(("))
		return counting_loop(s, name.begin, (size_t) (name.end - name.begin));
	wt_shell_next(&s->shell, &in);
	if (name.kind == WT_SHELL_WORD && name.plain && in.kind == WT_SHELL_WORD && in.plain && !strcmp(in.text, "in"))
		good = words_loop(s, name.text, &values);
	wt_shell_token_clear(&name);
	wt_shell_token_clear(&in);
	words_clear(&values);
	return good;
}

static bool place_plain(const struct script_place *place)
{
	return place->when == WT_PLAN_ALWAYS && !place->piped && (!*place->after || !strcmp(place->after, ";"));
}

/* The operator behind what has been read: into place->after. */
static void after_read(struct script *s, struct script_place *place)
{
	struct wt_shell_token token;
	struct wt_shell before;

	do {	/* words behind a compound command are none that the shell would take */
		before = s->shell;
		wt_shell_next(&s->shell, &token);
		wt_shell_token_clear(&token);
	} while (token.kind == WT_SHELL_WORD);
	memcpy(place->after, token.op, sizeof(place->after));
	if (!strcmp(token.op, ")") || !strcmp(token.op, ";;")) {
		s->shell = before;
		s->failed = true;
	}
	if (!strcmp(token.op, "|"))
		place->piped = true;
}

/* 'begin' is behind the word that opens it. */
static void compound_read(struct script *s, struct script_place *place, const char *open)
{
	/* Read twice: to its end, which says whether it can be understood at all, and then, if so, for its turns. */
	const struct wt_shell begin = s->shell;
	struct wt_shell_skipped skipped = { .forget = forgotten_apply, .arg = s };
	uint32_t before = s->plan->count, unread = s->found->unread;
	struct wt_shell end;

	if (wt_shell_skip(&s->shell, open, &skipped) < 0) {
		s->failed = true;
		return;
	}
	after_read(s, place);
	end = s->shell;
	if (!strcmp(open, "for") && skipped.sruns && !skipped.leaves && place_plain(place) &&
	    s->loops < LOOPS_MAX) {
		s->shell = begin;
		s->loops++;
		if (loop_read(s) && !s->failed) {
			s->loops--;
			s->shell = end;
			return;
		}
		s->loops--;
		wt_plan_cut(s->plan, before);
		s->found->unread = unread;
		s->shell = end;
	}
	skipped_add(s, place, &skipped);
}

/* NAME () COMMAND, behind the "(": nothing of it happens here, but sleep lines count, as in job_behaviour.h. */
static void function_read(struct script *s, struct script_place *place)
{
	struct wt_shell_token token;

	wt_shell_next(&s->shell, &token);
	if (strcmp(token.op, ")")) {
		s->failed = true;
		wt_shell_token_clear(&token);
		return;
	}
	do
		wt_shell_next(&s->shell, &token);
	while (token.kind == WT_SHELL_NEWLINE);
	if (token.kind == WT_SHELL_WORD && wt_shell_opens(token.text))
		compound_read(s, place, token.text);
	else if (!strcmp(token.op, "("))
		compound_read(s, place, "(");
	else
		s->failed = true;
	wt_shell_token_clear(&token);
}

/* An array: its words up to the ")"; nothing is known of it. */
static void array_pass(struct script *s, struct words *words)
{
	struct wt_shell_token token;

	words->sure[words->count - 1] = false;
	do {
		wt_shell_next(&s->shell, &token);
		wt_shell_token_clear(&token);
		if (token.kind == WT_SHELL_END)
			s->failed = true;
	} while (token.kind != WT_SHELL_END && strcmp(token.op, ")"));
}

/* Behind a word, at a "(": of an array or a function, else the script cannot be read.  True: more words may follow. */
static bool bracket_read(struct script *s, struct wt_shell_token *token, struct script_place *place, struct words *words,
			 const char *word_end)
{
	if (wt_shell_assigns(words->text[words->count - 1]) && token->begin == word_end) {
		array_pass(s, words);
		wt_shell_next(&s->shell, token);
		return true;
	}
	if (words->count == 1)
		function_read(s, place);
	else
		s->failed = true;
	return false;
}

/* The words of a simple command, whose first token has been read; false: it was a function's. */
static bool words_read(struct script *s, struct wt_shell_token *token, struct script_place *place, struct words *words)
{
	while (token->kind == WT_SHELL_WORD && !s->failed) {
		const char *word_end = token->end;

		words_add(s, words, token);
		wt_shell_next(&s->shell, token);
		if (!s->failed && !strcmp(token->op, "(") && !bracket_read(s, token, place, words, word_end))
			return false;
	}
	memcpy(place->after, token->op, sizeof(place->after));
	if (!strcmp(token->op, ")") || !strcmp(token->op, "((") || !strcmp(token->op, ";;"))
		s->failed = true;
	place->piped = place->piped || !strcmp(token->op, "|");
	return true;
}

/* One command of a pipeline, whose first token has been read; false: it is a compound one. */
static bool command_read(struct script *s, struct wt_shell_token *token, struct script_place *place, struct words *words)
{
	if (token->kind == WT_SHELL_WORD && token->plain && wt_shell_opens(token->text)) {
		compound_read(s, place, token->text);
		return false;
	}
	if (!strcmp(token->op, "(")) {
		compound_read(s, place, "(");
		return false;
	}
	if (!strcmp(token->op, "((")) {
		after_read(s, place);
		status_add(s, place, 0);
		return false;
	}
	return words_read(s, token, place, words);
}

static void newlines_pass(struct script *s, struct wt_shell_token *token)
{
	wt_shell_token_clear(token);
	do
		wt_shell_next(&s->shell, token);
	while (token->kind == WT_SHELL_NEWLINE);
}

/* What stands between ; & && ||.  Its first token has been read. */
static void pipeline_read(struct script *s, struct wt_shell_token *token, struct script_place *place)
{
	bool first = true;

	do {
		struct words words = { 0 };

		if (!first)
			newlines_pass(s, token);
		if (token->kind == WT_SHELL_WORD && token->plain && !strcmp(token->text, "!")) {
			wt_shell_token_clear(token);
			wt_shell_next(&s->shell, token);
			place->piped = true;
		}
		memset(place->after, 0, sizeof(place->after));
		if (command_read(s, token, place, &words))
			command_add(s, place, &words, first);
		words_clear(&words);
		first = false;
	} while (!s->failed && !strcmp(place->after, "|"));
}

/* All up to the end of a command line with && and ||; its first token has been read. */
static void and_or_read(struct script *s, struct wt_shell_token *token)
{
	uint32_t before = s->plan->count, steps = s->plan->steps;
	struct script_place place = { .when = WT_PLAN_ALWAYS };
	unsigned int count = 0;

	for (;;) {
		place.piped = false;
		pipeline_read(s, token, &place);
		count++;
		if (s->failed || (strcmp(place.after, "&&") && strcmp(place.after, "||")))
			break;
		place.when = !strcmp(place.after, "&&") ? WT_PLAN_AND : WT_PLAN_OR;
		newlines_pass(s, token);
	}
	if (strcmp(place.after, "&"))
		return;
	if (count > 1) {	/* a list beside the script: not understood */
		unread_count(s, s->plan->steps - steps);
		wt_plan_cut(s->plan, before);
		status_add(s, &(struct script_place) { .when = WT_PLAN_ALWAYS }, 0);
		return;
	}
	for (uint32_t i = before; i < s->plan->count; i++) {
		s->plan->items[i].background = true;
		s->plan->items[i].ends = false;
	}
}

static void list_read(struct script *s, const char *closer)
{
	struct wt_shell_token token;

	while (!s->failed) {
		wt_shell_next(&s->shell, &token);
		if (token.kind == WT_SHELL_NEWLINE || !strcmp(token.op, ";"))
			continue;
		if (token.kind == WT_SHELL_END) {
			s->failed = s->failed || s->shell.failed || closer;
			return;
		}
		if (!s->budget--) {
			s->budget = 0;
			s->failed = true;
		}
		if (token.kind == WT_SHELL_WORD && token.plain && closer && !strcmp(token.text, closer)) {
			wt_shell_token_clear(&token);
			return;
		}
		and_or_read(s, &token);
		wt_shell_token_clear(&token);
	}
}

bool wt_script_mentions_srun(const char *script)
{
	return script && strstr(script, "srun");
}

static int variables_fill(struct script *s)
{
	for (size_t i = 0; i < s->conf->count; i++)
		if (s->conf->environment[i] && strchr(s->conf->environment[i], '=') &&
		    wt_shell_var_set(&s->vars, s->conf->environment[i], true, true) < 0)
			return -1;
	return 0;
}

int wt_script_read(const struct wt_script_conf *conf, struct wt_script_plan *plan, struct wt_script_found *found)
{
	struct script s = { .conf = conf, .plan = plan, .found = found, .budget = BUDGET };
	int rc;

	*plan = (struct wt_script_plan) { 0 };
	*found = (struct wt_script_found) { 0 };
	s.shell = (struct wt_shell) { .at = conf->script, .vars = &s.vars };
	s.cwd = conf->cwd ? strdup(conf->cwd) : NULL;
	rc = variables_fill(&s);
	if (rc == 0)
		list_read(&s, NULL);
	if (rc < 0 || s.failed) {
		/* At least one: the caller tells the user that something was not understood by this number. */
		found->unread += !found->unread;
		wt_script_plan_clear(plan);
	}
	wt_shell_vars_clear(&s.vars);
	free(s.cwd);
	if (rc < 0)
		errno = ENOMEM;
	return rc;
}
