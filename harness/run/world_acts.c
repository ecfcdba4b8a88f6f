/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compat/client.h"
#include "harness/cluster/folder/power_programs.h"
#include "harness/run/node_names.h"
#include "harness/run/run_thread.h"
#include "harness/run/signals.h"
#include "harness/run/world_acts.h"
#include "harness/run/world_back.h"
#include "harness/run/world_request.h"
#include "lib/csv.h"
#include "lib/json.h"
#include "lib/str.h"

#define LOOK_US         200000
#define LOOK_VIRTUAL_US 5000000
#define RETRY_US        1000000
#define BEHIND_US       3000	/* a submission of the same time */
#define POWER_PATIENCE_S 60	/* a nodes' process that has died is back before that */
#define BACK_S          60

/* ---- the nodes that there are ---- */

static bool all_meant(const char *nodes)
{
	return !strcasecmp(nodes, "ALL");
}

int world_acts_check(struct world_acts *a, struct wt_error *errp)
{
	json_t *names;
	int rc = 0;

	if (!a->world->count)
		return 0;
	names = node_names_load(&a->all, errp);
	if (!names)
		return -1;
	for (size_t i = 0; rc == 0 && i < a->world->count; i++) {
		const struct wt_world_event *event = &a->world->events[i];
		const char *nodes = event->text[WT_WORLD_NODES];

		if (nodes && !all_meant(nodes) && node_names_check(names, nodes, errp) < 0)
			rc = wt_error_prefix(errp, "%s:%zu", a->file, event->line);
	}
	json_decref(names);
	a->before = rc == 0 && a->shared ? node_names_unserving(errp) : NULL;
	return rc < 0 || (a->shared && !a->before) ? -1 : 0;
}

/* One name after the other, as the nodes' process reads them; to be freed. */
static char *names_plain(const char *text)
{
	compat_hostlist hosts = slurm_hostlist_create(text);
	struct wt_str list = { 0 };
	char *name;

	while (hosts && (name = slurm_hostlist_shift(hosts))) {
		wt_str_printf(&list, "%s%s", list.len ? "," : "", name);
		free(name);
	}
	if (hosts)
		slurm_hostlist_destroy(hosts);
	return wt_str_take(&list);
}

/* ---- one event ---- */

static double planned_s(const struct world_acts *a, size_t i)
{
	return (double) a->base_us / 1e6 + a->world->events[i].at_s;
}

static bool over(const struct world_acts *a)
{
	if (a->until_us)	/* it is taken back, also after a signal */
		return wt_clock_now_us(a->clock) >= a->until_us || wt_signals_count > 1;
	return a->stop || wt_signals_count;
}

/* The machines of virtual nodes fail, or are repaired.  NULL, or what went wrong; to be freed. */
static char *machines_ask(const struct world_acts *a, const char *verb, const char *nodes)
{
	char *plain = names_plain(nodes), *line = plain ? wt_str_format("%s %s", verb, plain) : NULL, *problem = NULL;
	struct wt_error error;

	wt_clock_settle(a->clock);
	if (!line)
		wt_error_errno(&error, ENOMEM, "nodes");
	if (!line || wt_power_ask(a->nodes_dir, line, POWER_PATIENCE_S, NULL, &error) < 0)
		problem = strdup(error.text);
	free(line);
	free(plain);
	return problem;
}

/* slurmctld's answer, when there is one: 0, or an errno. */
static int controller_ask(struct world_acts *a, const struct wt_world_event *event, const char *nodes, double made_s)
{
	bool again = false;
	int errnum;

	for (;;) {
		wt_clock_settle(a->clock);
		errnum = world_request(event, nodes, made_s, wt_clock_time_s());
		/* What was lost may have been its answer. */
		if (again && world_request_repeated(event->kind, errnum))
			return 0;
		/* Jobs that were just cancelled leave a reservation a moment later. */
		if ((world_request_final(errnum) && !(a->until_us && errnum == ESLURM_RESERVATION_BUSY)) || over(a))
			return errnum;
		again = true;
		wt_clock_sleep_until_us(a->clock, wt_clock_now_us(a->clock) + RETRY_US);
	}
}

static void row_note(struct world_acts *a, size_t i, enum world_outcome outcome, double time_s, char *answer)
{
	pthread_mutex_lock(a->lock);
	a->rows[i] = (struct world_row) {
		.outcome = outcome, .planned_s = planned_s(a, i), .time_s = time_s, .answer = answer,
	};
	a->progress_s = time_s;
	pthread_mutex_unlock(a->lock);
}

static enum world_outcome outcome_of(enum wt_world_kind kind, int errnum)
{
	if (!errnum)
		return WORLD_DONE;
	return world_request_already(kind, errnum) ? WORLD_ALREADY : WORLD_REFUSED;
}

