/* SPDX-License-Identifier: GPL-2.0-or-later */
/* imported.h: the text of a site's slurm.conf. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/cluster/conf/conf.h"
#include "harness/cluster/conf/confattrs.h"
#include "harness/cluster/conf/confkeys.h"
#include "harness/site/imported.h"
#include "lib/str.h"

/* A comment's sign and a backslash are plain behind a backslash. */
static void text_add(struct wt_str *s, const char *text)
{
	for (; *text; text++)
		wt_str_printf(s, "%s%c", strchr("#\\", *text) ? "\\" : "", *text);
}

static bool is_line_alias(const char *attribute, enum wt_alias_kind *kind)
{
	static const struct { const char *name; enum wt_alias_kind kind; } names[] = {
		{ "AllowAccounts", WT_ALIAS_ACCOUNT }, { "DenyAccounts", WT_ALIAS_ACCOUNT },
		{ "AllowGroups", WT_ALIAS_GROUP }, { "DenyGroups", WT_ALIAS_GROUP }, { "AllowUsers", WT_ALIAS_USER },
		{ "DenyUsers", WT_ALIAS_USER },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcasecmp(names[i].name, attribute)) {
			*kind = names[i].kind;
			return true;
		}
	return false;
}

/* The attributes of a line, with other names for people; to be freed. */
static char *line_rename(const struct wt_imported *site, const char *line, bool named)
{
	struct wt_confattrs attrs;
	enum wt_alias_kind kind;
	char *text;

	if (!site->has_key)
		return strdup(line);
	if (wt_confattrs_parse(&attrs, line, named, NULL) < 0)
		return strdup("");
	for (size_t i = 0; i < attrs.count; i++) {
		char **value = &attrs.list[i].value, *renamed;

		if (!is_line_alias(attrs.list[i].name, &kind) || !strcasecmp(*value, "ALL"))
			continue;
		renamed = wt_alias_list(&site->aliases, kind, *value);
		free(*value);
		*value = renamed ? renamed : strdup("");
	}
	text = wt_confattrs_text(&attrs);
	wt_confattrs_clear(&attrs);
	return text;
}

/* Of a site that is to stay unknown: hosts, users, paths, addresses of mail, which no emulated cluster takes over. */
static bool tells_site(const char *key, const char *value)
{
	static const char *const ends[] = { "Host", "User", "Addr", "Domain" };
	const struct wt_confkey *row = wt_confkey_find(NULL, key);
	size_t len = strlen(key);

	if (wt_conf_key_repeats(key))
		return false;
	if (!row || *value == '/' || strchr(value, '@'))
		return true;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (len > strlen(ends[i]) && !strcasecmp(key + len - strlen(ends[i]), ends[i]))
			return true;
	return row->class == WT_CONF_OURS && strcasecmp(key, "ClusterName");
}

static void setting_print(struct wt_str *s, const struct wt_imported *site, const struct wt_demand *d)
{
	bool line = wt_conf_key_repeats(d->key), quote = !line && strpbrk(d->value, " \t");
	char *renamed = line ? line_rename(site, d->value, !d->append) : NULL;

	wt_str_printf(s, "%s%s=%s", d->key, d->append ? "+" : "", quote ? "\"" : "");
	text_add(s, renamed ? renamed : d->value);
	wt_str_printf(s, "%s\n", quote ? "\"" : "");
	free(renamed);
}

char *wt_imported_conf(const struct wt_imported *site)
{
	struct wt_str s = { 0 };

	for (size_t i = 0; i < site->demands.count; i++) {
		const struct wt_demand *d = &site->demands.list[i];

		if (!wt_site_conf_secret(d->key) && !(site->anonymised && tells_site(d->key, d->value)))
			setting_print(&s, site, d);
	}
	return wt_str_take(&s);
}

int wt_imported_mask(struct wt_imported *site, struct wt_error *errp)
{
	enum wt_alias_kind kind;

	for (size_t i = 0; i < site->conf.count; i++) {
		struct wt_site_setting *s = &site->conf.list[i];
		char *value = NULL;

		if (s->line ? is_line_alias(s->key, &kind) || s->class != WT_SITE_KEPT : tells_site(s->key, s->value))
			value = strdup(WT_SITE_NOT_TOLD);
		else if (!s->line && wt_conf_key_repeats(s->key))
			value = line_rename(site, s->value, true);
		else
			continue;
		if (!value)
			return wt_error_errno(errp, ENOMEM, "slurm.conf");
		free(s->value);
		s->value = value;
	}
	return 0;
}
