/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/report/advice_missing.h"

const struct advice_setting advice_settings[] = {
	{ "EpilogMsgTime", "EpilogMsgTime=site,N" },     { "TreeWidth", "TreeWidth=site,N" },
	{ "defer", "defer=site,true" },                  { "bf_interval", "bf_interval=site,N" },
	{ "bf_max_job_test", "bf_max_job_test=site,N" }, { "bf_window", "bf_window=site,N" },
	{ "bf_resolution", "bf_resolution=site,N" },     { "topology", "topology=site,FILE" },
	{ "plugin", "plugin=site,bestfit" },
};
const size_t advice_setting_count = sizeof(advice_settings) / sizeof(advice_settings[0]);

static bool word_begins(char before)
{
	return !isalnum((unsigned char) before) && before != '_' && before != '/';
}

/* What stands behind the last mention of a name in options, up to a comma, a blank or the line's end: slurmctld takes the
 * last one, too.  NULL: it is not mentioned. */
static const char *value_find(const char *options, const char *name, size_t *len)
{
	const char *found = NULL;
	size_t name_len = strlen(name);

	for (const char *at = options; (at = strcasestr(at, name)); at++)
		if ((at == options || word_begins(at[-1])) && word_begins(at[name_len]) && at[name_len] != '-')
			found = at + name_len;
	*len = found ? strcspn(found, ", \n") : 0;
	return found;
}

static bool same(const char *a, const char *b, const char *name)
{
	size_t a_len, b_len;
	const char *of_a = value_find(a, name, &a_len), *of_b = value_find(b, name, &b_len);

	if (!of_a || !of_b)
		return of_a == of_b;
	return a_len == b_len && !strncmp(of_a, of_b, a_len);
}

bool advice_measured(const struct wt_cases *cases, const struct advice_setting *setting)
{
	const struct wt_case *first = NULL;

	for (size_t c = 0; c < cases->count; c++) {
		const struct wt_case *one = &cases->items[c];

		if (!one->set.count || !one->options)
			continue;
		if (!first)
			first = one;
		else if (!same(first->options, one->options, setting->name))
			return true;
	}
	return false;
}

char *advice_site(const struct wt_cases *cases)
{
	static const char option[] = "--site=";

	for (const char *line = cases->count && cases->items[0].options ? cases->items[0].options : ""; *line;
	     line += strcspn(line, "\n"), line += *line == '\n')
		if (!strncmp(line, option, strlen(option)))
			return strndup(line + strlen(option), strcspn(line + strlen(option), "\n"));
	return NULL;
}
