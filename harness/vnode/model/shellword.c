/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/vnode/model/shellword.h"
#include "lib/str.h"

static bool name_char(char c, bool first)
{
	return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (!first && c >= '0' && c <= '9');
}

static size_t name_length(const char *text)
{
	size_t len = 0;

	while (name_char(text[len], len == 0))
		len++;
	return len;
}

size_t wt_shell_assigns(const char *word)
{
	size_t len = name_length(word);

	return len && word[len] == '=' ? len + 1 : 0;
}

static struct wt_shell_var *var_at(const struct wt_shell_vars *vars, const char *name, size_t len)
{
	for (size_t i = 0; i < vars->count; i++)
		if (!strncmp(vars->list[i].text, name, len) && vars->list[i].text[len] == '=')
			return &vars->list[i];
	return NULL;
}

const char *wt_shell_var_find(const struct wt_shell_vars *vars, const char *name, size_t len)
{
	const struct wt_shell_var *var = var_at(vars, name, len);

	return var && var->sure ? var->text + len + 1 : NULL;
}

static struct wt_shell_var *var_add(struct wt_shell_vars *vars)
{
	if (vars->count == vars->capacity) {
		size_t capacity = vars->capacity ? vars->capacity * 2 : 128;
		struct wt_shell_var *list = realloc(vars->list, capacity * sizeof(*list));

		if (!list)
			return NULL;
		vars->list = list;
		vars->capacity = capacity;
	}
	vars->list[vars->count] = (struct wt_shell_var) { 0 };
	return &vars->list[vars->count++];
}

int wt_shell_var_set(struct wt_shell_vars *vars, const char *assignment, bool sure, bool exported)
{
	size_t len = strcspn(assignment, "=");
	struct wt_shell_var *var = var_at(vars, assignment, len);
	char *text = strdup(assignment);

	if (text && !var)
		var = var_add(vars);
	if (!text || !var) {
		free(text);
		errno = ENOMEM;
		return -1;
	}
	free(var->text);
	var->text = text;
	var->sure = sure;
	var->exported = var->exported || exported;
	return 0;
}

void wt_shell_var_forget(struct wt_shell_vars *vars, const char *name, size_t len)
{
	struct wt_shell_var *var = var_at(vars, name, len);

	if (var)
		var->sure = false;
}

void wt_shell_var_export(struct wt_shell_vars *vars, const char *name)
{
	struct wt_shell_var *var = var_at(vars, name, strlen(name));

	if (var)
		var->exported = true;
}

void wt_shell_vars_clear(struct wt_shell_vars *vars)
{
	for (size_t i = 0; i < vars->count; i++)
		free(vars->list[i].text);
	free(vars->list);
	*vars = (struct wt_shell_vars) { 0 };
}

/* Behind the bracket that closes the one at 'text'; quotes hide brackets.  NULL: there is none. */
static const char *bracket_skip(const char *text, char open, char close)
{
	unsigned int depth = 0;

	for (; *text; text++) {
		if (*text == '\\' && text[1]) {
			text++;
		} else if (*text == '\'' || *text == '"') {
			text = strchr(text + 1, *text);
			if (!text)
				return NULL;
		} else if (*text == open) {
			depth++;
		} else if (*text == close && !--depth) {
			return text + 1;
		}
	}
	return NULL;
}

