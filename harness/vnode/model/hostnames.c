/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "harness/vnode/model/hostnames.h"

#define MAX_DIGITS 9	/* more than any node count; the sum fits easily */

static int bad(void)
{
	errno = EINVAL;
	return -1;
}

/* Digits at names->text, which moves behind them; returns how many, 0 when there are none or too many. */
static int number_take(struct wt_hostnames *names, uint64_t *number)
{
	int digits = 0;

	for (*number = 0; *names->text >= '0' && *names->text <= '9' && digits <= MAX_DIGITS; names->text++, digits++)
		*number = *number * 10 + (uint64_t) (*names->text - '0');
	return digits <= MAX_DIGITS ? digits : 0;
}

static int range_take(struct wt_hostnames *names)
{
	names->width = number_take(names, &names->next);
	if (!names->width)
		return bad();
	names->last = names->next;
	if (*names->text == '-') {
		names->text++;
		if (!number_take(names, &names->last) || names->last < names->next)
			return bad();
	}
	if (*names->text == ',')
		names->text++;
	else if (*names->text != ']')
		return bad();
	return 0;
}

static int bracket_next(struct wt_hostnames *names)
{
	size_t room = sizeof(names->name) - names->prefix_len;
	/* With as many digits as the first of the range has: n[08-11] names n08. */
	int len = snprintf(names->name + names->prefix_len, room, "%0*" PRIu64, names->width, names->next);

	if (len < 0 || (size_t) len >= room)
		return bad();
	if (names->next++ < names->last)
		return 1;
	if (*names->text != ']')
		return range_take(names) < 0 ? -1 : 1;
	names->text++;
	names->in_bracket = false;
	if (*names->text == ',')
		names->text++;
	else if (*names->text)
		return bad();
	return 1;
}

int wt_hostnames_next(struct wt_hostnames *names)
{
	size_t len;

	if (names->in_bracket)
		return bracket_next(names);
	if (!names->text || !*names->text)
		return 0;
	len = strcspn(names->text, ",[] \t");
	if (!len || len > WT_HOSTNAME_MAX)
		return bad();
	memcpy(names->name, names->text, len);
	names->name[len] = '\0';
	names->text += len;
	if (*names->text == '[') {
		names->text++;
		names->prefix_len = len;
		names->in_bracket = true;
		return range_take(names) < 0 ? -1 : bracket_next(names);
	}
	if (*names->text == ',')
		names->text++;
	else if (*names->text)
		return bad();
	return 1;
}
