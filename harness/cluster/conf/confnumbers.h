/* confnumbers.h - the keys of slurm.conf whose value is one number, and the words of SchedulerParameters that have one.
 *
 * slurmctld ends at a key whose value is none, and passes over such a word, so that its default is measured.  Pure.
 * test_confkeys compares the keys with the parser's in the source of the installed Slurm (common/read_config.c). */
#ifndef WT_HARNESS_CLUSTER_CONF_CONFNUMBERS_H
#define WT_HARNESS_CLUSTER_CONF_CONFNUMBERS_H

#include <stddef.h>

#include "lib/error.h"

struct wt_confnumber {
	const char *key;
	unsigned int bits; /* 16, 32 or 64: the largest value is 2^bits - 1 */
};
extern const struct wt_confnumber wt_confnumbers[];
extern const size_t wt_confnumber_count;

/* NULL: the key's value is something else. */
const struct wt_confnumber *wt_confnumber_find(const char *key);

/* Is it a value that Slurm takes for this key: a number in C's notation, with k behind it where there are more than 16 bits,
 * UNLIMITED or INFINITE; of SchedulerParameters: has each of its words that needs a number one?  Anything goes for other
 * keys, and "" for all.  0, or -1 with EINVAL and "KEY=VALUE: give ...". */
int wt_confnumber_check(const char *key, const char *value, struct wt_error *errp);

#endif
