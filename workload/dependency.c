/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/str.h"
#include "workload/dependency.h"

#define MINUTES_MAX 35791394	/* slurmctld counts their seconds in an int */

struct dependency_map {
	const char *text;
	wt_dependency_fn fn;
	void *arg;
	struct wt_str out;
	char mark;		/* between conditions: ',' all, '?' any; 0: there is one until now */
	double time_scale;	/* multiplies the minutes of "after" */
	size_t rounded;
};

static bool kind_known(const char *word, size_t len)
{
	static const char *const kinds[] = {
		"after", "afterany", "afterok", "afternotok", "aftercorr", "afterburstbuffer",
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strlen(kinds[i]) == len && !memcmp(word, kinds[i], len))
			return true;
	return false;
}

static int refuse(const struct dependency_map *m, struct wt_error *errp)
{
	return wt_error_set(errp, EINVAL, "dependency '%s': give KIND:ID[:ID...], joined by commas or by '?', where KIND is "
			    "after, afterany, afterok, afternotok, aftercorr or afterburstbuffer, or singleton; only "
			    "after's ID may be ID+MINUTES, from 1 to %d", m->text, MINUTES_MAX);
}

/* Only "after" takes minutes, as "+5".  0: there are none, or none that slurmctld can count. */
static size_t minutes_length(const char *at, bool may)
{
	size_t len = may && *at == '+' ? strspn(at + 1, "0123456789") : 0;
	unsigned long minutes = len ? strtoul(at + 1, NULL, 10) : 0;	/* too many for it: its greatest number */

	return minutes > 0 && minutes <= MINUTES_MAX ? len + 1 : 0;
}

static void condition_begin(struct dependency_map *m, const char *kind, size_t len)
{
	if (m->out.len)
		wt_str_printf(&m->out, "%c", m->mark);
	wt_str_add_bytes(&m->out, kind, len);
}

/* slurmctld takes whole minutes only, and "+0" would not be a delay of its own: the nearest from 1 on stands for them. */
static void minutes_add(struct dependency_map *m, const char *at, size_t len)
{
	double exact = len ? (double) strtoul(at + 1, NULL, 10) * m->time_scale : 0;
	double whole = fmin(fmax(round(exact), 1), MINUTES_MAX);

	if (!len)
		return;
	m->rounded += fabs(whole - exact) > 1e-9 * exact;
	wt_str_printf(&m->out, "+%.0f", whole);
}

/* The ids of one condition; what stands behind them, or NULL. */
static const char *ids_map(struct dependency_map *m, const char *kind, size_t kind_len, const char *at)
{
	bool begun = false;

	while (*at == ':') {
		size_t len = strcspn(++at, ":,?+"), minutes = minutes_length(at + len, kind_len == strlen("after"));
		const char *id = len ? m->fn(at, len, m->arg) : NULL;

		if (!len)
			return NULL;
		if (id) {
			if (!begun)
				condition_begin(m, kind, kind_len);
			begun = true;
			wt_str_printf(&m->out, ":%s", id);
			minutes_add(m, at + len, minutes);
		}
		at += len + minutes;
	}
	return at;
}

static const char *condition_map(struct dependency_map *m, const char *at)
{
	size_t len = strcspn(at, ":,?");

	if (len == strlen("singleton") && !memcmp(at, "singleton", len) && at[len] != ':') {
		condition_begin(m, at, len);
		return at + len;
	}
	return at[len] == ':' && kind_known(at, len) ? ids_map(m, at, len, at + len) : NULL;
}

static char *text_map(struct dependency_map *m, struct wt_error *errp)
{
	const char *at = m->text;
	char *out;

	for (;;) {
		at = condition_map(m, at);
		if (at && !*at)
			break;
		/* slurmctld takes "all of" or "any of", but no mixture: the first mark is that of the whole text. */
		if (!at || (m->mark && *at != m->mark) || (*at != ',' && *at != '?')) {
			wt_str_clear(&m->out);
			refuse(m, errp);
			return NULL;
		}
		m->mark = *at++;
	}
	out = wt_str_take(&m->out);
	if (!out)
		wt_error_errno(errp, ENOMEM, "dependency");
	return out;
}

char *wt_dependency_map(const char *text, wt_dependency_fn fn, void *arg, struct wt_error *errp)
{
	struct dependency_map m = { .text = text, .fn = fn, .arg = arg, .time_scale = 1 };

	return text_map(&m, errp);
}

struct dependency_look {
	const json_t *ids;
	char *id;		/* the one that was found last: what is told of it is copied before the next */
	size_t *cut;
};

static const char *id_within(const char *id, size_t len, void *arg)
{
	struct dependency_look *look = arg;

	free(look->id);
	look->id = strndup(id, len);
	if (look->id && json_object_get(look->ids, look->id))
		return look->id;
	++*look->cut;
	return NULL;
}

char *wt_dependency_cut(const char *text, const json_t *ids, double time_scale, size_t *cut, size_t *rounded,
			struct wt_error *errp)
{
	struct dependency_look look = { .ids = ids, .cut = cut };
	struct dependency_map m = { .text = text, .fn = id_within, .arg = &look, .time_scale = time_scale };
	char *within = text_map(&m, errp);

	free(look.id);
	*rounded += m.rounded;
	return within;
}

char *wt_dependency_within(const char *text, const json_t *ids, size_t *cut, struct wt_error *errp)
{
	size_t rounded = 0;

	return wt_dependency_cut(text, ids, 1, cut, &rounded, errp);
}
