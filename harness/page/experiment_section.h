/* experiment_section.h - an experiment's part of the page: its question, the differences in words, its cases with their
 * intervals, and how figures go over its grid.  Errors stick to the stream; one thread at a time. */
#ifndef WT_HARNESS_PAGE_EXPERIMENT_SECTION_H
#define WT_HARNESS_PAGE_EXPERIMENT_SECTION_H

#include <stdio.h>

#include "harness/report/cases.h"

/* 'first' is of a run of the first case, 'linked' whether it has its own part of the page.  0, or -1 with ENOMEM. */
struct section;
int experiment_section_write(const struct section *first, bool linked, const struct wt_cases *cases);

/* ---- its parts ---- */

/* grid_charts.c: of a figure, over one axis of numbers a curve for each variant with the band of its 95 % interval; over two
 * axes a table whose cells are coloured.  Nothing for other grids.  0, or -1 with ENOMEM. */
int grid_charts_write(FILE *out, const struct wt_cases *cases);

/* class_section.c: who waits longer in each case, and who less, by class of jobs.  Nothing where jobs do not differ. */
void class_sections_write(FILE *out, const struct wt_cases *cases);

/* case_cells.c: the kind of a figure in a case; -1: it has not been measured there. */
int case_kind(const struct wt_case *c, enum wt_figure_id figure);
/* "1,099 +- 12" as text, with as many digits as the interval is worth, but for those behind thousandths, which only means
 * that are smaller themselves have; an interval that vanishes so is "+- <0.001". */
void case_mean_write(FILE *out, const struct wt_case *c, enum wt_figure_id figure);

#endif
