/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "harness/experiment/experiment_text.h"

#define LINE_MAX_BYTES 4000

void experiment_text_quoted(struct wt_str *s, const char *text)
{
	wt_str_add(s, "'");
	for (const char *p = text; *p; p++)
		wt_str_add(s, *p == '\'' ? "''" : (char[]) { *p, 0 });
	wt_str_add(s, "'");
}

static bool section_before(const struct experiment_settings *all, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (!strcmp(all->items[i].section, all->items[index].section))
			return true;
	return false;
}

void experiment_text_settings(struct wt_str *s, const struct experiment_settings *all, int indent)
{
	for (size_t i = 0; i < all->count; i++) {
		if (section_before(all, i))
			continue;
		wt_str_printf(s, "%*s%s:\n", indent, "", all->items[i].section);
		for (size_t k = i; k < all->count; k++) {
			if (strcmp(all->items[k].section, all->items[i].section) != 0)
				continue;
			wt_str_printf(s, "%*s", indent + 2, "");
			experiment_text_quoted(s, all->items[k].key);
			wt_str_add(s, ": ");
			experiment_text_quoted(s, all->items[k].value);
			wt_str_add(s, "\n");
		}
	}
}

void experiment_text_head(struct wt_str *s, const char *command, const char *title, uint64_t seed, unsigned int repeat)
{
	char *line = wt_str_make_line(command, LINE_MAX_BYTES);

	s->failed = s->failed || !line;
	wt_str_printf(s, "# %s\ntitle: ", line ? line : "");
	experiment_text_quoted(s, title);
	wt_str_printf(s, "\nseed: %llu\nrepeat: %u\n", (unsigned long long) seed, repeat);
	free(line);
}