static void event_do(struct world_acts *a, size_t i)
{
	const struct wt_world_event *event = &a->world->events[i];
	const char *nodes = event->text[WT_WORLD_NODES];
	double time_s = (double) wt_clock_now_us(a->clock) / 1e6;
	char *problem = NULL;
	int errnum;

	nodes = nodes && all_meant(nodes) ? a->all : nodes;
	if (a->nodes_dir && event->kind == WT_WORLD_DOWN)
		problem = machines_ask(a, "fail", nodes);
	else if (a->nodes_dir && event->kind == WT_WORLD_RESUME)
		problem = machines_ask(a, "repair", nodes);
	if (problem) {
		row_note(a, i, WORLD_REFUSED, time_s, problem);
		return;
	}
	errnum = controller_ask(a, event, nodes, planned_s(a, i));
	row_note(a, i, outcome_of(event->kind, errnum), time_s, errnum ? strdup(slurm_strerror(errnum)) : NULL);
}

/* ---- all of them ---- */

static int64_t due_us(const struct world_acts *a, size_t i)
{
	return a->base_us + BEHIND_US + (int64_t) (a->world->events[i].at_s * 1e6);
}

/* false: stop. */
static bool due_wait(const struct world_acts *a, size_t i)
{
	int64_t due = due_us(a, i), now_us, look_us = wt_clock_poll_us(a->clock, LOOK_US, LOOK_VIRTUAL_US);

	while (!over(a) && (now_us = wt_clock_now_us(a->clock)) < due)
		wt_clock_sleep_until_us(a->clock, due - now_us < look_us ? due : now_us + look_us);
	return !over(a);
}

static void *acts_main(void *arg)
{
	struct world_acts *a = arg;

	for (; a->next < a->world->count && due_wait(a, a->next); a->next++)
		event_do(a, a->next);
	return NULL;
}

int world_acts_start(struct world_acts *a, struct wt_error *errp)
{
	int rc = 0;

	if (!a->world->count)
		return 0;
	a->rows = calloc(a->world->count, sizeof(*a->rows));
	if (!a->rows)
		return wt_error_errno(errp, ENOMEM, "cannot start the events of the workload");
	a->base_us = wt_clock_now_us(a->clock);
	for (; a->next < a->world->count && !(a->world->events[a->next].at_s > 0) && !over(a); a->next++)
		event_do(a, a->next);
	a->base_us = wt_clock_now_us(a->clock);
	if (a->next < a->world->count) {
		rc = run_thread_create(&a->thread, acts_main, a);
		a->started = rc == 0;
	}
	return rc ? wt_error_errno(errp, rc, "cannot start the events of the workload") : 0;
}

bool world_acts_join(struct world_acts *a, double timeout_s)
{
	a->stop = true;
	if (a->started)
		a->started = !run_thread_join(a->thread, run_thread_until_us(a->clock, timeout_s));
	return !a->started;
}

/* ---- taken back ---- */

static void back_failed(struct world_acts *a, const char *what, const char *names, const char *why)
{
	struct wt_error error;

	if (*a->back_problem)
		return;
	wt_error_set(&error, EINVAL, "%s %.200s %s: %s", what, names, "stays as the run left it", why);
	memcpy(a->back_problem, error.text, sizeof(a->back_problem));
}

static int back_find(const struct world_acts *a, struct world_back *b, struct wt_error *errp)
{
	int rc = world_back_init(b, errp);

	for (size_t i = 0; rc == 0 && i < a->world->count; i++) {
		const struct wt_world_event *event = &a->world->events[i];
		const char *nodes = event->text[WT_WORLD_NODES];
		enum world_outcome outcome = a->rows[i].outcome;
		char *plain = nodes ? names_plain(all_meant(nodes) ? a->all : nodes) : NULL;

		rc = nodes && !plain ? wt_error_errno(errp, ENOMEM, "nodes") :
		     world_back_event(b, event, plain, outcome != WORLD_UNREACHED,
				      outcome == WORLD_DONE || outcome == WORLD_ALREADY, errp);
		free(plain);
	}
	world_back_except(b, a->before);
	return rc;
}

static void machines_back(struct world_acts *a, const char *names)
{
	char *problem = *names && a->nodes_dir ? machines_ask(a, "repair", names) : NULL;

	if (problem)
		back_failed(a, "node", names, problem);
	free(problem);
}

static void nodes_back(struct world_acts *a, const char *names, size_t count)
{
	static const struct wt_world_event event = { .kind = WT_WORLD_RESUME };
	int errnum = *names ? controller_ask(a, &event, names, 0) : 0;

	if (errnum && !world_request_already(event.kind, errnum))
		back_failed(a, "node", names, slurm_strerror(errnum));
	else
		a->back_nodes = count;
}

static void reservation_back(struct world_acts *a, const char *name)
{
	const struct wt_world_event event = { .kind = WT_WORLD_UNRESERVE, .text[WT_WORLD_NAME] = (char *) name };
	int errnum = controller_ask(a, &event, NULL, 0);

	if (!errnum)
		a->back_reservations++;
	else if (!world_request_already(event.kind, errnum))	/* it is over */
		back_failed(a, "reservation", name, slurm_strerror(errnum));
}

