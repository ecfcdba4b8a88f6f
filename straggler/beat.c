/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages as bytes, big-endian, written and read through a cursor that fails once and stays failed: what is taken after
 * that is 0, and only the end asks.  Everything that is read is foreign: each length and each value has a limit. */
#include "config.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "straggler/beat.h"

#define MAGIC 0x57544231u	/* "WTB1" */
#define RECORD_LEN 28	/* bytes */

struct beat_cursor {
	uint8_t *out;
	const uint8_t *in;
	size_t size, used;
	bool failed;
};

static void put(struct beat_cursor *c, const void *bytes, size_t len)
{
	/* Not used + len > size, which could overflow. */
	if (c->failed || len > c->size - c->used) {
		c->failed = true;
		return;
	}
	memcpy(c->out + c->used, bytes, len);
	c->used += len;
}

static void put8(struct beat_cursor *c, uint8_t value) { put(c, &value, 1); }
static void put16(struct beat_cursor *c, uint16_t value) { value = htobe16(value); put(c, &value, 2); }
static void put32(struct beat_cursor *c, uint32_t value) { value = htobe32(value); put(c, &value, 4); }
static void put64(struct beat_cursor *c, uint64_t value) { value = htobe64(value); put(c, &value, 8); }

static void take(struct beat_cursor *c, void *bytes, size_t len)
{
	if (c->failed || len > c->size - c->used) {
		c->failed = true;
		memset(bytes, 0, len);
		return;
	}
	memcpy(bytes, c->in + c->used, len);
	c->used += len;
}

static uint8_t take8(struct beat_cursor *c) { uint8_t value; take(c, &value, 1); return value; }
static uint16_t take16(struct beat_cursor *c) { uint16_t value; take(c, &value, 2); return be16toh(value); }
static uint32_t take32(struct beat_cursor *c) { uint32_t value; take(c, &value, 4); return be32toh(value); }
static uint64_t take64(struct beat_cursor *c) { uint64_t value; take(c, &value, 8); return be64toh(value); }

static void put_head(struct beat_cursor *c, uint8_t kind, uint16_t count)
{
	put32(c, MAGIC);
	put8(c, WT_BEAT_VERSION);
	put8(c, kind);
	put16(c, count);
}

static void put_start(struct beat_cursor *c, const struct wt_beat *beat)
{
	put32(c, beat->restart);
	put64(c, beat->instance);
	put32(c, beat->array_job_id);
	put32(c, beat->array_task_id);
}

static void put_report(struct beat_cursor *c, const struct wt_beat *beat)
{
	size_t len = strlen(beat->node);

	put64(c, beat->sequence);
	put32(c, beat->window_ms);
	put8(c, (uint8_t) len);
	put(c, beat->node, len);
	for (uint32_t i = 0; i < beat->count; i++) {
		const struct wt_beat_record *record = &beat->records[i];
		uint64_t bits;

		memcpy(&bits, &record->progress, sizeof(bits));
		put32(c, record->job_id);
		put32(c, record->restart);
		put32(c, record->flags);
		put64(c, record->elapsed_us);
		put64(c, bits);
	}
}

int wt_beat_encode(const struct wt_beat *beat, uint8_t *buf, size_t size, struct wt_error *errp)
{
	struct beat_cursor c = { .out = buf, .size = size };
	bool report = beat->kind == WT_BEAT_REPORT;

	if (beat->kind < WT_BEAT_REPORT || beat->kind > WT_BEAT_OPEN)
		return wt_error_set(errp, EINVAL, "message: kind %d is unknown", (int) beat->kind);
	if (report && (beat->count > WT_BEAT_RECORDS_MAX || !beat->node[0] ||
		       strnlen(beat->node, sizeof(beat->node)) > WT_BEAT_NODE_MAX))
		return wt_error_set(errp, EINVAL,
				    "report: no name of a node, a longer one than %d bytes, or more than %d records",
				    WT_BEAT_NODE_MAX, WT_BEAT_RECORDS_MAX);
	put_head(&c, (uint8_t) beat->kind, report ? (uint16_t) beat->count : 0);
	if (report) {
		put_report(&c, beat);
	} else if (beat->kind == WT_BEAT_OPEN) {
		put64(&c, beat->nonce);
	} else {
		put32(&c, beat->job_id);
		if (beat->kind != WT_BEAT_STATUS)
			put_start(&c, beat);
		put32(&c, beat->kind == WT_BEAT_EXIT ? (uint32_t) beat->status : beat->operation);
		if (beat->kind == WT_BEAT_COMMIT)
			put64(&c, beat->acquisition);
		put64(&c, beat->nonce);
	}
	if (c.failed)
		return wt_error_set(errp, ENOSPC, "message: longer than %zu bytes", size);
	return (int) c.used;
}

