/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings and counters as text. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "plugins/select_bestfit/bestfit.h"

const char *const bestfit_mode_names[] = { "off", "shadow", "on", NULL };
static const char *const quick_names[] = { "off", "on", "verify", NULL };	/* by enum bestfit_quick */
static const char *const switch_names[] = { "off", "on", NULL };
static const char *const tie_names[] = { "touch", "pack", "auto", NULL };	/* by enum wt_tie */

const char *const bestfit_reason_names[BESTFIT_REASONS] = {
	"chosen", "no-tree", "required-nodes", "contiguous", "spread", "lln", "prefer-busy", "gres", "switches", "core-spec",
	"features", "overcommit", "sharing", "arbitrary", "cpu-limit", "mixed-nodes", "outside-tree", "range", "few", "all",
	"error",
};

static int name_find(const char *const *names, const char *value, size_t len)
{
	for (int i = 0; names[i]; i++)
		if (strlen(names[i]) == len && !strncasecmp(names[i], value, len))
			return i;
	return -1;
}

/* Seconds for each level, the leaves first, with colons between them; the last counts for all levels above, too. */
static int waits_take(const char *value, size_t len, uint32_t *wait_s)
{
	const char *end = value + len;
	uint32_t level = 0;

	for (;; value++) {
		char *rest;
		unsigned long s;

		if (value >= end || *value < '0' || *value > '9' || level == WT_TREE_LEVELS_MAX)
			return -1;
		s = strtoul(value, &rest, 10);
		/* strtoul (3) does not know where the token ends. */
		if (s > BESTFIT_WAIT_S_MAX || rest > end || (rest < end && *rest != ':'))
			return -1;
		for (uint32_t l = level++; l < WT_TREE_LEVELS_MAX; l++)
			wait_s[l] = (uint32_t) s;
		value = rest;
		if (value == end)
			return 0;
	}
}

/* One token, in two parts. */
struct setting_token {
	const char *key, *value;
	size_t key_len, value_len;
};

static bool key_is(const struct setting_token *t, const char *key)
{
	return t->key_len == strlen(key) && !strncasecmp(t->key, key, t->key_len);
}

/* The number of the word that stands behind this key; -1: another key, or no such word. */
static int word_of(const struct setting_token *t, const char *key, const char *const *names)
{
	return key_is(t, key) ? name_find(names, t->value, t->value_len) : -1;
}

static bool words_take(const struct setting_token *t, struct bestfit_settings *s)
{
	int mode = word_of(t, "bestfit", bestfit_mode_names), tie = word_of(t, "bestfit_tie", tie_names);
	int quick = word_of(t, "bestfit_quick", quick_names), will_run = word_of(t, "bestfit_will_run", switch_names);
	int offers = word_of(t, "bestfit_offers", switch_names), one = word_of(t, "bestfit_one_weight", switch_names);

	if (mode >= 0)
		s->mode = (enum bestfit_mode) mode;
	if (tie >= 0)
		s->tie = (enum wt_tie) tie;
	if (quick >= 0)
		s->quick = (enum bestfit_quick) quick;
	s->quick_given |= quick >= 0;
	if (will_run >= 0)
		s->will_run = will_run;
	if (offers >= 0)
		s->offers = offers;
	if (one >= 0)
		s->one_weight = one;
	return mode >= 0 || tie >= 0 || quick >= 0 || will_run >= 0 || offers >= 0 || one >= 0;
}

static bool numbers_take(const struct setting_token *t, struct bestfit_settings *s)
{
	if (key_is(t, "bestfit_wait"))
		return !waits_take(t->value, t->value_len, s->wait_s);
	if (key_is(t, "bestfit_wait_completing"))
		return !waits_take(t->value, t->value_len, s->completing_s);
	if (!key_is(t, "bestfit_report") || !t->value_len || t->value_len >= 10 ||
	    strspn(t->value, "0123456789") != t->value_len)
		return false;
	s->report_decisions = (uint32_t) strtoul(t->value, NULL, 10);
	return true;
}

/* One token of 'len' bytes; "bestfit..." ones that are not known are an error: a typing mistake must not pass for "off". */
static int token_take(const char *token, size_t len, struct bestfit_settings *s, struct wt_error *errp)
{
	const char *equals = memchr(token, '=', len), *value = equals ? equals + 1 : token + len;
	const struct setting_token t = { .key = token, .key_len = equals ? (size_t) (equals - token) : len, .value = value,
				 .value_len = (size_t) (token + len - value) };

	if (words_take(&t, s) || numbers_take(&t, s))
		return 0;
	return wt_error_set(errp, EINVAL, "SchedulerParameters: '%.*s' is not known; there are bestfit=off|shadow|on, "
			    "bestfit_tie=auto|touch|pack, bestfit_wait=SECONDS[:SECONDS...] (at most %d), "
			    "bestfit_wait_completing (the same), "
			    "bestfit_quick=on|off|verify, bestfit_will_run=on|off, bestfit_one_weight=on|off, "
			    "bestfit_offers=on|off and bestfit_report=NUMBER",
			    (int) len, token, BESTFIT_WAIT_S_MAX);
}

bool bestfit_settings_wait(const struct bestfit_settings *settings)
{
	for (uint32_t l = 0; l < WT_TREE_LEVELS_MAX; l++)
		if (settings->wait_s[l] || settings->completing_s[l])
			return settings->mode == BESTFIT_ON;
	return false;
}

int bestfit_settings_parse(const char *params, struct bestfit_settings *settings, struct wt_error *errp)
{
	const struct bestfit_settings off = { .tie = WT_TIE_AUTO, .quick = BESTFIT_QUICK_ON, .will_run = true,
					      .report_decisions = BESTFIT_REPORT_DECISIONS };

	*settings = off;
	while (params && *params) {
		size_t len = strcspn(params, ",");

		if (len >= strlen("bestfit") && !strncasecmp(params, "bestfit", strlen("bestfit")) &&
		    token_take(params, len, settings, errp) < 0) {
			*settings = off;
			return -1;
		}
		params += len + (params[len] == ',');
	}
	return 0;
}

static void append(char *buf, size_t size, const char *key, uint64_t value)
{
	size_t used = strlen(buf);

	snprintf(buf + used, size - used, "%s%s=%" PRIu64, used ? " " : "", key, value);
}

const char *bestfit_counters_format(const struct bestfit_counters *c, char *buf, size_t size)
{
	buf[0] = '\0';
	append(buf, size, "decisions", c->decisions);
	append(buf, size, "run-now", c->tests[0]);
	append(buf, size, "test-only", c->tests[1]);
	append(buf, size, "will-run", c->tests[2]);
	for (size_t i = 0; i < BESTFIT_REASONS; i++)
		if (i == BESTFIT_CHOSEN || c->reasons[i])
			append(buf, size, bestfit_reason_names[i], c->reasons[i]);
	append(buf, size, "unplaced", c->unplaced);
	append(buf, size, "again", c->again);
	append(buf, size, "again-started", c->again_started);
	append(buf, size, "held-jobs", c->held_jobs);
	append(buf, size, "held-starts", c->held_starts);
	append(buf, size, "held-better", c->held_better);
	append(buf, size, "held-expired", c->held_expired);
	append(buf, size, "shadow-same", c->same);
	append(buf, size, "shadow-fewer", c->fewer);
	append(buf, size, "shadow-more", c->more);
	append(buf, size, "shadow-other", c->other);
	append(buf, size, "mean-us", c->decisions ? c->time_sum_us / c->decisions : 0);
	append(buf, size, "max-us", c->time_max_us);
	return buf;
}
