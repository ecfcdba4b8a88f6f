/* power_log.h - power.csv as a whole: what machines did, read, cut to a run and written.
 *
 * Pure.  Times are whole microseconds since the epoch.  One writer, or many readers. */
#ifndef WT_RECORD_POWER_LOG_H
#define WT_RECORD_POWER_LOG_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/error.h"
#include "record/power_format.h"

#define WT_POWER_NODE_NONE UINT32_MAX

struct wt_power_row {
	int64_t time_us;
	uint32_t node;		/* index into the log's names */
	uint32_t boot, job_id;	/* job_id 0: not known */
	enum wt_power_event event;
};

struct wt_power_log {		/* zeroed: empty */
	struct wt_power_row *rows;	/* by node, then by time; of one moment as they stood */
	size_t count, capacity;
	char **names;		/* of nodes: those of rows, in the order in which they first occur, and those added */
	uint32_t name_count;
	size_t malformed;	/* lines that could not be read, and were passed over */
	void *by_name;		/* private */
};

/* Read foreign bytes into an empty log.  A line that cannot be read, as one cut by a crash, is counted and passed over; the
 * first is told in *errp.  0, or -1 with EINVAL (this is no power.csv), ENOMEM or the read error.  Clear it in any case. */
int wt_power_log_read(struct wt_power_log *log, FILE *in, const char *name, struct wt_error *errp);
void wt_power_log_clear(struct wt_power_log *log);

/* Leave what tells of the time from 'begin_us' to 'end_us': later rows go, and of those before it each node's present life:
 * from the last time on at which it was off.  A node that had power all the time before has no rows of then. */
void wt_power_log_cut(struct wt_power_log *log, int64_t begin_us, int64_t end_us);

/* By time.  For wt_outfile_write: 'log' is a struct wt_power_log *.  0, or -1 with ENOMEM (look at ferror). */
int wt_power_log_write(FILE *out, const void *log, struct wt_error *errp);

uint32_t wt_power_log_node(const struct wt_power_log *log, const char *name);	/* WT_POWER_NODE_NONE: not among the names */
/* The same of a name that is added where it is not there: a node without rows.  WT_POWER_NODE_NONE with ENOMEM. */
uint32_t wt_power_log_node_add(struct wt_power_log *log, const char *name);

/* What the machine is behind an event, from what it was before. */
enum wt_machine { WT_MACHINE_OFF, WT_MACHINE_BOOTING, WT_MACHINE_ON, WT_MACHINE_STOPPING };
enum wt_machine wt_machine_after(enum wt_machine before, enum wt_power_event event);

#endif
