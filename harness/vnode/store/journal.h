/* journal.h - what wt-vnoded remembers across its own death: records of bytes, written and read.
 *
 * Pure: no file, no clock.  A journal is a head (magic, version, which nodes) and records; a record is the length of its
 * contents (4 bytes), their checksum (8 bytes, FNV-1a) and the contents: items of one moment, which hold all together or not
 * at all.  All numbers are big-endian.  What is read is foreign: a torn or damaged record ends the reading, and nothing
 * after it is believed. One thread at a time. */
#ifndef WT_HARNESS_VNODE_STORE_JOURNAL_H
#define WT_HARNESS_VNODE_STORE_JOURNAL_H

#include "lib/error.h"
#include "harness/vnode/model/model_image.h"
#include "harness/vnode/model/power.h"
#include "lib/str.h"

#define WT_JOURNAL_RECORD_MAX (1u << 30)

void wt_journal_head(struct wt_str *out, uint64_t nodes_id);

/* A record under construction is the end of 'out': begin, items, end.  'begin' returns what 'end' needs.  An empty one
 * vanishes. */
size_t wt_journal_begin(struct wt_str *out);
void wt_journal_job(struct wt_str *out, const struct wt_job_image *image);
enum wt_journal_log { WT_JOURNAL_EVENTS, WT_JOURNAL_POWER };	/* events.csv, power.csv */
void wt_journal_rows(struct wt_str *out, enum wt_journal_log log, uint64_t offset, const char *text, size_t len);
void wt_journal_power(struct wt_str *out, const struct wt_power_image *image);
/* 'client': bytes that mean something to the caller that restores the step. */
void wt_journal_step(struct wt_str *out, const struct wt_step_image *image, const void *client, size_t client_len);
void wt_journal_stepd(struct wt_str *out, const struct wt_stepd_image *image);
void wt_journal_epoch(struct wt_str *out, int64_t epoch_us);
void wt_journal_end(struct wt_str *out, size_t begin);

struct wt_journal_calls {	/* each returns 0 to go on; all pointers are borrowed for the call */
	int (*job)(void *arg, const struct wt_job_image *image);
	/* rows of one of the files, and where they stand */
	int (*rows)(void *arg, enum wt_journal_log log, uint64_t offset, const char *text, size_t len);
	int (*power)(void *arg, const struct wt_power_image *image);
	int (*step)(void *arg, const struct wt_step_image *image, const void *client, size_t client_len);
	int (*stepd)(void *arg, const struct wt_stepd_image *image);
	int (*epoch)(void *arg, int64_t epoch_us);	/* when all nodes had registered for the first time */
	void *arg;
};

/* Read 'len' bytes; returns how many of them are whole, good records (head included), which is less than 'len' when the rest
 * is torn or damaged.  0 with EINVAL: no journal, or one of another version; ESTALE: of other nodes.  A call that does not
 * return
 * 0 ends the reading before its record's end. */
size_t wt_journal_read(const uint8_t *bytes, size_t len, uint64_t nodes_id, const struct wt_journal_calls *calls,
		       struct wt_error *errp);

#endif
