/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/vnode/slurm/node_process.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "harness/vnode/model/power_request.h"
#include "lib/str.h"

#define OTHER_DESCRIPTORS 4096	/* connections, besides a socket for each node */

static void row_add(struct wt_daemon *daemon, const struct wt_power_happened *what)
{
	char *row = wt_power_row(what, wt_nodetable_name(daemon->nodes, what->node));

	if (row)
		event_log_add_row(daemon->power.rows, row);
	else
		error("%s: no memory for a row of " WT_POWER_FILE, wt_nodetable_name(daemon->nodes, what->node));
	free(row);
}

static void node_listen(struct wt_daemon *daemon, uint32_t node, bool listens)
{
	struct wt_error err;

	if (daemon->serving.server && wt_server_listen(daemon->serving.server, node, listens, &err) < 0)
		error("%s: %s", wt_nodetable_name(daemon->nodes, node), err.text);
}

/* Its slurmd begins. */
static void node_up(struct wt_daemon *daemon, const struct wt_power_happened *what)
{
	/* Listening before the registration: slurmctld pings the node as soon as it has read it. */
	daemon->power.boots.booted_us[what->node] = wt_power_booted_us(daemon->power.power, what->node);
	wt_registry_start(daemon->registration.registry, what->node);
	node_listen(daemon, what->node, true);
	wt_registry_want(daemon->registration.registry, what->node);
}

/* From the start of its machine on, before it listens. */
static void address_take(struct wt_daemon *daemon, uint32_t node, uint32_t boot)
{
	in_addr_t address;

	if (!daemon->power.addresses.own || !wt_elastic_of(daemon->options.elastic, node)->address_new)
		return;
	address = wt_addresses_of(&daemon->power.addresses, node, boot);
	if (wt_nodetable_move(daemon->nodes, node, address) < 0)
		error("%s: %m", wt_nodetable_name(daemon->nodes, node));
	else if (daemon->serving.server)
		wt_server_move(daemon->serving.server, node, address);
}

static void notice_add(struct wt_daemon *daemon, struct wt_notices *notices, uint32_t node, int64_t left_us)
{
	struct wt_error err;

	if (wt_notices_add(notices, wt_nodetable_name(daemon->nodes, node), left_us, &err) < 0)
		error("%s", err.text);
}

void wt_power_control_tell(struct wt_daemon *daemon)
{
	struct wt_error err;

	if (wt_notices_send(daemon->power.notices, &err) < 0)
		error("%s", err.text);
	if (wt_notices_send(daemon->power.stock_outs, &err) < 0)
		error("%s", err.text);
}

static void happened(void *arg, const struct wt_power_happened *what)
{
	struct wt_daemon *daemon = arg;

	verbose("%s: %s (boot %u)", wt_nodetable_name(daemon->nodes, what->node), wt_power_event_name(what->event),
		what->boot);
	row_add(daemon, what);
	if (what->event == WT_POWER_EVENT_NOTICE) {
		notice_add(daemon, daemon->power.notices, what->node, what->left_us);
	} else if (what->event == WT_POWER_EVENT_STOCK_OUT) {
		notice_add(daemon, daemon->power.stock_outs, what->node, WT_NOTICE_NO_TIME);
	} else if (what->event == WT_POWER_EVENT_BOOTING) {
		address_take(daemon, what->node, what->boot);
	} else if (what->event == WT_POWER_EVENT_UP) {
		node_up(daemon, what);
	} else if (what->event == WT_POWER_EVENT_STOPPING) {
		/* First the port, so that nothing more arrives; then the jobs, whose slurmstepds die with the node. */
		node_listen(daemon, what->node, false);
		wt_reboot_end(daemon, what->node);
		wt_model_crash(daemon->model, what->time_us, what->node);
		if (wt_nodetable_class(daemon->nodes, what->node)->joins)
			wt_registry_left(daemon->registration.registry, what->node);
	}
}

static int rows_open(struct wt_daemon *daemon, struct wt_error *errp)
{
	char *path = xstrdup_printf("%s/" WT_POWER_FILE, daemon->options.dir);

	daemon->power.rows = event_log_open(path, WT_POWER_HEADER "\n", errp);
	xfree(path);
	return daemon->power.rows ? 0 : -1;
}

