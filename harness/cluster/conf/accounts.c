/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/cluster/conf/accounts.h"

#define WORDS_MAX 100		/* sacctmgr takes 128 in a line */

struct command {		/* one line of a script, cut at its blanks outside of quotes */
	char *text;
	char *words[WORDS_MAX];
	size_t count;
};

/* sacctmgr takes words by their beginnings, of any length: here at least three letters. */
static bool is_verb(const char *word, const char *verb)
{
	size_t len = strlen(word);

	return len >= 3 && len <= strlen(verb) && !strncasecmp(word, verb, len);
}

static bool verb_taken(const char *word)
{
	static const char *const verbs[] = { "add", "create", "modify", "delete", "remove", "list", "show" };

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (is_verb(word, verbs[i]))
			return true;
	return false;
}

/* The name of the things that are clusters: two letters are enough for sacctmgr. */
static bool is_clusters(const char *word)
{
	size_t len = strlen(word);

	return len >= 2 && len <= strlen("clusters") && !strncasecmp(word, "clusters", len);
}

/* What a shell would do something with: such a line is no plain command. */
static bool is_for_shell(char c, char quote)
{
	return c == '`' || c == '$' || (!quote && strchr(";|&<>()", c));
}

static int line_cut(struct command *c, const char *where, unsigned int number, struct wt_error *errp)
{
	bool inside = false;
	char quote = '\0';

	c->count = 0;
	for (char *p = c->text; *p; p++) {
		if (is_for_shell(*p, quote))
			return wt_error_set(errp, EINVAL, "%s: line %u: '%c': this is for a shell; only plain "
					    "commands of sacctmgr are taken", where, number, *p);
		if (quote ? *p == quote : *p == '"' || *p == '\'')
			quote = quote ? '\0' : *p;
		if (!quote && isblank((unsigned char) *p)) {
			*p = '\0';
			inside = false;
		} else if (!inside) {
			if (c->count == WORDS_MAX)
				return wt_error_set(errp, EINVAL, "%s: line %u has more than %d words", where, number,
						    WORDS_MAX);
			c->words[c->count++] = p;
			inside = true;
		}
	}
	return quote ? wt_error_set(errp, EINVAL, "%s: line %u: a quote without its end", where, number) : 0;
}

/* "sacctmgr -i -Q add ..." is "add ..." here. */
static void program_skip(struct command *c)
{
	size_t skip = 0;
	const char *name = c->count ? strrchr(c->words[0], '/') : NULL;

	if (!c->count || strcmp(name ? name + 1 : c->words[0], "sacctmgr"))
		return;
	do
		skip++;
	while (skip < c->count && c->words[skip][0] == '-');
	c->count -= skip;
	memmove(c->words, c->words + skip, c->count * sizeof(c->words[0]));
}

/* The length of KEY= if the key is one of the beginnings of 'name', which sacctmgr takes; 0: it is another word. */
static size_t is_key(const char *word, const char *name)
{
	size_t len = strcspn(word, "=");

	len -= len > 0 && word[len] == '=' && strchr("+-", word[len - 1]);
	return word[len] && len >= 2 && len <= strlen(name) && !strncasecmp(word, name, len) ? strcspn(word, "=") + 1 : 0;
}

/* The cluster is there already: what was to be said with it is set. */
static void cluster_add(struct wt_accounts *a, const struct command *c)
{
	bool set = false;

	for (size_t i = 2; i < c->count; i++) {
		if (!strchr(c->words[i], '=') || is_key(c->words[i], "names"))
			continue;
		if (!set)
			wt_str_printf(&a->commands, "modify cluster where name=%s set", a->cluster);
		wt_str_printf(&a->commands, " %s", c->words[i]);
		set = true;
	}
	if (set)
		wt_str_add(&a->commands, "\n");
}

static void words_add(struct wt_accounts *a, const struct command *c)
{
	bool of_cluster = c->count > 1 && is_clusters(c->words[1]);

	for (size_t i = 0; i < c->count; i++) {
		size_t key = is_key(c->words[i], "clusters");

		if (!key && of_cluster && i > 1)
			key = is_key(c->words[i], "names");
		if (key)
			wt_str_printf(&a->commands, "%s%.*s%s", i ? " " : "", (int) key, c->words[i], a->cluster);
		else
			wt_str_printf(&a->commands, "%s%s", i ? " " : "", c->words[i]);
	}
	wt_str_add(&a->commands, "\n");
}

