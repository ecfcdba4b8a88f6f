/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/str.h"
#include "workload/world.h"

#define SECONDS_MAX 1e10

#define BIT(which) (1u << (which))
#define WHO (BIT(WT_WORLD_USERS) | BIT(WT_WORLD_ACCOUNTS))
#define RESERVATION (WHO | BIT(WT_WORLD_NODES) | BIT(WT_WORLD_PARTITION) | BIT(WT_WORLD_FLAGS))

/* Texts that an event needs, and others that it may have. */
static const struct {
	const char *name;
	unsigned int needs, may;
	bool lasts;
} kinds[WT_WORLD_KINDS] = {
	[WT_WORLD_DOWN] = { "down", BIT(WT_WORLD_NODES), BIT(WT_WORLD_REASON), false },
	[WT_WORLD_DRAIN] = { "drain", BIT(WT_WORLD_NODES), BIT(WT_WORLD_REASON), false },
	[WT_WORLD_RESUME] = { "resume", BIT(WT_WORLD_NODES), 0, false },
	[WT_WORLD_RESERVE] = { "reserve", BIT(WT_WORLD_NAME), RESERVATION, true },
	[WT_WORLD_UNRESERVE] = { "unreserve", BIT(WT_WORLD_NAME), 0, false },
};
static const char *const text_keys[WT_WORLD_TEXTS] = {
	[WT_WORLD_NODES] = "nodes", [WT_WORLD_REASON] = "reason", [WT_WORLD_NAME] = "name", [WT_WORLD_USERS] = "users",
	[WT_WORLD_ACCOUNTS] = "accounts", [WT_WORLD_PARTITION] = "partition", [WT_WORLD_FLAGS] = "flags",
};
static const char *const flags[WT_WORLD_FLAG_COUNT] = {
	[WT_WORLD_MAINT] = "maint", [WT_WORLD_IGNORE_JOBS] = "ignore_jobs", [WT_WORLD_OVERLAP] = "overlap",
	[WT_WORLD_FLEX] = "flex", [WT_WORLD_MAGNETIC] = "magnetic", [WT_WORLD_STATIC_ALLOC] = "static_alloc",
	[WT_WORLD_NO_HOLD_JOBS] = "no_hold_jobs",
};

const char *wt_world_kind_name(enum wt_world_kind kind)
{
	return kinds[kind].name;
}

static double end_of(const struct wt_world_event *event)
{
	return event->at_s + event->start_after_s + event->duration_s;
}

static void event_clear(struct wt_world_event *event)
{
	for (size_t i = 0; i < WT_WORLD_TEXTS; i++)
		free(event->text[i]);
}

void wt_world_clear(struct wt_world *world)
{
	int saved_errno = errno;

	for (size_t i = 0; i < world->count; i++)
		event_clear(&world->events[i]);
	free(world->events);
	memset(world, 0, sizeof(*world));
	errno = saved_errno;
}

/* ---- reading ---- */

static int kind_take(struct wt_world_event *event, const json_t *value, struct wt_error *errp)
{
	const char *text = json_string_value(value);

	for (int i = 0; text && i < WT_WORLD_KINDS; i++)
		if (!strcmp(text, kinds[i].name)) {
			event->kind = (enum wt_world_kind) i;
			return 0;
		}
	return wt_error_set(errp, EINVAL, "event is none of down, drain, resume, reserve, unreserve");
}

static int seconds_take(const char *key, const json_t *value, double min, double *seconds, struct wt_error *errp)
{
	double number = json_number_value(value);

	if (!json_is_number(value) || !(number >= min && number <= SECONDS_MAX))
		return wt_error_set(errp, EINVAL, "%s is not a number from %g to %g", key, min, SECONDS_MAX);
	*seconds = number > 0 ? number : 0;	/* not -0 */
	return 0;
}

int wt_world_flag_parse(const char *text, size_t len, enum wt_world_flag *flag)
{
	for (int i = 0; i < WT_WORLD_FLAG_COUNT; i++)
		if (strlen(flags[i]) == len && !strncasecmp(flags[i], text, len)) {
			*flag = (enum wt_world_flag) i;
			return 0;
		}
	errno = EINVAL;
	return -1;
}

const char *wt_world_flag_name(enum wt_world_flag flag)
{
	return flags[flag];
}

