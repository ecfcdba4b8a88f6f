/* gantt_section.h - the schedule's part of a page: where each job ran, to be zoomed and searched.
 *
 * Four pieces, because the data lie at the end of the page, behind all that is to be seen first: gantt_style_write () within
 * <style>; gantt_section_write () where the chart stands; gantt_blocks_write () for each run at the end of the body; and
 * gantt_script_write () behind all of them, once.  One thread at a time. */
#ifndef WT_HARNESS_PAGE_GANTT_SECTION_H
#define WT_HARNESS_PAGE_GANTT_SECTION_H

#include <stdio.h>

#include "harness/page/page.h"

/* CSS; the page's own may set --gantt-left and --gantt-right, the margins in px that the chart shares with others. */
void gantt_style_write(FILE *out);

/* Whether any job is known to have had nodes; without, there is nothing to draw, and the two below are not called. */
bool gantt_known(const struct page_run *run);

/* An element that gantt.js fills, and what is read instead without it. */
void gantt_section_write(FILE *out, const struct page_run *run);

/* The run's jobs.  0 (look at ferror), or -1 with ENOMEM. */
int gantt_blocks_write(FILE *out, const struct page_run *run, struct wt_error *errp);

/* Script elements. */
void gantt_script_write(FILE *out);

#endif
