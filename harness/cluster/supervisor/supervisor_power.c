/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Power of real nodes: programs ask through DIR/nodes/power, as of virtual ones, and slurmds end and begin with their nodes'
 * machines, by the same laws (harness/vnode/model/power.h).
 *
 * There is no journal: when the supervisor dies, the cluster does. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cluster/folder/power_programs.h"
#include "harness/cluster/supervisor/supervisor_private.h"
#include "harness/vnode/model/power_request.h"
#include "harness/vnode/store/event_log.h"
#include "harness/vnode/wire/line_server.h"
#include "harness/vnode/wire/power_notice.h"
#include "lib/clock.h"
#include "lib/str.h"

struct sup_power {
	struct wt_elastic elastic;
	struct wt_timerq *timers;
	struct wt_power *power;
	struct event_log *rows;		/* power.csv */
	bool rows_failed;		/* they could not be written, and that was told */
	struct wt_lines *lines;
	struct wt_notices *notices, *stock_outs;	/* NULL: nobody is told */
	ev_timer due;
};

static int64_t now_us(void)
{
	return wt_clock_now_us(wt_clock_own());
}

static void name_write(const void *arg, uint32_t node, char *text, size_t size)
{
	(void) arg;
	snprintf(text, size, "n%" PRIu32, node);
}

static uint32_t name_find(const void *arg, const char *name)
{
	const struct sup *sup = arg;
	char again[16];
	uint64_t number;
	uint32_t places = wt_clusterinfo_places(&sup->info);

	if (*name != 'n' || !places || wt_str_to_u64(name + 1, 0, places - 1, "node", &number, NULL) < 0)
		return WT_POWER_NO_NODE;
	name_write(NULL, (uint32_t) number, again, sizeof(again));
	return strcmp(again, name) ? WT_POWER_NO_NODE : (uint32_t) number;	/* n007 is nobody's name */
}

static void row_add(struct sup *sup, const struct wt_power_happened *what)
{
	char name[16], *row;

	name_write(NULL, what->node, name, sizeof(name));
	row = wt_power_row(what, name);
	if (row)
		event_log_add_row(sup->power->rows, row);
	else
		sup_log(sup, "%s: no memory for a row of " WT_POWER_FILE, name);
	free(row);
}

static void notice_add(struct sup *sup, struct wt_notices *notices, uint32_t node, int64_t left_us)
{
	struct wt_error err;
	char name[16];

	name_write(NULL, node, name, sizeof(name));
	if (wt_notices_add(notices, name, left_us, &err) < 0)
		sup_log(sup, "%s", err.text);
}

static void happened(void *arg, const struct wt_power_happened *what)
{
	struct sup *sup = arg;

	row_add(sup, what);
	switch (what->event) {
	case WT_POWER_EVENT_NOTICE:
		notice_add(sup, sup->power->notices, what->node, what->left_us);
		break;
	case WT_POWER_EVENT_STOCK_OUT:
		notice_add(sup, sup->power->stock_outs, what->node, WT_NOTICE_NO_TIME);
		break;
	case WT_POWER_EVENT_UP:
		sup_places_boot(sup, what->node, what->boot);
		/* -b: but not where the node is to tell of an older boot (--elastic fail=old-boot). */
		sup_nodes_power_on(sup, what->node, wt_power_booted_us(sup->power->power, what->node) == what->time_us);
		sup_registered_await(sup, what->node, what->time_us / 1000000);
		break;
	case WT_POWER_EVENT_STOPPING:
	case WT_POWER_EVENT_OFF:	/* also from the beginning; or what was being forked when it stopped */
		sup_registered_await(sup, what->node, 0);
		sup_nodes_power_off(sup, what->node);
		break;
	default:
		break;
	}
}

static void rows_flush(struct sup *sup)
{
	struct wt_error err;
	bool failed = event_log_flush(sup->power->rows, &err) < 0;

	/* What cannot be written is kept, and tried again. */
	if (failed && !sup->power->rows_failed)
		sup_log(sup, "%s", err.text);
	sup->power->rows_failed = failed;
}

/* After whatever may have happened. */
static void settle(struct sup *sup)
{
	struct sup_power *p = sup->power;
	struct wt_error err;
	int64_t at_us, left_us;

	rows_flush(sup);
	if (wt_notices_send(p->notices, &err) < 0)
		sup_log(sup, "%s", err.text);
	if (wt_notices_send(p->stock_outs, &err) < 0)
		sup_log(sup, "%s", err.text);
	sup_state_save(sup);		/* how many are off */
	sup_registered_look(sup);
	ev_timer_stop(sup->loop, &p->due);
	if (sup->stopping || !wt_timerq_next(p->timers, &at_us))
		return;
	left_us = at_us - now_us();
	/* What happened may have taken long, as starting slurmds does. */
	ev_now_update(sup->loop);
	ev_timer_set(&p->due, left_us > 0 ? (double) left_us / 1e6 : 0.0, 0.0);
	ev_timer_start(sup->loop, &p->due);
}

static void due_cb(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct sup *sup = w->data;
	struct wt_timer timer;

	(void) loop;
	(void) revents;
	while (wt_timerq_pop(sup->power->timers, now_us(), &timer))
		wt_power_timer(sup->power->power, now_us(), timer.a);
	settle(sup);
}

static void heard(struct sup *sup, uint32_t node)
{
	wt_power_registered(sup->power->power, now_us(), node);
	sup_nodes_registered(sup, node);
	rows_flush(sup);
}

