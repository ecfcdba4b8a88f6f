/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages as bytes, big-endian, written and read through a cursor that fails once and stays failed: what is taken after
 * that is 0, and only the end asks.  Everything that is read is foreign: each length and each value has a limit. */
#include "config.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "straggler/port_message.h"

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
	put8(c, PORT_VERSION);
	put8(c, kind);
	put16(c, count);
}

static void put_start(struct beat_cursor *c, const struct port_message *message)
{
	put32(c, message->restart);
	put64(c, message->instance);
	put32(c, message->array_job_id);
	put32(c, message->array_task_id);
}

static void put_report(struct beat_cursor *c, const struct port_message *message)
{
	size_t len = strlen(message->node);

	put64(c, message->sequence);
	put32(c, message->window_ms);
	put8(c, (uint8_t) len);
	put(c, message->node, len);
	for (uint32_t i = 0; i < message->count; i++) {
		const struct beat_record *record = &message->records[i];
		uint64_t bits;

		memcpy(&bits, &record->progress, sizeof(bits));
		put32(c, record->job_id);
		put32(c, record->restart);
		put32(c, record->flags);
		put64(c, record->elapsed_us);
		put64(c, bits);
	}
}

int port_message_encode(const struct port_message *message, uint8_t *buf, size_t size, struct wt_error *errp)
{
	struct beat_cursor c = { .out = buf, .size = size };
	bool report = message->kind == PORT_REPORT;

	if (message->kind < PORT_REPORT || message->kind > PORT_OPEN)
		return wt_error_set(errp, EINVAL, "message: kind %d is unknown", (int) message->kind);
	if (report && (message->count > PORT_RECORDS_MAX || !message->node[0] ||
		       strnlen(message->node, sizeof(message->node)) > PORT_NODE_MAX))
		return wt_error_set(errp, EINVAL,
				    "report: no name of a node, a longer one than %d bytes, or more than %d records",
				    PORT_NODE_MAX, PORT_RECORDS_MAX);
	put_head(&c, (uint8_t) message->kind, report ? (uint16_t) message->count : 0);
	if (report) {
		put_report(&c, message);
	} else if (message->kind == PORT_OPEN) {
		put64(&c, message->nonce);
	} else {
		put32(&c, message->job_id);
		if (message->kind != PORT_STATUS)
			put_start(&c, message);
		put32(&c, message->kind == PORT_EXIT ? (uint32_t) message->status : message->operation);
		if (message->kind == PORT_COMMIT)
			put64(&c, message->acquisition);
		put64(&c, message->nonce);
	}
	if (c.failed)
		return wt_error_set(errp, ENOSPC, "message: longer than %zu bytes", size);
	return (int) c.used;
}

static uint32_t be32_at(const uint8_t *at) { uint32_t value; memcpy(&value, at, 4); return be32toh(value); }
static uint64_t be64_at(const uint8_t *at) { uint64_t value; memcpy(&value, at, 8); return be64toh(value); }

/* Nearly all that is ever read are records: their length is looked at once. */
static void take_records(struct beat_cursor *c, struct port_message *message)
{
	const uint8_t *at = c->in + c->used;
	size_t len = (size_t) message->count * RECORD_LEN;

	if (len > c->size - c->used) {
		c->failed = true;
		return;
	}
	for (uint32_t i = 0; i < message->count; i++, at += RECORD_LEN) {
		struct beat_record *record = &message->records[i];
		uint64_t bits = be64_at(at + 20);

		record->job_id = be32_at(at);
		record->restart = be32_at(at + 4);
		record->flags = be32_at(at + 8);
		record->elapsed_us = be64_at(at + 12);
		memcpy(&record->progress, &bits, sizeof(bits));
	}
	c->used += len;
}

static void take_report(struct beat_cursor *c, struct port_message *message)
{
	uint8_t len;

	message->sequence = take64(c);
	message->window_ms = take32(c);
	len = take8(c);
	if (len == 0 || len > PORT_NODE_MAX || message->count > PORT_RECORDS_MAX)
		c->failed = true;
	if (!c->failed)
		take(c, message->node, len);
	message->node[c->failed ? 0 : len] = '\0';
	for (size_t i = 0; !c->failed && i < len; i++) {
		/* It goes into logs and, unquoted, into JSON. */
		if (message->node[i] <= ' ' || message->node[i] > '~' || message->node[i] == '"' || message->node[i] == '\\')
			c->failed = true;
	}
	if (!c->failed)
		take_records(c, message);
}

