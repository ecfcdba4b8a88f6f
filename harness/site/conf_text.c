/* SPDX-License-Identifier: GPL-2.0-or-later */
/* imported.h: the text of a site's slurm.conf. */
#include "config.h"

#include <ctype.h>
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

/* Paths, addresses of mail and of the net: a slash that is not between two words ("sched/backfill", "gres/gpu=2"), a second
 * one in a word, an "@". */
static bool tells_place(const char *value)
{
	bool slashed = false;

	for (const char *p = value; *p; p++) {
		if (*p == '@' || (*p == '/' && (slashed || p == value || !isalnum((unsigned char) p[-1]))))
			return true;
		if (*p == '/')
			slashed = true;
		else if (!isalnum((unsigned char) *p) && !strchr("_-.", *p))
			slashed = false;
	}
	return false;
}

/* Of an attribute of 'line': hosts, addresses, what people wrote, and whatever this program does not know. */
static bool tells_attribute(const char *line, const char *name, const char *value)
{
	static const char *const names[] = {
		"NodeAddr", "NodeHostname", "BcastAddr", "FrontendAddr", "Reason", "AllocNodes",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcasecmp(names[i], name))
			return true;
	return !wt_confkey_find(line, name) || tells_place(value);
}

/* Of a site that is to stay unknown: hosts, users, paths, which no emulated cluster takes over. */
static bool tells_site(const char *key, const char *value)
{
	static const char *const ends[] = { "Host", "User", "Addr", "Domain", "Loc" };
	const struct wt_confkey *row = wt_confkey_find(NULL, key);
	size_t len = strlen(key);

	if (!row || !strcasecmp(key, "FrontendName"))	/* a host's own name */
		return true;
	if (wt_conf_key_repeats(key))
		return false;
	if (tells_place(value) || !strcasecmp(key, "MCSParameters"))	/* names of groups */
		return true;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (len > strlen(ends[i]) && !strcasecmp(key + len - strlen(ends[i]), ends[i]))
			return true;
	return row->class == WT_CONF_OURS && strcasecmp(key, "ClusterName");
}

static int attrs_rename(const struct wt_imported *site, const char *key, struct wt_confattrs *attrs)
{
	enum wt_alias_kind kind;

	for (size_t i = attrs->count; i-- > 0;) {
		struct wt_confattr *a = &attrs->list[i];
		char *renamed;

		if (!is_line_alias(a->name, &kind)) {
			if (tells_attribute(key, a->name, a->value))
				wt_confattrs_remove(attrs, i);
			continue;
		}
		if (!site->has_key || !strcasecmp(a->value, "ALL"))	/* else whoever made the capture has renamed them */
			continue;
		renamed = wt_alias_list(&site->aliases, kind, a->value);
		if (!renamed)
			return -1;
		free(a->value);
		a->value = renamed;
	}
	return 0;
}

/* The attributes of a line, without secrets; with other names for people, and without what tells the site, if it is to stay
 * unknown: to be freed.  NULL with ENOMEM. */
static char *line_rename(const struct wt_imported *site, const char *key, const char *line, bool named)
{
	char *plain = wt_site_conf_line(line, named), *text = NULL;
	struct wt_confattrs attrs;

	if (!site->anonymised || !plain || !*plain)
		return plain;
	if (wt_confattrs_parse(&attrs, plain, named, NULL) == 0) {
		if (attrs_rename(site, key, &attrs) == 0)
			text = wt_confattrs_text(&attrs);
		wt_confattrs_clear(&attrs);
	}
	free(plain);
	return text;
}

static int setting_print(struct wt_str *s, const struct wt_imported *site, const struct wt_demand *d)
{
	bool line = wt_conf_key_repeats(d->key), quote = !line && strpbrk(d->value, " \t");
	char *renamed = line ? line_rename(site, d->key, d->value, !d->append) : NULL;

	if (line && !renamed)
		return -1;
	if (line && !*renamed) {	/* NodeName+=, of which nothing is left */
		free(renamed);
		return 0;
	}
	wt_str_printf(s, "%s%s=%s", d->key, d->append ? "+" : "", quote ? "\"" : "");
	text_add(s, renamed ? renamed : d->value);
	wt_str_printf(s, "%s\n", quote ? "\"" : "");
	free(renamed);
	return 0;
}

char *wt_imported_conf(const struct wt_imported *site)
{
	struct wt_str s = { 0 };

	for (size_t i = 0; i < site->demands.count; i++) {
		const struct wt_demand *d = &site->demands.list[i];
		/* Of a line, setting_print () leaves out those of its attributes that are. */
		const char *value = wt_conf_key_repeats(d->key) ? NULL : d->value;

		if (!wt_confkey_secret(d->key, value) && !(site->anonymised && tells_site(d->key, d->value)))
			if (setting_print(&s, site, d) < 0) {
				wt_str_clear(&s);
				errno = ENOMEM;
				return NULL;
			}
	}
	return wt_str_take(&s);
}

/* "FrontendName HOST": its attributes tell the host, too. */
static int attribute_place_mask(struct wt_site_setting *s)
{
	static const char line[] = "FrontendName";
	char *place;

	if (!s->line || strncasecmp(s->line, line, strlen(line)))
		return 0;
	place = strdup(line);
	if (!place)
		return -1;
	free(s->line);
	s->line = place;
	return 0;
}

int wt_imported_mask(struct wt_imported *site, struct wt_error *errp)
{
	enum wt_alias_kind kind;

	for (size_t i = 0; i < site->conf.count; i++) {
		struct wt_site_setting *s = &site->conf.list[i];
		char *value = NULL;

		if (attribute_place_mask(s) < 0)
			return wt_error_errno(errp, ENOMEM, "slurm.conf");
		if (s->line ? is_line_alias(s->key, &kind) || s->class != WT_SITE_KEPT : tells_site(s->key, s->value))
			value = strdup(WT_SITE_NOT_TOLD);
		else if (!s->line && wt_conf_key_repeats(s->key))
			value = line_rename(site, s->key, s->value, !memchr(s->value, '=', strcspn(s->value, " \t")));
		else
			continue;
		if (!value)
			return wt_error_errno(errp, ENOMEM, "slurm.conf");
		free(s->value);
		s->value = value;
	}
	return 0;
}
