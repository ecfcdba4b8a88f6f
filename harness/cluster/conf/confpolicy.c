/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/cluster/conf/confattrs.h"
#include "harness/cluster/conf/confkeys.h"
#include "harness/cluster/conf/confnumbers.h"
#include "harness/cluster/conf/confpolicy.h"
#include "harness/cluster/conf/nodes.h"
#include "lib/str.h"
#include "topology/hostlist.h"

#define UNKNOWN_MAX 700	/* bytes of what is said of keys that there are not */

struct apply {			/* one call of wt_confpolicy_apply */
	struct wt_conf *conf;
	const struct wt_demands *demands;
	const struct wt_confpolicy *policy;
	struct wt_confnotes *notes;
	char *auth_info;	/* windtunnel's own, before any demand */
	struct wt_str unknown;	/* what no version of Slurm has, for people */
	unsigned int unknown_count;
	uint32_t next_node;	/* of policy->site: the number of the next node that a file names */
	bool site_nodes;	/* a file has NodeName lines of its own: what depends on those nodes goes with them */
};

static bool value_listed(const char *values, const char *value, char separator)
{
	size_t len = strlen(value);

	for (const char *p = values; p && *p;) {
		size_t n = strchr(p, separator) ? (size_t) (strchr(p, separator) - p) : strlen(p);

		if (n == len && !strncasecmp(p, value, len))
			return true;
		p += n + (p[n] == separator);
	}
	return false;
}

/* "word" as it is, or "word=NUMBER" for a listed "word=". */
static bool word_allowed(const char *words, const char *word)
{
	const char *eq = strchr(word, '=');
	char *name;
	bool allowed;

	if (value_listed(words, word, ',') && (!eq || eq[1]))
		return true;
	if (!eq || !eq[1] || eq[1 + strspn(eq + 1, "0123456789.KMGTP")])
		return false;
	name = strndup(word, (size_t) (eq - word) + 1);
	allowed = name && value_listed(words, name, ',');
	free(name);
	return allowed;
}

static bool is_kept(const struct wt_confpolicy *policy, const struct wt_confkey *row)
{
	for (size_t i = 0; i < policy->keep_count && row->class == WT_CONF_NEUTRAL; i++)
		if (!strcasecmp(policy->keeps[i], row->name))
			return true;
	return false;
}

/* Lines of nodes are many and say the same: one note for all of a file. */
static bool note_joins(struct wt_confnotes *notes, const char *key, const char *why)
{
	for (size_t i = 0; i < notes->count && wt_conf_key_repeats(key); i++) {
		struct wt_confnote *n = &notes->list[i];

		if (!strcasecmp(n->key, key) && n->why == why) {
			n->lines++;
			return true;
		}
	}
	return false;
}

/* 'key' is written as Slurm's manual does; 'used' NULL: nothing. */
static int note_add(struct apply *a, const struct wt_demand *d, const struct wt_confkey *row, const char *key,
		    const char *value, const char *used, struct wt_error *errp)
{
	struct wt_confnotes *notes = a->notes;
	struct wt_confnote *longer, note = {
		.why = row->why, .lines = 1, .keepable = row->class == WT_CONF_NEUTRAL, .schedules = row->schedules,
	};

	if (note_joins(notes, key, row->why))
		return 0;
	longer = realloc(notes->list, (notes->count + 1) * sizeof(*longer));
	if (longer)
		notes->list = longer;
	note.where = strdup(d->where);
	note.key = strdup(key);
	note.value = strdup(value);
	note.used = strdup(used && *used ? used : "nothing");
	if (!longer || !note.where || !note.key || !note.value || !note.used) {
		free(note.where);
		free(note.key);
		free(note.value);
		free(note.used);
		return wt_error_errno(errp, ENOMEM, "slurm.conf");
	}
	notes->list[notes->count++] = note;
	return 0;
}

static char *line_name(const char *value)
{
	return *value == '"' ? strndup(value + 1, strcspn(value + 1, "\"")) : strndup(value, strcspn(value, " \t"));
}

static bool line_is_default(const struct wt_demand *d)
{
	char *name = line_name(d->value);
	bool is = name && !strcasecmp(name, "DEFAULT");

	free(name);
	return is;
}

/* Does a file name a thing of this kind before 'd'?  Then a DEFAULT in 'd' is for those behind it only. */
static bool named_before(const struct apply *a, const struct wt_demand *d)
{
	for (const struct wt_demand *e = a->demands->list; e < d; e++)
		if (!e->option && !e->append && !strcasecmp(e->key, d->key) && !line_is_default(e))
			return true;
	return false;
}

