/* willrun_count.h - what willrun.c counts and compares.  For the plugin's adapter only. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_WILLRUN_COUNT_H
#define WT_PLUGINS_SELECT_BESTFIT_WILLRUN_COUNT_H

#include "plugins/select_bestfit/quick_count.h"
#include "plugins/select_bestfit/willrun_rules.h"

/* How a question was answered.  The order of how_names[]. */
enum willrun_how {
	WILLRUN_CACHED,		/* the same was asked before */
	WILLRUN_NOW,		/* it fits now */
	WILLRUN_LATER,		/* when a job ends */
	WILLRUN_OVERDUE,	/* when a job ends that ought to have ended */
	WILLRUN_NOT_NOW,	/* a later start was not asked for */
	WILLRUN_NEVER,
	WILLRUN_STOCK,		/* left to Slurm */
	WILLRUN_HOWS
};

/* What happened on the way to answers. */
enum willrun_step {
	WILLRUN_NOW_REFUSED, WILLRUN_NOW_ASKED, WILLRUN_FUTURE_REFUSED, WILLRUN_FUTURE_ASKED, WILLRUN_BUSY_ASKED,
	WILLRUN_SUSPENDED,
	WILLRUN_STEPS
};

struct willrun_answer {
	enum willrun_how how;
	int rc;
	time_t start;
	uint32_t cpus;		/* total_cpus */
	bitstr_t *map;		/* the caller frees it */
	time_t asked, answered;
	int64_t spent_us;
};

void willrun_count(enum willrun_how how, enum willrun_left left, const struct quick_watch *began);
void willrun_count_stock(const struct quick_watch *began);
void willrun_step(enum willrun_step step);
/* Of the same question.  Logs what differs. */
void willrun_compare(const struct job_test *c, const struct willrun_answer *ours, const struct willrun_answer *stock);
uint64_t willrun_answers(void);
void willrun_count_log(void);

#endif
