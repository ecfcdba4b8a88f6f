/* quick_count.h - what quick.c counts and compares.  For the plugin's adapter only. */
#ifndef QUICK_COUNT_H
#define QUICK_COUNT_H

#include "wt_compat.h"

enum quick_how { QUICK_CACHED, QUICK_PROVEN, QUICK_SMALL, QUICK_FULL, QUICK_HOWS };

/* An answer beside Slurm's. */
struct quick_pair {
	const job_record_t *job;
	uint16_t mode;
	enum quick_how how;
	int ours_rc, stock_rc;
	bitstr_t *ours, *stock;		/* the maps after the test */
	uint32_t ours_cpus, stock_cpus;	/* total_cpus */
};

void quick_count(uint16_t mode, enum quick_how how, int64_t took_us);
void quick_count_failed(uint16_t mode);		/* few nodes were asked for in vain */
void quick_count_stock(uint16_t mode, int64_t took_us);	/* bestfit_quick=verify: Slurm's own test of the same */
/* Counts; logs when one says yes and the other no.  Two times yes may be with other numbers of nodes: best fit chose. */
void quick_compare(const struct quick_pair *pair);
void quick_count_log(void);

#endif