static int demand_put(struct apply *a, const struct wt_demand *d, const char *value, struct wt_error *errp)
{
	if (wt_conf_key_repeats(d->key) && !d->append && !d->option && line_is_default(d))
		return wt_conf_add_default(a->conf, d->key, value, named_before(a, d), errp);
	return d->append ? wt_conf_append(a->conf, d->key, value, errp) : wt_conf_set(a->conf, d->key, value, errp);
}

static int demand_refuse(const struct wt_demand *d, const struct wt_confkey *row, struct wt_error *errp)
{
	return wt_error_set(errp, EINVAL, "%s: %s cannot be set: %s", d->where, row->name, row->why);
}

/* "word", "word:..." */
static bool word_stays(const struct wt_confkey *row, const char *word)
{
	char *name;
	bool listed;

	if (row->words)
		return word_allowed(row->words, word);
	name = strndup(word, strcspn(word, ":"));
	listed = !name || value_listed(row->not_words, name, ',');
	free(name);
	return !listed;
}

/* The words of a list that may stay; the caller frees it.  *left_out: there were others. */
static char *words_filter(const struct wt_confkey *row, const char *value, bool *left_out)
{
	struct wt_str s = { 0 };
	char *copy = strdup(value), *rest = copy, *word;

	*left_out = false;
	while (copy && (word = strsep(&rest, ","))) {
		word += strspn(word, " \t");
		for (size_t len = strlen(word); len && strchr(" \t", word[len - 1]); len--)
			word[len - 1] = '\0';
		if (!*word)
			continue;
		if (word_stays(row, word))
			wt_str_printf(&s, "%s%s", s.len ? "," : "", word);
		else
			*left_out = true;
	}
	if (!copy)
		return NULL;
	free(copy);
	return wt_str_take(&s);
}

static int words_apply(struct apply *a, const struct wt_demand *d, const struct wt_confkey *row, struct wt_error *errp)
{
	bool left_out, own = row->class == WT_CONF_OURS && a->auth_info;
	char *words = words_filter(row, d->value, &left_out), *value = words;
	int rc = -1;

	if (words && own && !d->append)
		value = wt_str_format("%s%s%s", a->auth_info, *words ? "," : "", words);
	if (!words || !value)
		wt_error_errno(errp, ENOMEM, "slurm.conf");
	else
		rc = d->append && !*words ? 0 : demand_put(a, d, value, errp);
	if (rc == 0 && left_out)
		rc = note_add(a, d, row, row->name, d->value, wt_conf_get(a->conf, d->key), errp);
	if (value != words)
		free(value);
	free(words);
	return rc;
}

/* Nodes that there are, or a NodeSet. */
static bool nodes_known(const struct apply *a, const char *list)
{
	char *copy, *rest, *part;
	bool known;

	if (a->policy->site)	/* slurmctld knows better */
		return true;
	if (wt_confattrs_nodes_exist(list, a->policy->nodes))
		return true;
	copy = rest = strdup(list);
	known = copy && !strchr(list, '[') && *list;
	while (known && (part = strsep(&rest, ",")))
		known = *part && (wt_confattrs_nodes_exist(part, a->policy->nodes) || wt_conf_get_named(a->conf, "NodeSet",
		part));
	free(copy);
	return known;
}

static bool value_harmless(const struct apply *a, const struct wt_confkey *row, const char *value)
{
	if (!strcasecmp(row->name, "SuspendExcNodes"))
		return nodes_known(a, value);
	if (a->policy->accounting && (!strcasecmp(row->name, "AccountingStorageEnforce") ||
				      !strcasecmp(row->name, "AccountingStorageTRES")))
		return true;
	if (a->policy->site && a->policy->accounting && !strcasecmp(row->name, "PriorityWeightTRES"))
		return true;
	if (a->policy->topology && (!strcasecmp(row->name, "TopologyPlugin") || !strcasecmp(row->name, "RoutePlugin")))
		return true;
	return value_listed(row->values, value, '|');
}