static void take_question(struct beat_cursor *c, struct port_message *message)
{
	uint32_t value;

	message->job_id = take32(c);
	if (message->kind != PORT_STATUS) {
		message->restart = take32(c);
		message->instance = take64(c);
		message->array_job_id = take32(c);
		message->array_task_id = take32(c);
	}
	value = take32(c);
	if (message->kind == PORT_EXIT)
		message->status = (int32_t) value;
	else
		message->operation = value;
	if (message->kind == PORT_COMMIT)
		message->acquisition = take64(c);
	message->nonce = take64(c);
	if (message->kind == PORT_COMMIT &&
	    (value < WT_COMMIT_ACQUIRE || value > WT_COMMIT_RELEASE || !message->acquisition))
		c->failed = true;
	if (message->kind == PORT_STATUS && (value < WT_STATUS_JOBS || value > WT_STATUS_BEATS))
		c->failed = true;
	if (message->count)
		c->failed = true;
}

static void take_open(struct beat_cursor *c, struct port_message *message)
{
	message->nonce = take64(c);
	if (message->count)
		c->failed = true;
}

int port_message_decode(struct port_message *message, const uint8_t *buf, size_t len, struct wt_error *errp)
{
	struct beat_cursor c = { .in = buf, .size = len };
	uint32_t magic = take32(&c);
	uint8_t version = take8(&c), kind = take8(&c);

	/* Not the records, which are most of it: those that 'count' numbers are written below. */
	memset(message, 0, offsetof(struct port_message, records));
	message->job_id = message->restart = message->array_job_id = message->array_task_id = message->operation = 0;
	message->status = 0;
	message->instance = message->acquisition = message->nonce = 0;
	message->count = take16(&c);
	if (c.failed || magic != MAGIC)
		return wt_error_set(errp, EPROTO, "not a message of windtunnel");
	if (version != PORT_VERSION)
		return wt_error_set(errp, EPROTO, "message of version %u; this is version %d", version, PORT_VERSION);
	if (kind < PORT_REPORT || kind > PORT_OPEN)
		return wt_error_set(errp, EPROTO, "message of unknown kind %u", kind);
	message->kind = kind;
	if (kind == PORT_REPORT)
		take_report(&c, message);
	else if (kind == PORT_OPEN)
		take_open(&c, message);
	else
		take_question(&c, message);
	if (c.failed || c.used != len)
		return wt_error_set(errp, EPROTO, "message of kind %u with a wrong length or value", kind);
	return 0;
}

int port_reply_head(const struct port_reply *reply, uint8_t *buf, size_t size, struct wt_error *errp)
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

int port_reply_decode(struct port_reply *reply, const uint8_t *buf, size_t len, struct wt_error *errp)
{
	struct beat_cursor c = { .in = buf, .size = len };
	uint32_t magic = take32(&c);
	uint8_t version = take8(&c), kind = take8(&c);
	uint16_t code = take16(&c);

	reply->nonce = take64(&c);
	if (!c.failed && magic == MAGIC && version != PORT_VERSION)
		return wt_error_set(errp, EPROTO,
				    "slurmctld's straggler plugin speaks version %u of the protocol, and this is version "
				    "%d: "
				    "install the same release of windtunnel on both", version, PORT_VERSION);
	if (c.failed || magic != MAGIC || !(kind & 0x80) || code > PORT_OLD ||
	    (kind & 0x7f) < PORT_REPORT || (kind & 0x7f) > PORT_OPEN)
		return wt_error_set(errp, EPROTO, "not a reply of windtunnel's plugin");
	reply->kind = kind & 0x7f;
	reply->code = code;
	reply->text = (const char *) buf + c.used;
	reply->text_len = len - c.used;
	return 0;
}

void port_newest_write(uint64_t newest, uint8_t text[PORT_NEWEST_TEXT])
{
	newest = htobe64(newest);
	memcpy(text, &newest, PORT_NEWEST_TEXT);
}

int port_newest_read(uint64_t *newest, const void *text, size_t len, struct wt_error *errp)
{
	if (len != PORT_NEWEST_TEXT)
		return wt_error_set(errp, EPROTO, "not a number of an acquisition");
	*newest = be64_at(text);
	return 0;
}

const char *port_code_name(enum port_code code)
{
	static const char *const names[] = { "ok", "wait", "lost", "unknown", "denied", "busy", "bad", "no_session", "old" };

	return (unsigned int) code <= PORT_OLD ? names[code] : NULL;
}
