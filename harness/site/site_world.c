/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/site/reasons.h"
#include "harness/site/site_world.h"
#include "lib/str.h"
#include "topology/hostlist.h"

#define COLUMNS_MAX 64
#define TIME_MAX UINT64_C(10000000000)

/* A node, while it was down or drained. */
struct node_period {
	char *node, *reason;		/* reason NULL: none */
	double start_s, end_s;		/* INFINITY: it had not ended */
	enum wt_world_kind kind;
};

int wt_site_world_init(struct wt_site_world *w, struct wt_error *errp)
{
	w->left_out = json_object();
	w->assumed = json_object();
	w->names = json_object();
	return w->left_out && w->assumed && w->names ? 0 : wt_error_errno(errp, ENOMEM, "events");
}

void wt_site_world_clear(struct wt_site_world *w)
{
	int saved_errno = errno;

	for (size_t i = 0; i < w->period_count; i++) {
		free(w->periods[i].node);
		free(w->periods[i].reason);
	}
	free(w->periods);
	wt_world_clear(&w->world);
	json_decref(w->left_out);
	json_decref(w->assumed);
	json_decref(w->names);
	memset(w, 0, sizeof(*w));
	errno = saved_errno;
}

/* Foreign bytes, as UTF-8: JSON has nothing else. */
static char *text_copy(const char *text)
{
	char *copy = strdup(text);

	if (copy)
		wt_str_make_utf8(copy);
	return copy;
}

static int left_out(struct wt_site_world *w, const char *why, struct wt_error *errp)
{
	return wt_reason_count(w->left_out, why, errp);
}

/* Seconds since the epoch; "Unknown", "None" and "" are 'otherwise'.  -1: another text. */
static int time_read(const char *text, double otherwise, double *time_s)
{
	uint64_t number;

	if (!*text || !strcmp(text, "Unknown") || !strcmp(text, "None") || !strcmp(text, "0")) {
		*time_s = otherwise;
		return 0;
	}
	if (wt_str_to_u64(text, 1, TIME_MAX, "time", &number, NULL) < 0)
		return -1;
	*time_s = (double) number;
	return 0;
}

/* What windtunnel-jobs(5) takes for a text; to be freed.  NULL with errno 0: nothing is left. */
static char *text_clean(const char *text)
{
	char *line = wt_str_make_line(text, WT_WORLD_TEXT_MAX / 4);

	errno = line ? 0 : ENOMEM;
	if (line && !*line) {
		free(line);
		line = NULL;
	}
	return line;
}

/* ---- nodes ---- */

struct event_columns {
	size_t count, node, start, end, state, reason;	/* 'count': there is none */
};

static size_t fields_cut(char *line, char **fields)
{
	size_t count = 0;

	while (line && count < COLUMNS_MAX)
		fields[count++] = strsep(&line, "|");
	return line ? COLUMNS_MAX + 1 : count;
}

static bool header_read(char *line, struct event_columns *c)
{
	char *fields[COLUMNS_MAX];
	const struct { const char *name; size_t *at; } wanted[] = {
		{ "NodeName", &c->node }, { "TimeStart", &c->start }, { "TimeEnd", &c->end }, { "State", &c->state },
		{ "Reason", &c->reason },
	};

	c->count = fields_cut(line, fields);
	if (c->count > COLUMNS_MAX)
		return false;
	for (size_t k = 0; k < sizeof(wanted) / sizeof(wanted[0]); k++) {
		*wanted[k].at = c->count;
		for (size_t i = 0; i < c->count; i++)
			if (!strcmp(fields[i], wanted[k].name))
				*wanted[k].at = i;
	}
	return c->node < c->count && c->start < c->count && c->end < c->count && c->state < c->count;
}

/* "DOWN*", "DOWN+DRAIN"; "DRAINED", "IDLE+DRAIN", "FAILING".  POWERED_DOWN is neither. */
static int state_read(const char *state, enum wt_world_kind *kind)
{
	if (!strncmp(state, "DOWN", 4))
		*kind = WT_WORLD_DOWN;
	else if (strstr(state, "DRAIN") || !strncmp(state, "FAIL", 4) || strstr(state, "+FAIL"))
		*kind = WT_WORLD_DRAIN;
	else
		return -1;
	return 0;
}