void world_acts_take_back(struct world_acts *a)
{
	struct world_back back = { 0 };
	struct wt_error error;
	char *machines = NULL, *nodes = NULL;
	const char *name;
	json_t *value;

	if (!a->shared || !a->rows)
		return;
	a->until_us = run_thread_until_us(a->clock, BACK_S);
	if (back_find(a, &back, &error) == 0) {
		machines = world_back_list(back.machines);
		nodes = world_back_list(back.nodes);
	}
	if (machines && nodes) {
		machines_back(a, machines);
		nodes_back(a, nodes, json_object_size(back.nodes));
		json_object_foreach(back.reservations, name, value)
			reservation_back(a, name);
	} else {
		back_failed(a, "all", "of the events", strerror(ENOMEM));
	}
	free(machines);
	free(nodes);
	world_back_clear(&back);
	a->until_us = 0;
}

void world_acts_clear(struct world_acts *a)
{
	for (size_t i = 0; a->rows && i < a->world->count; i++)
		free(a->rows[i].answer);
	free(a->rows);
	free(a->all);
	json_decref(a->before);
	a->rows = NULL;
	a->all = NULL;
	a->before = NULL;
}

/* ---- what became of them ---- */

static const char *const outcomes[WORLD_OUTCOMES] = {
	[WORLD_UNREACHED] = "not_reached", [WORLD_DONE] = "done", [WORLD_ALREADY] = "already", [WORLD_REFUSED] = "refused",
};

size_t world_acts_refused(const struct world_acts *a, struct wt_error *first)
{
	size_t count = 0;

	first->text[0] = '\0';
	for (size_t i = 0; a->rows && i < a->world->count; i++) {
		const struct wt_world_event *event = &a->world->events[i];

		if (a->rows[i].outcome == WORLD_REFUSED && !count++)
			wt_error_set(first, EINVAL, "%s:%zu: event \"%s\": %s", a->file, event->line,
				     wt_world_kind_name(event->kind), a->rows[i].answer ? a->rows[i].answer : "no memory");
	}
	return count;
}

static void outcomes_count(const struct world_acts *a, size_t *counts)
{
	memset(counts, 0, WORLD_OUTCOMES * sizeof(*counts));
	for (size_t i = 0; i < a->world->count; i++)
		counts[a->rows ? a->rows[i].outcome : WORLD_UNREACHED]++;
}

json_t *world_acts_json(const struct world_acts *a)
{
	size_t counts[WORLD_OUTCOMES];
	struct wt_error first;
	json_t *json;

	if (!a->world || !a->world->count)
		return json_null();
	outcomes_count(a, counts);
	json = json_pack("{s:I}", "events", (json_int_t) a->world->count);
	for (int i = 0; json && i < WORLD_OUTCOMES; i++)
		json_object_set_new(json, outcomes[i], json_integer((json_int_t) counts[i]));
	world_acts_refused(a, &first);
	if (json)
		json_object_set_new(json, "first_refused", wt_json_text(first.text));
	if (json && a->shared)
		json_object_set_new(json, "taken_back", json_pack("{s:I, s:I, s:o}", "nodes", (json_int_t) a->back_nodes,
				    "reservations", (json_int_t) a->back_reservations, "problem",
				    wt_json_text(a->back_problem)));
	return json;
}

void world_acts_print(FILE *out, const struct world_acts *a)
{
	size_t counts[WORLD_OUTCOMES];
	struct wt_error first;

	if (!a->world || !a->world->count)
		return;
	outcomes_count(a, counts);
	fprintf(out, "  %zu events of the cluster: %zu done, %zu so already, %zu refused, %zu not reached\n",
		a->world->count, counts[WORLD_DONE], counts[WORLD_ALREADY], counts[WORLD_REFUSED], counts[WORLD_UNREACHED]);
	if (world_acts_refused(a, &first))
		fprintf(out, "  the first refused: %s\n", first.text);
	if (a->shared)
		fprintf(out, "  taken back: %zu nodes serve again, %zu reservations are deleted%s%s\n", a->back_nodes,
			a->back_reservations, *a->back_problem ? "; " : "", a->back_problem);
}

int world_acts_write(FILE *out, const void *arg, struct wt_error *errp)
{
	const struct world_acts *a = arg;
	struct wt_csv csv = { .out = out };

	(void) errp;
	fputs("line,event,nodes,name,planned_time,time,outcome,answer\n", out);
	for (size_t i = 0; a->rows && i < a->world->count; i++) {
		const struct wt_world_event *event = &a->world->events[i];
		const struct world_row *row = &a->rows[i];

		wt_csv_uint(&csv, event->line);
		wt_csv_text(&csv, wt_world_kind_name(event->kind));
		wt_csv_text(&csv, event->text[WT_WORLD_NODES]);
		wt_csv_text(&csv, event->text[WT_WORLD_NAME]);
		wt_csv_seconds(&csv, row->time_s > 0 ? row->planned_s : planned_s(a, i));
		wt_csv_seconds(&csv, row->time_s > 0 ? row->time_s : NAN);
		wt_csv_text(&csv, outcomes[row->outcome]);
		wt_csv_text(&csv, row->answer);
		wt_csv_end(&csv);
	}
	return 0;
}
