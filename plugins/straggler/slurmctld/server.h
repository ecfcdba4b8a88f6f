/* server.h - the plugin's port: one thread, many connections, one message at a time.
 *
 * A connection carries any number of frames (port_message.h), each answered before the next is read.  Connections that have
 * shown that they come from root or SlurmUser are served as fast as they send.  All others together get
 * SERVER_STRANGERS_PER_S frames a second, by turns of the addresses and users that they come from (crowd.h), so that a flood
 * of a user's costs slurmctld and munged little and holds up others for moments; what they keep in memory is bounded, in all
 * and for each address and user. Agents that have a session do not wait for an answer, nor does the server for them: their
 * connections are looked at every SERVER_TURN_MS only, all at once, and the thread is not woken for each report. */
#ifndef WT_PLUGINS_STRAGGLER_SLURMCTLD_SERVER_H
#define WT_PLUGINS_STRAGGLER_SLURMCTLD_SERVER_H

#include "plugins/straggler/slurmctld/service.h"

#define SERVER_STRANGERS_PER_S 1000
#define SERVER_STRANGER_KEYED .1	/* what a keyed frame counts among these: it needs no munge; */
#define SERVER_STRANGER_DEAR 5.		/* and what a sealed one does that is no COMMIT or EXIT */
#define SERVER_TURN_MS 250
/* at most, and half of the process' descriptors; agents beyond them connect anew each window */
#define SERVER_CONNECTIONS 16384

#define SERVER_STRANGERS_SHARE 2	/* one in so many of these is a stranger's at most, */
#define SERVER_USERS_SHARE 4		/* and a known user's, who is not trusted */
#define SERVER_STRANGERS_BYTES (12u << 20)	/* that strangers keep in memory, */
#define SERVER_ADDRESS_BYTES (10u << 20)	/* of one address; */
#define SERVER_USERS_BYTES (12u << 20)		/* that known users keep, */
#define SERVER_USER_BYTES (9u << 20)		/* and one of them: the largest answer, and some more */
/* that the kernel keeps for us of each connection and direction; twice as much, socket (7) */
#define SERVER_SOCKET_BYTES (16 << 10)
#define SERVER_KNOWN_BYTES (128 << 10)		/* of a known one's frames */

struct server;

/* Start the thread.  A port that cannot be had is tried again every 10 s, and said once. */
struct server *server_start(struct service *service, struct wt_error *errp);
void server_stop(struct server *server);	/* NULL is ignored */

#endif