static int neutral_apply(struct apply *a, const struct wt_demand *d, const struct wt_confkey *row, struct wt_error *errp)
{
	if (is_kept(a->policy, row) || (*d->value && value_harmless(a, row, d->value)) || (!*d->value && !row->instead))
		return demand_put(a, d, d->value, errp);
	if (row->words || row->not_words)
		return words_apply(a, d, row, errp);
	if (row->instead && !wt_conf_get(a->conf, row->name) && wt_conf_set(a->conf, row->name, row->instead, errp) < 0)
		return -1;
	return note_add(a, d, row, row->name, d->value, wt_conf_get(a->conf, row->name), errp);
}

/* Slurmctld ends at a number that is none, but a site's mistyped word is passed over there as it is here. */
static int number_check(const struct wt_demand *d, const struct wt_confkey *row, struct wt_error *errp)
{
	if (d->append && wt_confnumber_find(row->name))
		return wt_error_set(errp, EINVAL, "%s: %s+=%s: it is one number: give %s=", d->where, row->name, d->value,
				    row->name);
	if (!d->option && !wt_confnumber_find(row->name))
		return 0;
	return wt_confnumber_check(row->name, d->value, errp) < 0 ? wt_error_prefix(errp, "%s", d->where) : 0;
}

static int plain_apply(struct apply *a, const struct wt_demand *d, const struct wt_confkey *row, struct wt_error *errp)
{
	const char *current = wt_conf_get(a->conf, row->name);

	if (!d->append && current && !strcmp(current, d->value))
		return 0;
	if (row->class == WT_CONF_TAKEN)
		return number_check(d, row, errp) < 0 ? -1 : demand_put(a, d, d->value, errp);
	if (row->class == WT_CONF_NEUTRAL)
		return neutral_apply(a, d, row, errp);
	if (row->words && *d->value)
		return words_apply(a, d, row, errp);
	if (d->option)
		return demand_refuse(d, row, errp);
	return note_add(a, d, row, row->name, d->value, current && *current != '/' ? "its own" : current, errp);
}

static int attr_words(struct apply *a, const struct wt_demand *d, const struct wt_confkey *row, struct wt_confattr *attr,
		      bool *drop, struct wt_error *errp)
{
	bool left_out;
	char *words = words_filter(row, attr->value, &left_out);
	int rc;

	if (!words)
		return wt_error_errno(errp, ENOMEM, "slurm.conf");
	rc = left_out ? note_add(a, d, row, row->name, attr->value, words, errp) : 0;
	*drop = !*words;
	free(attr->value);
	attr->value = words;
	return rc;
}

/* All that a file has is said at once. */
static void unknown_add(struct apply *a, const struct wt_demand *d, const char *what, const char *name, const char *line)
{
	if (a->unknown.len < UNKNOWN_MAX)
		wt_str_printf(&a->unknown, "%s%s: Slurm " WT_SLURM_VERSION " has no %s '%s' %s %s",
			      a->unknown.len ? "; " : "", d->where, what, name, line ? "for" : "in",
			      line ? line : "slurm.conf");
	else
		a->unknown_count++;
}

/* What other versions have is left out of a file; a user who sets it on the command line means it. */
static int other_note(struct apply *a, const struct wt_demand *d, const char *line, const char *name, const char *value,
		      struct wt_error *errp)
{
	const struct wt_confkey other = { .name = name, .class = WT_CONF_OURS, .why = wt_confkey_other(line, name) };

	if (other.why && !d->option)
		return note_add(a, d, &other, name, value, NULL, errp);
	unknown_add(a, d, line ? "attribute" : "key", name, line);
	return 0;
}

/* What only accounts and groups can tell, where the site's are there. */
static bool attr_harmless(const struct apply *a, const struct wt_confkey *row, const char *value)
{
	static const char *const names[] = { "AllowAccounts", "AllowQos", "DenyQos", "QOS", "TRESBillingWeights",
					     "TRESWeights" };
	bool harmless = row->class == WT_CONF_TAKEN || is_kept(a->policy, row) || value_listed(row->values, value, '|') ||
			(a->policy->users && !strcasecmp(row->name, "AllowGroups"));

	for (size_t i = 0; a->policy->site && a->policy->accounting && i < sizeof(names) / sizeof(names[0]); i++)
		harmless = harmless || !strcasecmp(row->name, names[i]);
	return harmless;
}

/* Which nodes are down at a site is of the moment; here those that a file begins so would never be up. */
static int state_judge(struct apply *a, const struct wt_demand *d, struct wt_confattr *attr, bool *drop,
		       struct wt_error *errp)
{
	static const struct wt_confkey state = { .name = "State", .class = WT_CONF_OURS,
						 .why = "all nodes begin in service", .schedules = true };

