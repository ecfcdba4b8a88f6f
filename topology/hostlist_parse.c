/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An element is read as pieces, each a literal and its bracket; then it is counted, and only when the count is within the
 * limit are its names made, the last bracket running fastest, as Slurm has it.  So a hostile "n[0-999999999]" costs
 * nothing. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/hostlist_private.h"

#define BRACKETS_MAX 8	/* in one name; Slurm documents two */

struct range {
	uint64_t first, last;
	int width;
};

/* A literal and the bracket behind it (the last piece of a name has none), and the number that the bracket shows now. */
struct piece {
	const char *literal;
	size_t literal_len;
	size_t range_first, range_count;
	uint64_t numbers;	/* how many its ranges hold */
	size_t range;
	uint64_t number;
};

struct hostlist_reader {
	const char *text, *at, *end;
	size_t max;
	struct range *ranges;
	size_t range_count, range_cap;
	struct piece pieces[BRACKETS_MAX + 1];
	size_t piece_count;
	struct wt_hostlist *hl;
	struct wt_error *errp;
};

static int fail(struct hostlist_reader *r, int errnum, const char *what)
{
	size_t len = r->end - r->text;

	return wt_error_set(r->errp, errnum, "host list '%.*s%s': %s at character %zu", (int) (len > 60 ? 60 : len),
			    r->text, len > 60 ? "..." : "", what, (size_t) (r->at - r->text) + 1);
}

static int number_read(struct hostlist_reader *r, uint64_t *value, int *width)
{
	const char *begin = r->at;

	*value = 0;
	while (r->at < r->end && isdigit((unsigned char) *r->at)) {
		if (r->at - begin == DIGITS_MAX)
			return fail(r, EINVAL, "a number has too many digits");
		*value = *value * 10 + (uint64_t) (*r->at++ - '0');
	}
	*width = (int) (r->at - begin);
	if (!*width)
		return fail(r, EINVAL, "a number is missing");
	return 0;
}

static struct range *range_add(struct hostlist_reader *r)
{
	if (r->range_count == r->range_cap) {
		size_t cap = r->range_cap ? 2 * r->range_cap : 16;
		struct range *ranges = realloc(r->ranges, cap * sizeof(*ranges));

		if (!ranges) {
			wt_error_errno(r->errp, ENOMEM, "host list");
			return NULL;
		}
		r->ranges = ranges;
		r->range_cap = cap;
	}
	return &r->ranges[r->range_count++];
}

static int range_read(struct hostlist_reader *r, struct piece *p)
{
	struct range *range = range_add(r);
	int width;

	if (!range || number_read(r, &range->first, &range->width) < 0)
		return -1;
	range->last = range->first;
	if (r->at < r->end && *r->at == '-') {
		r->at++;
		if (number_read(r, &range->last, &width) < 0)
			return -1;
		if (range->last < range->first)
			return fail(r, EINVAL, "a range runs backwards");
	}
	p->range_count++;
	p->numbers += range->last - range->first + 1;
	/* Also keeps the sum far from its overflow: each range adds less than 10^DIGITS_MAX. */
	if (p->numbers > r->max)
		return fail(r, E2BIG, "too many names");
	return 0;
}

/* r->at stands behind the '['. */
static int bracket_read(struct hostlist_reader *r, struct piece *p)
{
	p->range_first = r->range_count;
	do {
		if (range_read(r, p) < 0)
			return -1;
		if (r->at == r->end)
			return fail(r, EINVAL, "']' is missing");
	} while (*r->at == ',' && r->at++);
	if (*r->at != ']')
		return fail(r, EINVAL, "something other than numbers, '-' and ',' in brackets");
	r->at++;
	return 0;
}