static int period_add(struct wt_site_world *w, struct node_period *p, const char *node, const char *reason,
		      struct wt_error *errp)
{
	struct node_period *periods = w->periods;

	if ((w->period_count & (w->period_count - 1)) == 0)
		periods = reallocarray(w->periods, w->period_count ? w->period_count * 2 : 1, sizeof(*periods));
	if (!periods)
		return wt_error_errno(errp, ENOMEM, "events");
	w->periods = periods;
	p->node = strdup(node);
	p->reason = text_clean(reason);
	if (!p->node || (!p->reason && errno)) {
		free(p->node);
		free(p->reason);
		return wt_error_errno(errp, ENOMEM, "events");
	}
	w->periods[w->period_count++] = *p;
	return 0;
}

static int event_line(struct wt_site_world *w, const struct event_columns *c, char *line, struct wt_error *errp)
{
	struct node_period period = { .end_s = INFINITY };
	char *fields[COLUMNS_MAX];

	w->read++;
	if (fields_cut(line, fields) != c->count)
		return left_out(w, "records of nodes that cannot be read", errp);
	if (!*fields[c->node])
		return left_out(w, "events of the whole cluster", errp);
	if (state_read(fields[c->state], &period.kind) < 0)
		return left_out(w, "states of nodes that are neither down nor drained", errp);
	if (time_read(fields[c->start], NAN, &period.start_s) < 0 || isnan(period.start_s) ||
	    time_read(fields[c->end], INFINITY, &period.end_s) < 0 || period.end_s < period.start_s)
		return left_out(w, "events without times in seconds (SLURM_TIME_FORMAT=%s)", errp);
	if (!json_object_get(w->nodes, fields[c->node]))
		return left_out(w, "events of nodes that slurm.conf does not name", errp);
	if (w->period_count >= WT_WORLD_MAX / 4)
		return left_out(w, "more events than can be replayed", errp);
	return period_add(w, &period, fields[c->node],
			  c->reason < c->count && !w->reasons_left_out ? fields[c->reason] : "", errp);
}

int wt_site_world_events(struct wt_site_world *w, const char *text, struct wt_error *errp)
{
	char *copy = text_copy(text), *rest = copy, *line;
	struct event_columns columns;
	bool headed = false;
	int rc = copy ? 0 : wt_error_errno(errp, ENOMEM, "events");

	while (rc == 0 && (line = strsep(&rest, "\n"))) {
		if (!*line)
			continue;
		if (!headed && !header_read(line, &columns)) {
			rc = left_out(w, "a file of events without NodeName, TimeStart, TimeEnd and State", errp);
			break;
		}
		if (headed)
			rc = event_line(w, &columns, line, errp);
		headed = true;
	}
	free(copy);
	return rc;
}

/* ---- from periods to events ---- */

struct act {
	double at_s;
	enum wt_world_kind kind;
	const char *node, *reason;	/* reason "": none */
};

static int period_compare(const void *a, const void *b)
{
	const struct node_period *x = a, *y = b;
	int order = strcmp(x->node, y->node);

	if (order)
		return order;
	if (x->start_s < y->start_s || x->start_s > y->start_s)
		return x->start_s < y->start_s ? -1 : 1;
	return (x->end_s > y->end_s) - (x->end_s < y->end_s);
}

/* At one time: first those that come back. */
static int rank(enum wt_world_kind kind)
{
	return kind == WT_WORLD_RESUME ? 0 : kind == WT_WORLD_DRAIN ? 1 : 2;
}

static int act_compare(const void *a, const void *b)
{
	const struct act *x = a, *y = b;
	int order;

	if (x->at_s < y->at_s || x->at_s > y->at_s)
		return x->at_s < y->at_s ? -1 : 1;
	if (x->kind != y->kind)
		return rank(x->kind) - rank(y->kind);
	order = strcmp(x->reason, y->reason);
	return order ? order : strcmp(x->node, y->node);
}