	*drop = strncasecmp(attr->value, "UNKNOWN", 7) && strncasecmp(attr->value, "CLOUD", 5) &&
		strncasecmp(attr->value, "FUTURE", 6);
	return *drop ? note_add(a, d, &state, "NodeName State", attr->value, "UNKNOWN", errp) : 0;
}

/* One attribute: *drop says that it goes. */
static int attr_judge(struct apply *a, const struct wt_demand *d, const struct wt_confkey *line, struct wt_confattr *attr,
		      bool *drop, struct wt_error *errp)
{
	const struct wt_confkey *row = wt_confkey_find(line->name, attr->name);
	static const struct wt_confkey nodes = { .name = "Nodes", .class = WT_CONF_OURS, .why = "nodes of the site",
						 .schedules = true };

	*drop = !row;
	if (!row)
		return other_note(a, d, line->name, attr->name, attr->value, errp);
	if (a->policy->site && !d->option && !strcasecmp(line->name, "NodeName") && !strcasecmp(row->name, "State"))
		return state_judge(a, d, attr, drop, errp);
	if (!strcasecmp(line->name, "PartitionName") && !strcasecmp(row->name, nodes.name) && !nodes_known(a, attr->value)) {
		char *all = strdup("ALL");
		int rc = all ? note_add(a, d, &nodes, "PartitionName Nodes", attr->value, "ALL", errp)
			     : wt_error_errno(errp, ENOMEM, "slurm.conf");

		if (all) {
			free(attr->value);
			attr->value = all;
		}
		return rc;
	}
	if (attr_harmless(a, row, attr->value))
		return 0;
	if (row->class == WT_CONF_OURS && d->option)
		return demand_refuse(d, row, errp);
	if (row->words || row->not_words)
		return attr_words(a, d, row, attr, drop, errp);
	*drop = true;
	return note_add(a, d, row, row->name, attr->value, NULL, errp);
}

static int attrs_judge(struct apply *a, const struct wt_demand *d, const struct wt_confkey *line, struct wt_confattrs *attrs,
		       struct wt_error *errp)
{
	for (size_t i = 0; i < attrs->count;) {
		bool drop;

		if (attr_judge(a, d, line, &attrs->list[i], &drop, errp) < 0)
			return -1;
		if (drop)
			wt_confattrs_remove(attrs, i);
		else
			i++;
	}
	return 0;
}

/* The attributes of 'text', judged, behind 'before' (a line's beginning that is windtunnel's own, or ""). */
static int attrs_apply(struct apply *a, const struct wt_demand *d, const struct wt_confkey *line, const char *before,
		       const char *text, struct wt_error *errp)
{
	struct wt_confattrs attrs;
	char *judged = NULL, *value = NULL;
	int rc = -1;

	if (wt_confattrs_parse(&attrs, text, !*before && !d->append, errp) < 0)
		return wt_error_prefix(errp, "%s: %s", d->where, line->name);
	if (attrs_judge(a, d, line, &attrs, errp) == 0) {
		judged = wt_confattrs_text(&attrs);
		value = judged ? wt_str_format("%s%s%s", before, *before && *judged ? " " : "", judged) : NULL;
		if (!value)
			wt_error_errno(errp, ENOMEM, "slurm.conf");
		else
			rc = !*value ? 0 : demand_put(a, d, value, errp);
	}
	free(judged);
	free(value);
	wt_confattrs_clear(&attrs);
	return rc;
}

/* windtunnel's own line of nodes that this one repeats, perhaps with more attributes behind it; NULL. */
static const char *own_nodes(const struct apply *a, const struct wt_demand *d)
{
	const char *own = wt_conf_get_named(a->conf, "NodeName", d->value);
	size_t len = own ? strlen(own) : 0;

	return own && !strncmp(own, d->value, len) && (!d->value[len] || strchr(" \t", d->value[len])) ? own : NULL;
}

