/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/cluster/conf/conf.h"
#include "lib/str.h"

struct conf_line {
	char *key, *value;
	uint32_t name_hash;	/* of the value's beginning: sites have thousands of partitions */
};

struct wt_conf {
	struct conf_line *lines;
	size_t count;
};

bool wt_conf_key_repeats(const char *key)
{
	static const char *const keys[] = { "NodeName", "PartitionName", "NodeSet", "DownNodes", "FrontendName" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcasecmp(key, keys[i]))
			return true;
	return false;
}

static size_t name_len(const char *value)
{
	return strcspn(value, " \t");
}

/* FNV-1a */
static uint32_t name_hash(const char *value)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0, len = name_len(value); i < len; i++)
		hash = (hash ^ (unsigned char) value[i]) * 16777619u;
	return hash;
}

static bool name_equal(const char *a, const char *b)
{
	size_t len = name_len(a);

	return len == name_len(b) && !strncmp(a, b, len);
}

static bool name_is_default(const char *value)
{
	return name_len(value) == 7 && !strncasecmp(value, "DEFAULT", 7);
}

static int key_check(const char *key, struct wt_error *errp)
{
	size_t len = strlen(key);
	bool good = len > 0 && isalpha((unsigned char) key[0]);

	for (size_t i = 0; i < len && good; i++)
		good = isalnum((unsigned char) key[i]);
	if (!good)
		return wt_error_set(errp, EINVAL, "'%s' is no slurm.conf key (letters and digits only)", key);
	return 0;
}

/* slurm.conf(5) has no way to write a quote inside of a value: only around one. */
static bool quotes_pair(const char *key, const char *value)
{
	const char *open = strchr(value, '"'), *close = open ? strchr(open + 1, '"') : NULL;

	if (!open)
		return true;
	if (wt_conf_key_repeats(key))		/* attributes have values of their own: an even number of quotes */
		return close && quotes_pair(key, close + 1);
	return open == value && close && !close[1];
}

static int value_check(const char *key, const char *value, struct wt_error *errp)
{
	for (const char *p = value; *p; p++)
		if (iscntrl((unsigned char) *p) && *p != '\t')
			return wt_error_set(errp, EINVAL, "%s: control character in its value", key);
	if (!quotes_pair(key, value))
		return wt_error_set(errp, EINVAL, "%s: a quote in its value; quotes can only stand around it", key);
	if (wt_conf_key_repeats(key) && name_len(value) == 0)
		return wt_error_set(errp, EINVAL, "%s: a name must follow '='", key);
	return 0;
}

int wt_conf_check(const char *key, const char *value, struct wt_error *errp)
{
	return key_check(key, errp) < 0 || value_check(key, value, errp) < 0 ? -1 : 0;
}

struct wt_conf *wt_conf_create(void)
{
	return calloc(1, sizeof(struct wt_conf));
}

void wt_conf_destroy(struct wt_conf *conf)
{
	int saved_errno = errno;

	if (!conf)
		return;
	for (size_t i = 0; i < conf->count; i++) {
		free(conf->lines[i].key);
		free(conf->lines[i].value);
	}
	free(conf->lines);
	free(conf);
	errno = saved_errno;
}

/* The line that 'value' would replace; a repeatable key's lines differ by name. */
static struct conf_line *line_find(const struct wt_conf *conf, const char *key, const char *value)
{
	bool named = value && wt_conf_key_repeats(key);
	uint32_t hash = named ? name_hash(value) : 0;

	for (size_t i = 0; i < conf->count; i++) {
		struct conf_line *l = &conf->lines[i];

		if ((named && l->name_hash != hash) || strcasecmp(l->key, key))
			continue;
		if (!value || !wt_conf_key_repeats(key) || name_equal(l->value, value))
			return l;
	}
	return NULL;
}

static int line_insert(struct wt_conf *conf, size_t at, const char *key, const char *value, struct wt_error *errp)
{
	struct conf_line *lines = realloc(conf->lines, (conf->count + 1) * sizeof(*lines));
	struct conf_line fresh = { .key = strdup(key), .value = strdup(value), .name_hash = name_hash(value) };

	if (lines)
		conf->lines = lines;
	if (!lines || !fresh.key || !fresh.value) {
		free(fresh.key);
		free(fresh.value);
		return wt_error_errno(errp, ENOMEM, "slurm.conf");
	}
	memmove(lines + at + 1, lines + at, (conf->count - at) * sizeof(*lines));
	lines[at] = fresh;
	conf->count++;
	return 0;
}

static void line_remove(struct wt_conf *conf, struct conf_line *l)
{
	size_t at = (size_t) (l - conf->lines);

	free(l->key);
	free(l->value);
	memmove(l, l + 1, (conf->count - at - 1) * sizeof(*l));
	conf->count--;
}

static int line_replace(struct conf_line *l, char *value, struct wt_error *errp)
{
	if (!value)
		return wt_error_errno(errp, ENOMEM, "slurm.conf");
	free(l->value);
	l->value = value;
	l->name_hash = name_hash(value);
	return 0;
}

