/* signals.h - Ctrl-C, SIGTERM and SIGHUP ask a verb to stop; how often they came tells how fast. */
#ifndef WT_HARNESS_RUN_SIGNALS_H
#define WT_HARNESS_RUN_SIGNALS_H

#include <signal.h>

/* How many came so far: 1 = stop and write what there is; 2 or more = stop at once. */
extern volatile sig_atomic_t wt_signals_count;

/* Count them from now on (they interrupt system calls); SIGPIPE is ignored: a reader that left must not leave a cluster. */
void wt_signals_catch(void);

#endif