static int flags_check(const char *text, struct wt_error *errp)
{
	for (size_t len; *text; text += len + (text[len] == ',')) {
		enum wt_world_flag flag;

		len = strcspn(text, ",");
		if (wt_world_flag_parse(text, len, &flag) < 0)
			return wt_error_set(errp, EINVAL, "flags are of maint, ignore_jobs, overlap, flex, magnetic, "
							  "static_alloc, no_hold_jobs");
	}
	return 0;
}

static int text_take(struct wt_world_event *event, size_t which, const json_t *value, struct wt_error *errp)
{
	const char *text = json_string_value(value);

	if (!text || !*text || strlen(text) > WT_WORLD_TEXT_MAX)
		return wt_error_set(errp, EINVAL, "%s is not a text of 1 to %d bytes", text_keys[which], WT_WORLD_TEXT_MAX);
	if (wt_str_has_controls(text))
		return wt_error_set(errp, EINVAL, "%s has control characters", text_keys[which]);
	if (which != WT_WORLD_REASON && strpbrk(text, " \""))
		return wt_error_set(errp, EINVAL, "%s has blanks or quotation marks", text_keys[which]);
	if (which == WT_WORLD_FLAGS && flags_check(text, errp) < 0)
		return -1;
	event->text[which] = strdup(text);
	return event->text[which] ? 0 : wt_error_errno(errp, ENOMEM, "event");
}

static int count_take(struct wt_world_event *event, const json_t *value, struct wt_error *errp)
{
	json_int_t number = json_integer_value(value);

	if (!json_is_integer(value) || number < 1 || number > WT_WORLD_NODES_MAX)
		return wt_error_set(errp, EINVAL, "count is not a whole number from 1 to %d", WT_WORLD_NODES_MAX);
	event->count = (uint32_t) number;
	return 0;
}

static int key_take(struct wt_world_event *event, const char *key, const json_t *value, struct wt_error *errp)
{
	char *line;

	if (!strcmp(key, "event"))
		return kind_take(event, value, errp);
	if (!strcmp(key, "at_s"))
		return seconds_take(key, value, 0, &event->at_s, errp);
	if (!strcmp(key, "start_after_s"))
		return seconds_take(key, value, 0, &event->start_after_s, errp);
	if (!strcmp(key, "duration_s"))
		return seconds_take(key, value, 1, &event->duration_s, errp);
	if (!strcmp(key, "count"))
		return count_take(event, value, errp);
	if (!strcmp(key, "note"))
		return 0;
	for (size_t i = 0; i < WT_WORLD_TEXTS; i++)
		if (!strcmp(key, text_keys[i]))
			return text_take(event, i, value, errp);
	line = wt_str_make_line(key, 64);
	wt_error_set(errp, EINVAL, "'%s' is not a key of an event: windtunnel-jobs(5) has them all", line ? line : "");
	free(line);
	errno = EINVAL;
	return -1;
}

static int texts_check(const struct wt_world_event *event, struct wt_error *errp)
{
	const char *name = kinds[event->kind].name;

	for (size_t i = 0; i < WT_WORLD_TEXTS; i++) {
		if (kinds[event->kind].needs & BIT(i) && !event->text[i])
			return wt_error_set(errp, EINVAL, "event \"%s\" needs %s", name, text_keys[i]);
		if (event->text[i] && !((kinds[event->kind].needs | kinds[event->kind].may) & BIT(i)))
			return wt_error_set(errp, EINVAL, "event \"%s\" has no %s", name, text_keys[i]);
	}
	return 0;
}

static int times_check(struct wt_world_event *event, struct wt_error *errp)
{
	const char *name = kinds[event->kind].name;

	if (isnan(event->at_s))
		return wt_error_set(errp, EINVAL, "an event has at_s");
	if (kinds[event->kind].lasts && isnan(event->duration_s))
		return wt_error_set(errp, EINVAL, "event \"%s\" needs duration_s", name);
	if (!kinds[event->kind].lasts && !(isnan(event->duration_s) && isnan(event->start_after_s)))
		return wt_error_set(errp, EINVAL, "event \"%s\" has neither start_after_s nor duration_s", name);
	event->start_after_s = isnan(event->start_after_s) ? 0 : event->start_after_s;
	event->duration_s = isnan(event->duration_s) ? 0 : event->duration_s;
	return 0;
}

