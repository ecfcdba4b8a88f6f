/* straggler_conf_watch.h - straggler.conf, while people change it: editors put another file in its place, or write
 * it in pieces.
 *
 * One thread.  No memory to free. */
#ifndef WT_STRAGGLER_PROTOCOL_STRAGGLER_CONF_WATCH_H
#define WT_STRAGGLER_PROTOCOL_STRAGGLER_CONF_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "straggler/protocol/straggler_conf.h"

struct straggler_conf_stamp {		/* inode 0: there is no file */
	uint64_t inode;
	int64_t size, changed_ns, moved_ns;	/* of the content; of that, or the name */
};

struct straggler_conf_watch {
	const char *path;
	struct straggler_conf_stamp used, last;	/* what was read, or makes no sense; at the last look */
	bool said;		/* that it cannot be read */
};

enum straggler_conf_news { STRAGGLER_CONF_SAME, STRAGGLER_CONF_NEW, STRAGGLER_CONF_BAD };

/* Before the file is read for the first time.  'path' is kept. */
void straggler_conf_watch_begin(struct straggler_conf_watch *watch, const char *path);

/* To be called every second, or so.  NEW: *conf is read anew.  BAD, once for each change: it is missing, or makes no sense,
 * and *errp says so.  A file that could not be read (no descriptor was free, or no right) is tried again at each look.  Only
 * what has been the same for two looks counts: what is being written is neither. */
enum straggler_conf_news straggler_conf_watch_look(struct straggler_conf_watch *watch, struct straggler_conf *conf,
						   struct wt_error *errp);

/* As straggler_conf_read (); tries for 'wait_ms' to find it there and whole. */
int straggler_conf_read_patiently(struct straggler_conf *conf, const char *path, unsigned int wait_ms,
				    struct wt_error *errp);

#endif