static uint32_t be32_at(const uint8_t *at) { uint32_t value; memcpy(&value, at, 4); return be32toh(value); }
static uint64_t be64_at(const uint8_t *at) { uint64_t value; memcpy(&value, at, 8); return be64toh(value); }

/* Nearly all that is ever read are records: their length is looked at once. */
static void take_records(struct beat_cursor *c, struct wt_beat *beat)
{
	const uint8_t *at = c->in + c->used;
	size_t len = (size_t) beat->count * RECORD_LEN;

	if (len > c->size - c->used) {
		c->failed = true;
		return;
	}
	for (uint32_t i = 0; i < beat->count; i++, at += RECORD_LEN) {
		struct wt_beat_record *record = &beat->records[i];
		uint64_t bits = be64_at(at + 20);

		record->job_id = be32_at(at);
		record->restart = be32_at(at + 4);
		record->flags = be32_at(at + 8);
		record->elapsed_us = be64_at(at + 12);
		memcpy(&record->progress, &bits, sizeof(bits));
	}
	c->used += len;
}

static void take_report(struct beat_cursor *c, struct wt_beat *beat)
{
	uint8_t len;

	beat->sequence = take64(c);
	beat->window_ms = take32(c);
	len = take8(c);
	if (len == 0 || len > WT_BEAT_NODE_MAX || beat->count > WT_BEAT_RECORDS_MAX)
		c->failed = true;
	if (!c->failed)
		take(c, beat->node, len);
	beat->node[c->failed ? 0 : len] = '\0';
	for (size_t i = 0; !c->failed && i < len; i++) {
		/* It goes into logs and, unquoted, into JSON. */
		if (beat->node[i] <= ' ' || beat->node[i] > '~' || beat->node[i] == '"' || beat->node[i] == '\\')
			c->failed = true;
	}
	if (!c->failed)
		take_records(c, beat);
}

static void take_question(struct beat_cursor *c, struct wt_beat *beat)
{
	uint32_t value;

	beat->job_id = take32(c);
	if (beat->kind != WT_BEAT_STATUS) {
		beat->restart = take32(c);
		beat->instance = take64(c);
		beat->array_job_id = take32(c);
		beat->array_task_id = take32(c);
	}
	value = take32(c);
	if (beat->kind == WT_BEAT_EXIT)
		beat->status = (int32_t) value;
	else
		beat->operation = value;
	if (beat->kind == WT_BEAT_COMMIT)
		beat->acquisition = take64(c);
	beat->nonce = take64(c);
	if (beat->kind == WT_BEAT_COMMIT && (value < WT_COMMIT_ACQUIRE || value > WT_COMMIT_RELEASE || !beat->acquisition))
		c->failed = true;
	if (beat->kind == WT_BEAT_STATUS && (value < WT_STATUS_JOBS || value > WT_STATUS_BEATS))
		c->failed = true;
	if (beat->count)
		c->failed = true;
}

static void take_open(struct beat_cursor *c, struct wt_beat *beat)
{
	beat->nonce = take64(c);
	if (beat->count)
		c->failed = true;
}

