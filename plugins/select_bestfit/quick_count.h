/* quick_count.h - what quick.c counts and compares.  For the plugin's adapter only. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_QUICK_COUNT_H
#define WT_PLUGINS_SELECT_BESTFIT_QUICK_COUNT_H

#include "compat/controller.h"

enum quick_how { QUICK_CACHED, QUICK_PROVEN, QUICK_SMALL, QUICK_REFUSED, QUICK_FULL, QUICK_HOWS };

/* What a test of a job has said. */
struct quick_side {
	int rc, nodes;
	uint32_t cpus;		/* total_cpus */
	time_t start;		/* WILL_RUN: when */
};

/* An answer beside Slurm's. */
struct quick_pair {
	const job_record_t *job;
	uint16_t mode;
	enum quick_how how;
	struct quick_side ours, stock;
};

/* right after the test */
void quick_side_fill(struct quick_side *side, const job_record_t *job, int rc, const bitstr_t *map);
/* Since a test began; for quick_count (). */
struct quick_watch {
	int64_t wall_us, cpu_us;
};
struct quick_watch quick_watch_start(void);

void quick_count(uint16_t mode, enum quick_how how, const struct quick_watch *began);
void quick_count_failed(uint16_t mode);		/* few nodes were asked for in vain */
/* bestfit_quick=verify: Slurm's own test of the same */
void quick_count_stock(uint16_t mode, const struct quick_watch *began);
/* Counts; logs when one says yes and the other no.  Two times yes may be with other numbers of
 * nodes, or sooner: best fit chose. */
void quick_compare(const struct quick_pair *pair);
void quick_count_log(void);
uint64_t quick_count_tests(void);	/* in all */

#endif
