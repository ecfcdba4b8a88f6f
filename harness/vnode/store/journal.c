/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/vnode/store/journal.h"

#define MAGIC "WTJRNL05"	/* the last two: version */

enum { HEAD_SIZE = 16, RECORD_HEAD = 12, RANGE_SIZE = 8, STEP_NODES_MAX = 1 << 20 };
enum item {
	ITEM_JOB = 1, ITEM_JOB_NODES, ITEM_EVENTS, ITEM_EPOCH, ITEM_STEP, ITEM_STEPD, ITEM_POWER_ROWS, ITEM_POWER,
};

/* FNV-1a: against records that a dying process or a full disk left half written, not against an enemy. */
static uint64_t bytes_hash(const uint8_t *bytes, size_t len)
{
	uint64_t hash = 14695981039346656037u;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ bytes[i]) * 1099511628211u;
	return hash;
}

/* Byte by byte and the highest first, so that the file means the same on each machine and nothing has to be aligned. */
static void store(uint8_t *to, uint64_t number, unsigned int size)
{
	for (unsigned int i = 0; i < size; i++)
		to[i] = (uint8_t) (number >> (8 * (size - 1 - i)));
}

static void put(struct wt_str *out, uint64_t number, unsigned int size)
{
	uint8_t bytes[8];

	store(bytes, number, size);
	wt_str_add_bytes(out, (const char *) bytes, size);
}

void wt_journal_head(struct wt_str *out, uint64_t nodes_id)
{
	wt_str_add_bytes(out, MAGIC, 8);
	put(out, nodes_id, 8);
}

size_t wt_journal_begin(struct wt_str *out)
{
	size_t begin = out->len;

	/* Length and hash, which wt_journal_end () fills in: they are not known before the record is whole. */
	put(out, 0, 4);
	put(out, 0, 8);
	return begin;
}

void wt_journal_end(struct wt_str *out, size_t begin)
{
	uint8_t *record = (uint8_t *) out->text + begin;
	size_t len = out->len - begin - RECORD_HEAD;

	if (out->failed)
		return;
	/* Nothing has changed since the last commit: no record, or an idle cluster's journal would grow. */
	if (!len) {
		out->len = begin;
		return;
	}
	store(record, len, 4);
	store(record + 4, bytes_hash(record + RECORD_HEAD, len), 8);
}

static void put_nodes(struct wt_str *out, const struct wt_job_image *image)
{
	put(out, image->nodes_hash, 8);
	put(out, image->nodes.range_count, 4);
	for (uint32_t i = 0; i < image->nodes.range_count; i++) {
		put(out, image->nodes.ranges[i].first, 4);
		put(out, image->nodes.ranges[i].count, 4);
	}
}

static void put_block(struct wt_str *out, const void *bytes, size_t len)
{
	put(out, len, 4);
	if (len)
		wt_str_add_bytes(out, bytes, len);
}

void wt_journal_job(struct wt_str *out, const struct wt_job_image *image)
{
	/* The nodes are the longest part of a job and seldom change: they are written only when they have. */
	put(out, image->nodes_given ? ITEM_JOB_NODES : ITEM_JOB, 1);
	put(out, image->job_id, 4);
	put(out, image->uid, 4);
	put(out, image->array_job_id, 4);
	put(out, image->array_task_id, 4);
	put(out, image->batch_node, 4);
	put(out, image->script, 1);
	put(out, image->pause, 1);
	put(out, image->pending_signal, 1);
	put(out, image->probe, 1);
	put(out, image->cancelled, 1);
	put(out, image->wait_status, 2);
	put(out, (uint64_t) image->run_time_us, 8);
	put(out, (uint64_t) image->run_until_us, 8);
	put(out, (uint64_t) image->touched_us, 8);
	put(out, (uint64_t) image->revoked_s, 8);
	put(out, image->speculates, 1);
	put(out, image->restart, 4);
	put(out, (uint64_t) image->work_us, 8);
	put(out, (uint64_t) image->total_us, 8);
	put(out, (uint64_t) image->begun_us, 8);
	put(out, image->plan_fixed, 1);
	put_block(out, image->plan, image->plan_len);
	put_block(out, image->plan_state, image->plan_state_len);
	if (image->nodes_given)
		put_nodes(out, image);
}

