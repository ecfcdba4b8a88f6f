/* connection.h - one connection of the plugin's port: bytes in, frames, bytes out. */
#ifndef WT_STRAGGLER_CONNECTION_H
#define WT_STRAGGLER_CONNECTION_H

#include <sys/queue.h>

#include "answer.h"

#define CONNECTION_IDLE_S 90.	/* of a connection that was proved to be trusted; others: */
#define CONNECTION_STRANGER_S 10.

struct connection {
	int fd;
	size_t place;		/* of these the server keeps account: where it is in the list, */
	uint32_t events;	/* what epoll (7) watches for, 0: nothing, */
	int poll;		/* where, if so, */
	bool waits;		/* since its frame waits for the strangers' budget */
	bool trusted;		/* its last frame came from root or SlurmUser */
	bool agent;		/* and was a report of a session */
	double active_s;	/* when it last moved a byte */
	uint8_t head[4];
	uint32_t head_got, frame_len, frame_got;
	char *frame;
	char *out;
	size_t out_len, out_done;
	bool held;		/* its answer waits for the disk, */
	struct answer held_answer;	/* and is this */
	LIST_ENTRY(connection) of_held;	/* the server's, too */
};

struct connection *connection_open(int fd, double now_s);	/* takes 'fd' unless it returns NULL */
void connection_close(struct connection *c);
short connection_events(const struct connection *c);
bool connection_ready(const struct connection *c);		/* a whole frame waits, and the answer before it was sent */
bool connection_expired(const struct connection *c, double now_s);

/* Read or write what can be without waiting; false: it is to be closed. */
bool connection_move(struct connection *c, double now_s);

/* Answer the frame that is ready; false: it is to be closed.  Of a COMMIT the answer may be held: connection_tell () tells it, or BUSY if
 * it is not on the disk. */
bool connection_answer(struct connection *c, struct answerer *answerer, double now_s);
bool connection_tell(struct connection *c, struct answerer *answerer, bool saved, double now_s);

/* Of an agent, between two frames: read all that has come, and answer it; false: it is to be closed. */
bool connection_reports(struct connection *c, struct answerer *answerer, double now_s);
bool connection_between(const struct connection *c);	/* nothing of a frame has come yet, and nothing is to be sent */

#endif
