/* section.h - the sections of a run's page, each in its file.  All write to 'out', and need not look at ferror; 0, or
 * -1 with ENOMEM. */
#ifndef WT_HARNESS_PAGE_SECTION_H
#define WT_HARNESS_PAGE_SECTION_H

#include "harness/page/losses.h"
#include "harness/page/page.h"
#include "harness/page/sweep.h"

struct section {			/* of one run */
	FILE *out;
	const struct page_run *run;
	struct sweep sweep;
	struct losses losses;
	const struct placement *placement;	/* placement.h */
	int level;		/* of the run's own heading: 1, or 2 on a page of several */
};

/* answer.c: the title, what was run, how good it was, what it lost most by, and six tiles. */
void answer_write(const struct section *section);
/* The boxed moment: the largest loss in one piece.  NULL: there is none of 0.1 points. */
const struct loss_moment *answer_moment(const struct section *section);
/* What the boxed moment is called: "drain for w.Z.1, 4.9 points".  The caller frees; NULL without memory. */
char *answer_moment_label(const struct section *section);

/* what_run.c: two sentences, "What was run" and 'of' (" in the first case", or ""), with a link to the run's own part where
 * it is on the page; without summary and scenario none.  And the table of it. */
void what_sentences_write(const struct section *section, const char *of, bool linked);
void what_table_write(const struct section *section);

/* time_charts.c */
int busy_chart_write(const struct section *section);		/* utilisation */
int queue_chart_write(const struct section *section);
int gpus_chart_write(const struct section *section);	/* nothing where no job is known to have had one */
int completing_chart_write(const struct section *section);
int rates_chart_write(const struct section *section);
/* A chart over the run's time; clears its curves. */
struct chart;
int run_chart_write(const struct section *section, struct chart *chart);

/* controller.c */
int controller_write(const struct section *section);

/* profile_section.c: nothing where the run was not profiled. */
void profile_section_write(const struct section *section);

/* job_charts.c: CDFs of submission, wait, turnaround and bounded slowdown; of waits by size. */
int job_charts_write(const struct section *section);
int size_chart_write(const struct section *section);

/* placement_section.c: nothing where the run has no tree of switches. */
int placement_section_write(const struct section *section);

/* power_section.c: nothing where nodes were not switched, and no tariff was given. */
int power_section_write(const struct section *section);

/* straggler_section.c: nothing where the run has no heartbeats.  -1: without memory. */
int straggler_section_write(const struct section *section);
/* The first sentence of a page of a log alone: how many tasks ended, were slow, had copies. */
void straggler_lead_write(const struct section *section);

/* world_events.c: nothing where the workload had no events of the cluster. */
void events_section_write(const struct section *section);

/* tables.c */
int size_table_write(const struct section *section);
int group_tables_write(const struct section *section);
/* pending_table.c: for what jobs waited, as far as looks at them showed.  Nothing where no reason was seen. */
int pending_table_write(const struct section *section);
/* pending_chart.c: how many waited for what, over time.  Nothing where series.csv does not tell it. */
int pending_chart_write(const struct section *section);
void loss_table_write(const struct section *section);
void figures_table_write(const struct section *section);

/* overfull.c: that jobs had more CPUs than the machine is said to have, and what follows; nothing where they had not. */
void overfull_write(const struct section *section, const char *before, const char *behind);

/* provenance.c: what was left out, what was recorded, the command. */
void left_out_write(const struct section *section);
void provenance_write(const struct section *section);

/* command_line.c: the command that repeats the run, quoted for a shell, in *command; *gaps says what of it is not known. The
 * caller clears both.  Empty without scenario.json. */
void command_line_make(const json_t *scenario, struct wt_str *command, struct wt_str *gaps);

/* A table that scrolls by itself; 'columns' end with NULL. */
void table_begin(const struct section *section, const char *attributes, const char *caption, const char *const columns[]);
void table_end(const struct section *section);

/* section_values.c.  What all use: <h2>QUESTION</h2>, one level below the run's heading, or two. */
void heading_write(const struct section *section, int below, const char *id, const char *text);
/* A value with what a program can read again: <data value="935.2" data-key="ideal_s">15 min 35 s</data>.  'key' may be NULL.
 */
void duration_write(FILE *out, const char *key, double seconds);
void number_write(FILE *out, const char *key, double value, double scale, int decimals, const char *unit);
void digits_write(FILE *out, const char *key, double value, double scale, const char *unit);	/* html_digits () */
void kind_write(const struct section *section, enum wt_figure_id figure);
double figure_value(const struct section *section, enum wt_figure_id figure);

#endif