/* One node's periods: each begins with an act; where the next has not begun when it ends, or what was down is only drained
 * then, the node comes back. */
static size_t acts_make(const struct node_period *periods, size_t count, struct act *acts)
{
	size_t made = 0;

	for (size_t i = 0; i < count; i++) {
		const struct node_period *p = &periods[i];
		const struct node_period *next = i + 1 < count && !strcmp(p[1].node, p->node) ? p + 1 : NULL;
		bool better = next && p->kind == WT_WORLD_DOWN && next->kind == WT_WORLD_DRAIN;
		double end_s = next ? fmin(p->end_s, next->start_s) : p->end_s;

		acts[made++] = (struct act) { p->start_s, p->kind, p->node, p->reason ? p->reason : "" };
		if (isfinite(end_s) && (!next || better || next->start_s > end_s))
			acts[made++] = (struct act) { end_s, WT_WORLD_RESUME, p->node, "" };
	}
	return made;
}

static int event_take(struct wt_site_world *w, json_t *object, struct wt_error *errp)
{
	struct wt_error bad;
	int rc = object ? wt_world_take(&w->world, object, w->world.count + 1, &bad) :
		 wt_error_errno(&bad, ENOMEM, "events");
	bool no_memory = rc < 0 && errno == ENOMEM;

	json_decref(object);
	if (rc == 0)
		return 0;
	return no_memory ? wt_error_errno(errp, ENOMEM, "events") : left_out(w, "events that cannot be replayed", errp);
}

/* Acts of one time, kind and reason, of as many nodes as a text has room for. */
static int acts_tell(struct wt_site_world *w, const struct act *acts, size_t count, struct wt_error *errp)
{
	const char **names = calloc(count, sizeof(*names));
	char *nodes;
	json_t *object;

	for (size_t i = 0; names && i < count; i++)
		names[i] = acts[i].node;
	nodes = names ? wt_hostlist_format(names, count, errp) : NULL;
	free(names);
	if (!nodes)
		return wt_error_errno(errp, ENOMEM, "events");
	if (strlen(nodes) > WT_WORLD_TEXT_MAX && count > 1) {
		free(nodes);
		return acts_tell(w, acts, count / 2, errp) < 0 ? -1 :
		       acts_tell(w, acts + count / 2, count - count / 2, errp);
	}
	object = json_pack("{s:s, s:I, s:s}", "event", wt_world_kind_name(acts->kind), "at_s", (json_int_t) acts->at_s,
			   "nodes", nodes);
	free(nodes);
	if (object && *acts->reason && json_object_set_new(object, "reason", json_string(acts->reason)) < 0) {
		json_decref(object);
		object = NULL;
	}
	return event_take(w, object, errp);
}

static bool together(const struct act *a, const struct act *b)
{
	return !(a->at_s < b->at_s || a->at_s > b->at_s) && a->kind == b->kind && !strcmp(a->reason, b->reason);
}

int wt_site_world_finish(struct wt_site_world *w, struct wt_error *errp)
{
	struct act *acts = calloc(w->period_count * 2 + 1, sizeof(*acts));
	size_t count;
	int rc = acts ? 0 : wt_error_errno(errp, ENOMEM, "events");

	if (rc == 0 && w->period_count) {
		qsort(w->periods, w->period_count, sizeof(*w->periods), period_compare);
		count = acts_make(w->periods, w->period_count, acts);
		qsort(acts, count, sizeof(*acts), act_compare);
		for (size_t i = 0, n; rc == 0 && i < count; i += n) {
			for (n = 1; i + n < count && together(&acts[i], &acts[i + n]);)
				n++;
			rc = acts_tell(w, &acts[i], n, errp);
		}
	}
	free(acts);
	wt_world_sort(&w->world);
	return rc;
}

/* ---- reservations ---- */

