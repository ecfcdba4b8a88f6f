/* SPDX-License-Identifier: GPL-2.0-or-later */
/* account_commands.h: a file of "sacctmgr dump" (sacctmgr(1), "FLAT FILE DUMP AND LOAD") as commands.
 *
 * "load" would do the same for those whom slurmdbd knows as administrators; commands can be read, changed and joined with
 * others.  Accounts come first, in the file's order, in which parents stand before their children; then each user's
 * association with his default account, since sacctmgr wants that to exist; then all others. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/site/account_commands.h"
#include "harness/site/reasons.h"
#include "lib/str.h"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define ITEMS_MAX 64		/* of a line; sacctmgr knows 30 */

struct item {
	char *key, *value;	/* the value without quotes */
};

struct dump_line {
	char *copy;		/* owned: what follows points into it */
	const char *type, *name;
	struct item items[ITEMS_MAX];
	size_t count;
};

struct dump {			/* one pass over a file */
	const char *where;
	unsigned int line;
	char *parent;
	struct wt_str out;
	json_t *qos, *left_out;
};

enum pass { PASS_ACCOUNTS, PASS_DEFAULTS, PASS_USERS };

/* A word for sacctmgr: it has quotes if it needs them, and none inside. */
static bool value_add(struct wt_str *s, const char *key, const char *value)
{
	if (strpbrk(value, "'\"\n\r\\`$"))
		return false;
	wt_str_printf(s, " %s='%s'", key, value);
	return true;
}

/* "'text'" or text, up to a colon: *p is moved behind it; NULL: a quote without its end. */
static char *value_cut(char **p)
{
	char *value = *p, *end;

	if (*value == '\'') {
		end = strchr(++value, '\'');
		if (!end)
			return NULL;
		*end++ = '\0';
	} else {
		end = value + strcspn(value, ":");
	}
	*p = end;
	return value;
}

static int line_refuse(const struct dump *d, const char *why, struct wt_error *errp)
{
	return wt_error_set(errp, EINVAL, "%s: line %u: %s", d->where, d->line, why);
}

/* TYPE - 'name':Key=Value:Key='a,b' */
static int line_cut(struct dump *d, struct dump_line *l, struct wt_error *errp)
{
	char *p = strstr(l->copy, " - ");

	if (!p)
		return line_refuse(d, "none of a file of 'sacctmgr dump'", errp);
	*p = '\0';
	l->type = l->copy;
	p += 3;
	l->name = value_cut(&p);
	if (!l->name || !*l->name)
		return line_refuse(d, "a name is missing", errp);
	while (*p == ':') {
		char *key = p + 1, *eq = key + strcspn(key, "=:");

		*p = '\0';
		if (*eq != '=' || eq == key || key + strspn(key, LETTERS) != eq)
			return line_refuse(d, "a KEY=VALUE is none", errp);
		*eq = '\0';
		p = eq + 1;
		if (l->count == ITEMS_MAX)
			return line_refuse(d, "more settings than sacctmgr knows", errp);
		l->items[l->count].key = key;
		l->items[l->count++].value = value_cut(&p);
		if (!l->items[l->count - 1].value)
			return line_refuse(d, "a quote without its end", errp);
	}
	if (*p)
		return line_refuse(d, "something stands behind a value", errp);
	return 0;
}

static const char *item_get(const struct dump_line *l, const char *key)
{
	for (size_t i = 0; i < l->count; i++)
		if (!strcasecmp(l->items[i].key, key))
			return l->items[i].value;
	return NULL;
}

