/* asker.h - a child that asks slurmctld for the supervisor, which so never waits for it and keeps none of libslurm's memory.
 *
 * What it hears it writes to a pipe.  It ends with its parent.  One thread: that of the default loop. */
#ifndef WT_HARNESS_CLUSTER_SUPERVISOR_ASKER_H
#define WT_HARNESS_CLUSTER_SUPERVISOR_ASKER_H

#include <ev.h>
#include <sys/types.h>

#include "lib/error.h"

struct asker {
	struct ev_loop *loop;
	void (*told)(struct asker *a);			/* there may be something to be read */
	void (*ended)(struct asker *a, int status);	/* told () has been called after its last word; another may begin */
	void *owner;
	pid_t pid;		/* 0: none runs */
	int fd;			/* of what it writes; -1: nobody listens */
	ev_io io;
	ev_child child;
};

void asker_init(struct asker *a, struct ev_loop *loop, void (*told)(struct asker *a),
		void (*ended)(struct asker *a, int status), void *owner);

/* Fork, and in the child run () with the end of the pipe that it writes to, which waits where the pipe is full; it calls
 * _exit ().  0, or -1 with errno and *errp. */
int asker_start(struct asker *a, void (*run)(const struct asker *a, int fd), struct wt_error *errp);

ssize_t asker_read(struct asker *a, void *bytes, size_t size);	/* as read(2) of what does not wait: -1 with EAGAIN */

void asker_deafen(struct asker *a);	/* nothing is told any more; its end is */
void asker_kill(const struct asker *a);	/* it holds nothing that would have to be put in order */
void asker_clear(struct asker *a);	/* killed and waited for, its end is not told; nothing runs: it does nothing */

#endif