/* At a '$' or a '`'.  Adds the value to 'out', or says that the word is not sure. */
static void expand(struct wt_shell *shell, struct wt_str *out, struct wt_shell_token *token, bool quoted)
{
	const char *text = shell->at + 1, *value, *end;
	bool braces = *text == '{';
	size_t len = name_length(text + braces);

	token->plain = false;
	if (*shell->at == '$' && len && (!braces || text[1 + len] == '}')) {
		value = wt_shell_var_find(shell->vars, text + braces, len);
		shell->at = text + len + (size_t) braces * 2;
		if (!value || (!quoted && (!*value || strpbrk(value, " \t\n*?"))))
			token->sure = false;
		else
			wt_str_add(out, value);
		return;
	}
	token->sure = false;
	if (*shell->at == '`')
		end = strchr(text, '`') ? strchr(text, '`') + 1 : NULL;
	else if (*text == '(')
		end = bracket_skip(text, '(', ')');
	else if (braces)
		end = bracket_skip(text, '{', '}');
	else
		end = *text && strchr("?!$#@*-0123456789", *text) ? text + 1 : text;
	shell->failed = shell->failed || !end;
	shell->at = end ? end : shell->at + strlen(shell->at);
}

static void double_quotes_read(struct wt_shell *shell, struct wt_str *out, struct wt_shell_token *token)
{
	for (shell->at++; *shell->at && *shell->at != '"';) {
		if (*shell->at == '$' || *shell->at == '`') {
			expand(shell, out, token, true);
			continue;
		}
		if (*shell->at == '\\' && shell->at[1] == '\n') {
			shell->at += 2;
			continue;
		}
		if (*shell->at == '\\' && shell->at[1] && strchr("$`\"\\", shell->at[1]))
			shell->at++;
		wt_str_add_bytes(out, shell->at++, 1);
	}
	shell->failed = shell->failed || *shell->at != '"';
	shell->at += *shell->at == '"';
}

static void single_quotes_read(struct wt_shell *shell, struct wt_str *out)
{
	const char *end = strchr(shell->at + 1, '\'');

	if (!end) {
		shell->failed = true;
		shell->at += strlen(shell->at);
		return;
	}
	wt_str_add_bytes(out, shell->at + 1, (size_t) (end - shell->at) - 1);
	shell->at = end + 1;
}

static void word_read(struct wt_shell *shell, struct wt_shell_token *token)
{
	struct wt_str out = { 0 };

	token->kind = WT_SHELL_WORD;
	token->sure = token->plain = true;
	token->begin = shell->at;
	while (*shell->at && !strchr(" \t\r\n;&|()<>", *shell->at)) {
		if (*shell->at == '\\') {
			token->plain = false;
			if (shell->at[1] && shell->at[1] != '\n')
				wt_str_add_bytes(&out, shell->at + 1, 1);
			shell->at += shell->at[1] ? 2 : 1;
		} else if (*shell->at == '\'') {
			token->plain = false;
			single_quotes_read(shell, &out);
		} else if (*shell->at == '"') {
			token->plain = false;
			double_quotes_read(shell, &out, token);
		} else if (*shell->at == '$' || *shell->at == '`') {
			expand(shell, &out, token, false);
		} else {
			wt_str_add_bytes(&out, shell->at++, 1);
		}
	}
	token->end = shell->at;
	token->text = wt_str_take(&out);
	shell->failed = shell->failed || !token->text;
}

static void blanks_pass(struct wt_shell *shell)
{
	for (;;) {
		if (*shell->at == ' ' || *shell->at == '\t' || *shell->at == '\r')
			shell->at++;
		else if (*shell->at == '\\' && shell->at[1] == '\n')
			shell->at += 2;
		else if (*shell->at == '#')
			shell->at += strcspn(shell->at, "\n");
		else
			return;
	}
}

