/* live_server.h - the live page over HTTP, by libmicrohttpd, in the caller's thread and loop.
 *
 * Bounded: LIVE_CLIENTS connections, of which LIVE_READERS read events; 8 KiB for a request's head; 30 s without any
 * progress end a connection.  Unless noted: 0, or -1 with errno and *errp set. */
#ifndef WT_HARNESS_LIVE_LIVE_SERVER_H
#define WT_HARNESS_LIVE_LIVE_SERVER_H

#include <stdint.h>

#include "harness/live/live_request.h"
#include "harness/live/live_view.h"
#include "lib/error.h"

#define LIVE_CLIENTS 256
#define LIVE_READERS 224

struct live_server;

/* Serve 'view', which stays the caller's, on a socket that listens. */
struct live_server *live_server_start(int listen_fd, const struct live_rules *rules, struct live_view *view,
				      struct wt_error *errp);
void live_server_stop(struct live_server *server);	/* NULL is ignored */

int live_server_fd(const struct live_server *server);	/* readable when there is something to do */
int live_server_timeout_ms(const struct live_server *server, int most_ms);	/* and at the latest then */
void live_server_work(struct live_server *server);

/* The view has a new generation. */
void live_server_wake(struct live_server *server);
unsigned int live_server_readers(const struct live_server *server);

#endif
