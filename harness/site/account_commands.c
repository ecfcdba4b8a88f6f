/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/cluster/conf/accounts.h"
#include "harness/site/account_commands.h"
#include "harness/site/reasons.h"

/* What the names of a word are. */
enum word_kind { WORD_PLAIN, WORD_USERS, WORD_ACCOUNTS, WORD_WCKEYS, WORD_TEXT };

enum thing { THING_OTHER, THING_USER, THING_ACCOUNT, THING_QOS, THING_CLUSTER };

/* sacctmgr takes beginnings of words. */
static bool begins(const char *word, size_t len, const char *name, size_t least)
{
	return len >= least && len <= strlen(name) && !strncasecmp(word, name, len);
}

static enum thing thing_of(const char *word)
{
	size_t len = strlen(word);

	if (begins(word, len, "users", 1))
		return THING_USER;
	if (begins(word, len, "coordinators", 2))
		return THING_USER;
	if (begins(word, len, "accounts", 1))
		return THING_ACCOUNT;
	if (begins(word, len, "clusters", 2))
		return THING_CLUSTER;
	return begins(word, len, "qos", 1) ? THING_QOS : THING_OTHER;
}

/* The kind of a key: of 'len' bytes, without its sign and "=". */
static enum word_kind key_kind(const char *key, size_t len, enum thing thing)
{
	static const struct { const char *name; size_t least; enum word_kind kind; } keys[] = {
		{ "accounts", 2, WORD_ACCOUNTS }, { "defaultaccount", 8, WORD_ACCOUNTS }, { "parent", 2, WORD_ACCOUNTS },
		{ "users", 1, WORD_USERS }, { "wckeys", 1, WORD_WCKEYS }, { "defaultwckey", 8, WORD_WCKEYS },
		{ "description", 2, WORD_TEXT }, { "organization", 1, WORD_TEXT },
	};

	if (begins(key, len, "names", 1))
		return thing == THING_USER ? WORD_USERS : thing == THING_ACCOUNT ? WORD_ACCOUNTS : WORD_PLAIN;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (begins(key, len, keys[i].name, keys[i].least))
			return keys[i].kind;
	return WORD_PLAIN;
}

/* The value's text without quotes, to be freed. */
static char *unquoted(const char *value)
{
	char *text = strdup(value), *to = text;

	for (const char *p = text; p && *p; p++)
		if (*p != '"' && *p != '\'')
			*to++ = *p;
	if (text)
		*to = '\0';
	return text;
}

static int users_tell(struct wt_account_commands *c, const char *list, struct wt_error *errp)
{
	char *copy = strdup(list), *rest = copy, *name;
	int rc = copy ? 0 : wt_error_errno(errp, ENOMEM, "users");

	while (rc == 0 && (name = strsep(&rest, ",")))
		if (*name)
			rc = wt_people_user(c->people, name, NULL, errp) < 0 ? -1 : 0;
	free(copy);
	return rc;
}

/* The value of a word, with names changed; "" of what is not told to others. */
static char *value_rename(struct wt_account_commands *c, enum word_kind kind, const char *value)
{
	static const enum wt_alias_kind kinds[] = {
		[WORD_USERS] = WT_ALIAS_USER, [WORD_ACCOUNTS] = WT_ALIAS_ACCOUNT, [WORD_WCKEYS] = WT_ALIAS_WCKEY,
	};
	char *text = unquoted(value), *renamed;

	if (!text || !c->aliases || kind == WORD_PLAIN)
		return text;
	renamed = kind == WORD_TEXT ? strdup("") : wt_alias_list(c->aliases, kinds[kind], text);
	free(text);
	return renamed;
}

/* One word that says something: KEY=VALUE, or names behind the thing. */
static int word_add(struct wt_account_commands *c, struct wt_str *line, const char *word, enum thing thing,
		    bool named, struct wt_error *errp)
{
	size_t key = strcspn(word, "="), len = key;
	bool has_key = word[key] == '=' && strcspn(word, "\"' ") > key;	/* else it stands inside of quotes */
	enum word_kind kind;
	char *value;
	int rc = 0;

	len -= has_key && len && strchr("+-", word[len - 1]);
	kind = has_key ? key_kind(word, len, thing) : !named ? WORD_PLAIN : key_kind("names", 5, thing);
	value = value_rename(c, kind, has_key ? word + key + 1 : word);
	if (!value)
		return wt_error_errno(errp, ENOMEM, "accounts");
	if (kind == WORD_USERS)
		rc = users_tell(c, value, errp);
	if (kind != WORD_TEXT || *value || !c->aliases) {
		bool quote = !*value || strpbrk(value, " ;|&<>()#\\");

		wt_str_printf(line, " %.*s%s%s%s", has_key ? (int) key + 1 : 0, word, quote ? "'" : "", value,
			      quote ? "'" : "");
	}
	free(value);
	return rc;
}

