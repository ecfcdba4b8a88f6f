/* shellword.h - the words and operators of a shell script, with its simple variables in their place.
 *
 * Pure.  The text comes from users: what is not sure to be read as the shell would read it is marked as such, and nothing is
 * ever run.  Source: POSIX.1-2017, Shell Command Language, 2.2 (quoting), 2.3 (tokens), 2.7 (redirections).
 * One thread at a time. */
#ifndef WT_HARNESS_VNODE_MODEL_SHELLWORD_H
#define WT_HARNESS_VNODE_MODEL_SHELLWORD_H

#include <stdbool.h>
#include <stddef.h>

enum wt_shell_kind { WT_SHELL_END, WT_SHELL_NEWLINE, WT_SHELL_WORD, WT_SHELL_OPERATOR };

enum { WT_SHELL_HEREDOCS = 8 };

struct wt_shell_var {
	char *text;		/* NAME=VALUE, of malloc () */
	bool sure, exported;
};

struct wt_shell_vars {		/* a zeroed one is empty */
	struct wt_shell_var *list;
	size_t count, capacity;
};

/* What reads a script; a copy is a place to come back to. */
struct wt_shell {
	const char *at;
	const struct wt_shell_vars *vars;
	const char *heredocs[WT_SHELL_HEREDOCS];	/* whose bodies begin in the next line: their words */
	size_t heredoc_count;
	bool failed;		/* no memory, or a quote without an end: nothing after it can be read */
};

struct wt_shell_token {
	enum wt_shell_kind kind;
	char *text;		/* of a word, without its quotes: free it with wt_shell_token_clear () */
	bool sure;		/* the shell would have this very word */
	bool plain;		/* a word without quotes and expansions: it may be a reserved one */
	const char *begin, *end;	/* in the script */
	char op[4];		/* of an operator: ; & && || | ( ) ;; or (( for an arithmetic command up to its end */
};

/* The next token; redirections, comments and here-documents are passed over. */
void wt_shell_next(struct wt_shell *shell, struct wt_shell_token *token);
void wt_shell_token_clear(struct wt_shell_token *token);

/* Pass over all up to and with the word "]]". */
void wt_shell_test_skip(struct wt_shell *shell);

/* The length of the NAME= in front of a word; 0: it is no assignment. */
size_t wt_shell_assigns(const char *word);

/* 'assignment' is NAME=VALUE; not sure: the value is not known.  0, or -1 with ENOMEM. */
int wt_shell_var_set(struct wt_shell_vars *vars, const char *assignment, bool sure, bool exported);
void wt_shell_var_forget(struct wt_shell_vars *vars, const char *name, size_t len);	/* its value is not known any more */
void wt_shell_var_export(struct wt_shell_vars *vars, const char *name);
/* NULL: not known */
const char *wt_shell_var_find(const struct wt_shell_vars *vars, const char *name, size_t len);
void wt_shell_vars_clear(struct wt_shell_vars *vars);

#endif
