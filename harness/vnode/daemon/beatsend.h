/* beatsend.h - the messages of every node's wt-agentd: heartbeats, to the straggler plugin of slurmctld.
 *
 * Each node has a connection and a session of its own, as its agent would.  Sending and waiting for answers happens in
 * WT_BEATSEND_THREADS threads, a node always in the same one, so that its reports stay in order; the functions below never
 * wait for slurmctld or munged (but wt_beatsend_destroy (), for what is under way).  What cannot be sent is lost, as it is
 * with an agent, and counted. One thread at a time may call them. */
#ifndef WT_HARNESS_VNODE_DAEMON_BEATSEND_H
#define WT_HARNESS_VNODE_DAEMON_BEATSEND_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"

#define WT_BEATSEND_THREADS 4
#define WT_BEATSEND_WAITING 64	/* reports of a node that wait to be sent; more are lost */

struct wt_beatsend;	/* opaque */

struct wt_beatsend_record {
	uint32_t job_id, restart;
	int64_t elapsed_us;
	double progress;
	bool ended;
};

struct wt_beatsend_report {	/* of malloc () */
	struct wt_beatsend_report *next;	/* the owner's */
	uint32_t node, count;
	char name[65];				/* of the node */
	struct wt_beatsend_record records[];
};

struct wt_beatsend_counts {
	uint64_t reports, beats;	/* sent, and not known to be refused; and the heartbeats in them */
	uint64_t failed;		/* reports */
};

/* 'conf' is the path of straggler.conf, which need not exist yet.  NULL with ENOMEM or pthread_create ()'s errno. */
struct wt_beatsend *wt_beatsend_create(const char *conf, uint32_t node_count, struct wt_error *errp);
void wt_beatsend_destroy(struct wt_beatsend *s);	/* NULL is ignored */

/* Read straggler.conf if it has changed, as an agent does when it is started; returns the window in microseconds.
 * -1: there is none (errno ENOENT), or it is broken: heartbeats have no place to go. */
int64_t wt_beatsend_follow(struct wt_beatsend *s, struct wt_error *errp);

/* Takes the report, whatever becomes of it. */
void wt_beatsend_put(struct wt_beatsend *s, struct wt_beatsend_report *report);

struct wt_beatsend_counts wt_beatsend_counts(const struct wt_beatsend *s);

#endif