/* QOS that are named: sacctmgr adds no association with one that is not there. */
static int qos_define(struct dump *d, const char *list, struct wt_error *errp)
{
	for (const char *p = list; *p;) {
		size_t len;
		char *name;
		int rc = 0;

		p += strspn(p, "+-,");
		len = strcspn(p, ",");
		name = strndup(p, len);
		if (!name)
			return wt_error_errno(errp, ENOMEM, "%s", d->where);
		if (*name && strcasecmp(name, "normal") && !json_object_get(d->qos, name)) {
			wt_str_add(&d->out, "add qos");
			/* Jansson refuses what is no UTF-8. */
			if (json_object_set_new(d->qos, name, json_true()) < 0 || !value_add(&d->out, "name", name))
				rc = line_refuse(d, "the name of a QOS is none", errp);
			wt_str_add(&d->out, "\n");
		}
		free(name);
		if (rc < 0)
			return -1;
		p += len;
	}
	return 0;
}

/* Without those that no command can have, each of which is counted. */
static int item_add(struct dump *d, struct wt_str *to, const struct item *item, struct wt_error *errp)
{
	return value_add(to, item->key, item->value) ? 0 :
	       wt_reason_count(d->left_out, "a value of sacctmgr dump with a quote, '$', '`' or backslash", errp);
}

/* What both kinds of associations have, but for keys that are said elsewhere. */
static int items_add(struct dump *d, const struct dump_line *l, bool with_default, struct wt_error *errp)
{
	static const char *const elsewhere[] = { "Partition", "Coordinator", "WCKeys", "DefaultAccount" };

	for (size_t i = 0; i < l->count; i++) {
		bool other = false;

		for (size_t k = 0; k < sizeof(elsewhere) / sizeof(elsewhere[0]); k++)
			other |= !strcasecmp(l->items[i].key, elsewhere[k]);
		if (!strcasecmp(l->items[i].key, "DefaultAccount") && with_default)
			other = false;
		if (!other && item_add(d, &d->out, &l->items[i], errp) < 0)
			return -1;
	}
	return 0;
}

static int account_add(struct dump *d, const struct dump_line *l, struct wt_error *errp)
{
	struct wt_str *s = &d->out;

	if (!strcmp(l->name, "root"))
		return 0;
	wt_str_add(s, "add account");
	if (!value_add(s, "name", l->name) || !value_add(s, "parent", d->parent ? d->parent : "root"))
		return line_refuse(d, "the name of an account is none", errp);
	if (items_add(d, l, false, errp) < 0)
		return -1;
	wt_str_add(s, "\n");
	return 0;
}

static int coordinator_add(struct dump *d, const struct dump_line *l, struct wt_error *errp)
{
	const char *accounts = item_get(l, "Coordinator");

	if (!accounts || !*accounts)
		return 0;
	wt_str_add(&d->out, "add coordinator");
	if (!value_add(&d->out, "account", accounts) || !value_add(&d->out, "name", l->name))
		return line_refuse(d, "the name of a coordinator is none", errp);
	wt_str_add(&d->out, "\n");
	return 0;
}

/* Root is there already, in the account root: what is known of it is set. */
static int root_set(struct dump *d, const struct dump_line *l, struct wt_error *errp)
{
	struct wt_str items = { 0 };
	char *text;
	int rc = 0;

	for (size_t i = 0; i < l->count && rc == 0; i++)
		if (strcasecmp(l->items[i].key, "DefaultAccount") && strcasecmp(l->items[i].key, "AdminLevel"))
			rc = item_add(d, &items, &l->items[i], errp);
	text = wt_str_take(&items);
	if (!text || rc < 0) {
		free(text);
		return rc < 0 ? -1 : wt_error_errno(errp, ENOMEM, "%s", d->where);
	}
	if (*text)
		wt_str_printf(&d->out, "modify user where name=root account=root set%s\n", text);
	free(text);
	return 0;
}

