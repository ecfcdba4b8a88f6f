/* SPDX-License-Identifier: GPL-2.0-or-later */
/* confpolicy.h: what people are told. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cluster/conf/confkeys.h"
#include "harness/cluster/conf/confpolicy.h"
#include "lib/str.h"

#define VALUE_SHOWN_MAX 100	/* characters of a value */

static void note_print(struct wt_str *s, const struct wt_confnote *n)
{
	/* Passwords are not for terminals and logs. */
	const char *value = wt_confkey_secret(n->key, n->value) ? "***" : n->value;

	wt_str_printf(s, "  %s: %s=%.*s%s", n->where, n->key, VALUE_SHOWN_MAX, value, strlen(value) > VALUE_SHOWN_MAX ?
		      "..." : "");
	if (n->lines > 1)
		wt_str_printf(s, " and %u more", n->lines - 1);
	wt_str_printf(s, "; here %s: %s%s%s\n", n->used, n->why, n->keepable ? "" : " (always)",
		      n->schedules ? " (the schedule can differ)" : "");
}

char *wt_confnotes_text(const struct wt_confnotes *notes)
{
	struct wt_str s = { 0 };
	char *text;

	if (notes->count)
		wt_str_printf(&s, "%zu of these settings reach out of the emulation and are not taken over (--keep KEY "
				  "takes over those without "
			      "\"always\"):\n", notes->count);
	for (size_t i = 0; i < notes->count; i++)
		note_print(&s, &notes->list[i]);
	text = wt_str_take(&s);
	if (text)
		wt_str_make_utf8(text);
	return text;
}

void wt_confnotes_clear(struct wt_confnotes *notes)
{
	int saved_errno = errno;

	for (size_t i = 0; i < notes->count; i++) {
		free(notes->list[i].where);
		free(notes->list[i].key);
		free(notes->list[i].value);
		free(notes->list[i].used);
	}
	free(notes->list);
	memset(notes, 0, sizeof(*notes));
	errno = saved_errno;
}
