/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/cluster/conf/conf.h"
#include "harness/cluster/conf/confattrs.h"
#include "harness/cluster/conf/confkeys.h"
#include "harness/cluster/conf/confpolicy.h"
#include "harness/site/conf_sort.h"
#include "lib/json.h"
#include "lib/str.h"

#define OWN_DATABASE "accounting_storage/slurmdbd, of its own"

struct sorter {
	struct wt_site_conf *conf;
	const struct wt_site_has *has;
	const struct wt_demand *demand;	/* the one that is looked at */
	const struct wt_confattrs *attrs;	/* and the things on its line; NULL */
};

static const char why_unknown[] = "no Slurm that is known here has it";

const char *wt_site_class_name(enum wt_site_class class)
{
	static const char *const names[WT_SITE_CLASSES] = { "kept", "forced", "dropped", "unknown" };

	return names[class];
}

char *wt_site_conf_line(const char *line, bool named)
{
	struct wt_confattrs attrs;
	bool secret = false;
	char *text = NULL;

	if (wt_confattrs_parse(&attrs, line, named, NULL) < 0)	/* no line of Slurm's */
		return errno == ENOMEM ? NULL : strdup("");
	for (size_t i = attrs.count; i-- > 0;)
		if (wt_confkey_secret(attrs.list[i].name, attrs.list[i].value)) {
			wt_confattrs_remove(&attrs, i);
			secret = true;
		}
	text = secret ? wt_confattrs_text(&attrs) : strdup(line);	/* with the site's own blanks */
	wt_confattrs_clear(&attrs);
	return text;
}

static void setting_clear(struct wt_site_setting *s)
{
	free(s->key);
	free(s->line);
	free(s->where);
	free(s->value);
	free(s->ours);
}

void wt_site_conf_clear(struct wt_site_conf *conf)
{
	int saved_errno = errno;

	for (size_t i = 0; i < conf->count; i++)
		setting_clear(&conf->list[i]);
	free(conf->list);
	memset(conf, 0, sizeof(*conf));
	errno = saved_errno;
}

/* Takes 'ours' over. */
static int setting_add(struct sorter *s, const char *key, const char *value, char *ours, const char *reason,
		       enum wt_site_class class, bool schedules, struct wt_error *errp)
{
	struct wt_site_conf *conf = s->conf;
	const char *slash = strrchr(s->demand->where, '/');
	struct wt_site_setting set = { .ours = ours, .reason = reason, .class = class, .schedules = schedules }, *longer;

	if (conf->count == 0 || (conf->count & (conf->count - 1)) == 0) {
		longer = reallocarray(conf->list, conf->count ? conf->count * 2 : 1, sizeof(*longer));
		if (!longer) {
			free(ours);
			return wt_error_errno(errp, ENOMEM, "slurm.conf");
		}
		conf->list = longer;
	}
	set.key = strdup(key);
	set.value = strdup(wt_confkey_secret(key, value) ? WT_SITE_NOT_TOLD : value);
	set.where = strdup(slash ? slash + 1 : s->demand->where);
	if (s->attrs)
		set.line = wt_str_format("%s %s", s->demand->key, s->attrs->name);
	if (!set.key || !set.value || !set.where || (s->attrs && !set.line)) {
		setting_clear(&set);
		return wt_error_errno(errp, ENOMEM, "slurm.conf");
	}
	conf->list[conf->count++] = set;
	conf->counts[class]++;
	return 0;
}

static int unknown_add(struct sorter *s, const char *line, const char *key, const char *value, struct wt_error *errp)
{
	const char *why = wt_confkey_other(line, key);

	return setting_add(s, key, value, NULL, why ? why : why_unknown, WT_SITE_UNKNOWN, true, errp);
}

/* What the policy of a site's cluster says of this one demand: 0 and a note, or none; -1. */
static int policy_ask(const struct sorter *s, const struct wt_demand *demand, struct wt_confnotes *notes,
		      struct wt_error *errp)
{
	struct wt_demand copy = *demand;
	const struct wt_demands one = { .list = &copy, .count = 1 };
	const struct wt_confpolicy policy = {
		.topology = s->has->topology, .accounting = s->has->accounts, .site = true, .users = true,
		.network = 1, .nodes_port = 1,
	};
	struct wt_conf *conf = wt_conf_create();
	int rc = conf ? 0 : wt_error_errno(errp, ENOMEM, "slurm.conf");

	memset(notes, 0, sizeof(*notes));
	if (rc == 0 && demand->append)	/* to something that is there */
		rc = wt_conf_set(conf, demand->key, wt_conf_key_repeats(demand->key) ? "n0" : "x", errp);
	if (rc == 0)
		rc = wt_confpolicy_apply(conf, &one, &policy, notes, errp);
	wt_conf_destroy(conf);
	return rc;
}

/* One key, or one attribute of a line, as the policy has it.  *class is what it is. */
static int judged_add(struct sorter *s, const struct wt_confkey *row, const struct wt_demand *demand, const char *value,
		      enum wt_site_class *class, struct wt_error *errp)
{
	struct wt_confnotes notes;
	const struct wt_confnote *note;
	char *ours = NULL;
	int rc = policy_ask(s, demand, &notes, errp);
	bool database = s->has->accounts && !strcasecmp(row->name, "AccountingStorageType");