static int user_add(struct dump *d, const struct dump_line *l, enum pass pass, struct wt_error *errp)
{
	const char *account = d->parent ? d->parent : "root", *standard = item_get(l, "DefaultAccount");
	const char *partition = item_get(l, "Partition"), *wckeys = item_get(l, "WCKeys");
	bool is_default = !standard || !strcmp(standard, account);
	struct wt_str *s = &d->out;

	if (!strcmp(l->name, "root") && !strcmp(account, "root"))
		return pass == PASS_DEFAULTS ? root_set(d, l, errp) : 0;
	if (is_default != (pass == PASS_DEFAULTS))
		return 0;
	wt_str_add(s, "add user");
	if (!value_add(s, "name", l->name) || !value_add(s, "account", account) ||
	    (partition && !value_add(s, "partition", partition)) || (wckeys && *wckeys && !value_add(s, "wckey", wckeys)))
		return line_refuse(d, "the name of a user, or of his account or partition, is none", errp);
	if (items_add(d, l, is_default, errp) < 0)
		return -1;
	wt_str_add(s, "\n");
	return is_default ? coordinator_add(d, l, errp) : 0;
}

static int cluster_add(struct dump *d, const struct dump_line *l, struct wt_error *errp)
{
	if (!l->count)
		return 0;
	wt_str_add(&d->out, "add cluster");
	if (!value_add(&d->out, "name", l->name))
		return line_refuse(d, "the name of a cluster is none", errp);
	if (items_add(d, l, false, errp) < 0)
		return -1;
	wt_str_add(&d->out, "\n");
	return 0;
}

static int line_take(struct dump *d, const struct dump_line *l, enum pass pass, struct wt_error *errp)
{
	if (!strcasecmp(l->type, "Parent")) {
		free(d->parent);
		d->parent = strdup(l->name);
		return d->parent ? 0 : wt_error_errno(errp, ENOMEM, "%s", d->where);
	}
	if (pass == PASS_ACCOUNTS) {
		const char *one = item_get(l, "DefaultQOS"), *all = item_get(l, "QOS");

		if ((one && qos_define(d, one, errp) < 0) || (all && qos_define(d, all, errp) < 0))
			return -1;
	}
	if (!strcasecmp(l->type, "Cluster") || !strcasecmp(l->type, "Machine"))
		return pass == PASS_ACCOUNTS ? cluster_add(d, l, errp) : 0;
	if (!strcasecmp(l->type, "Account") || !strcasecmp(l->type, "Project"))
		return pass == PASS_ACCOUNTS ? account_add(d, l, errp) : 0;
	if (!strcasecmp(l->type, "User"))
		return pass == PASS_ACCOUNTS ? 0 : user_add(d, l, pass, errp);
	return line_refuse(d, "none of a file of 'sacctmgr dump'", errp);
}

static int line_do(struct dump *d, const char *text, size_t len, enum pass pass, struct wt_error *errp)
{
	struct dump_line l = { .copy = NULL };
	int rc;

	while (len && strchr(" \t\r", text[len - 1]))
		len--;
	if (!len || *text == '#')
		return 0;
	l.copy = strndup(text, len);
	if (!l.copy)
		return wt_error_errno(errp, ENOMEM, "%s", d->where);
	rc = line_cut(d, &l, errp);
	if (rc == 0)
		rc = line_take(d, &l, pass, errp);
	free(l.copy);
	return rc;
}

char *wt_account_dump(const char *where, const char *text, json_t *qos, json_t *left_out, struct wt_error *errp)
{
	struct dump d = { .where = where, .qos = qos, .left_out = left_out };
	int rc = 0;
	char *out;

	for (int pass = PASS_ACCOUNTS; pass <= PASS_USERS && rc == 0; pass++) {
		d.line = 0;
		free(d.parent);
		d.parent = NULL;
		for (const char *p = text; *p && rc == 0;) {
			size_t len = strcspn(p, "\n");

			d.line++;
			rc = line_do(&d, p, len, (enum pass) pass, errp);
			p += len + (p[len] == '\n');
		}
	}
	free(d.parent);
	out = wt_str_take(&d.out);
	if (rc == 0 && !out)
		wt_error_errno(errp, ENOMEM, "%s", where);
	if (rc == 0)
		return out;
	free(out);
	return NULL;
}
