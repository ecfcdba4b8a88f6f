/* store.h - DIR/journal: keeps the model's jobs, the nodes' power and the rows of events.csv and power.csv across
 * the death of this process.
 *
 * What a commit has written survives any death of the process (also SIGKILL), not one of the machine: nothing is synced to
 * disk, because slurmctld and the jobs of the emulated nodes would not survive that either.  Rows of events.csv go through
 * the journal first, so that each is in the file exactly once.  One thread at a time. */
#ifndef WT_HARNESS_VNODE_STORE_STORE_H
#define WT_HARNESS_VNODE_STORE_STORE_H

#include "lib/error.h"
#include "harness/vnode/store/event_log.h"
#include "harness/vnode/model/model_image.h"
#include "lib/str.h"

struct wt_store;	/* opaque */

struct wt_store_conf {
	const char *path;		/* of the journal; PATH.new is used, too */
	uint64_t nodes_id;		/* says which nodes the numbers mean */
	size_t compact_bytes;		/* rewrite the journal when it has grown by that much; 0: 8 MiB */
	struct wt_model *model;		/* both must outlive the store */
	struct event_log *events;
	struct wt_power *power;		/* and its rows; both may be NULL, and must outlive the store as well */
	struct event_log *power_rows;
	/* What the caller holds for a step beside the model: its bytes are added to 'out', and given back after a restart.
	 * May be NULL; an unpack that fails loses the connections to that step's srun only. */
	void (*client_pack)(void *arg, wt_step_ref step, struct wt_str *out);
	void (*client_unpack)(void *arg, wt_step_ref step, const void *bytes, size_t len);
	void *arg;
};

struct wt_store_found {
	uint32_t images;		/* of jobs */
	uint64_t rows_bytes;		/* of events.csv that had not reached it */
	size_t lost_bytes;		/* torn or damaged at the end of the journal */
	struct wt_error note;		/* what the user should know: lost bytes, a journal that was put aside; "" */
};

/* Restore what the journal says, if there is one, and begin it anew.  A journal that cannot be used is renamed to PATH.bad
 * and said in found->note.  Then the caller calls wt_model_resume ().  NULL with errno and *errp. */
struct wt_store *wt_store_open(const struct wt_store_conf *conf, struct wt_store_found *found, struct wt_error *errp);
void wt_store_close(struct wt_store *store);	/* commits; NULL is ignored; errno is preserved */

/* Write what has changed since the last commit: one write (), none when nothing has.  -1: it is kept and written by the
 * next. */
int wt_store_commit(struct wt_store *store, struct wt_error *errp);

/* When all nodes had registered for the first time, microseconds since the epoch; 0: not yet. */
int64_t wt_store_epoch_us(const struct wt_store *store);
void wt_store_epoch_set(struct wt_store *store, int64_t epoch_us);	/* with the next commit */

#endif