void wt_journal_rows(struct wt_str *out, enum wt_journal_log log, uint64_t offset, const char *text, size_t len)
{
	put(out, log == WT_JOURNAL_POWER ? ITEM_POWER_ROWS : ITEM_EVENTS, 1);
	put(out, offset, 8);
	put(out, len, 4);
	wt_str_add_bytes(out, text, len);
}

void wt_journal_power(struct wt_str *out, const struct wt_power_image *image)
{
	put(out, ITEM_POWER, 1);
	put(out, image->node, 4);
	put(out, image->boot, 4);
	put(out, image->job_id, 4);
	put(out, image->state, 1);
	put(out, image->fate, 1);
	put(out, image->again, 1);
	put(out, image->told, 1);
	put(out, (uint64_t) image->until_us, 8);
	put(out, (uint64_t) image->booted_us, 8);
}

void wt_journal_epoch(struct wt_str *out, int64_t epoch_us)
{
	put(out, ITEM_EPOCH, 1);
	put(out, (uint64_t) epoch_us, 8);
}

/* Steps run on neighbours mostly: 65,536 nodes are one range of eight bytes then. */
static uint32_t run_length(const struct wt_step_image *image, uint32_t first)
{
	uint32_t len = 1;

	while (first + len < image->count && image->nodes[first + len] == image->nodes[first] + len)
		len++;
	return len;
}

static void put_step_name(struct wt_str *out, enum item item, uint32_t job_id, uint32_t step_id, uint32_t het_comp)
{
	put(out, item, 1);
	put(out, job_id, 4);
	put(out, step_id, 4);
	put(out, het_comp, 4);
}

void wt_journal_step(struct wt_str *out, const struct wt_step_image *image, const void *client, size_t client_len)
{
	put_step_name(out, ITEM_STEP, image->job_id, image->step_id, image->step_het_comp);
	put(out, image->uid, 4);
	put(out, image->io, 1);
	put(out, (uint64_t) image->touched_us, 8);
	put(out, image->count, 4);
	for (uint32_t i = 0, len; i < image->count; i += len) {
		len = run_length(image, i);
		put(out, image->nodes[i], 4);
		put(out, len, 4);
	}
	put_block(out, client, client_len);
}

void wt_journal_stepd(struct wt_str *out, const struct wt_stepd_image *image)
{
	put_step_name(out, ITEM_STEPD, image->job_id, image->step_id, image->step_het_comp);
	put(out, image->rank, 4);
	put(out, image->state, 1);
	put(out, image->pause, 1);
	put(out, image->pending_signal, 1);
	put(out, image->over, 1);
	put(out, image->status, 4);
	put(out, image->below, 4);
	put(out, image->holder, 4);
	put(out, (uint64_t) image->run_us, 8);
}

struct record_cursor {
	const uint8_t *at, *end;
	bool bad;		/* asked for more than there is */
};

/* After the first number that is not there all are 0 and 'bad' stays: it is enough to look at it behind the last one. */
static uint64_t get(struct record_cursor *c, unsigned int size)
{
	uint64_t number = 0;

	if (c->bad || (size_t) (c->end - c->at) < size) {
		c->bad = true;
		return 0;
	}
	for (unsigned int i = 0; i < size; i++)
		number = number << 8 | *c->at++;
	return number;
}

/* Borrowed from what is read. */
static void get_block(struct record_cursor *c, uint8_t **bytes, size_t *len)
{
	*len = (size_t) get(c, 4);
	if (c->bad || *len > (size_t) (c->end - c->at)) {
		c->bad = true;
		*len = 0;
	}
	*bytes = (uint8_t *) c->at;
	c->at += *len;
}

static int get_nodes(struct record_cursor *c, struct wt_job_image *image)
{
	uint32_t count, rank = 0;

	image->nodes_given = true;
	image->nodes_hash = get(c, 8);
	count = (uint32_t) get(c, 4);
	/* Compared with what is left in the file, before memory is taken for a number that may be damaged. */
	if (c->bad || count > (size_t) (c->end - c->at) / RANGE_SIZE)
		return -1;
	/* One more: malloc (0) may return NULL, which would look like a lack of memory. */
	image->nodes.ranges = malloc((count + 1) * sizeof(*image->nodes.ranges));
	if (!image->nodes.ranges)
		return -1;
	image->nodes.range_count = count;
	for (uint32_t i = 0; i < count; i++) {
		struct wt_node_range *range = &image->nodes.ranges[i];

		range->first = (uint32_t) get(c, 4);
		range->count = (uint32_t) get(c, 4);
		range->rank = rank;
		rank += range->count;	/* may wrap; the model checks the ranges */
	}
	image->nodes.count = rank;
	return 0;
}

