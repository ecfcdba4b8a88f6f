/* world.h - events of the world: nodes that go down, are drained and come back, reservations that are made and deleted, at
 * their times among the submissions of windtunnel-jobs(5).
 *
 * Pure; plain values. */
#ifndef WT_WORKLOAD_WORLD_H
#define WT_WORKLOAD_WORLD_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "lib/error.h"

enum wt_world_kind { WT_WORLD_DOWN, WT_WORLD_DRAIN, WT_WORLD_RESUME, WT_WORLD_RESERVE, WT_WORLD_UNRESERVE, WT_WORLD_KINDS };

enum wt_world_text {
	WT_WORLD_NODES,		/* a host list; of a reservation "ALL", too */
	WT_WORLD_REASON, WT_WORLD_NAME, WT_WORLD_USERS, WT_WORLD_ACCOUNTS, WT_WORLD_PARTITION,
	WT_WORLD_FLAGS,		/* comma-separated */
	WT_WORLD_TEXTS
};

enum wt_world_flag {
	WT_WORLD_MAINT, WT_WORLD_IGNORE_JOBS, WT_WORLD_OVERLAP, WT_WORLD_FLEX, WT_WORLD_MAGNETIC, WT_WORLD_STATIC_ALLOC,
	WT_WORLD_NO_HOLD_JOBS, WT_WORLD_FLAG_COUNT
};

struct wt_world_event {
	enum wt_world_kind kind;
	double at_s;		/* on the scale of submit_s; of a workload: behind the first submission, or 0 */
	double start_after_s, duration_s;	/* of a reservation: behind at_s; 0 of other events */
	char *text[WT_WORLD_TEXTS];	/* NULL: not given */
	uint32_t count;		/* nodes of a reservation that names none; else 0 */
	size_t line;		/* 1-based, in the file */
};

struct wt_world {		/* zeroed: no events */
	struct wt_world_event *events;	/* once sorted: by at_s, then by line */
	size_t count;
};

#define WT_WORLD_MAX  1000000
#define WT_WORLD_TEXT_MAX 4096	/* bytes of one text */
#define WT_WORLD_NODES_MAX 65536

/* The flag of these 'len' bytes ("maint", "MAINT"): 0, or -1 with EINVAL. */
int wt_world_flag_parse(const char *text, size_t len, enum wt_world_flag *flag);
const char *wt_world_flag_name(enum wt_world_flag flag);

const char *wt_world_kind_name(enum wt_world_kind kind);	/* "down": as in the file */

/* Take one line's object, which has the key "event".  0, or -1 with EINVAL (what is wrong, in one line), EFBIG, ENOMEM; then
 * *world is as before. */
int wt_world_take(struct wt_world *world, json_t *object, size_t line, struct wt_error *errp);
void wt_world_sort(struct wt_world *world);

/* Of sorted events: no reservation is made while one of its name is there, and none is deleted that is not.  0, or -1 with
 * EINVAL ("FILE:LINE: text") or ENOMEM. */
int wt_world_check(const struct wt_world *world, const char *file, struct wt_error *errp);

/* The object of an event's line; a new reference, NULL with ENOMEM. */
json_t *wt_world_tell(const struct wt_world_event *event);

/* Keep those that happen between two times, both on the scale of at_s; what was before 'from_s' still holds at its
 * beginning: it happens then, but for reservations that are over.  0, or -1 with ENOMEM; then only wt_world_clear () is
 * left to be done. */
int wt_world_cut(struct wt_world *world, double from_s, double until_s, struct wt_error *errp);

/* A copy as a workload has it: 'first_s' is its zero, and all times behind it are 'stretch' times as long.  0, or -1 with
 * ENOMEM. */
int wt_world_copy(struct wt_world *to, const struct wt_world *from, double first_s, double stretch, struct wt_error *errp);

/* When the last of them is over; 0: there are none. */
double wt_world_end_s(const struct wt_world *world);
void wt_world_clear(struct wt_world *world);	/* errno is preserved */

#endif