/* The program lies beside slurm.conf. */
static int notices_open(const struct wt_daemon *daemon, const char *program, struct wt_notices **notices,
			struct wt_error *errp)
{
	const char *conf = daemon->options.conf, *slash = strrchr(conf, '/');
	char *path = xstrdup_printf("%.*s%s", slash ? (int) (slash - conf + 1) : 0, conf, program);

	*notices = wt_notices_create(path);
	xfree(path);
	return *notices ? 0 : wt_error_errno(errp, ENOMEM, "notices");
}

static int programs_open(struct wt_daemon *daemon, struct wt_error *errp)
{
	const struct wt_elastic *elastic = daemon->options.elastic;

	if (elastic->on_notice && notices_open(daemon, "power-notice", &daemon->power.notices, errp) < 0)
		return -1;
	return elastic->on_stock_out && strcmp(elastic->on_stock_out, "wait") ?
	       notices_open(daemon, "power-stock-out", &daemon->power.stock_outs, errp) : 0;
}

static uint32_t node_find(const void *arg, const char *name)
{
	const struct wt_nodetable *nodes = arg;
	uint32_t node = wt_nodetable_by_name(nodes, name);

	return node != WT_NODE_NONE && wt_nodetable_is_own(nodes, node) ? node : WT_POWER_NO_NODE;
}

static int addresses_init(struct wt_daemon *daemon, struct wt_error *errp)
{
	bool some_new = daemon->options.elastic->address_new;

	for (uint32_t i = 0; i < daemon->nodes->count; i++)
		some_new = some_new || wt_elastic_of(daemon->options.elastic, i)->address_new;
	return some_new ? wt_addresses_init(&daemon->power.addresses, daemon->nodes->addresses, daemon->nodes->count,
					    errp) : 0;
}

int wt_power_control_init(struct wt_daemon *daemon, struct wt_error *errp)
{
	const struct wt_power_conf conf = {
		.elastic = daemon->options.elastic, .timers = daemon->time.timers, .timer_kind = WT_TIMER_POWER,
		.happened = happened, .arg = daemon,
		.begin_us = daemon->options.since_us ? daemon->options.since_us : daemon->time.start_us,
	};

	if (wt_elastic_nodes(daemon->options.elastic, daemon->nodes->count, node_find, daemon->nodes, errp) < 0 ||
	    addresses_init(daemon, errp) < 0)
		return wt_error_prefix(errp, "--elastic");
	daemon->power.power = wt_power_create(daemon->nodes->count, &conf);
	if (!daemon->power.power)
		return wt_error_errno(errp, ENOMEM, "power of %u nodes", daemon->nodes->count);
	return rows_open(daemon, errp) < 0 ? -1 : programs_open(daemon, errp);
}

static bool descriptors_suffice(uint32_t node_count, rlim_t *have)
{
	struct rlimit limit;
	bool known = getrlimit(RLIMIT_NOFILE, &limit) == 0;

	*have = known ? limit.rlim_cur : RLIM_INFINITY;
	return !known || limit.rlim_cur >= (rlim_t) node_count + OTHER_DESCRIPTORS;
}

static bool switched_suffice(uint32_t node_count)
{
	rlim_t have;

	if (descriptors_suffice(node_count, &have))
		return true;
	info("%u nodes with a socket each need more open files than the %ju allowed: nodes that are off let connections "
	     "time out instead of refusing them", node_count, (uintmax_t) have);
	return false;
}

int wt_power_control_sockets(const struct wt_nodetable *nodes, struct wt_error *errp)
{
	uint32_t count = wt_nodetable_own_count(nodes);
	rlim_t have;

	if (descriptors_suffice(count, &have))
		return 0;
	return wt_error_set(errp, EMFILE, "%" PRIu32 " nodes with a port each need %" PRIu32
			    " open files, and %ju are allowed (ulimit -n)", count, count + OTHER_DESCRIPTORS,
			    (uintmax_t) have);
}

bool wt_power_control_wanted(const struct wt_nodetable *nodes)
{
	bool wanted = slurm_conf.suspend_program || slurm_conf.resume_program;

	for (uint32_t i = 0; i < nodes->class_count; i++)
		wanted = wanted || nodes->classes[i].begins_off;
	return wanted && switched_suffice(nodes->count);
}