/* The value of a word KEY=VALUE of a line, "" for "(null)"; to be freed.  NULL with errno 0: there is none. */
static char *word_value(const char *line, const char *key)
{
	size_t len = strlen(key);
	const char *p = line;
	char *value;

	errno = 0;
	for (; *p; p += strcspn(p, " "), p += strspn(p, " "))
		if (!strncmp(p, key, len) && p[len] == '=') {
			p += len + 1;
			value = strndup(p, strncmp(p, "(null)", 6) ? strcspn(p, " ") : 0);
			errno = value ? 0 : ENOMEM;
			return value;
		}
	return NULL;
}

/* Those that a run can make; what only says how its nodes were chosen is of no weight, for they are named. */
static char *flags_kept(const char *text, bool *recurs, bool *lost)
{
	static const char *const plain[] = { "SPEC_NODES", "ALL_NODES", "PART_NODES", "ANY_NODES", "STATIC" };
	static const char *const often[] = { "DAILY", "HOURLY", "WEEKLY", "WEEKDAY", "WEEKEND" };
	struct wt_str kept = { 0 };

	wt_str_add(&kept, "");
	for (size_t len; *text; text += len + (text[len] == ',')) {
		enum wt_world_flag flag;
		bool known = false;

		len = strcspn(text, ",");
		for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
			known |= strlen(plain[i]) == len && !strncmp(plain[i], text, len);
		for (size_t i = 0; i < sizeof(often) / sizeof(often[0]); i++)
			if (strlen(often[i]) == len && !strncmp(often[i], text, len))
				known = *recurs = true;
		if (wt_world_flag_parse(text, len, &flag) == 0)
			wt_str_printf(&kept, "%s%s", kept.len ? "," : "", wt_world_flag_name(flag));
		else if (len && !known)
			*lost = true;
	}
	return wt_str_take(&kept);
}

enum { R_NAME, R_START, R_END, R_NODES, R_FLAGS, R_USERS, R_ACCOUNTS, R_PARTITION, R_WORDS };

struct reservation {
	char *word[R_WORDS];
	double start_s, end_s;
};

static int words_read(struct reservation *r, const char *line)
{
	static const char *const keys[R_WORDS] = {
		[R_NAME] = "ReservationName", [R_START] = "StartTime", [R_END] = "EndTime", [R_NODES] = "Nodes",
		[R_FLAGS] = "Flags", [R_USERS] = "Users", [R_ACCOUNTS] = "Accounts", [R_PARTITION] = "PartitionName",
	};

	for (size_t i = 0; i < R_WORDS; i++) {
		r->word[i] = word_value(line, keys[i]);
		if (!r->word[i] && !errno)
			r->word[i] = strdup("");
		if (!r->word[i])
			return -1;
	}
	return 0;
}

/* Are all of its nodes those of slurm.conf? */
static bool nodes_known(const struct wt_site_world *w, const char *text)
{
	struct wt_hostlist *list = wt_hostlist_parse(text, strlen(text), WT_WORLD_NODES_MAX, NULL);
	bool known = list;

	for (size_t i = 0; known && i < wt_hostlist_count(list); i++)
		known = json_object_get(w->nodes, wt_hostlist_name(list, i));
	wt_hostlist_destroy(list);
	return known;
}

static int users_add(struct wt_site_world *w, const char *users, struct wt_error *errp)
{
	char *copy = strdup(users), *rest = copy, *user;
	int rc = copy ? 0 : wt_error_errno(errp, ENOMEM, "reservations");

	while (rc >= 0 && (user = strsep(&rest, ",")))
		rc = *user && strcmp(user, "root") ? wt_people_user(w->people, user + (*user == '-'), NULL, errp) : 0;
	free(copy);
	return rc < 0 ? -1 : 0;
}

