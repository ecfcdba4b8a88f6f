/* server.h - the plugin's port: one thread, many connections, one message at a time.
 *
 * A connection carries any number of frames (wt_beat.h), each answered before the next is read.  Connections that have
 * shown that they come from root or SlurmUser are served as fast as they send; all others together get
 * SERVER_STRANGERS_PER_S frames a second, so that a flood of a user's costs slurmctld and munged next to nothing.
 * Agents that have a session do not wait for an answer, and nobody waits for them: their connections are looked at every SERVER_TURN_MS only,
 * all at once, and the thread is not woken for each report. */
#ifndef WT_STRAGGLER_SERVER_H
#define WT_STRAGGLER_SERVER_H

#include "service.h"

#define SERVER_STRANGERS_PER_S 200
#define SERVER_STRANGER_KEYED .1	/* what a keyed frame counts among these: it needs no munge */
#define SERVER_TURN_MS 250
#define SERVER_CONNECTIONS 16384	/* at most, and half of the process' descriptors; agents beyond them connect anew each window */

struct server;

/* Start the thread.  A port that cannot be had is tried again every 10 s, and said once. */
struct server *server_start(struct service *service, struct wt_error *errp);
void server_stop(struct server *server);	/* NULL is ignored */

#endif
