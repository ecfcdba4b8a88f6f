/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What users ask for: foreign text. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "straggler/spec_private.h"

static int word_number(const char *word, size_t name_len, size_t len, double min, double max, double *value,
		       struct wt_error *errp)
{
	char text[32], *end;

	if (len - name_len - 1 >= sizeof(text) || len <= name_len + 1)
		return wt_error_set(errp, EINVAL, "speculate: '%.*s' is no number", (int) len, word);
	memcpy(text, word + name_len + 1, len - name_len - 1);
	text[len - name_len - 1] = '\0';
	*value = strtod(text, &end);
	/* Negated, so that "nan" is refused. */
	if (*end || !(*value >= min && *value <= max))
		return wt_error_set(errp, EINVAL, "speculate: '%.*s' is not from %g to %g", (int) len, word, min, max);
	return 0;
}

static int policy_word(const char *word, size_t len, struct wt_spec_policy *policy, struct wt_error *errp)
{
	static const struct { const char *name; double min, max; } words[] = {
		{ "copies", 0, 8 }, { "share", 0, 1 }, { "z", 0, 10 }, { "cpu", 1e-3, 1e9 },
	};
	double value = 0;

	if (len == 2 && !strncmp(word, "on", 2))
		return 0;
	if (len == 10 && (!strncmp(word, "rule=fresh", 10) || !strncmp(word, "rule=score", 10))) {
		policy->by_score = word[5] == 's';
		return 0;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t name_len = strlen(words[i].name);

		if (len <= name_len || strncmp(word, words[i].name, name_len) || word[name_len] != '=')
			continue;
		if (word_number(word, name_len, len, words[i].min, words[i].max, &value, errp) < 0)
			return -1;
		if (i == 0)
			policy->copies = (uint32_t) value;
		else
			*(i == 1 ? &policy->share : i == 2 ? &policy->z : &policy->cpu_s) = value;
		return 0;
	}
	return wt_error_set(errp, EINVAL,
			    "speculate: '%.*s' is not known; there are on, copies=N, share=F, z=F, "
			    "cpu=SECONDS, rule=fresh, rule=score",
			    (int) len, word);
}

int wt_spec_policy_parse(const char *text, struct wt_spec_policy *policy, struct wt_error *errp)
{
	struct wt_spec_policy got = *policy;

	for (const char *word = text; word; word = strchr(word, ',') ? strchr(word, ',') + 1 : NULL) {
		if (policy_word(word, strcspn(word, ","), &got, errp) < 0)
			return -1;
	}
	*policy = got;
	return 0;
}