static int socket_open(struct wt_daemon *daemon, struct wt_error *errp)
{
	char *path = xstrdup_printf("%s/power", daemon->options.dir);

	daemon->power.lines = wt_lines_create(daemon->time.loop, path, wt_power_control_line, daemon, errp);
	xfree(path);
	if (daemon->power.lines || errno != ENAMETOOLONG)
		return daemon->power.lines ? 0 : -1;
	/* Nodes that are never switched need none, and folders with long names have always been possible. */
	info("nodes cannot be switched on and off: %s", errp->text);
	return 0;
}

int wt_power_control_begin(struct wt_daemon *daemon, struct wt_error *errp)
{
	int64_t now_us = wt_daemon_now_us(daemon);

	for (uint32_t i = 0; i < daemon->nodes->count; i++) {
		if (wt_nodetable_is_own(daemon->nodes, i) && wt_nodetable_class(daemon->nodes, i)->begins_off)
			wt_power_begin_off(daemon->power.power, now_us, i);
		daemon->power.boots.booted_us[i] = wt_power_booted_us(daemon->power.power, i);
		wt_reboot_resume(daemon, i);
		if (wt_power_state(daemon->power.power, i) != WT_POWER_OFF)
			address_take(daemon, i, wt_power_boot(daemon->power.power, i));
	}
	wt_power_resume(daemon->power.power);
	for (uint32_t i = 0; i < daemon->nodes->count; i++) {
		if (!wt_nodetable_is_own(daemon->nodes, i)) {
			;	/* it listens where it is */
		} else if (wt_power_is_on(daemon->power.power, i)) {
			if (wt_server_listen(daemon->serving.server, i, true, errp) < 0)
				return -1;
		} else {
			/* Scripts of nodes without power ended with it. */
			wt_model_crash(daemon->model, now_us, i);
		}
	}
	return socket_open(daemon, errp);
}

void wt_power_control_fini(struct wt_power_control *control)
{
	wt_lines_destroy(control->lines);
	wt_notices_destroy(control->notices);
	wt_notices_destroy(control->stock_outs);
	wt_addresses_clear(&control->addresses);
	/* What cannot be written now stands in the journal, and the next process writes it. */
	event_log_close(control->rows, NULL);
	wt_power_destroy(control->power);
	wt_boots_fini(&control->boots);
}

bool wt_power_control_all_stopped(const struct wt_daemon *daemon)
{
	uint32_t stopped = wt_registry_stopped_count(daemon->registration.registry);

	/* Asked for each of many nodes: looked at one by one only when it may be so. */
	if (!stopped || stopped < wt_daemon_nodes_on(daemon))
		return false;
	for (uint32_t i = 0; i < daemon->nodes->count; i++)
		if (wt_nodetable_is_own(daemon->nodes, i) && wt_power_is_on(daemon->power.power, i) &&
		    !wt_registry_stopped(daemon->registration.registry, i))
			return false;
	return true;
}

static void node_name(const void *arg, uint32_t node, char *text, size_t size)
{
	snprintf(text, size, "%s", wt_nodetable_name(arg, node));
}

static void node_address(const void *arg, uint32_t node, uint32_t boot, char *text, size_t size)
{
	const struct wt_daemon *daemon = arg;
	struct in_addr address = { daemon->nodes->addresses[node] };

	if (daemon->power.addresses.own && wt_elastic_of(daemon->options.elastic, node)->address_new)
		address.s_addr = wt_addresses_of(&daemon->power.addresses, node, boot);
	inet_ntop(AF_INET, &address, text, (socklen_t) size);
}

char *wt_power_control_line(void *arg, char *line)
{
	struct wt_daemon *daemon = arg;
	const struct wt_power_names names = {
		.count = daemon->nodes->count, .find = node_find, .name = node_name, .arg = daemon->nodes,
		.address = node_address, .address_arg = daemon,
	};
	struct wt_error err;
	bool asked;
	char *answer;

	answer = wt_power_request(daemon->power.power, &names, wt_daemon_now_us(daemon), line, &asked);
	/* A program that has its answer ends, and slurmctld does not call it again. */
	if (!asked || wt_store_commit(daemon->store, &err) == 0)
		return answer;
	free(answer);
	return wt_str_format("error %s", err.text);
}
