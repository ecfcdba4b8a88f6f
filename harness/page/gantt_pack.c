/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <nettle/base64.h>
#include <zlib.h>

#include "harness/page/gantt_pack.h"

#define PLANES      4
#define LEVEL       6 /* 9 takes twice the time for 1 % */
#define BLOCK_BYTES (786432 - 786432 % 3) /* one MiB of base64 without padding */

/* Room for 'more' bytes behind the last. */
static uint8_t *room_make(struct gantt_pack *pack, size_t more)
{
	size_t capacity = pack->capacity ? pack->capacity : 65536;
	uint8_t *bytes;

	while (capacity - pack->len < more)
		capacity *= 2;
	if (capacity != pack->capacity) {
		bytes = realloc(pack->bytes, capacity);
		if (!bytes) {
			pack->failed = true;
			return NULL;
		}
		pack->bytes = bytes;
		pack->capacity = capacity;
	}
	return pack->bytes + pack->len;
}

/* Returns how many bytes were added; 0 after a failure. */
static size_t bytes_deflate(struct gantt_pack *pack, const uint8_t *bytes, size_t len)
{
	uLongf packed = compressBound(len);
	uint8_t *room = room_make(pack, packed);

	if (!room)
		return 0;
	if (compress2(room, &packed, bytes, len, LEVEL) != Z_OK) {
		pack->failed = true;
		return 0;
	}
	pack->len += packed;
	return packed;
}

static size_t plane_pack(struct gantt_pack *pack, const uint32_t *values, size_t count, int plane, uint8_t *scratch)
{
	uint8_t any = 0;

	for (size_t i = 0; i < count; i++)
		any |= scratch[i] = (uint8_t) (values[i] >> 8 * plane);
	return any ? bytes_deflate(pack, scratch, count) : 0;
}

void gantt_pack_column(struct gantt_pack *pack, const char *name, const uint32_t *values, size_t count)
{
	uint8_t *scratch = malloc(count + 1);

	if (!scratch) {
		pack->failed = true;
		return;
	}
	wt_str_printf(&pack->columns, "%s\"%s\":[%zu,%zu", pack->columns.len ? "," : "", name, count, pack->len);
	/* The four bytes of the numbers apart, each plane deflated by itself: high bytes are nearly all 0, and a
	 * plane of zeros takes no byte. */
	for (int plane = 0; plane < PLANES; plane++)
		wt_str_printf(&pack->columns, ",%zu", plane_pack(pack, values, count, plane, scratch));
	wt_str_add(&pack->columns, "]");
	free(scratch);
}

void gantt_pack_text(struct gantt_pack *pack, const char *name, const char *text, size_t len)
{
	wt_str_printf(&pack->texts, "%s\"%s\":[%zu,%zu", pack->texts.len ? "," : "", name, len, pack->len);
	wt_str_printf(&pack->texts, ",%zu]", bytes_deflate(pack, (const uint8_t *) text, len));
}

size_t gantt_pack_size(const struct gantt_pack *pack)
{
	return BASE64_ENCODE_RAW_LENGTH(pack->len) + pack->columns.len + pack->texts.len;
}

static int blocks_write(const struct gantt_pack *pack, const char *id, FILE *out, struct wt_error *errp)
{
	char *text = malloc(BASE64_ENCODE_RAW_LENGTH(BLOCK_BYTES));

	if (!text)
		return wt_error_set(errp, ENOMEM, "not enough memory for the page");
	for (size_t at = 0; at < pack->len; at += BLOCK_BYTES) {
		size_t len = pack->len - at < BLOCK_BYTES ? pack->len - at : BLOCK_BYTES;

		base64_encode_raw(text, len, pack->bytes + at);
		/* In blocks, so that decoding can begin with the first. */
		fprintf(out, "<script type=\"text/plain\" class=\"gantt-data\" data-run=\"%s\">", id);
		fwrite(text, 1, BASE64_ENCODE_RAW_LENGTH(len), out);
		fputs("</script>\n", out);
	}
	free(text);
	return 0;
}

int gantt_pack_write(const struct gantt_pack *pack, const char *id, const char *fields, FILE *out, struct wt_error *errp)
{
	if (pack->failed || pack->columns.failed || pack->texts.failed)
		return wt_error_set(errp, ENOMEM, "not enough memory for the page");
	fprintf(out,
		"<script type=\"application/json\" class=\"gantt-head\" data-run=\"%s\">{%s,\n"
		"\"columns\":{%s},\n\"texts\":{%s},\n\"bytes\":%zu}</script>\n",
		id, fields, pack->columns.text ? pack->columns.text : "", pack->texts.text ? pack->texts.text : "",
		pack->len);
	return blocks_write(pack, id, out, errp);
}

void gantt_pack_clear(struct gantt_pack *pack)
{
	wt_str_clear(&pack->columns);
	wt_str_clear(&pack->texts);
	free(pack->bytes);
	*pack = (struct gantt_pack){ 0 };
}
