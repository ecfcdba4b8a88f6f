/* line_server.h - a Unix socket on which programs of the same user ask something by a line and are answered by one.
 *
 * A connection may ask again and again; others than this process's user and root are not heard.  Connections are bounded in
 * number, and each in time and in the length of a line.  One thread: the loop's. */
#ifndef WT_HARNESS_VNODE_WIRE_LINE_SERVER_H
#define WT_HARNESS_VNODE_WIRE_LINE_SERVER_H

#include <ev.h>

#include "lib/error.h"

struct wt_lines;	/* opaque */

#define WT_LINES_MAX (1u << 20)	/* bytes of one line: a host list of 65,536 nodes without a pattern fits */

/* The answer to a line (without its end; the caller may change it), from malloc (), without its end; NULL: close without
 * one. */
typedef char *(*wt_lines_f)(void *arg, char *line);

/* Takes the place of what 'path' is.  NULL with errno and *errp (ENAMETOOLONG: a socket's path has at most 107 bytes). */
struct wt_lines *wt_lines_create(struct ev_loop *loop, const char *path, wt_lines_f answer, void *arg,
				 struct wt_error *errp);
void wt_lines_destroy(struct wt_lines *lines);	/* removes the path; NULL is ignored; errno is preserved */

#endif
