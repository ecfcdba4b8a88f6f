/* child.h - start a program that cannot outlive its parent. */
#ifndef WT_HARNESS_CLUSTER_SUPERVISOR_CHILD_H
#define WT_HARNESS_CLUSTER_SUPERVISOR_CHILD_H

#include <sys/types.h>

#include "lib/error.h"

/* Fork and run argv[0] (an absolute path) with the caller's environment, no input, and its output appended to the file
 * 'log'.  It gets SIGKILL when the calling thread ends (PR_SET_PDEATHSIG), default signal handling and no descriptors but
 * the three.  'prepare' (NULL: none) is called in the child before that and returns 0, or -1 with errno.  Returns its pid;
 * -1 with errno and *errp when it could not be run. */
pid_t wt_child_start(char *const argv[], const char *log, int (*prepare)(void), struct wt_error *errp);

/* The same for one that reads 'in' and writes its output, but for its errors, to 'out'; the caller's copies stay open. */
pid_t wt_child_start_joined(char *const argv[], const char *log, int (*prepare)(void), int in, int out,
			    struct wt_error *errp);

/* "exit 3" or "signal 9" for a status of waitpid(2). */
void wt_child_status_text(int status, char *text, size_t size);

#endif
