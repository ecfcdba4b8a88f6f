/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "harness/provision/waits_for.h"

/* "KIND:ID" or "KIND:ID(STATE)", from *at on to its end.  false: something else. */
static bool condition_read(const char **at, bool *any_end, uint32_t *job_id)
{
	static const char ok[] = "afterok:", any[] = "afterany:";
	uint64_t id = 0;

	*any_end = !strncmp(*at, any, sizeof(any) - 1);
	if (!*any_end && strncmp(*at, ok, sizeof(ok) - 1))
		return false;
	*at += *any_end ? sizeof(any) - 1 : sizeof(ok) - 1;
	for (; **at >= '0' && **at <= '9' && id <= UINT32_MAX; (*at)++)
		id = id * 10 + (uint64_t) (**at - '0');
	if (!id || id > UINT32_MAX)
		return false;
	*job_id = (uint32_t) id;
	if (**at == '(') {
		*at += strcspn(*at, "),?");
		if (*(*at)++ != ')')
			return false;
	}
	return true;
}

static enum waits_for condition_look(bool any_end, enum waits_end end)
{
	if (end == WAITS_END_UNKNOWN)
		return WAITS_FOR_SLURMCTLD;
	return end == WAITS_END_COMPLETE || (end == WAITS_END_OTHER && any_end) ? WAITS_FOR_NOTHING : WAITS_FOR_AN_END;
}

enum waits_for waits_for(const char *text, waits_end_fn end_of, void *arg)
{
	enum waits_for all = WAITS_FOR_NOTHING;

	if (!text || !*text)
		return all;
	for (const char *at = text;; at++) {
		enum waits_for one;
		uint32_t job_id;
		bool any_end;

		if (!condition_read(&at, &any_end, &job_id) || (*at && *at != ','))
			return WAITS_FOR_SLURMCTLD;
		one = condition_look(any_end, end_of(arg, job_id));
		if (one > all)
			all = one;
		if (!*at)
			return all;
	}
}