static int job_read(struct record_cursor *c, bool nodes, const struct wt_journal_calls *calls)
{
	struct wt_job_image image = { 0 };
	int rc;

	image.job_id = (uint32_t) get(c, 4);
	image.uid = (uint32_t) get(c, 4);
	image.array_job_id = (uint32_t) get(c, 4);
	image.array_task_id = (uint32_t) get(c, 4);
	image.batch_node = (uint32_t) get(c, 4);
	image.script = (uint8_t) get(c, 1);
	image.pause = (uint8_t) get(c, 1);
	image.pending_signal = (uint8_t) get(c, 1);
	image.probe = (uint8_t) get(c, 1);
	image.cancelled = get(c, 1) != 0;
	image.wait_status = (uint16_t) get(c, 2);
	image.run_time_us = (int64_t) get(c, 8);
	image.run_until_us = (int64_t) get(c, 8);
	image.touched_us = (int64_t) get(c, 8);
	image.revoked_s = (int64_t) get(c, 8);
	image.speculates = get(c, 1) != 0;
	image.restart = (uint32_t) get(c, 4);
	image.work_us = (int64_t) get(c, 8);
	image.total_us = (int64_t) get(c, 8);
	image.begun_us = (int64_t) get(c, 8);
	image.plan_fixed = get(c, 1) != 0;
	get_block(c, &image.plan, &image.plan_len);
	get_block(c, &image.plan_state, &image.plan_state_len);
	rc = nodes ? get_nodes(c, &image) : 0;
	/* Asked before the call: a record that is too short would give a job of zeros. */
	if (rc == 0 && !c->bad)
		rc = calls->job(calls->arg, &image);
	wt_nodeset_clear(&image.nodes);
	return c->bad ? -1 : rc;
}

static int rows_read(struct record_cursor *c, enum wt_journal_log log, const struct wt_journal_calls *calls)
{
	uint64_t offset = get(c, 8);
	size_t len = (size_t) get(c, 4);
	const char *text = (const char *) c->at;

	if (c->bad || (size_t) (c->end - c->at) < len)
		return -1;
	c->at += len;
	return calls->rows(calls->arg, log, offset, text, len);
}

static int power_read(struct record_cursor *c, const struct wt_journal_calls *calls)
{
	struct wt_power_image image = { 0 };

	image.node = (uint32_t) get(c, 4);
	image.boot = (uint32_t) get(c, 4);
	image.job_id = (uint32_t) get(c, 4);
	image.state = (uint8_t) get(c, 1);
	image.fate = (uint8_t) get(c, 1);
	image.again = get(c, 1) != 0;
	image.told = get(c, 1) != 0;
	image.until_us = (int64_t) get(c, 8);
	image.booted_us = (int64_t) get(c, 8);
	return c->bad ? -1 : calls->power(calls->arg, &image);
}

static int get_runs(struct record_cursor *c, struct wt_step_image *image)
{
	uint32_t have = 0;

	/* The number is foreign, and a list of ranges is short however many nodes it stands for: so much memory, no more. */
	if (c->bad || !image->count || image->count > STEP_NODES_MAX)
		return -1;
	image->nodes = malloc(image->count * sizeof(*image->nodes));
	while (image->nodes && have < image->count) {
		uint32_t first = (uint32_t) get(c, 4), len = (uint32_t) get(c, 4);

		/* A range that is longer than what is left would be written behind the end of the list. */
		if (c->bad || !len || len > image->count - have)
			return -1;
		for (uint32_t i = 0; i < len; i++)
			image->nodes[have++] = first + i;
	}
	return image->nodes ? 0 : -1;
}

