/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of the cluster of a run, in a table: the charts over time have marks at them. */
#include "config.h"

#include "harness/page/html.h"
#include "harness/page/section.h"

#define ROWS_MAX 200

static void row_write(const struct section *section, const struct page_event *event)
{
	fputs("<tr><th scope=\"row\">", section->out);
	html_name(section->out, event->what);
	fputs("</th><td>", section->out);
	duration_write(section->out, "time_s", event->time_s);
	fputs("</td><td class=\"text\">", section->out);
	html_name(section->out, event->outcome);
	fputs("</td></tr>\n", section->out);
}

void events_section_write(const struct section *section)
{
	static const char *const heads[] = { "event", "after", "outcome", NULL };
	const struct page_run *run = section->run;

	if (!run->event_count)
		return;
	fprintf(section->out, "<section aria-labelledby=\"%s-events\">\n", run->id);
	heading_write(section, 1, "events", "What happened to the cluster?");
	table_begin(section, "class=\"events\"",
		    "Failures, drains, reservations and hosts, in the order of the charts' marks", heads);
	for (size_t i = 0; i < run->event_count && i < ROWS_MAX; i++)
		row_write(section, &run->events[i]);
	table_end(section);
	if (run->event_count > ROWS_MAX)
		fprintf(section->out, "<p class=\"none\">%zu more are in world.csv and hosts.csv.</p>\n",
			run->event_count - ROWS_MAX);
	fputs("</section>\n", section->out);
}