/* "where", "set", and what "list" has, are no names. */
static bool is_plain_word(const char *word)
{
	static const char *const plain[] = { "where", "set", "tree", "withdeleted", "withassoc", "withd", "wopi",
					     "wolimits" };

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (!strcasecmp(word, plain[i]))
			return true;
	return false;
}

/* The next word at *p, cut at a blank outside of quotes; NULL: there is none. */
static char *word_cut(char **p)
{
	char quote = '\0', *word = *p + strspn(*p, " "), *end = word;

	for (; *end && (quote || *end != ' '); end++)
		if (quote ? *end == quote : *end == '"' || *end == '\'')
			quote = quote ? '\0' : *end;
	*p = end + (*end == ' ');
	*end = '\0';
	return *word ? word : NULL;
}

static int qos_note(struct wt_account_commands *c, const char *word, struct wt_error *errp)
{
	size_t key = strcspn(word, "=");
	char *name = unquoted(word[key] ? word + key + 1 : word);
	int rc = name ? json_object_set_new(c->qos, name, json_true()) : -1;

	free(name);
	return rc < 0 ? wt_error_errno(errp, ENOMEM, "accounts") : 0;
}

/* One command, as accounts.h has made it. */
static int command_add(struct wt_account_commands *c, char *command, struct wt_error *errp)
{
	struct wt_str line = { 0 };
	char *verb = word_cut(&command), *noun = verb ? word_cut(&command) : NULL, *word, *text;
	enum thing thing = noun ? thing_of(noun) : THING_OTHER;
	int rc = 0;

	if (!noun)
		return 0;
	if (!strncasecmp(verb, "lis", 3) || !strncasecmp(verb, "sho", 3))
		return wt_reason_count(c->left_out, "commands that only show", errp);
	wt_str_printf(&line, "%s %s", verb, noun);
	while (rc == 0 && (word = word_cut(&command))) {
		rc = word_add(c, &line, word, thing, !is_plain_word(word), errp);
		if (rc == 0 && thing == THING_QOS && !strncasecmp(verb, "add", 3) &&
		    (!strchr(word, '=') || !strncasecmp(word, "name", 4)))
			rc = qos_note(c, word, errp);
	}
	text = wt_str_take(&line);
	if (rc == 0 && !text)
		rc = wt_error_errno(errp, ENOMEM, "accounts");
	if (rc == 0) {
		wt_str_printf(&c->text, "%s\n", text);
		c->count++;
	}
	free(text);
	return rc;
}

/* Takes the text over. */
static int commands_add(struct wt_account_commands *c, char *text, struct wt_error *errp)
{
	char *rest = text, *line;
	int rc = 0;

	while (rc == 0 && rest && (line = strsep(&rest, "\n")))
		if (*line)
			rc = command_add(c, line, errp);
	free(text);
	if (rc == 0 && c->text.failed)
		rc = wt_error_errno(errp, ENOMEM, "accounts");
	return rc;
}

static int room_make(struct wt_account_commands *c, struct wt_error *errp)
{
	c->qos = c->qos ? c->qos : json_object();
	c->left_out = c->left_out ? c->left_out : json_object();
	return c->qos && c->left_out ? 0 : wt_error_errno(errp, ENOMEM, "accounts");
}

int wt_account_commands_add(struct wt_account_commands *commands, const char *where, const char *text, size_t len,
			    struct wt_error *errp)
{
	struct wt_accounts a = { .cluster = commands->cluster };
	char *made;
	int rc;

	if (room_make(commands, errp) < 0)
		return -1;
	rc = wt_accounts_add(&a, where, text, len, errp);
	if (rc == 0 && a.dump_count) {
		made = wt_account_dump(where, a.dumps[0], commands->qos, commands->left_out, errp);
		rc = made ? commands_add(commands, made, errp) : -1;
	} else if (rc == 0) {
		made = wt_str_take(&a.commands);
		rc = made ? commands_add(commands, made, errp) : wt_error_errno(errp, ENOMEM, "%s", where);
	}
	wt_accounts_clear(&a);
	return rc;
}

void wt_account_commands_clear(struct wt_account_commands *commands)
{
	int saved_errno = errno;

	wt_str_clear(&commands->text);
	json_decref(commands->qos);
	json_decref(commands->left_out);
	commands->qos = commands->left_out = NULL;
	commands->count = 0;
	errno = saved_errno;
}
