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

/* One token of 'len' bytes; "bestfit..." ones that are not known are an error: a typing mistake must not pass for "off". */
static int token_take(const char *token, size_t len, struct bestfit_settings *s, struct wt_error *errp)
{
	const char *value = memchr(token, '=', len);
	size_t key_len = value ? (size_t) (value - token) : len, value_len;
	int n;

	value = value ? value + 1 : token + len;
	value_len = (size_t) (token + len - value);
	if (key_len == strlen("bestfit") && (n = name_find(bestfit_mode_names, value, value_len)) >= 0) {
		s->mode = (enum bestfit_mode) n;
		return 0;
	}
	if (key_len == strlen("bestfit_tie") && !strncasecmp(token, "bestfit_tie", key_len) &&
	    (n = name_find(tie_names, value, value_len)) >= 0) {
		s->tie = (enum wt_tie) n;
		return 0;
	}
	if (key_len == strlen("bestfit_quick") && !strncasecmp(token, "bestfit_quick", key_len) &&
	    (n = name_find(quick_names, value, value_len)) >= 0) {
		s->quick = (enum bestfit_quick) n;
		s->quick_given = true;
		return 0;
	}
	if (key_len == strlen("bestfit_offers") && !strncasecmp(token, "bestfit_offers", key_len) &&
	    (n = name_find(switch_names, value, value_len)) >= 0) {
		s->offers = n;
		return 0;
	}
	if (key_len == strlen("bestfit_report") && !strncasecmp(token, "bestfit_report", key_len) && value_len &&
	    value_len < 10 &&
	    strspn(value, "0123456789") == value_len) {
		s->report_decisions = (uint32_t) strtoul(value, NULL, 10);
		return 0;
	}
	if (key_len == strlen("bestfit_wait") && !strncasecmp(token, "bestfit_wait", key_len) &&
	    !waits_take(value, value_len, s->wait_s))
		return 0;
	return wt_error_set(errp, EINVAL, "SchedulerParameters: '%.*s' is not known; there are bestfit=off|shadow|on, "
			    "bestfit_tie=auto|touch|pack, bestfit_wait=SECONDS[:SECONDS...] (at most %d), "
			    "bestfit_quick=on|off|verify, bestfit_offers=on|off and bestfit_report=NUMBER",
			    (int) len, token, BESTFIT_WAIT_S_MAX);
}

bool bestfit_settings_wait(const struct bestfit_settings *settings)
{
	for (uint32_t l = 0; l < WT_TREE_LEVELS_MAX; l++)
		if (settings->wait_s[l])
			return settings->mode == BESTFIT_ON;
	return false;
}

int bestfit_settings_parse(const char *params, struct bestfit_settings *settings, struct wt_error *errp)
{
	const struct bestfit_settings off = { .tie = WT_TIE_AUTO, .quick = BESTFIT_QUICK_ON, .report_decisions =
					      BESTFIT_REPORT_DECISIONS };

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