	note = rc == 0 && notes.count ? &notes.list[0] : NULL;
	*class = WT_SITE_KEPT;
	if (note) {
		bool nothing = !strcmp(note->used, "nothing");

		*class = row->class == WT_CONF_OURS || !nothing ? WT_SITE_FORCED : WT_SITE_DROPPED;
		if (*class == WT_SITE_FORCED)
			ours = strdup(database ? OWN_DATABASE : nothing ? "its own" : note->used);
	}
	if (rc == 0 && (!s->attrs || note))
		rc = setting_add(s, row->name, value, ours, note ? note->why : NULL, *class,
				 note && note->schedules && !database, errp);
	wt_confnotes_clear(&notes);
	return rc;
}

/* An attribute alone on its line. */
static int attr_sort(struct sorter *s, const struct wt_confattr *attr, struct wt_error *errp)
{
	const struct wt_demand *d = s->demand;
	const struct wt_confkey *row = wt_confkey_find(d->key, attr->name);
	bool quote = !*attr->value || strpbrk(attr->value, " \t");
	const char *name = d->append ? "" : s->attrs->name;
	struct wt_demand one = *d;
	enum wt_site_class class;
	int rc;

	if (!row)
		return unknown_add(s, d->key, attr->name, attr->value, errp);
	one.value = wt_str_format("%s%s%s=%s%s%s", name, *name ? " " : "", row->name, quote ? "\"" : "", attr->value,
				  quote ? "\"" : "");
	if (!one.value)
		return wt_error_errno(errp, ENOMEM, "slurm.conf");
	rc = judged_add(s, row, &one, attr->value, &class, errp);
	free(one.value);
	return rc;
}

static int line_sort(struct sorter *s, const struct wt_confkey *row, struct wt_error *errp)
{
	struct wt_demand bare = *s->demand;
	enum wt_site_class class = WT_SITE_KEPT;
	struct wt_confattrs attrs;
	char *line;
	int rc;

	if (wt_confattrs_parse(&attrs, s->demand->value, !s->demand->append, errp) < 0)
		return wt_error_prefix(errp, "%s: %s", s->demand->where, row->name);
	bare.value = attrs.name;
	line = wt_site_conf_line(s->demand->value, !s->demand->append);
	if (!line)
		rc = wt_error_errno(errp, ENOMEM, "slurm.conf");
	else if (s->demand->append)
		rc = setting_add(s, row->name, line, NULL, NULL, WT_SITE_KEPT, false, errp);
	else
		rc = judged_add(s, row, &bare, line, &class, errp);
	free(line);
	s->attrs = &attrs;
	for (size_t i = 0; rc == 0 && class == WT_SITE_KEPT && i < attrs.count; i++)
		rc = attr_sort(s, &attrs.list[i], errp);
	s->attrs = NULL;
	wt_confattrs_clear(&attrs);
	return rc;
}

int wt_site_conf_sort(struct wt_site_conf *conf, const struct wt_demands *demands, const struct wt_site_has *has,
		      struct wt_error *errp)
{
	struct sorter s = { .conf = conf, .has = has };
	int rc = 0;

	for (size_t i = 0; i < demands->count && rc == 0; i++) {
		const struct wt_demand *d = &demands->list[i];
		const struct wt_confkey *row = wt_confkey_find(NULL, d->key);
		enum wt_site_class class;

		s.demand = d;
		if (!row)
			rc = unknown_add(&s, NULL, d->key, d->value, errp);
		else
			rc = wt_conf_key_repeats(row->name) ? line_sort(&s, row, errp) :
			     judged_add(&s, row, d, d->value, &class, errp);
	}
	return rc;
}

static json_t *setting_json(const struct wt_site_setting *s)
{
	json_t *object = json_object();
	int rc = object ? 0 : -1;

	if (rc == 0)
		rc = json_object_set_new(object, "key", wt_json_text(s->key)) |
		     json_object_set_new(object, "line", s->line ? wt_json_text(s->line) : json_null()) |
		     json_object_set_new(object, "where", wt_json_text(s->where)) |
		     json_object_set_new(object, "class", json_string(wt_site_class_name(s->class))) |
		     json_object_set_new(object, "value", wt_json_text(s->value)) |
		     json_object_set_new(object, "ours", s->ours ? wt_json_text(s->ours) : json_null()) |
		     json_object_set_new(object, "reason", s->reason ? json_string(s->reason) : json_null()) |
		     json_object_set_new(object, "can_change_schedule", json_boolean(s->schedules));
	if (rc == 0)
		return object;
	json_decref(object);
	return NULL;
}

json_t *wt_site_conf_json(const struct wt_site_conf *conf)
{
	json_t *list = json_array();

	for (size_t i = 0; list && i < conf->count; i++)
		if (json_array_append_new(list, setting_json(&conf->list[i])) < 0) {
			json_decref(list);
			list = NULL;
		}
	if (!list)
		errno = ENOMEM;
	return list;
}