static int command_add(struct wt_accounts *a, const char *where, unsigned int number, char *line, struct wt_error *errp)
{
	struct command c = { .text = line };
	bool of_cluster;

	if (line_cut(&c, where, number, errp) < 0)
		return -1;
	program_skip(&c);
	if (!c.count)
		return 0;
	if (!verb_taken(c.words[0]))
		return wt_error_set(errp, EINVAL, "%s: line %u: '%.40s' is no command of sacctmgr that is taken: add, "
				    "create, modify, delete, remove, list, show are", where, number, c.words[0]);
	of_cluster = c.count > 1 && is_clusters(c.words[1]);
	/* Whichever it names would be this one, and slurmctld is about to register with it. */
	if (of_cluster && (is_verb(c.words[0], "delete") || is_verb(c.words[0], "remove")))
		return wt_error_set(errp, EINVAL, "%s: line %u: '%.40s %.40s' is not taken: it would delete the cluster "
				    "that is started", where, number, c.words[0], c.words[1]);
	if (of_cluster && (is_verb(c.words[0], "add") || is_verb(c.words[0], "create")))
		cluster_add(a, &c);
	else
		words_add(a, &c);
	return 0;
}

/* The next line, with those that a '\' at the end joins to it; *number is the one of its last.  NULL with errno 0: the
 * end. */
static char *line_next(const char **at, unsigned int *number, const char *where, struct wt_error *errp)
{
	struct wt_str s = { 0 };
	bool joined = true;

	errno = 0;
	if (!**at)
		return NULL;
	while (joined && **at) {
		size_t len = strcspn(*at, "\n"), kept = len;

		++*number;
		kept -= kept > 0 && (*at)[kept - 1] == '\r';
		joined = kept > 0 && (*at)[kept - 1] == '\\';
		for (size_t i = 0; i < kept - joined; i++) {
			char c = (*at)[i] == '\t' ? ' ' : (*at)[i];

			if (iscntrl((unsigned char) c)) {
				wt_str_clear(&s);
				wt_error_set(errp, EINVAL, "%s: line %u has a control character", where, *number);
				return NULL;
			}
			wt_str_add_bytes(&s, &c, 1);
		}
		*at += len + ((*at)[len] == '\n');
	}
	return wt_str_take(&s);
}

static int script_add(struct wt_accounts *a, const char *where, const char *text, struct wt_error *errp)
{
	unsigned int number = 0;
	char *line;
	int rc = 0;

	while (rc == 0 && (line = line_next(&text, &number, where, errp))) {
		const char *first = line + strspn(line, " ");

		if (*first && *first != '#')
			rc = command_add(a, where, number, line, errp);
		free(line);
	}
	return rc < 0 || errno ? -1 : 0;
}

/* sacctmgr loads no association with a QOS that is not there, and a dump does not define them. */
static void dump_qos_add(struct wt_accounts *a, const char *line)
{
	static const char *const keys[] = { ":QOS='", ":DefaultQOS='" };

	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
		const char *at = strstr(line, keys[k]);
		const char *end = at ? strchr(at + strlen(keys[k]), '\'') : NULL;

		for (at = at ? at + strlen(keys[k]) : NULL; at && end && at < end; at++) {
			size_t len = strcspn(at, ",'");
			char *command;

			at += strspn(at, "+-");
			len = strcspn(at, ",'");
			command = len && at < end ? wt_str_format("add qos %.*s\n", (int) len, at) : NULL;
			if (command && (!a->commands.text || !strstr(a->commands.text, command)))
				wt_str_add(&a->commands, command);
			free(command);
			at += len;
		}
	}
}

