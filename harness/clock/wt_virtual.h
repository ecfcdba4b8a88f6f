/* wt_virtual.h - make this command live in virtual time.
 *
 * A process takes part in a virtual clock from its start, by its environment; so a command that is asked for one starts a
 * coordinator and then itself again.  Daemons that it starts, and their children, inherit the clock. */
#ifndef WT_VIRTUAL_H
#define WT_VIRTUAL_H

#include "wt_error.h"

struct wt_virtual {
	const char *coordinator;	/* path of wt-clockd */
	const char *library;		/* path of libwtclock.so */
	const char *charge;		/* "none", "real", "cpu", "cpu:FACTOR" */
};

/* Is 'text' a charge?  0, or -1 with EINVAL. */
int wt_virtual_charge_check(const char *text, struct wt_error *errp);

/* Start the coordinator (its messages go to stderr; it ends with the last process that takes part), and execute this process'
 * own program anew with the arguments that it was started with, as a driver of the clock.  Returns only with -1, errno and
 * *errp; nothing is left then.  Not in a process that takes part already (wt_clock_own ()). */
int wt_virtual_enter(const struct wt_virtual *v, struct wt_error *errp);

/* For a process that was started by a driver and is none itself: what it starts from now on is none either. */
void wt_virtual_leave_driving(void);

#endif