/* The length of a redirection's operator, with the number in front of it; 0: there is none. */
static size_t redirection_length(const char *text)
{
	static const char *const ops[] = { "&>>", "&>", "<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">" };
	size_t digits = strspn(text, "0123456789");

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (!strncmp(text + digits, ops[i], strlen(ops[i])) && (!digits || *ops[i] != '&'))
			return digits + strlen(ops[i]);
	return 0;
}

static void substitution_pass(struct wt_shell *shell)
{
	const char *end = bracket_skip(shell->at, '(', ')');

	shell->failed = shell->failed || !end;
	shell->at = end ? end : shell->at + strlen(shell->at);
}

static void redirection_pass(struct wt_shell *shell, size_t len)
{
	const char *op = shell->at + strspn(shell->at, "0123456789");
	bool heredoc = !strncmp(op, "<<", 2) && op[2] != '<';
	struct wt_shell_token target = { 0 };

	shell->at += len;
	if (*shell->at == '(') {	/* a process in the place of a file */
		substitution_pass(shell);
		return;
	}
	blanks_pass(shell);
	if (heredoc && shell->heredoc_count < WT_SHELL_HEREDOCS)
		shell->heredocs[shell->heredoc_count++] = shell->at;
	else if (heredoc)
		shell->failed = true;
	if ((*shell->at == '<' || *shell->at == '>') && shell->at[1] == '(') {
		shell->at++;
		substitution_pass(shell);
		return;
	}
	word_read(shell, &target);
	wt_shell_token_clear(&target);
}

/* One line of a here-document is its last: the word, without quotes, behind tabs if it began with "-". */
static bool heredoc_ends(const char *line, size_t len, const char *word)
{
	while (len && *line == '\t') {
		line++;
		len--;
	}
	for (; *word && !strchr(" \t\r\n;&|()<>", *word); word++) {
		if (strchr("'\"\\", *word))
			continue;
		if (!len || *line != *word)
			return false;
		line++;
		len--;
	}
	return !len;
}

static void heredocs_pass(struct wt_shell *shell)
{
	for (size_t i = 0; i < shell->heredoc_count; i++) {
		bool last = false;

		while (*shell->at && !last) {
			size_t len = strcspn(shell->at, "\n");

			last = heredoc_ends(shell->at, len, shell->heredocs[i]);
			shell->at += len + (shell->at[len] == '\n');
		}
		shell->failed = shell->failed || !last;
	}
	shell->heredoc_count = 0;
}

static void operator_read(struct wt_shell *shell, struct wt_shell_token *token)
{
	static const char *const ops[] = { "&&", "||", ";;&", ";;", ";&", "|&", ";", "&", "|", "(", ")" };

	token->kind = WT_SHELL_OPERATOR;
	token->begin = shell->at;
	if (!strncmp(shell->at, "((", 2)) {
		memcpy(token->op, "((", 3);
		substitution_pass(shell);
		token->end = shell->at;
		return;
	}
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		size_t len = strlen(ops[i]);

		if (strncmp(shell->at, ops[i], len))
			continue;
		memcpy(token->op, ops[i], len);
		if (!strcmp(ops[i], "|&"))
			token->op[1] = '\0';
		else if (len > 1 && *ops[i] == ';')
			memcpy(token->op, ";;", 3);
		shell->at += len;
		break;
	}
	token->end = shell->at;
}

void wt_shell_next(struct wt_shell *shell, struct wt_shell_token *token)
{
	size_t len;

	*token = (struct wt_shell_token) { .kind = WT_SHELL_END };
	blanks_pass(shell);
	while (!shell->failed && (len = redirection_length(shell->at))) {
		redirection_pass(shell, len);
		blanks_pass(shell);
	}
	token->begin = token->end = shell->at;
	if (shell->failed || !*shell->at)
		return;
	if (*shell->at == '\n') {
		token->kind = WT_SHELL_NEWLINE;
		shell->at++;
		heredocs_pass(shell);
	} else if (strchr(";&|()", *shell->at)) {
		operator_read(shell, token);
	} else {
		word_read(shell, token);
	}
	if (shell->failed) {
		wt_shell_token_clear(token);
		token->kind = WT_SHELL_END;
	}
}

void wt_shell_token_clear(struct wt_shell_token *token)
{
	free(token->text);
	token->text = NULL;
}

void wt_shell_test_skip(struct wt_shell *shell)
{
	const char *end = strstr(shell->at, "]]");

	shell->failed = shell->failed || !end;
	shell->at = end ? end + 2 : shell->at + strlen(shell->at);
}