/* A line of the site's own nodes: with addresses of ours behind it. */
static int site_node_apply(struct apply *a, const struct wt_demand *d, const struct wt_confkey *row, struct wt_error *errp)
{
	struct wt_hostlist *names = wt_hostlist_parse(d->value, strcspn(d->value, " \t"), WT_NODES_MAX, errp);
	uint32_t count = (uint32_t) wt_hostlist_count(names);
	struct wt_confattrs attrs;
	struct wt_str s = { 0 };
	char *judged = NULL, *line = NULL;
	int rc = -1;

	wt_hostlist_destroy(names);
	if (!names || wt_confattrs_parse(&attrs, d->value, true, errp) < 0)
		return wt_error_prefix(errp, "%s: %s", d->where, row->name);
	if (attrs_judge(a, d, row, &attrs, errp) == 0) {
		judged = wt_confattrs_text(&attrs);
		wt_str_add(&s, judged ? judged : "");
		wt_nodes_address_add(&s, a->next_node, count, a->policy->network, a->policy->nodes_port);
		line = wt_str_take(&s);
		a->next_node += count;
		rc = judged && line ? demand_put(a, d, line, errp) : wt_error_errno(errp, ENOMEM, "slurm.conf");
	}
	free(judged);
	free(line);
	wt_confattrs_clear(&attrs);
	return rc;
}

static int node_apply(struct apply *a, const struct wt_demand *d, const char *name, const struct wt_confkey *row,
		      struct wt_error *errp)
{
	const char *own = d->append || a->policy->site ? NULL : own_nodes(a, d);

	if (a->policy->site && !d->option && !d->append)
		return strcasecmp(name, "DEFAULT") ? site_node_apply(a, d, row, errp) :
		       attrs_apply(a, d, row, "", d->value, errp);
	if (own && strcasecmp(name, "DEFAULT"))
		return attrs_apply(a, d, row, own, d->value + strlen(own), errp);
	if (d->append || (!strcasecmp(name, "DEFAULT") && (!a->site_nodes || d->option)))
		return attrs_apply(a, d, row, "", d->value, errp);
	if (d->option)
		return wt_error_set(errp, EINVAL, "%s: NodeName lines come from --nodes and --shape; NodeName=DEFAULT and "
				    "NodeName+=ATTRIBUTE=VALUE are possible", d->where);
	return note_add(a, d, row, row->name, d->value, "--nodes and --shape", errp);
}

static bool set_exists(const struct apply *a, const struct wt_demand *d)
{
	struct wt_confattrs attrs;
	bool exists = !a->site_nodes || d->option;

	if (a->policy->site)
		return true;
	if (wt_confattrs_parse(&attrs, d->value, true, NULL) < 0)
		return exists;
	for (size_t i = 0; i < attrs.count; i++)
		if (!strcasecmp(attrs.list[i].name, "Nodes"))
			exists = wt_confattrs_nodes_exist(attrs.list[i].value, a->policy->nodes);
	wt_confattrs_clear(&attrs);
	return exists;
}

static int line_apply(struct apply *a, const struct wt_demand *d, const struct wt_confkey *row, struct wt_error *errp)
{
	static const struct wt_confkey gone[] = {
		{ .name = "NodeSet", .class = WT_CONF_OURS, .why = "nodes of the site", .schedules = true },
		{ .name = "DownNodes", .class = WT_CONF_OURS, .why = "nodes of the site", .schedules = true },
		{ .name = "DownNodes", .class = WT_CONF_OURS, .why = "all nodes begin in service", .schedules = true },
	};
	char *name = line_name(d->value);
	int rc;

	if (!name)
		return wt_error_errno(errp, ENOMEM, "slurm.conf");
	if (!strcasecmp(row->name, "NodeName"))
		rc = node_apply(a, d, name, row, errp);
	else if (row->class == WT_CONF_OURS)
		rc = d->option ? demand_refuse(d, row, errp) : note_add(a, d, row, row->name, d->value, NULL, errp);
	else if (!d->append && !strcasecmp(row->name, "NodeSet") && !set_exists(a, d))
		rc = note_add(a, d, &gone[0], row->name, d->value, NULL, errp);
	else if (!d->append && !strcasecmp(row->name, "DownNodes") && (a->policy->site ? !d->option : !nodes_known(a, name)))
		rc = note_add(a, d, &gone[1 + a->policy->site], row->name, d->value, NULL, errp);
	else
		rc = attrs_apply(a, d, row, "", d->value, errp);
	free(name);
	return rc;
}

static bool site_has_nodes(const struct apply *a)
{
	for (size_t i = 0; i < a->demands->count; i++) {
		const struct wt_demand *d = &a->demands->list[i];

		if (!d->option && !d->append && !strcasecmp(d->key, "NodeName") && !own_nodes(a, d) && !line_is_default(d))
			return true;
	}
	return false;
}

