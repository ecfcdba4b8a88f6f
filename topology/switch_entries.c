/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "topology/switch_entries.h"

struct wt_switch_entry *switch_entries_add(struct switch_entries *list, struct wt_error *errp)
{
	if (list->count == list->cap) {
		size_t cap = list->cap ? 2 * list->cap : 64;
		struct wt_switch_entry *entries = realloc(list->entries, cap * sizeof(*entries));

		if (!entries) {
			wt_error_errno(errp, ENOMEM, "topology");
			return NULL;
		}
		list->entries = entries;
		list->cap = cap;
	}
	/* Counted at once, and empty: switch_entries_clear () may come before the caller has filled it. */
	memset(&list->entries[list->count], 0, sizeof(*list->entries));
	return &list->entries[list->count++];
}

void switch_entries_clear(struct switch_entries *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->entries[i].name);
		free(list->entries[i].nodes);
		free(list->entries[i].switches);
	}
	free(list->entries);
	memset(list, 0, sizeof(*list));
}
