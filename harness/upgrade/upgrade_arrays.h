/* upgrade_arrays.h - how many tasks of each job array there are.  Pure. */
#ifndef WT_HARNESS_UPGRADE_UPGRADE_ARRAYS_H
#define WT_HARNESS_UPGRADE_UPGRADE_ARRAYS_H

#include "harness/upgrade/upgrade_records.h"

struct upgrade_array {
	const struct upgrade_record *record; /* one of before's jobs of it that had not ended */
	unsigned long long before; /* tasks that had not ended */
	unsigned long long control, after; /* tasks, also ended ones */
};

/* Those of 'before'; 'control' may be NULL.  *arrays is to be freed by the caller.  0, or -1 with ENOMEM. */
int upgrade_arrays_count(struct upgrade_array **arrays, size_t *count, const struct upgrade_records *before,
			 const struct upgrade_records *control, const struct upgrade_records *after);

#endif
