/* class_waits.h - how long jobs waited in runs of one case beside those of another, by what they have in common: who waits
 * longer for a change of the cluster, and who less.
 *
 * A wait is from submission to start.  Two runs of the same seed have the same jobs, and each is compared with itself: it is
 * of the partition, QOS, account and size that it had in the first case, wherever it ran in the other.  A job that started
 * in one of the two only has no difference, and is counted.  The mean difference of a class in each pair of runs makes one
 * value; its 95 % interval is Student's t over the pairs, p is corrected for all classes of one kind in one case (Holm).
 * Pure; one thread at a time. */
#ifndef WT_HARNESS_REPORT_CLASS_WAITS_H
#define WT_HARNESS_REPORT_CLASS_WAITS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"
#include "lib/stats.h"
#include "record/record.h"

struct class_wait {			/* of the jobs that have one thing in common */
	const char *by;			/* "all", "partition", "qos", "account", "size"; static */
	char *value;			/* owned; "" of all, and where nothing is known */
	size_t jobs;			/* that started in both, over all pairs of runs */
	size_t only_first, only_here;	/* that started in one of the two cases only */
	double first_s, here_s;		/* mean waits, means over the pairs */
	struct wt_difference difference;	/* here less first, in seconds */
	double p_holm;			/* NAN: none */
};

struct class_waits {			/* zeroed: nothing yet */
	struct class_sample *samples;	/* private: a class in one pair of runs */
	size_t sample_count, sample_size;
	struct class_wait *items;	/* made by wt_class_waits_finish () */
	size_t count;
	size_t pairs;			/* of runs that were compared */
	size_t unmatched;		/* jobs that one run of a pair does not have */
	size_t unread;			/* pairs of which a jobs.csv could not be read */
	struct wt_error why;		/* why the first of these could not */
};

/* The jobs of two runs of the same seed.  0, or -1 with ENOMEM. */
int wt_class_waits_add(struct class_waits *waits, const struct wt_record *first, const struct wt_record *here);

/* When all pairs are there: "all" first; of the others the kinds in which jobs differ, sizes by size, all else by the number
 * of jobs.  0, or -1 with ENOMEM. */
int wt_class_waits_finish(struct class_waits *waits);
void wt_class_waits_clear(struct class_waits *waits);	/* errno is preserved */

enum class_verdict {
	CLASS_UNKNOWN,	/* no interval: fewer than two pairs of runs */
	CLASS_OPEN,	/* it may be chance */
	CLASS_SAME,	/* less than a millisecond, in every pair */
	CLASS_SHORTER, CLASS_LONGER,
};
enum class_verdict wt_class_wait_verdict(const struct class_wait *wait);
const char *wt_class_verdict_name(enum class_verdict verdict);	/* "longer"; static */

/* Is there more than "all"? */
bool wt_class_waits_differ(const struct class_waits *waits);

#endif
