/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "record/event_format.h"

static const char *const kind_names[WT_EVENT_KIND_COUNT] = {
	[WT_EVENT_SUBMIT] = WT_EVENT_NAME_SUBMIT, [WT_EVENT_START] = WT_EVENT_NAME_START,
	[WT_EVENT_PROBE] = WT_EVENT_NAME_PROBE, [WT_EVENT_END] = WT_EVENT_NAME_END,
	[WT_EVENT_CANCEL] = WT_EVENT_NAME_CANCEL, [WT_EVENT_RELEASE] = WT_EVENT_NAME_RELEASE,
	[WT_EVENT_REQUEUE] = WT_EVENT_NAME_REQUEUE,
};

const char *wt_event_kind_name(enum wt_event_kind kind)
{
	return kind_names[kind];
}

int wt_event_kind_parse(const char *name, enum wt_event_kind *kind)
{
	for (size_t i = 0; i < WT_EVENT_KIND_COUNT; i++)
		if (!strcmp(name, kind_names[i])) {
			*kind = (enum wt_event_kind) i;
			return 0;
		}
	return -1;
}
