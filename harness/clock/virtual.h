/* virtual.h - make this command, or what it starts, live in virtual time.
 *
 * A process takes part in a virtual clock from its start, by its environment; so a command that is asked for one starts a
 * coordinator and then itself again.  Daemons that it starts, and their children, inherit the clock.
 * A clock is known by the path of its memory (clock_shm.h).  Unless noted: 0, or -1 with errno and *errp set. */
#ifndef WT_HARNESS_CLOCK_VIRTUAL_H
#define WT_HARNESS_CLOCK_VIRTUAL_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"

#define WT_TIMER_SLACK_MAX_MS 10000	/* Slurm's shortest time limits are of that kind */
#define WT_VIRTUAL_PREFIX "/dev/shm/windtunnel-clock-"	/* of the paths that wt_virtual_enter () makes */

struct wt_virtual {
	const char *coordinator;	/* path of wt-clockd */
	const char *library;		/* path of libwtclock.so; others to be preloaded may follow behind colons */
	const char *charge;		/* "none", "real", "cpu", "cpu:FACTOR" */
	uint32_t slack_ms;		/* timer slack: clock_shm.h */
	const char *log;		/* for the coordinator's messages once it is ready; NULL: stderr */
};

/* Is 'text' a charge?  EINVAL: no. */
int wt_virtual_charge_check(const char *text, struct wt_error *errp);

/* Start the coordinator (it ends with the last process that takes part), and execute this process' own program anew with the
 * arguments that it was started with, as a driver of the clock.  Returns only with -1; nothing is left then.  Not in a
 * process that takes part already (wt_virtual_memory ()). */
int wt_virtual_enter(const struct wt_virtual *v, struct wt_error *errp);

/* The same with the coordinator of others.  ENOTCONN: it has ended. */
int wt_virtual_join(const char *library, const char *memory, struct wt_error *errp);

/* Only set the environment: a program that is executed next takes part.  'driver': the clock may jump for its sake. */
int wt_virtual_environment(const char *library, const char *memory, bool driver, struct wt_error *errp);

/* The memory of the clock that this process takes part in, or NULL. */
const char *wt_virtual_memory(void);

/* Does its coordinator live? */
bool wt_virtual_is_alive(const char *memory);

/* The cluster is down: end what still takes part (a daemon that a user began in it), with a moment to do so by itself,
 * then the coordinator, and remove what one that was killed has left.  Does nothing when this process takes part in it
 * itself. */
void wt_virtual_clean(const char *memory);

/* The end of a command that has entered a clock: the same for this process' own one, with the coordinator that it has
 * started.  Afterwards it may not wait for any time.  Does nothing in other processes. */
void wt_virtual_finish(void);

/* Remove the memory's files. */
void wt_virtual_remove(const char *memory);

/* For a process that was started by a driver and is none itself: what it starts from now on is none either. */
void wt_virtual_leave_driving(void);

#endif
