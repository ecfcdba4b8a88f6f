/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <string.h>

#include "harness/vnode/model/job_behaviour.h"
#include "harness/vnode/model/shellskip.h"

#define DEPTH_MAX 64

enum follow {		/* what the words behind a command are */
	FOLLOW_NOTHING, FOLLOW_NAMES, FOLLOW_SLEEP,
};

struct skip {
	struct wt_shell *shell;
	struct wt_shell_skipped *skipped;
	const char *closers[DEPTH_MAX];
	unsigned int depth;
	bool begins;		/* a command would begin here */
	enum follow follow;
};

static const struct {
	const char *open, *close;
} pairs[] = {
	{ "if", "fi" }, { "for", "done" }, { "while", "done" }, { "until", "done" }, { "select", "done" },
	{ "case", "esac" }, { "{", "}" }, { "(", ")" },
};

static const char *closer_of(const char *open)
{
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (!strcmp(open, pairs[i].open))
			return pairs[i].close;
	return NULL;
}

static bool one_of(const char *word, const char *const *words)
{
	while (*words && strcmp(word, *words))
		words++;
	return *words;
}

bool wt_shell_opens(const char *word)
{
	return (closer_of(word) && strcmp(word, "(")) || !strcmp(word, "function") || !strcmp(word, "[[");
}

static bool push(struct skip *skip, const char *open)
{
	if (skip->depth == DEPTH_MAX)
		return false;
	skip->closers[skip->depth++] = closer_of(open);
	/* Behind these stands no command yet. */
	skip->begins = strcmp(open, "for") && strcmp(open, "select") && strcmp(open, "case");
	return true;
}

static const char *top(const struct skip *skip)
{
	return skip->depth ? skip->closers[skip->depth - 1] : "";
}

static void operand_note(struct skip *skip, struct wt_shell_token *token)
{
	size_t len = wt_shell_assigns(token->text);
	int64_t us;

	if (skip->follow == FOLLOW_NAMES)
		skip->skipped->forget(skip->skipped->arg, token->text, len ? len - 1 : strlen(token->text));
	else if (skip->follow == FOLLOW_SLEEP && token->sure && job_behaviour_sleep_us(&token->text, 1, &us) &&
		 skip->skipped->sleep_us + us <= JOB_BEHAVIOUR_MAX_RUN_TIME_US)
		skip->skipped->sleep_us += us;
}

static void command_note(struct skip *skip, const char *word)
{
	static const char *const leaving[] = { "break", "continue", "return", "exit", "exec", NULL };
	static const char *const naming[] = { "read", "export", "declare", "local", "readonly", "unset", "for", NULL };
	const char *slash = strrchr(word, '/'), *name = slash ? slash + 1 : word;

	skip->skipped->sruns += !strcmp(name, "srun");
	skip->skipped->leaves = skip->skipped->leaves || one_of(name, leaving);
	skip->follow = !strcmp(name, "sleep") ? FOLLOW_SLEEP : one_of(name, naming) ? FOLLOW_NAMES : FOLLOW_NOTHING;
}

/* A word where a command would begin.  False: it cannot stand here. */
static bool first_word(struct skip *skip, struct wt_shell_token *token)
{
	static const char *const goes_on[] = { "then", "do", "else", "elif", "!", "time", NULL };
	size_t len = wt_shell_assigns(token->text);

	if (token->plain && !strcmp(token->text, top(skip))) {
		skip->depth--;
		skip->begins = false;
		skip->follow = FOLLOW_NOTHING;
		return true;
	}
	if (token->plain && closer_of(token->text)) {
		skip->follow = !strcmp(token->text, "for") ? FOLLOW_NAMES : FOLLOW_NOTHING;
		return push(skip, token->text);
	}
	if (token->plain && one_of(token->text, goes_on))
		return true;
	if (len) {
		skip->skipped->forget(skip->skipped->arg, token->text, len - 1);
		return true;
	}
	if (token->plain && !strcmp(token->text, "[["))
		wt_shell_test_skip(skip->shell);
	skip->begins = false;
	command_note(skip, token->text);
	return true;
}

static bool operator_note(struct skip *skip, const char *op)
{
	skip->begins = true;
	skip->follow = FOLLOW_NOTHING;
	if (!strcmp(op, "(")) {
		/* Of a pattern, or of a function's name: those with its ")" are passed over below. */
		return !strcmp(top(skip), "esac") || push(skip, "(");
	}
	if (strcmp(op, ")"))
		return true;
	if (!strcmp(top(skip), ")")) {
		skip->depth--;
		return true;
	}
	return !strcmp(top(skip), "esac");
}

int wt_shell_skip(struct wt_shell *shell, const char *open, struct wt_shell_skipped *skipped)
{
	struct skip skip = { .shell = shell, .skipped = skipped };
	struct wt_shell_token token;
	bool good = true;

	if (!strcmp(open, "[[")) {
		wt_shell_test_skip(shell);
		return shell->failed ? -1 : 0;
	}
	if (!strcmp(open, "function")) {	/* NAME [()] COMMAND */
		do {
			wt_shell_next(shell, &token);
			good = token.kind != WT_SHELL_END;
			if (token.kind == WT_SHELL_WORD && token.plain && closer_of(token.text))
				open = closer_of(token.text);
			wt_shell_token_clear(&token);
		} while (good && !strcmp(open, "function"));
		for (size_t i = 0; good && i < sizeof(pairs) / sizeof(pairs[0]); i++)
			if (!strcmp(open, pairs[i].close)) {
				open = pairs[i].open;
				break;
			}
	}
	good = good && push(&skip, open);
	skip.follow = !strcmp(open, "for") ? FOLLOW_NAMES : FOLLOW_NOTHING;
	while (good && skip.depth) {
		wt_shell_next(shell, &token);
		if (token.kind == WT_SHELL_END)
			good = false;
		else if (token.kind == WT_SHELL_NEWLINE)
			good = operator_note(&skip, "");
		else if (token.kind == WT_SHELL_OPERATOR)
			good = operator_note(&skip, token.op);
		else if (skip.begins)
			good = first_word(&skip, &token);
		else
			operand_note(&skip, &token);
		wt_shell_token_clear(&token);
	}
	return good ? 0 : -1;
}
