/* connection.h - one connection of the plugin's port: bytes in, frames, bytes out, each until a deadline that bytes do not
 * renew. */
#ifndef WT_PLUGINS_STRAGGLER_SLURMCTLD_CONNECTION_H
#define WT_PLUGINS_STRAGGLER_SLURMCTLD_CONNECTION_H

#include <sys/queue.h>

#include "plugins/straggler/slurmctld/frame_answer.h"
#include "plugins/straggler/slurmctld/crowd.h"
#include "plugins/straggler/slurmctld/sealer.h"

#define CONNECTION_IDLE_S 90.	/* between two frames, of a connection that was proved to be trusted; others: */
#define CONNECTION_STRANGER_S 10.	/* so long may a frame or an answer take, too */
#define CONNECTION_PER_MIB_S 10.	/* and so much longer each MiB of an answer */
#define CONNECTION_BYTES 1024	/* what a connection is said to keep in memory, besides frame and answer */

struct connection {
	int fd;
	size_t place;		/* of these the server keeps account: where it is in the list, */
	uint32_t events;	/* what epoll (7) watches for, 0: nothing, */
	int poll;		/* where, if so, */
	uint64_t address;	/* whence it comes, */
	struct crowd *crowd;	/* in which it is a member, NULL: it is trusted, */
	uint64_t key;		/* as part of that party, */
	struct crowd_member member;
	struct sealer_job *job;	/* and for what of munge's it waits, if so */
	bool known;		/* it has shown which user's it is: */
	uint32_t uid;
	bool trusted;		/* its last frame came from root or SlurmUser */
	bool agent;		/* and was a report of a session */
	double active_s;	/* when it last had a frame or an answer as a whole */
	/* until then it must have taken its answer, or sent its frame; INFINITY: we are to do something */
	double deadline_s;
	uint8_t head[4];
	uint32_t head_got, frame_len, frame_got, frame_size;
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
size_t connection_bytes(const struct connection *c);		/* that it keeps in memory, about */

/* Read or write what can be without waiting; false: it is to be closed. */
bool connection_move(struct connection *c, double now_s);

/* The user that sent its last frame; and 'bytes', malloc'ed, which it takes, are to be sent.  False: it is to be closed. */
void connection_know(struct connection *c, const struct answer *answer);
bool connection_put(struct connection *c, char *bytes, size_t len, double now_s);

/* The frame that is ready is a keyed one: answer it; false: it is to be closed. */
bool connection_answer(struct connection *c, struct answerer *answerer, double now_s);
/* Take the frame that is ready: the caller's to free, connection->frame_len bytes. */
char *connection_frame(struct connection *c);

/* Of an agent, between two frames: read all that has come, and answer it, up to a frame that is not keyed; false: it is to
 * be closed. */
bool connection_reports(struct connection *c, struct answerer *answerer, double now_s);
bool connection_between(const struct connection *c);	/* nothing of a frame has come yet, and nothing is to be sent */

#endif