static int event_check(struct wt_world_event *event, struct wt_error *errp)
{
	bool reserves = event->kind == WT_WORLD_RESERVE;

	if (texts_check(event, errp) < 0 || times_check(event, errp) < 0)
		return -1;
	if (reserves && !event->text[WT_WORLD_NODES] == !event->count)
		return wt_error_set(errp, EINVAL, "event \"reserve\" needs nodes or a count, one of them");
	if (!reserves && event->count)
		return wt_error_set(errp, EINVAL, "event \"%s\" has no count", kinds[event->kind].name);
	if (reserves && !event->text[WT_WORLD_USERS] && !event->text[WT_WORLD_ACCOUNTS])
		return wt_error_set(errp, EINVAL, "event \"reserve\" needs users or accounts");
	return 0;
}

static int event_keep(struct wt_world *world, const struct wt_world_event *event, struct wt_error *errp)
{
	struct wt_world_event *events;

	if (world->count >= WT_WORLD_MAX)
		return wt_error_set(errp, EFBIG, "more than %d events", WT_WORLD_MAX);
	/* In steps of powers of two. */
	if ((world->count & (world->count - 1)) == 0) {
		events = reallocarray(world->events, world->count ? world->count * 2 : 1, sizeof(*events));
		if (!events)
			return wt_error_errno(errp, ENOMEM, "event");
		world->events = events;
	}
	world->events[world->count++] = *event;
	return 0;
}

int wt_world_take(struct wt_world *world, json_t *object, size_t line, struct wt_error *errp)
{
	struct wt_world_event event = { .at_s = NAN, .start_after_s = NAN, .duration_s = NAN, .line = line };
	const char *key;
	json_t *value;
	int rc = 0;

	json_object_foreach(object, key, value) {
		rc = key_take(&event, key, value, errp);
		if (rc < 0)
			break;
	}
	if (rc == 0)
		rc = event_check(&event, errp);
	if (rc == 0)
		rc = event_keep(world, &event, errp);
	if (rc < 0) {
		int saved_errno = errno;

		event_clear(&event);
		errno = saved_errno;
	}
	return rc;
}

static int earlier(const void *a, const void *b)
{
	const struct wt_world_event *first = a, *second = b;

	if (first->at_s < second->at_s || first->at_s > second->at_s)
		return first->at_s < second->at_s ? -1 : 1;
	return (first->line > second->line) - (first->line < second->line);
}

void wt_world_sort(struct wt_world *world)
{
	if (world->count)
		qsort(world->events, world->count, sizeof(*world->events), earlier);
}

/* What 'names' has for a reservation that still goes on; NULL: there is none. */
static json_t *going_on(json_t *names, const struct wt_world_event *event)
{
	json_t *before = json_object_get(names, event->text[WT_WORLD_NAME]);

	return before && json_real_value(json_array_get(before, 0)) > event->at_s ? before : NULL;
}

static int reservation_check(json_t *names, const struct wt_world_event *event, struct wt_error *errp)
{
	const char *name = event->text[WT_WORLD_NAME];
	json_t *before = going_on(names, event);

	if (event->kind == WT_WORLD_UNRESERVE) {
		if (!before)
			return wt_error_set(errp, EINVAL, "there is no reservation %.100s at that time", name);
		json_object_del(names, name);
		return 0;
	}
	if (before)
		return wt_error_set(errp, EINVAL, "reservation %.100s is there already, from line %" JSON_INTEGER_FORMAT,
				    name, json_integer_value(json_array_get(before, 1)));
	return json_object_set_new(names, name, json_pack("[f, I]", end_of(event), (json_int_t) event->line)) < 0 ?
	       wt_error_errno(errp, ENOMEM, "events") : 0;
}

int wt_world_check(const struct wt_world *world, const char *file, struct wt_error *errp)
{
	json_t *names = json_object();
	int rc = names ? 0 : wt_error_errno(errp, ENOMEM, "%s", file);

	for (size_t i = 0; rc == 0 && i < world->count; i++) {
		const struct wt_world_event *event = &world->events[i];

		if (event->text[WT_WORLD_NAME] && reservation_check(names, event, errp) < 0)
			rc = wt_error_prefix(errp, "%s:%zu", file, event->line);
	}
	json_decref(names);
	return rc;
}