static char *line_answer(void *arg, char *line)
{
	struct sup *sup = arg;
	const struct wt_power_names names = {
		.count = wt_clusterinfo_places(&sup->info), .find = name_find, .name = name_write, .arg = sup,
		.address = sup->places ? sup_places_address : NULL, .address_arg = sup,
	};
	bool asked;
	char *answer;

	if (sup->stopping)
		return strdup("error the cluster is ending");
	answer = wt_power_request(sup->power->power, &names, now_us(), line, &asked);
	if (asked)
		settle(sup);
	return answer;
}

static int elastic_read(struct sup *sup, struct wt_error *errp)
{
	for (size_t i = 0; i < sup->info.elastic_count; i++)
		if (wt_elastic_add(&sup->power->elastic, sup->info.elastic[i], errp) < 0)
			return -1;
	wt_elastic_defaults(&sup->power->elastic);
	if (wt_elastic_nodes(&sup->power->elastic, wt_clusterinfo_places(&sup->info), name_find, sup, errp) < 0)
		return wt_error_prefix(errp, "--elastic");
	return 0;
}

static int files_open(struct sup *sup, struct wt_error *errp)
{
	char *rows = wt_clusterinfo_path(&sup->info, "nodes/" WT_POWER_FILE);
	char *socket = wt_clusterinfo_path(&sup->info, WT_POWER_SOCKET);
	int rc = -1;

	if (!rows || !socket) {
		wt_error_errno(errp, ENOMEM, "supervisor");
	} else {
		sup->power->rows = event_log_open(rows, WT_POWER_HEADER "\n", errp);
		if (sup->power->rows)
			sup->power->lines = wt_lines_create(sup->loop, socket, line_answer, sup, errp);
		rc = sup->power->lines ? 0 : -1;
	}
	free(rows);
	free(socket);
	return rc;
}

static int notices_open(const struct sup *sup, const char *program, struct wt_notices **notices, struct wt_error *errp)
{
	char *path = wt_clusterinfo_path(&sup->info, program);

	*notices = path ? wt_notices_create(path) : NULL;
	free(path);
	return *notices ? 0 : wt_error_errno(errp, ENOMEM, "notices");
}

static int programs_open(const struct sup *sup, struct wt_error *errp)
{
	struct sup_power *p = sup->power;

	if (p->elastic.on_notice && notices_open(sup, WT_POWER_NOTICE_PROGRAM, &p->notices, errp) < 0)
		return -1;
	return p->elastic.on_stock_out && strcmp(p->elastic.on_stock_out, "wait") ?
	       notices_open(sup, WT_POWER_STOCK_OUT_PROGRAM, &p->stock_outs, errp) : 0;
}

static int power_make(struct sup *sup, struct wt_error *errp)
{
	struct sup_power *p = sup->power;
	struct wt_power_conf conf = {
		.elastic = &p->elastic, .begin_us = sup->began_us, .happened = happened, .arg = sup,
	};

	p->timers = conf.timers = wt_timerq_create();
	p->power = p->timers ? wt_power_create(wt_clusterinfo_places(&sup->info), &conf) : NULL;
	return p->power ? 0 : wt_error_errno(errp, ENOMEM, "power of the nodes");
}

int sup_power_init(struct sup *sup, struct wt_error *errp)
{
	/* Hosts of their own have each a part of the nodes, and are asked by nobody. */
	if (!sup->nodes || sup->part)
		return 0;
	sup->power = calloc(1, sizeof(*sup->power));
	if (!sup->power)
		return wt_error_errno(errp, ENOMEM, "supervisor");
	ev_init(&sup->power->due, due_cb);
	sup->power->due.data = sup;
	if (elastic_read(sup, errp) < 0 || sup_places_init(sup, &sup->power->elastic, errp) < 0 ||
	    power_make(sup, errp) < 0 || sup_registered_init(sup, heard, errp) < 0 || files_open(sup, errp) < 0 ||
	    programs_open(sup, errp) < 0)
		return -1;
	for (uint32_t i = sup->info.nodes_begin_off ? 0 : sup->info.nodes; i < wt_clusterinfo_places(&sup->info); i++)
		wt_power_begin_off(sup->power->power, now_us(), i);
	rows_flush(sup);
	return 0;
}

void sup_power_look(struct sup *sup)
{
	if (!sup->power || sup->stopping)
		return;
	if (event_log_waiting(sup->power->rows))	/* the disk was full */
		rows_flush(sup);
	sup_registered_look(sup);
}

void sup_power_stop(struct sup *sup)
{
	if (sup->power)
		ev_timer_stop(sup->loop, &sup->power->due);
	sup_registered_clear(sup);
}

void sup_power_clear(struct sup *sup)
{
	struct wt_error err;

	sup_power_stop(sup);
	sup_places_clear(sup);
	if (!sup->power)
		return;
	wt_lines_destroy(sup->power->lines);
	wt_notices_destroy(sup->power->notices);
	wt_notices_destroy(sup->power->stock_outs);
	if (event_log_close(sup->power->rows, &err) < 0)
		sup_log(sup, "%s", err.text);
	wt_power_destroy(sup->power->power);
	wt_timerq_destroy(sup->power->timers);
	wt_elastic_clear(&sup->power->elastic);
	free(sup->power);
	sup->power = NULL;
}
