/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/page/free_runs.h"

#define WORD_BITS 64

const char *const free_runs_list_names[FREE_RUNS_LISTS] = { "mode", "skip", "offset", "length", "gap", "gap_length" };

void number_list_add(struct number_list *list, uint32_t value)
{
	if (list->failed)
		return;
	if (list->count == list->capacity) {
		size_t capacity = list->capacity ? 2 * list->capacity : 1024;
		uint32_t *values = reallocarray(list->values, capacity, sizeof(*values));

		if (!values) {
			list->failed = true;
			return;
		}
		list->values = values;
		list->capacity = capacity;
	}
	list->values[list->count++] = value;
}

void number_list_clear(struct number_list *list)
{
	free(list->values);
	*list = (struct number_list){ 0 };
}

int free_runs_init(struct free_runs *runs, uint32_t node_count)
{
	/* One word more, always zero: each run ends within the words. */
	runs->words = calloc(node_count / WORD_BITS + 2, sizeof(*runs->words));
	runs->node_count = node_count;
	if (!runs->words)
		return -1;
	free_runs_give(runs, (struct gantt_range){ 0, node_count });
	return 0;
}

void free_runs_clear(struct free_runs *runs)
{
	free(runs->words);
	runs->words = NULL;
}

/* Bits from .. to - 1 of a word, at least one. */
static uint64_t bits(uint32_t from, uint32_t to)
{
	return (UINT64_MAX << from) & (UINT64_MAX >> (WORD_BITS - to));
}

/* The bits of word 'w' that lie in 'range'. */
static uint64_t range_bits(struct gantt_range range, uint32_t w)
{
	uint32_t end = range.first + range.count, base = w * WORD_BITS;

	return bits(range.first > base ? range.first - base : 0, end - base < WORD_BITS ? end - base : WORD_BITS);
}

static uint32_t word_first(struct gantt_range range)
{
	return range.first / WORD_BITS;
}

static uint32_t word_end(struct gantt_range range)
{
	return range.count ? (range.first + range.count - 1) / WORD_BITS + 1 : word_first(range);
}

void free_runs_take(struct free_runs *runs, struct gantt_range range)
{
	for (uint32_t w = word_first(range); w < word_end(range); w++)
		runs->words[w] &= ~range_bits(range, w);
}

void free_runs_give(struct free_runs *runs, struct gantt_range range)
{
	for (uint32_t w = word_first(range); w < word_end(range); w++)
		runs->words[w] |= range_bits(range, w);
}

static bool range_is_free(const struct free_runs *runs, struct gantt_range range)
{
	for (uint32_t w = word_first(range); w < word_end(range); w++)
		if (range_bits(range, w) & ~runs->words[w])
			return false;
	return true;
}

/* Where the run that holds 'node' ends. */
static uint32_t run_end(const struct free_runs *runs, uint32_t node)
{
	uint32_t w = node / WORD_BITS;
	uint64_t busy = ~runs->words[w] & (UINT64_MAX << node % WORD_BITS);

	/* The word behind the last node is always busy: no look at the end is needed. */
	while (!busy)
		busy = ~runs->words[++w];
	return w * WORD_BITS + (uint32_t) __builtin_ctzll(busy);
}

/* Where the run that holds 'node' begins, not before 'from'. */
static uint32_t run_begin(const struct free_runs *runs, uint32_t node, uint32_t from)
{
	uint32_t w = node / WORD_BITS, begin;
	uint64_t busy = ~runs->words[w] & ~(UINT64_MAX << node % WORD_BITS);

	while (!busy && w > from / WORD_BITS)
		busy = ~runs->words[--w];
	begin = busy ? w * WORD_BITS + WORD_BITS - (uint32_t) __builtin_clzll(busy) : 0;
	return begin > from ? begin : from;
}

/* How many runs begin in from .. to - 1, what of a run lies at 'from' counted as one. */
static uint32_t runs_between(const struct free_runs *runs, uint32_t from, uint32_t to)
{
	const struct gantt_range range = { from, to - from };
	uint64_t carry = 0;
	uint32_t count = 0;

	for (uint32_t w = word_first(range); w < word_end(range); w++) {
		uint64_t word = runs->words[w] & range_bits(range, w);

		/* A run begins where a bit is set and the one below it is not; the carry is the highest bit of the
		 * word before. */
		count += (uint32_t) __builtin_popcountll(word & ~(word << 1 | carry));
		carry = word >> (WORD_BITS - 1);
	}
	return count;
}

static void ranges_write_plain(const struct gantt_range *ranges, size_t count, struct number_list lists[FREE_RUNS_LISTS])
{
	uint32_t end = 0;

	number_list_add(&lists[FREE_RUNS_MODE], (uint32_t) count << 1 | 1);
	for (size_t i = 0; i < count; i++) {
		number_list_add(&lists[FREE_RUNS_GAP], ranges[i].first - end);
		number_list_add(&lists[FREE_RUNS_GAP_LENGTH], i + 1 < count ? ranges[i].count : 0);
		end = ranges[i].first + ranges[i].count;
	}
}

/* A node set is coded against what is free: "skip so many free runs, begin so far into one, take so many".
 * Schedulers take whole runs mostly, so that most numbers are 0 and deflate to nothing; the reader replays the same
 * jobs. */
struct token {
	uint32_t skip, offset, length;
};

/* 'last': the job lacks no more than this range. */
static struct token token_make(const struct free_runs *runs, struct gantt_range range, uint32_t from, bool last)
{
	uint32_t begin = run_begin(runs, range.first, from), end = range.first + range.count;

	return (struct token){ runs_between(runs, from, begin), range.first - begin,
			       last || end == run_end(runs, range.first) ? 0 : range.count };
}

static void tokens_write(const struct free_runs *runs, const struct gantt_range *ranges, size_t count,
			 struct number_list lists[FREE_RUNS_LISTS])
{
	size_t begin = lists[FREE_RUNS_SKIP].count, used = 0;
	uint32_t from = 0;

	for (size_t i = 0; i < count; i++) {
		struct token token = token_make(runs, ranges[i], from, i + 1 == count);

		number_list_add(&lists[FREE_RUNS_SKIP], token.skip);
		number_list_add(&lists[FREE_RUNS_OFFSET], token.offset);
		number_list_add(&lists[FREE_RUNS_LENGTH], token.length);
		if (token.skip || token.offset || token.length)
			used = i + 1;
		from = ranges[i].first + ranges[i].count;
	}
	number_list_add(&lists[FREE_RUNS_MODE], (uint32_t) used << 1);
	for (int list = FREE_RUNS_SKIP; list <= FREE_RUNS_LENGTH; list++)
		if (!lists[list].failed)
			lists[list].count = begin + used;
}

void free_runs_write(struct free_runs *runs, const struct gantt_range *ranges, size_t count, bool plain,
		     struct number_list lists[FREE_RUNS_LISTS])
{
	for (size_t i = 0; i < count && !plain; i++)
		plain = !range_is_free(runs, ranges[i]);
	if (plain)
		ranges_write_plain(ranges, count, lists);
	else
		tokens_write(runs, ranges, count, lists);
	for (size_t i = 0; i < count; i++)
		free_runs_take(runs, ranges[i]);
}
