/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "harness/page/gantt_columns.h"

#define DIGITS_MAX 9

struct prefix {
	uint32_t index, last; /* the number of the job before that had this prefix */
	size_t len;
	const char *text; /* of 'len' bytes, not terminated; the input's */
};

struct names {
	void *tree; /* struct prefix by text */
	uint32_t prefix_count;
	struct wt_str texts;
	struct number_list prefixes, numbers;
	struct wt_error *errp;
};

static int prefix_compare(const void *a, const void *b)
{
	const struct prefix *x = a, *y = b;

	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return x->len ? memcmp(x->text, y->text, x->len) : 0;
}

/* NULL: no memory. */
static struct prefix *prefix_find(struct names *names, const char *text, size_t len)
{
	struct prefix key = { .text = text, .len = len }, **found = tfind(&key, &names->tree, prefix_compare), *prefix;

	if (found)
		return *found;
	prefix = malloc(sizeof(*prefix));
	if (!prefix)
		return NULL;
	*prefix = key;
	prefix->index = names->prefix_count;
	if (!tsearch(prefix, &names->tree, prefix_compare)) {
		free(prefix);
		return NULL;
	}
	names->prefix_count++;
	wt_str_add_bytes(&names->texts, text, len);
	wt_str_add_bytes(&names->texts, "", 1);
	return prefix;
}

/* Digits at the end that a number gives again: none in front that are zero. */
static size_t digits_count(const char *text, size_t len)
{
	size_t digits = 0;

	while (digits < len && digits < DIGITS_MAX && text[len - digits - 1] >= '0' && text[len - digits - 1] <= '9')
		digits++;
	while (digits > 1 && text[len - digits] == '0')
		digits--;
	return digits;
}

/* A cut must not fall into a character: back to its first byte. */
static size_t name_len(const char *name, size_t *cut)
{
	size_t len = strlen(name);

	if (len <= GANTT_NAME_MAX)
		return len;
	++*cut;
	for (len = GANTT_NAME_MAX; len && ((unsigned char) name[len] & 0xC0) == 0x80; len--)
		;
	return len;
}

/* "light-esp.A.17" is a prefix, known after its first use, and a number, told as the difference from that prefix's
 * last one: names mostly count upwards. */
static int name_add(struct names *names, const char *name, size_t *cut)
{
	size_t len = name_len(name, cut), digits = digits_count(name, len);
	struct prefix *prefix = prefix_find(names, name, len - digits);
	uint32_t number = 0;

	if (!prefix)
		return -1;
	number_list_add(&names->prefixes, 2 * prefix->index + (digits > 0));
	if (!digits)
		return 0;
	for (size_t i = len - digits; i < len; i++)
		number = 10 * number + (uint32_t) (name[i] - '0');
	number_list_add(&names->numbers, number_fold(number - prefix->last));
	prefix->last = number;
	return 0;
}

static int names_pack(struct names *names, struct gantt_pack *pack)
{
	if (names->texts.failed || names->prefixes.failed || names->numbers.failed)
		return -1;
	gantt_pack_column(pack, "name_prefix", names->prefixes.values, names->prefixes.count);
	gantt_pack_column(pack, "name_number", names->numbers.values, names->numbers.count);
	gantt_pack_text(pack, "prefixes", names->texts.text, names->texts.len);
	return 0;
}

int gantt_names_pack(const struct gantt_columns *c, struct gantt_pack *pack, struct wt_error *errp)
{
	struct names names = { .errp = errp };
	size_t i = 0, count = c->loss->names_left_out ? 0 : c->input->job_count;
	size_t before = gantt_pack_size(pack);
	int rc = 0;

	c->loss->names_cut = 0;
	for (; i < count && rc == 0; i++)
		rc = name_add(&names, gantt_job_at(c, i)->name ? gantt_job_at(c, i)->name : "", &c->loss->names_cut);
	if (rc == 0)
		rc = names_pack(&names, pack);
	c->loss->names_bytes = gantt_pack_size(pack) - before;
	tdestroy(names.tree, free);
	wt_str_clear(&names.texts);
	number_list_clear(&names.prefixes);
	number_list_clear(&names.numbers);
	return rc == 0 ? 0 : wt_error_set(errp, ENOMEM, "not enough memory for the names of the page's jobs");
}