static int demand_apply(struct apply *a, const struct wt_demand *d, struct wt_error *errp)
{
	const struct wt_confkey *row = wt_confkey_find(NULL, d->key);

	if (!row)
		return other_note(a, d, NULL, d->key, d->value, errp);
	return wt_conf_key_repeats(row->name) ? line_apply(a, d, row, errp) : plain_apply(a, d, row, errp);
}

/* Frees the text. */
static int unknown_check(struct apply *a, int rc, struct wt_error *errp)
{
	char *text = wt_str_take(&a->unknown);

	if (!text)
		rc = wt_error_errno(errp, ENOMEM, "slurm.conf");
	else if (rc == 0 && *text && a->unknown_count)
		rc = wt_error_set(errp, EINVAL, "%s; and %u more", text, a->unknown_count);
	else if (rc == 0 && *text)
		rc = wt_error_set(errp, EINVAL, "%s", text);
	free(text);
	return rc;
}

int wt_confpolicy_apply(struct wt_conf *conf, const struct wt_demands *demands, const struct wt_confpolicy *policy,
			struct wt_confnotes *notes, struct wt_error *errp)
{
	struct apply a = { .conf = conf, .demands = demands, .policy = policy, .notes = notes };
	const char *auth_info = wt_conf_get(conf, "AuthInfo");
	int rc = 0;

	if (auth_info && !(a.auth_info = strdup(auth_info)))
		return wt_error_errno(errp, ENOMEM, "slurm.conf");
	a.site_nodes = site_has_nodes(&a);
	for (int pass = 0; pass < 2; pass++)	/* partitions may name a NodeSet that stands behind them */
		for (size_t i = 0; i < demands->count && rc == 0; i++)
			if ((strcasecmp(demands->list[i].key, "NodeSet") != 0) == pass)
				rc = demand_apply(&a, &demands->list[i], errp);
	free(a.auth_info);
	return unknown_check(&a, rc, errp);
}

static const struct wt_confkey *keep_find(const char *keep)
{
	static const char *const lines[] = { NULL, "NodeName", "PartitionName", "NodeSet", "DownNodes" };
	const struct wt_confkey *row = NULL;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]) && !row; i++)
		row = wt_confkey_find(lines[i], keep);
	return row;
}

/* The value that the last demand for 'key' has; NULL when there is none, or an empty one. */
static const char *demanded(const struct wt_demands *demands, const char *key)
{
	for (size_t i = demands->count; i-- > 0;)
		if (!strcasecmp(demands->list[i].key, key))
			return *demands->list[i].value ? demands->list[i].value : NULL;
	return NULL;
}

/* Kept alone, the first would reach the machine's own by Slurm's default for the second. */
static int companions_check(const struct wt_confpolicy *policy, const struct wt_demands *demands, const char *keep,
			    struct wt_error *errp)
{
	static const struct { const char *key, *in_value, *needs; } companions[] = {
		{ "AccountingStorageType", "slurmdbd", "AccountingStorageHost" }, { "JobCompType", "filetxt", "JobCompLoc" },
		{ "JobCompType", "script", "JobCompLoc" }, { "JobCompType", "elasticsearch", "JobCompLoc" },
		{ "JobCompType", "mysql", "JobCompHost" },
	};

	for (size_t i = 0; i < sizeof(companions) / sizeof(companions[0]); i++) {
		const char *value = demanded(demands, companions[i].key), *needs = companions[i].needs;

		if (strcasecmp(keep, companions[i].key) || !value || !strcasestr(value, companions[i].in_value))
			continue;
		if (!demanded(demands, needs) || !is_kept(policy, wt_confkey_find(NULL, needs)))
			return wt_error_set(errp, EINVAL,
					    "--keep %s: without %s that is this machine's own; set it and add --keep %s",
					    keep, needs, needs);
	}
	return 0;
}

int wt_confpolicy_check(const struct wt_confpolicy *policy, const struct wt_demands *demands, struct wt_error *errp)
{
	for (size_t i = 0; i < policy->keep_count; i++) {
		const struct wt_confkey *row = keep_find(policy->keeps[i]);

		if (!row)
			return wt_error_set(errp, EINVAL,
					    "--keep %s: Slurm " WT_SLURM_VERSION " has no such key in slurm.conf",
					    policy->keeps[i]);
		if (row->class == WT_CONF_OURS)
			return wt_error_set(errp, EINVAL, "--keep %s cannot be: %s", policy->keeps[i], row->why);
		if (companions_check(policy, demands, policy->keeps[i], errp) < 0)
			return -1;
	}
	return 0;
}
