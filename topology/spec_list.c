/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "topology/spec_list.h"

struct wt_switch_spec *spec_list_add(struct spec_list *list, struct wt_error *errp)
{
	if (list->count == list->cap) {
		size_t cap = list->cap ? 2 * list->cap : 64;
		struct wt_switch_spec *specs = realloc(list->specs, cap * sizeof(*specs));

		if (!specs) {
			wt_error_errno(errp, ENOMEM, "topology");
			return NULL;
		}
		list->specs = specs;
		list->cap = cap;
	}
	memset(&list->specs[list->count], 0, sizeof(*list->specs));
	return &list->specs[list->count++];
}

void spec_list_clear(struct spec_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->specs[i].name);
		free(list->specs[i].nodes);
		free(list->specs[i].switches);
	}
	free(list->specs);
	memset(list, 0, sizeof(*list));
}
