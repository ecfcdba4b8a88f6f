/* live_start.h - begin the process that serves the live page, and end it.
 *
 * The server is a program of its own (wt-served), begun before the command enters a virtual clock, so that it lives by the
 * machine's clock and takes no part in another; with an empty environment and nothing open but the socket, the memory of
 * live_state.h and /dev/null.  It ends by itself when the command has, however that ends.  Unless noted: 0 or a pointer, or
 * -1 or NULL with errno and *errp set. */
#ifndef WT_HARNESS_LIVE_LIVE_START_H
#define WT_HARNESS_LIVE_LIVE_START_H

#include "harness/live/live_feed.h"
#include "harness/live/live_request.h"

#define LIVE_URL_FILE "serve.url"

struct live_page {
	struct live_memory *memory;
	struct live_feed *feed;
	char url[LIVE_URL_SIZE];
	int memory_fd;			/* -1: not needed any more */
	char *url_file;			/* NULL: none */
};

/* Listen at 'address' and begin wt-served.  EADDRINUSE: the port is taken.  In a process that did so and then executed its
 * program anew (as a command that enters a virtual clock does) it finds what there is. */
struct live_page *live_page_start(const char *address, enum live_kind kind, struct wt_error *errp);

/* No program is executed anew from here on: what it would need goes. */
void live_page_settle(struct live_page *page);

/* Tell people, once: a line on stderr with the URL, and a warning where others can reach it. */
void live_page_tell(const struct live_page *page, const char *verb);

/* Write the URL to FOLDER/serve.url, for its owner only; live_page_end () removes it. */
int live_page_note(struct live_page *page, const char *folder, struct wt_error *errp);

/* The command is about to end with this status; the server tells its readers and ends.  NULL is ignored. */
void live_page_end(struct live_page *page, int status);

/* The cluster in 'folder' is up: the server goes on as long as its supervisor.  Nothing of 'page' is to be used any more. */
void live_page_leave(struct live_page *page, const char *name, const char *folder, uint32_t nodes, const char *clock);

#endif
