/* live_served.h - what wt-served finds when it begins. */
#ifndef WT_HARNESS_LIVE_LIVE_SERVED_H
#define WT_HARNESS_LIVE_LIVE_SERVED_H

enum { LIVE_LISTEN_FD = 3, LIVE_MEMORY_FD = 4, LIVE_REPORT_FD = 5 };

#define LIVE_REPORT_READY "ready"	/* or the reason why not; then the pipe is closed */

#endif