int wt_beat_decode(struct wt_beat *beat, const uint8_t *buf, size_t len, struct wt_error *errp)
{
	struct beat_cursor c = { .in = buf, .size = len };
	uint32_t magic = take32(&c);
	uint8_t version = take8(&c), kind = take8(&c);

	/* Not the records, which are most of it: those that 'count' numbers are written below. */
	memset(beat, 0, offsetof(struct wt_beat, records));
	beat->job_id = beat->restart = beat->array_job_id = beat->array_task_id = beat->operation = 0;
	beat->status = 0;
	beat->instance = beat->acquisition = beat->nonce = 0;
	beat->count = take16(&c);
	if (c.failed || magic != MAGIC)
		return wt_error_set(errp, EPROTO, "not a message of windtunnel");
	if (version != WT_BEAT_VERSION)
		return wt_error_set(errp, EPROTO, "message of version %u; this is version %d", version, WT_BEAT_VERSION);
	if (kind < WT_BEAT_REPORT || kind > WT_BEAT_OPEN)
		return wt_error_set(errp, EPROTO, "message of unknown kind %u", kind);
	beat->kind = kind;
	if (kind == WT_BEAT_REPORT)
		take_report(&c, beat);
	else if (kind == WT_BEAT_OPEN)
		take_open(&c, beat);
	else
		take_question(&c, beat);
	if (c.failed || c.used != len)
		return wt_error_set(errp, EPROTO, "message of kind %u with a wrong length or value", kind);
	return 0;
}

int wt_beat_reply_head(const struct wt_beat_reply *reply, uint8_t *buf, size_t size, struct wt_error *errp)
{
	struct beat_cursor c = { .out = buf, .size = size };

	/* The upper bit tells an answer from a question: neither can be sent back as the other. */
	put_head(&c, (uint8_t) reply->kind | 0x80, (uint16_t) reply->code);
	put64(&c, reply->nonce);
	if (c.failed)
		return wt_error_set(errp, ENOSPC, "reply: longer than %zu bytes", size);
	if (reply->text_len && reply->text_len <= size - c.used)
		put(&c, reply->text, reply->text_len);
	return (int) c.used;
}

int wt_beat_reply_decode(struct wt_beat_reply *reply, const uint8_t *buf, size_t len, struct wt_error *errp)
{
	struct beat_cursor c = { .in = buf, .size = len };
	uint32_t magic = take32(&c);
	uint8_t version = take8(&c), kind = take8(&c);
	uint16_t code = take16(&c);

	reply->nonce = take64(&c);
	if (!c.failed && magic == MAGIC && version != WT_BEAT_VERSION)
		return wt_error_set(errp, EPROTO,
				    "slurmctld's straggler plugin speaks version %u of the protocol, and this is version "
				    "%d: "
				    "install the same release of windtunnel on both", version, WT_BEAT_VERSION);
	if (c.failed || magic != MAGIC || !(kind & 0x80) || code > WT_BEAT_OLD ||
	    (kind & 0x7f) < WT_BEAT_REPORT || (kind & 0x7f) > WT_BEAT_OPEN)
		return wt_error_set(errp, EPROTO, "not a reply of windtunnel's plugin");
	reply->kind = kind & 0x7f;
	reply->code = code;
	reply->text = (const char *) buf + c.used;
	reply->text_len = len - c.used;
	return 0;
}

void wt_beat_newest_write(uint64_t newest, uint8_t text[WT_BEAT_NEWEST_TEXT])
{
	newest = htobe64(newest);
	memcpy(text, &newest, WT_BEAT_NEWEST_TEXT);
}

int wt_beat_newest_read(uint64_t *newest, const void *text, size_t len, struct wt_error *errp)
{
	if (len != WT_BEAT_NEWEST_TEXT)
		return wt_error_set(errp, EPROTO, "not a number of an acquisition");
	*newest = be64_at(text);
	return 0;
}

const char *wt_beat_code_name(enum wt_beat_code code)
{
	static const char *const names[] = { "ok", "wait", "lost", "unknown", "denied", "busy", "bad", "no_session", "old" };

	return (unsigned int) code <= WT_BEAT_OLD ? names[code] : NULL;
}
