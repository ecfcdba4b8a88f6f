/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <stdbool.h>

#include <nettle/base64.h>
#include <zlib.h>

#include "harness/page/test_gantt_reader.h"

/* What stands in the first script block of the class behind *at, which is moved behind it; NULL: there is none. */
static char *block_take(const char **at, const char *class)
{
	char begin[64];
	const char *from, *to;

	snprintf(begin, sizeof(begin), "class=\"%s\" data-run=\"", class);
	from = strstr(*at, begin);
	if (!from)
		return NULL;
	from = strchr(from, '>') + 1;
	to = strstr(from, "</script>");
	assert_non_null(to);
	*at = to;
	return strndup(from, (size_t) (to - from));
}

void gantt_reader_open(struct gantt_reader *reader, const char *html)
{
	const char *at = html;
	char *text = block_take(&at, "gantt-head");
	json_error_t err;

	*reader = (struct gantt_reader){ 0 };
	assert_non_null(text);
	reader->head = json_loads(text, 0, &err);
	if (!reader->head)
		fail_msg("the head is no JSON: %s", err.text);
	free(text);
	reader->bytes = malloc(strlen(html) + 1);
	assert_non_null(reader->bytes);
	while ((text = block_take(&at, "gantt-data"))) {
		struct base64_decode_ctx ctx;
		size_t len = strlen(html) + 1 - reader->len;

		assert_true(strlen(text) <= 1048576);
		base64_decode_init(&ctx);
		assert_int_equal(base64_decode_update(&ctx, &len, reader->bytes + reader->len, strlen(text), text), 1);
		assert_int_equal(base64_decode_final(&ctx), 1);
		reader->len += len;
		free(text);
	}
	assert_int_equal(reader->len, gantt_reader_number(reader, "bytes"));
}

void gantt_reader_close(struct gantt_reader *reader)
{
	json_decref(reader->head);
	free(reader->bytes);
}

int64_t gantt_reader_number(const struct gantt_reader *reader, const char *key)
{
	const json_t *number = json_object_get(reader->head, key);

	if (!json_is_integer(number))
		fail_msg("the head lacks %s", key);
	return json_integer_value(number);
}

static size_t entry_number(const json_t *entry, size_t i)
{
	assert_true(json_is_integer(json_array_get(entry, i)));
	return (size_t) json_integer_value(json_array_get(entry, i));
}

static void bytes_inflate(const struct gantt_reader *reader, size_t at, size_t packed, uint8_t *bytes, size_t count)
{
	uLongf len = count;

	assert_true(at + packed <= reader->len);
	assert_int_equal(uncompress(bytes, &len, reader->bytes + at, packed), Z_OK);
	assert_int_equal(len, count);
}

uint32_t *gantt_reader_column(const struct gantt_reader *reader, const char *name, size_t *count)
{
	const json_t *entry = json_object_get(json_object_get(reader->head, "columns"), name);
	uint32_t *values;
	uint8_t *bytes;
	size_t at;

	if (json_array_size(entry) != 6)
		fail_msg("there is no column %s", name);
	*count = entry_number(entry, 0);
	at = entry_number(entry, 1);
	values = calloc(*count + 1, sizeof(*values));
	bytes = malloc(*count + 1);
	assert_true(values && bytes);
	for (size_t plane = 0; plane < 4; plane++) {
		size_t packed = entry_number(entry, 2 + plane);

		if (packed)
			bytes_inflate(reader, at, packed, bytes, *count);
		for (size_t i = 0; packed && i < *count; i++)
			values[i] |= (uint32_t) bytes[i] << 8 * plane;
		at += packed;
	}
	free(bytes);
	return values;
}

char *gantt_reader_text(const struct gantt_reader *reader, const char *name, size_t *len)
{
	const json_t *entry = json_object_get(json_object_get(reader->head, "texts"), name);
	char *text;

	if (json_array_size(entry) != 3)
		fail_msg("there is no text %s", name);
	*len = entry_number(entry, 0);
	text = calloc(*len + 1, 1);
	assert_non_null(text);
	bytes_inflate(reader, entry_number(entry, 1), entry_number(entry, 2), (uint8_t *) text, *len);
	return text;
}

uint32_t number_unfold(uint32_t value)
{
	return value & 1 ? ~(value >> 1) : value >> 1;
}

static uint32_t next(struct slow_runs *runs, enum free_runs_list list)
{
	if (runs->at[list] >= runs->lists[list].count)
		fail_msg("the list %s ends too early", free_runs_list_names[list]);
	return runs->lists[list].values[runs->at[list]++];
}

static struct gantt_range range_take(struct slow_runs *runs, uint32_t first, uint32_t count)
{
	assert_true(count > 0 && first + count <= runs->node_count);
	for (uint32_t node = first; node < first + count; node++)
		runs->busy[node] = 1;
	return (struct gantt_range){ first, count };
}

/* The first node of the run number 'skip' of those that reach beyond 'from'. */
static uint32_t run_find(const struct slow_runs *runs, uint32_t from, uint32_t skip)
{
	bool inside = false;

	for (uint32_t node = from; node < runs->node_count; node++) {
		if (!runs->busy[node] && !inside && skip-- == 0)
			return node;
		inside = !runs->busy[node];
	}
	fail_msg("there is no such run of free nodes");
	return 0;
}

static struct gantt_range predicted_read(struct slow_runs *runs, uint32_t from, uint32_t left, bool told)
{
	uint32_t first = run_find(runs, from, told ? next(runs, FREE_RUNS_SKIP) : 0), count;

	first += told ? next(runs, FREE_RUNS_OFFSET) : 0;
	count = told ? next(runs, FREE_RUNS_LENGTH) : 0;
	if (!count)
		while (count < left && first + count < runs->node_count && !runs->busy[first + count])
			count++;
	return range_take(runs, first, count);
}

size_t slow_runs_read(struct slow_runs *runs, uint32_t nodes, struct gantt_range *ranges)
{
	uint32_t mode = next(runs, FREE_RUNS_MODE), told = mode >> 1, from = 0, left = nodes;
	size_t count = 0;

	while (left) {
		if (mode & 1) {
			uint32_t first = from + next(runs, FREE_RUNS_GAP), length = next(runs, FREE_RUNS_GAP_LENGTH);

			ranges[count] = range_take(runs, first, length ? length : left);
		} else {
			ranges[count] = predicted_read(runs, from, left, count < told);
		}
		from = ranges[count].first + ranges[count].count;
		left -= ranges[count++].count;
	}
	if (mode & 1)
		assert_int_equal(count, told);
	return count;
}