static int step_read(struct record_cursor *c, const struct wt_journal_calls *calls)
{
	struct wt_step_image image = { 0 };
	size_t len;
	int rc;

	image.job_id = (uint32_t) get(c, 4);
	image.step_id = (uint32_t) get(c, 4);
	image.step_het_comp = (uint32_t) get(c, 4);
	image.uid = (uint32_t) get(c, 4);
	image.io = get(c, 1) != 0;
	image.touched_us = (int64_t) get(c, 8);
	image.count = (uint32_t) get(c, 4);
	rc = get_runs(c, &image);
	len = (size_t) get(c, 4);
	if (rc < 0 || c->bad || (size_t) (c->end - c->at) < len) {
		rc = -1;
	} else {
		c->at += len;
		rc = calls->step(calls->arg, &image, c->at - len, len);
	}
	free(image.nodes);
	return rc;
}

static int stepd_read(struct record_cursor *c, const struct wt_journal_calls *calls)
{
	struct wt_stepd_image image = { 0 };

	image.job_id = (uint32_t) get(c, 4);
	image.step_id = (uint32_t) get(c, 4);
	image.step_het_comp = (uint32_t) get(c, 4);
	image.rank = (uint32_t) get(c, 4);
	image.state = (uint8_t) get(c, 1);
	image.pause = (uint8_t) get(c, 1);
	image.pending_signal = (uint8_t) get(c, 1);
	image.over = get(c, 1) != 0;
	image.status = (uint32_t) get(c, 4);
	image.below = (uint32_t) get(c, 4);
	image.holder = (uint32_t) get(c, 4);
	image.run_us = (int64_t) get(c, 8);
	return c->bad ? -1 : calls->stepd(calls->arg, &image);
}

static int epoch_read(struct record_cursor *c, const struct wt_journal_calls *calls)
{
	int64_t epoch_us = (int64_t) get(c, 8);

	return c->bad ? -1 : calls->epoch(calls->arg, epoch_us);
}

static int items_read(struct record_cursor *c, const struct wt_journal_calls *calls)
{
	int rc = 0;

	while (rc == 0 && c->at < c->end) {
		switch (get(c, 1)) {
		case ITEM_JOB: rc = job_read(c, false, calls); break;
		case ITEM_JOB_NODES: rc = job_read(c, true, calls); break;
		case ITEM_EVENTS: rc = rows_read(c, WT_JOURNAL_EVENTS, calls); break;
		case ITEM_POWER_ROWS: rc = rows_read(c, WT_JOURNAL_POWER, calls); break;
		case ITEM_POWER: rc = power_read(c, calls); break;
		case ITEM_STEP: rc = step_read(c, calls); break;
		case ITEM_STEPD: rc = stepd_read(c, calls); break;
		case ITEM_EPOCH: rc = epoch_read(c, calls); break;
		/* An item does not tell its length: what stands behind one that is not known cannot be found. */
		default: rc = -1; break;
		}
	}
	return rc;
}

/* The length of the record at the cursor, head and all; 0: it is not whole, or damaged.  The length is compared with what is
 * there before the hash is: a damaged one would have it made of bytes behind the end. */
static size_t record_size(const struct record_cursor *c)
{
	struct record_cursor head = *c;
	uint64_t len = get(&head, 4), hash = get(&head, 8);

	if (head.bad || !len || len > WT_JOURNAL_RECORD_MAX || len > (size_t) (head.end - head.at) ||
	    bytes_hash(head.at, len) != hash)
		return 0;
	return RECORD_HEAD + len;
}

size_t wt_journal_read(const uint8_t *bytes, size_t len, uint64_t nodes_id, const struct wt_journal_calls *calls,
		       struct wt_error *errp)
{
	struct record_cursor c = { .at = bytes + HEAD_SIZE, .end = bytes + len };
	struct record_cursor head = { .at = bytes + 8, .end = bytes + len };
	size_t size;

	if (len < HEAD_SIZE || memcmp(bytes, MAGIC, 8)) {
		wt_error_set(errp, EINVAL, "this is no journal of this version of wt-vnoded");
		return 0;
	}
	if (get(&head, 8) != nodes_id) {
		wt_error_set(errp, ESTALE, "it was written for other nodes than slurm.conf now has");
		return 0;
	}
	/* Up to the first record that is not whole: the process died while it wrote it, so nothing stands behind it. */
	while ((size = record_size(&c))) {
		struct record_cursor items = { .at = c.at + RECORD_HEAD, .end = c.at + size };

		if (items_read(&items, calls) != 0)
			break;
		c.at += size;
	}
	return (size_t) (c.at - bytes);
}
