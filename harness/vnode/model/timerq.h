/* timerq.h - deadlines in order.
 *
 * Pure: times are arguments (microseconds on whatever time line the caller uses).  One thread at a time.
 * An id names one arming: after it has fired or been cancelled it names nothing, even when its memory is used again. */
#ifndef WT_HARNESS_VNODE_MODEL_TIMERQ_H
#define WT_HARNESS_VNODE_MODEL_TIMERQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wt_timerq;	/* opaque */

typedef uint64_t wt_timer_id;	/* 0 names nothing */

struct wt_timer {
	int64_t deadline_us;
	uint32_t kind, a;	/* the caller's */
	uint64_t b;		/* the caller's */
};

struct wt_timerq *wt_timerq_create(void);	/* NULL, ENOMEM */
void wt_timerq_destroy(struct wt_timerq *q);	/* NULL is ignored; errno is preserved */

/* 0 on failure (ENOMEM).  Timers with equal deadlines fire in the order of arming. */
wt_timer_id wt_timerq_arm(struct wt_timerq *q, const struct wt_timer *timer);

/* true: it had not fired and never will.  Ids of other armings, and 0, are harmless. */
bool wt_timerq_cancel(struct wt_timerq *q, wt_timer_id id);

/* Take the earliest timer whose deadline is not after 'now_us' into *timer; false: there is none. */
bool wt_timerq_pop(struct wt_timerq *q, int64_t now_us, struct wt_timer *timer);

bool wt_timerq_next(const struct wt_timerq *q, int64_t *deadline_us);	/* false: empty */
size_t wt_timerq_count(const struct wt_timerq *q);

#endif
