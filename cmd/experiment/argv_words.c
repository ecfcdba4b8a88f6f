/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/experiment/argv_words.h"
#include "lib/str.h"

char *argv_words(const char *before, int argc, char **argv)
{
	struct wt_str s = { 0 };

	wt_str_add(&s, before);
	for (int i = 1; i < argc; i++) {
		char *quoted = strpbrk(argv[i], " \t'\"\\$;&|<>()*?#~`") ? wt_str_shell_quote(argv[i]) : strdup(argv[i]);

		wt_str_printf(&s, " %s", quoted ? quoted : "");
		s.failed = s.failed || !quoted;
		free(quoted);
	}
	return wt_str_take(&s);
}

error_t argv_number_take(struct argp_state *state, const char *name, const char *text, uint64_t min, uint64_t max,
			 uint64_t *value)
{
	struct wt_error error;

	if (wt_str_to_u64(text, min, max, name, value, &error) == 0)
		return 0;
	argp_error(state, "--%s %s: give a whole number from %llu to %llu", name, text, (unsigned long long) min,
		   (unsigned long long) max);
	return EINVAL;
}
