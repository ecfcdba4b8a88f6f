/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "record/power_format.h"

static const char *const names[WT_POWER_EVENTS] = {
	[WT_POWER_EVENT_ASKED_ON] = "asked-on", [WT_POWER_EVENT_STOCK_OUT] = "stock-out",
	[WT_POWER_EVENT_BOOTING] = "booting", [WT_POWER_EVENT_FAILED] = "failed", [WT_POWER_EVENT_UP] = "up",
	[WT_POWER_EVENT_REGISTERED] = "registered", [WT_POWER_EVENT_ASKED_OFF] = "asked-off",
	[WT_POWER_EVENT_STOPPING] = "stopping", [WT_POWER_EVENT_OFF] = "off",
	[WT_POWER_EVENT_TAKEN] = "taken", [WT_POWER_EVENT_NOTICE] = "notice",
};

const char *wt_power_event_name(enum wt_power_event event)
{
	return names[event];
}

int wt_power_event_parse(const char *name, enum wt_power_event *event)
{
	for (int i = 0; i < WT_POWER_EVENTS; i++) {
		if (strcmp(name, names[i]))
			continue;
		*event = (enum wt_power_event) i;
		return 0;
	}
	return -1;
}