/* One name with its brackets, up to a comma or the end. */
static int element_read(struct hostlist_reader *r)
{
	struct piece *p;

	r->piece_count = r->range_count = 0;
	for (;;) {
		if (r->piece_count == BRACKETS_MAX + 1)
			return fail(r, EINVAL, "too many brackets in one name");
		p = &r->pieces[r->piece_count++];
		memset(p, 0, sizeof(*p));
		p->literal = r->at;
		while (r->at < r->end && hostlist_name_char(*r->at))
			r->at++;
		p->literal_len = r->at - p->literal;
		if (r->at == r->end || *r->at != '[')
			break;
		r->at++;
		if (bracket_read(r, p) < 0)
			return -1;
	}
	if (r->at < r->end && *r->at != ',')
		return fail(r, EINVAL, "a character that no name may have");
	if (r->piece_count == 1 && !p->literal_len)
		return fail(r, EINVAL, "a name is missing");
	return 0;
}

/* How many names the element stands for, checked before any is made. */
static int element_check(struct hostlist_reader *r)
{
	uint64_t total = 1;

	for (size_t i = 0; i < r->piece_count; i++) {
		if (r->pieces[i].range_count && __builtin_mul_overflow(total, r->pieces[i].numbers, &total))
			return fail(r, E2BIG, "too many names");
		if (total > r->max - r->hl->count)
			return fail(r, E2BIG, "too many names");
	}
	return 0;
}

static void piece_rewind(struct hostlist_reader *r, struct piece *p)
{
	p->range = p->range_first;
	if (p->range_count)
		p->number = r->ranges[p->range].first;
}

/* The next number of the piece's bracket; 0 and back at the first when there is none. */
static int piece_advance(struct hostlist_reader *r, struct piece *p)
{
	if (p->range_count && p->number < r->ranges[p->range].last) {
		p->number++;
		return 1;
	}
	if (p->range_count && p->range + 1 < p->range_first + p->range_count) {
		p->number = r->ranges[++p->range].first;
		return 1;
	}
	piece_rewind(r, p);
	return 0;
}

static int name_make(struct hostlist_reader *r)
{
	char name[WT_HOSTLIST_NAME_MAX + DIGITS_MAX + 1];
	size_t used = 0;

	for (size_t i = 0; i < r->piece_count; i++) {
		const struct piece *p = &r->pieces[i];

		if (p->literal_len > WT_HOSTLIST_NAME_MAX - used)
			return fail(r, EINVAL, "a name of more than 255 characters");
		memcpy(name + used, p->literal, p->literal_len);
		used += p->literal_len;
		if (p->range_count)
			used += snprintf(name + used, sizeof(name) - used, "%0*llu", r->ranges[p->range].width,
					 (unsigned long long) p->number);
		if (used > WT_HOSTLIST_NAME_MAX)
			return fail(r, EINVAL, "a name of more than 255 characters");
	}
	return hostlist_append(r->hl, name, used, r->errp);
}

static int element_expand(struct hostlist_reader *r)
{
	size_t i;

	for (i = 0; i < r->piece_count; i++)
		piece_rewind(r, &r->pieces[i]);
	do {
		if (name_make(r) < 0)
			return -1;
		for (i = r->piece_count; i > 0; i--)
			if (piece_advance(r, &r->pieces[i - 1]))
				break;
	} while (i > 0);
	return 0;
}

static int list_read(struct hostlist_reader *r)
{
	for (;;) {
		if (element_read(r) < 0 || element_check(r) < 0 || element_expand(r) < 0)
			return -1;
		if (r->at == r->end)
			return 0;
		r->at++;	/* the comma */
	}
}

struct wt_hostlist *wt_hostlist_parse(const char *text, size_t len, size_t max, struct wt_error *errp)
{
	struct hostlist_reader r = { .text = text, .at = text, .end = text ? text + len : NULL, .max = max, .errp = errp };
	int rc;

	if (!text || !len) {
		wt_error_set(errp, EINVAL, "a host list is empty");
		return NULL;
	}
	r.hl = calloc(1, sizeof(*r.hl));
	if (!r.hl) {
		wt_error_errno(errp, ENOMEM, "host list");
		return NULL;
	}
	rc = list_read(&r);
	free(r.ranges);
	if (rc < 0) {
		wt_hostlist_destroy(r.hl);
		return NULL;
	}
	return r.hl;
}
