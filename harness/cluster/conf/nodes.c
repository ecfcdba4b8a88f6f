/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <strings.h>

#include "harness/cluster/conf/confattrs.h"
#include "harness/cluster/conf/nodes.h"
#include "lib/str.h"

static void range_add(struct wt_str *s, uint32_t first, uint32_t last)
{
	if (first == last)
		wt_str_printf(s, "%" PRIu32, first);
	else
		wt_str_printf(s, "[%" PRIu32 "-%" PRIu32 "]", first, last);
}

static void shape_add(struct wt_str *s, const struct wt_shape *shape)
{
	wt_str_printf(s, "CPUs=%" PRIu32 " Boards=1 SocketsPerBoard=%" PRIu32 " CoresPerSocket=%" PRIu32
		      " ThreadsPerCore=%" PRIu32 " RealMemory=%" PRIu64, shape->cpus, shape->sockets,
		      shape->cores_per_socket, shape->threads_per_core, shape->memory_mib);
}

/* The end of a line that stands in *s, which is cleared. */
static int line_end(struct wt_conf *conf, struct wt_str *s, const struct wt_shape *shape, struct wt_error *errp)
{
	char *value;
	int rc;

	wt_str_add(s, " ");
	shape_add(s, shape);
	wt_str_add(s, " State=UNKNOWN");
	value = wt_str_take(s);
	if (!value)
		return wt_error_errno(errp, ENOMEM, "slurm.conf");
	rc = wt_conf_set(conf, "NodeName", value, errp);
	free(value);
	return rc;
}

/* One line for the nodes 'first' to 'last', which lie in one row or are whole rows. */
static int line_add(struct wt_conf *conf, uint32_t first, uint32_t last, unsigned int network,
		    const struct wt_nodes_ports *ports, const struct wt_shape *shape, struct wt_error *errp)
{
	struct wt_str s = { 0 };

	wt_str_add(&s, "n");
	range_add(&s, first, last);
	wt_str_printf(&s, " NodeAddr=127.%u.", network);
	range_add(&s, first / 256, last / 256);
	wt_str_add(&s, ".");
	range_add(&s, first % 256, last % 256);
	wt_str_add(&s, " Port=");
	range_add(&s, ports->first + (ports->each ? first : 0), ports->first + (ports->each ? last : 0));
	return line_end(conf, &s, shape, errp);
}

int wt_nodes_add_hosts(struct wt_conf *conf, const struct wt_hosts *hosts, const struct wt_nodes_ports *ports,
		       const struct wt_shape *shape, struct wt_error *errp)
{
	if (wt_hosts_most(hosts) > 65536u - ports->first)
		return wt_error_set(errp, EINVAL,
				   "%" PRIu32 " nodes of one host with a port each from %u on: there are 65535",
				    wt_hosts_most(hosts), ports->first);
	for (size_t i = 0; i < hosts->count; i++) {
		const struct wt_host *host = &hosts->list[i];
		struct wt_str s = { 0 };

		if (!host->count)
			continue;
		wt_str_add(&s, "n");
		range_add(&s, host->first, host->first + host->count - 1);
		wt_str_printf(&s, " NodeAddr=%s Port=", host->address);
		range_add(&s, ports->first, ports->first + host->count - 1);
		if (line_end(conf, &s, shape, errp) < 0)
			return -1;
	}
	return 0;
}

int wt_nodes_add(struct wt_conf *conf, uint32_t nodes, unsigned int network, const struct wt_nodes_ports *ports,
		 const struct wt_shape *shape, struct wt_error *errp)
{
	uint32_t in_rows = nodes / 256 * 256;

	if (nodes < 1 || nodes > WT_NODES_MAX || network < 1 || network > 254)
		return wt_error_set(errp, EINVAL,
				    "%" PRIu32 " nodes in 127.%u.0.0: from 1 to %d nodes, network from 1 to 254", nodes,
				    network, WT_NODES_MAX);
	if (ports->each && nodes > 65536u - ports->first)
		return wt_error_set(errp, EINVAL, "%" PRIu32 " nodes with a port each from %u on: there are 65535", nodes,
				    ports->first);
	if (in_rows && line_add(conf, 0, in_rows - 1, network, ports, shape, errp) < 0)
		return -1;
	if (in_rows < nodes)
		return line_add(conf, in_rows, nodes - 1, network, ports, shape, errp);
	return 0;
}

/* Nodes 'first' to 'last', which lie in one row or are whole rows. */
static void rows_add(struct wt_str *s, uint32_t first, uint32_t last, unsigned int network, const char *comma)
{
	wt_str_printf(s, "%s127.%u.", comma, network);
	range_add(s, first / 256, last / 256);
	wt_str_add(s, ".");
	range_add(s, first % 256, last % 256);
}

void wt_nodes_address_add(struct wt_str *s, uint32_t first, uint32_t count, unsigned int network, uint16_t port)
{
	uint32_t end = first + count, at = first;

	wt_str_add(s, " NodeAddr=");
	while (at < end) {
		/* Up to the end of the row; from the beginning of one all that are whole. */
		uint32_t next = at % 256 || end - at < 256 ? (at / 256 + 1) * 256 : end / 256 * 256;

		next = next < end ? next : end;
		rows_add(s, at, next - 1, network, at > first ? "," : "");
		at = next;
	}
	wt_str_printf(s, " Port=%u", port);
}

char *wt_nodes_dynamic(uint32_t first, uint32_t count, unsigned int network, uint16_t port, const struct wt_shape *shape)
{
	struct wt_str s = { 0 };

	wt_str_add(&s, "NodeName=n");
	range_add(&s, first, first + count - 1);
	wt_nodes_address_add(&s, first, count, network, port);
	wt_str_add(&s, " ");
	shape_add(&s, shape);
	return wt_str_take(&s);
}

char *wt_nodes_hardware(const struct wt_shape *shape)
{
	struct wt_str s = { 0 };

	shape_add(&s, shape);
	return wt_str_take(&s);
}

static const char *state_of(const struct wt_confattrs *attrs)
{
	for (size_t i = attrs->count; i-- > 0;)
		if (!strcasecmp(attrs->list[i].name, "State"))
			return attrs->list[i].value;
	return NULL;
}

bool wt_nodes_begin_off(const struct wt_conf *conf)
{
	struct wt_confattrs attrs;
	const char *line, *state;
	bool off = false;
	size_t at = 0;

	/* The state of a DEFAULT line is that of the lines behind it which have none. */
	while ((line = wt_conf_next(conf, "NodeName", &at))) {
		if (wt_confattrs_parse(&attrs, line, true, NULL) < 0)
			continue;
		state = state_of(&attrs);
		if (state)
			off = !strncasecmp(state, "CLOUD", 5) || !strncasecmp(state, "FUTURE", 6);
		wt_confattrs_clear(&attrs);
	}
	return off;
}