int wt_conf_set(struct wt_conf *conf, const char *key, const char *value, struct wt_error *errp)
{
	struct conf_line *l;
	size_t at = conf->count;

	if (wt_conf_check(key, value, errp) < 0)
		return -1;
	l = line_find(conf, key, value);
	if (!*value) {
		if (l)
			line_remove(conf, l);
		return 0;
	}
	if (l)
		return line_replace(l, strdup(value), errp);
	/* A DEFAULT line is for those behind it, so a new one goes in front of all of its kind. */
	if (wt_conf_key_repeats(key) && name_is_default(value)) {
		l = line_find(conf, key, NULL);
		at = l ? (size_t) (l - conf->lines) : at;
	}
	return line_insert(conf, at, key, value, errp);
}

int wt_conf_add_default(struct wt_conf *conf, const char *key, const char *value, bool last, struct wt_error *errp)
{
	size_t at = last ? conf->count : 0;

	if (wt_conf_check(key, value, errp) < 0)
		return -1;
	while (at < conf->count && (strcasecmp(conf->lines[at].key, key) || name_is_default(conf->lines[at].value)))
		at++;
	return line_insert(conf, at, key, value, errp);
}

/* Does the list have a word of this name: "bf_interval" in "defer,bf_interval=30"? */
static bool list_names(const char *list, const char *name, size_t len)
{
	for (const char *word = list; *word; word += strspn(word, ",")) {
		size_t of_word = strcspn(word, "=,");

		if (of_word == len && !strncasecmp(word, name, len))
			return true;
		word += strcspn(word, ",");
	}
	return false;
}

/* 'list' without the words that 'value' has anew, and 'value' behind it.  The caller frees; NULL with ENOMEM. */
static char *list_extend(const char *list, const char *value)
{
	struct wt_str s = { 0 };

	for (const char *word = list; *word; word += strspn(word, ",")) {
		size_t len = strcspn(word, ",");

		if (len && !list_names(value, word, strcspn(word, "=,")))
			wt_str_printf(&s, "%s%.*s", s.len ? "," : "", (int) len, word);
		word += len;
	}
	wt_str_printf(&s, "%s%s", s.len ? "," : "", value);
	return wt_str_take(&s);
}

/* slurmctld takes the first of two values of one word: one that is appended would do nothing. */
static char *value_extend(const char *key, const char *old, const char *value)
{
	if (!strcasecmp(key, "SchedulerParameters"))
		return list_extend(old, value);
	return wt_str_format("%s%s%s", old, wt_conf_key_repeats(key) ? " " : ",", value);
}

int wt_conf_append(struct wt_conf *conf, const char *key, const char *value, struct wt_error *errp)
{
	bool repeats = wt_conf_key_repeats(key);
	size_t changed = 0;

	if (wt_conf_check(key, value, errp) < 0)
		return -1;
	for (size_t i = 0; i < conf->count; i++) {
		struct conf_line *l = &conf->lines[i];

		/* Each named line gets the attribute itself; in DEFAULT it would reach lines that come later as well. */
		if (strcasecmp(l->key, key) || (repeats && name_is_default(l->value)))
			continue;
		if (line_replace(l, value_extend(key, l->value, value), errp) < 0)
			return -1;
		changed++;
	}
	if (changed)
		return 0;
	if (repeats)
		return wt_error_set(errp, EINVAL, "%s+=%s: there is no %s line to append to", key, value, key);
	return line_insert(conf, conf->count, key, value, errp);
}

const char *wt_conf_get(const struct wt_conf *conf, const char *key)
{
	const struct conf_line *l = line_find(conf, key, NULL);

	return l ? l->value : NULL;
}

const char *wt_conf_get_named(const struct wt_conf *conf, const char *key, const char *name)
{
	const struct conf_line *l = line_find(conf, key, name);

	return l ? l->value : NULL;
}

const char *wt_conf_next(const struct wt_conf *conf, const char *key, size_t *at)
{
	while (*at < conf->count) {
		const struct conf_line *l = &conf->lines[(*at)++];

		if (!strcasecmp(l->key, key))
			return l->value;
	}
	return NULL;
}

char *wt_conf_print(const struct wt_conf *conf)
{
	struct wt_str s = { 0 };

	for (size_t i = 0; i < conf->count; i++) {
		const struct conf_line *l = &conf->lines[i];
		bool quote = !wt_conf_key_repeats(l->key) && l->value[0] != '"' && strpbrk(l->value, " \t");

		wt_str_printf(&s, "%s=%s", l->key, quote ? "\"" : "");
		for (const char *p = l->value; *p; p++) {
			if (*p == '#' || *p == '\\')	/* slurm.conf(5): '#' begins a comment, a backslash escapes */
				wt_str_add(&s, "\\");
			wt_str_add_bytes(&s, p, 1);
		}
		wt_str_add(&s, quote ? "\"\n" : "\n");
	}
	return wt_str_take(&s);
}