static json_t *reservation_json(const struct reservation *r, const char *flags, const char *users, const char *accounts,
				double from_s)
{
	double start_s = fmax(r->start_s, from_s);
	json_t *object = json_pack("{s:s, s:s, s:I, s:I, s:I, s:s}", "event", "reserve", "name", r->word[R_NAME], "at_s",
				   (json_int_t) from_s, "start_after_s", (json_int_t) (start_s - from_s), "duration_s",
				   (json_int_t) (r->end_s - start_s), "nodes", r->word[R_NODES]);
	const struct { const char *key, *value; } more[] = {
		{ "flags", flags }, { "users", users }, { "accounts", accounts }, { "partition", r->word[R_PARTITION] },
	};

	for (size_t i = 0; object && i < sizeof(more) / sizeof(more[0]); i++)
		if (*more[i].value && json_object_set_new(object, more[i].key, json_string(more[i].value)) < 0) {
			json_decref(object);
			object = NULL;
		}
	return object;
}

static int reservation_put(struct wt_site_world *w, const struct reservation *r, double from_s, struct wt_error *errp)
{
	bool recurs = false, lost = false;
	char *flags = flags_kept(r->word[R_FLAGS], &recurs, &lost);
	char *users = wt_alias_list(w->aliases, WT_ALIAS_USER, r->word[R_USERS]);
	char *accounts = wt_alias_list(w->aliases, WT_ALIAS_ACCOUNT, r->word[R_ACCOUNTS]);
	int rc = flags && users && accounts ? users_add(w, users, errp) : wt_error_errno(errp, ENOMEM, "reservations");

	if (rc == 0)
		rc = event_take(w, reservation_json(r, flags, users, accounts, from_s), errp);
	if (rc == 0)
		rc = wt_reason_count(w->assumed, "reservations that are known from the beginning, for when they were "
				     "made is not told", errp);
	if (rc == 0 && recurs)
		rc = wt_reason_count(w->assumed, "reservations that recur, of which the next time is taken", errp);
	if (rc == 0 && lost)
		rc = wt_reason_count(w->assumed, "reservations with flags that a run does not make", errp);
	free(flags);
	free(users);
	free(accounts);
	return rc;
}

static int reservation_line(struct wt_site_world *w, const char *line, double from_s, struct wt_error *errp)
{
	struct reservation r = { 0 };
	int rc;

	w->read++;
	if (words_read(&r, line) < 0)
		rc = wt_error_errno(errp, ENOMEM, "reservations");
	else if (!*r.word[R_NAME] || time_read(r.word[R_START], NAN, &r.start_s) < 0 ||
		 time_read(r.word[R_END], NAN, &r.end_s) < 0 || !(r.end_s > r.start_s))
		rc = left_out(w, "reservations without times in seconds (SLURM_TIME_FORMAT=%s)", errp);
	else if (r.end_s <= from_s)
		rc = left_out(w, "reservations that are over before the first job", errp);
	else if (!*r.word[R_NODES] || !nodes_known(w, r.word[R_NODES]))
		rc = left_out(w, "reservations of no nodes, or of some that slurm.conf does not name", errp);
	else if (!*r.word[R_USERS] && !*r.word[R_ACCOUNTS])
		rc = left_out(w, "reservations for neither users nor accounts", errp);
	else if (json_object_get(w->names, r.word[R_NAME]))
		rc = left_out(w, "reservations whose name stands there twice", errp);
	else
		rc = json_object_set_new(w->names, r.word[R_NAME], json_true()) < 0 ?
		     wt_error_errno(errp, ENOMEM, "reservations") : reservation_put(w, &r, from_s, errp);
	for (size_t i = 0; i < R_WORDS; i++)
		free(r.word[i]);
	return rc;
}

int wt_site_world_reservations(struct wt_site_world *w, const char *text, double from_s, struct wt_error *errp)
{
	char *copy = text_copy(text), *rest = copy, *line;
	int rc = copy ? 0 : wt_error_errno(errp, ENOMEM, "reservations");

	while (rc == 0 && (line = strsep(&rest, "\n"))) {
		line[strcspn(line, "\r")] = '\0';
		if (!strncmp(line, "ReservationName=", 16))
			rc = reservation_line(w, line, from_s, errp);
	}
	free(copy);
	return rc;
}