static int dump_check(struct wt_accounts *a, const char *where, const char *text, struct wt_error *errp)
{
	static const char *const begins[] = {
		"#", "Cluster - ", "Parent - ", "Account - ", "Project - ", "User - ", "Machine - ",
	};
	unsigned int number = 0;
	char *line;

	while ((line = line_next(&text, &number, where, errp))) {
		bool known = !line[strspn(line, " ")];

		for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
			known = known || !strncmp(line, begins[i], strlen(begins[i]));
		if (known)
			dump_qos_add(a, line);
		free(line);
		if (!known)
			return wt_error_set(errp, EINVAL, "%s: line %u is none of a file of 'sacctmgr dump'", where, number);
	}
	return errno ? -1 : 0;
}

static int dump_add(struct wt_accounts *a, const char *where, const char *text, struct wt_error *errp)
{
	char **longer = realloc(a->dumps, (a->dump_count + 1) * sizeof(*longer));

	if (longer)
		a->dumps = longer;
	if (!longer || !(longer[a->dump_count] = strdup(text)))
		return wt_error_errno(errp, ENOMEM, "%s", where);
	if (dump_check(a, where, text, errp) < 0) {
		free(longer[a->dump_count]);
		return -1;
	}
	/* Only a user whom slurmdbd knows as an administrator may load, although SlurmUser may do all else.  Without shares
	 * he takes nothing from others. */
	if (a->user && strcmp(a->user, "root"))
		wt_str_printf(&a->commands, "add user name=%s account=root fairshare=0 adminlevel=Administrator\n", a->user);
	wt_str_printf(&a->commands, "load file=dump-%zu cluster=%s\n", a->dump_count, a->cluster);
	a->dump_count++;
	return 0;
}

/* The first line that is neither empty nor a comment. */
static const char *first_line(const char *text)
{
	while (*text && (isspace((unsigned char) *text) || *text == '#')) {
		if (*text == '#')
			text += strcspn(text, "\n");
		else
			text++;
	}
	return text;
}

/* All that reads on takes a NUL for the end. */
static int text_check(const char *where, const char *text, size_t len, struct wt_error *errp)
{
	const char *nul = memchr(text, '\0', len);
	unsigned int number = 1;

	if (!nul)
		return 0;
	for (const char *p = text; p < nul; p++)
		number += *p == '\n';
	return wt_error_set(errp, EINVAL, "%s: line %u has a NUL byte: is it text?", where, number);
}

int wt_accounts_add(struct wt_accounts *accounts, const char *where, const char *text, size_t len, struct wt_error *errp)
{
	const char *first = first_line(text);
	int rc;

	if (text_check(where, text, len, errp) < 0)
		return -1;
	if (!strncmp(first, "Cluster - ", strlen("Cluster - ")))
		rc = dump_add(accounts, where, text, errp);
	else if (!strncmp(first, "Name|", strlen("Name|")))
		rc = wt_accounts_qos(&accounts->commands, where, first, errp);
	else
		rc = script_add(accounts, where, text, errp);
	if (rc == 0 && accounts->commands.failed)
		rc = wt_error_errno(errp, ENOMEM, "%s", where);
	return rc;
}

void wt_accounts_clear(struct wt_accounts *accounts)
{
	int saved_errno = errno;

	wt_str_clear(&accounts->commands);
	for (size_t i = 0; i < accounts->dump_count; i++)
		free(accounts->dumps[i]);
	free(accounts->dumps);
	memset(accounts, 0, sizeof(*accounts));
	errno = saved_errno;
}

/* Where 'text' goes on after 'word'; NULL: it does not begin so. */
static const char *behind(const char *text, const char *word)
{
	size_t len = strlen(word);

	return strncmp(text, word, len) ? NULL : text + len;
}

const char *wt_accounts_complaint(const char *line)
{
	static const char *const begins[] = {
		"error: ", "fatal: ", "Problem ", "Unknown ", "Bad ", "Error with ", "There was a problem",
		"Parent account ", "Parent Account ", "You specified a non-existent", "You are not allowed",
		"No valid entity", "Can't ", "Need name of",
	};
	const char *text = line, *rest;

	while ((rest = behind(text, "sacctmgr: ")))
		text = rest;
	/* Of its messages some have one or two blanks before them, the names in its tables as many as there is room. */
	for (int i = 0; i < 2 && *text == ' '; i++)
		text++;
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		rest = behind(text, begins[i]);
		/* In a table a name that is such a word has more blanks behind it. */
		if (rest && *rest != ' ')
			return text;
	}
	return NULL;
}
