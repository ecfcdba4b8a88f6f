/* run_progress.h - tell people on stderr how it goes: one updating line on a terminal, else a line every ten seconds. */
#ifndef WT_HARNESS_RUN_RUN_PROGRESS_H
#define WT_HARNESS_RUN_RUN_PROGRESS_H

#include <stdbool.h>

#include "harness/live/live_feed.h"
#include "harness/run/ledger.h"
#include "record/record.h"

struct wt_progress {
	bool quiet, terminal;
	double begin_s, shown_s;
	double cpu_s, cpu_time_s, cpu_percent;	/* slurmctld's CPU between the last two samples */
	double share;		/* shown last: it does not go back */
	struct live_feed *live;	/* is told of phases, too; NULL: none */
};

/* How often a line is due goes by the machine's clock, whatever clock the run lives by. */

void wt_progress_init(struct wt_progress *p, bool quiet, double now_s);

/* "phase: done of total"; a total of 0: only the phase. */
void wt_progress_phase(struct wt_progress *p, const char *phase, uint32_t done, uint32_t total, double now_s);

/* Of a run: 'share' of it is over (0 to 1), and it takes about 'left_s' more of the machine's time (NAN: not known).
 * 'outage': why slurmctld does not answer, "" when it does. */
void wt_progress_run(struct wt_progress *p, const struct wt_ledger_counts *counts, size_t jobs,
		     const struct wt_sample *sample, uint32_t cpus, const char *outage, double share, double left_s,
		     double now_s);

/* A line that stays. */
void wt_progress_note(struct wt_progress *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void wt_progress_end(struct wt_progress *p);	/* remove the updating line */

#endif