/* ---- writing, and parts ---- */

static json_t *seconds(double value)
{
	return value == floor(value) ? json_integer((json_int_t) value) : json_real(value);
}

json_t *wt_world_tell(const struct wt_world_event *event)
{
	json_t *object = json_pack("{s:s, s:o}", "event", kinds[event->kind].name, "at_s", seconds(event->at_s));
	int rc = object ? 0 : -1;

	if (rc == 0 && event->start_after_s > 0)
		rc |= json_object_set_new(object, "start_after_s", seconds(event->start_after_s));
	if (rc == 0 && kinds[event->kind].lasts)
		rc |= json_object_set_new(object, "duration_s", seconds(event->duration_s));
	if (rc == 0 && event->count)
		rc |= json_object_set_new(object, "count", json_integer(event->count));
	for (size_t i = 0; rc == 0 && i < WT_WORLD_TEXTS; i++)
		if (event->text[i])
			rc |= json_object_set_new(object, text_keys[i], json_string(event->text[i]));
	if (rc == 0)
		return object;
	json_decref(object);
	return NULL;
}

/* What is over before the cut's beginning: reservations, and what deletes them.  From the last back, so that each of them
 * finds what deletes it; those that go are marked by at_s. */
static int over_mark(struct wt_world *world, double from_s)
{
	json_t *deleted = json_object();
	int rc = deleted ? 0 : -1;

	for (size_t i = world->count; rc == 0 && i-- > 0;) {
		struct wt_world_event *event = &world->events[i];
		const char *name = event->text[WT_WORLD_NAME];

		if (!name || event->at_s >= from_s)
			continue;
		if (event->kind == WT_WORLD_UNRESERVE) {
			rc = json_object_set_new(deleted, name, json_true());
			event->at_s = NAN;
		} else if (json_object_del(deleted, name) == 0 || end_of(event) <= from_s) {
			event->at_s = NAN;
		}
	}
	json_decref(deleted);
	return rc;
}

int wt_world_cut(struct wt_world *world, double from_s, double until_s, struct wt_error *errp)
{
	size_t kept = 0;

	if (over_mark(world, from_s) < 0)
		return wt_error_errno(errp, ENOMEM, "events");
	for (size_t i = 0; i < world->count; i++) {
		struct wt_world_event event = world->events[i];

		if (!(event.at_s < until_s)) {
			event_clear(&event);
			continue;
		}
		if (event.at_s < from_s && kinds[event.kind].lasts) {
			double end_s = end_of(&event), start_s = fmax(event.at_s + event.start_after_s, from_s);

			event.start_after_s = start_s - from_s;
			event.duration_s = end_s - start_s;
		}
		event.at_s = fmax(event.at_s, from_s);
		world->events[kept++] = event;
	}
	world->count = kept;
	return 0;
}

int wt_world_copy(struct wt_world *to, const struct wt_world *from, double first_s, double stretch, struct wt_error *errp)
{
	memset(to, 0, sizeof(*to));
	to->events = from->count ? calloc(from->count, sizeof(*to->events)) : NULL;
	if (from->count && !to->events)
		return wt_error_errno(errp, ENOMEM, "events");
	for (; to->count < from->count; to->count++) {
		const struct wt_world_event *f = &from->events[to->count];
		struct wt_world_event *t = &to->events[to->count];

		*t = (struct wt_world_event) {
			.kind = f->kind, .line = f->line, .count = f->count, .at_s = (f->at_s - first_s) * stretch,
			.start_after_s = f->start_after_s * stretch, .duration_s = f->duration_s * stretch,
		};
		for (size_t i = 0; i < WT_WORLD_TEXTS; i++) {
			t->text[i] = f->text[i] ? strdup(f->text[i]) : NULL;
			if (f->text[i] && !t->text[i]) {
				to->count++;	/* what it has is freed */
				wt_world_clear(to);
				return wt_error_errno(errp, ENOMEM, "events");
			}
		}
	}
	return 0;
}

double wt_world_end_s(const struct wt_world *world)
{
	double end_s = 0;

	for (size_t i = 0; i < world->count; i++)
		end_s = fmax(end_s, end_of(&world->events[i]));
	return end_s;
}
