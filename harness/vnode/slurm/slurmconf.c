/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat/credential.h"
#include "compat/message.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/vnode/slurm/slurmconf.h"

#define DEFAULT_CRED_EXPIRE_S 120	/* slurm.conf(5), AuthInfo cred_expire */

static int plugins_init(struct wt_error *errp)
{
	if (compat_auth_init() != SLURM_SUCCESS)
		return wt_error_set(errp, ENOENT, "Slurm's authentication plugin %s cannot be loaded", slurm_conf.authtype);
	if (hash_g_init() != SLURM_SUCCESS)
		return wt_error_set(errp, ENOENT, "Slurm's hash plugin cannot be loaded");
	if (compat_select_init() != SLURM_SUCCESS)
		return wt_error_set(errp, ENOENT, "Slurm's plugin %s cannot be loaded", slurm_conf.select_type);
	if (compat_switch_init() != SLURM_SUCCESS)
		return wt_error_set(errp, ENOENT, "Slurm's switch plugins cannot be loaded");
	if (gres_init() != SLURM_SUCCESS)
		return wt_error_set(errp, ENOENT, "Slurm's gres plugins cannot be loaded");
	if (!compat_cred_init())
		return wt_error_set(errp, ENOENT, "Slurm's credential plugin cannot be loaded");
	return 0;
}

/* Slurm's reader would wait a minute for a file that is missing. */
static int path_check(const char *path, struct wt_error *errp)
{
	return access(path, R_OK) == 0 ? 0 : wt_error_errno(errp, errno, "%s", path);
}

int wt_slurmconf_init(const char *path, struct wt_error *errp)
{
	if (path_check(path, errp) < 0)
		return -1;
	if (slurm_conf_init(path) != SLURM_SUCCESS)
		return wt_error_set(errp, EINVAL, "%s: Slurm's reader refuses it", path);
	return plugins_init(errp);
}

int wt_slurmconf_reread(const char *path, struct wt_error *errp)
{
	if (path_check(path, errp) < 0)
		return -1;
	if (slurm_conf_reinit(path) != SLURM_SUCCESS)
		return wt_error_set(errp, EINVAL, "%s: Slurm's reader refuses it", path);
	return 0;
}


static int address_find(const char *text, in_addr_t *address, struct wt_error *errp)
{
	struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM }, *list;
	struct in_addr in;
	int rc;

	if (inet_pton(AF_INET, text, &in) == 1) {
		*address = in.s_addr;
		return 0;
	}
	rc = getaddrinfo(text, NULL, &hints, &list);
	if (rc)
		return wt_error_set(errp, EINVAL, "NodeAddr=%s: %s (give each node its own loopback address)", text,
				    gai_strerror(rc));
	*address = ((struct sockaddr_in *) list->ai_addr)->sin_addr.s_addr;
	freeaddrinfo(list);
	return 0;
}

static int port_take(const slurm_conf_node_t *line, const char *text, uint16_t *port, struct wt_error *errp)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	if (end == text || *end || !number || number > UINT16_MAX)
		return wt_error_set(errp, EINVAL, "NodeName=%s Port=%s: this is no port", line->nodenames, text);
	*port = (uint16_t) number;
	return 0;
}

/* Their machines are made when they are wanted. */
static bool line_off(const slurm_conf_node_t *line)
{
	return line->state && (!strncasecmp(line->state, "FUTURE", 6) || !strncasecmp(line->state, "CLOUD", 5));
}

static int class_add(struct wt_nodetable *nodes, const slurm_conf_node_t *line, bool joins)
{
	struct wt_node_class node_class = {
		.cpus = line->cpus, .boards = line->boards, .sockets = line->tot_sockets, .cores = line->cores,
		.threads = line->threads, .memory_mib = line->real_memory, .tmp_disk_mib = line->tmp_disk,
		.begins_off = joins || line_off(line), .joins = joins,
	};

	return wt_nodetable_class_add(nodes, &node_class);
}

static int line_fail(const slurm_conf_node_t *line, const char *name, struct wt_error *errp)
{
	return wt_error_errno(errp, errno, "NodeName=%s NodeAddr=%s: %s%s", line->nodenames, line->addresses, name,
			      errno == EADDRINUSE ? " has the address of another node" : errno == EEXIST ?
			      " is there twice" : "");
}

/* The next of a list with one for each node, or what is the same for all; the caller frees it. */
static char *one_of(compat_hostlist list, bool each, const char *same)
{
	return each ? hostlist_shift(list) : strdup(same);
}

/* 'lists': names, addresses, ports. */
static int line_nodes_add(const slurm_conf_node_t *line, bool joins, compat_hostlist lists[3], struct wt_nodetable *found,
			  struct wt_error *errp)
{
	compat_hostlist names = lists[0], addresses = lists[1], ports = lists[2];
	bool addresses_each = hostlist_count(addresses) == hostlist_count(names), ports_each = hostlist_count(ports) > 1;
	int class_number = class_add(found, line, joins), rc = class_number < 0 ? -1 : 0;
	char *port_same = ports_each ? NULL : hostlist_shift(ports);

	while (!rc && hostlist_count(names)) {
		char *name = hostlist_shift(names), *text = one_of(addresses, addresses_each, line->addresses);
		char *number = one_of(ports, ports_each, port_same);
		in_addr_t address;
		uint16_t port = 0;

		rc = address_find(text, &address, errp);
		if (!rc)
			rc = port_take(line, number, &port, errp);
		if (!rc && wt_nodetable_add(found, name, address, port, (uint32_t) class_number) < 0)
			rc = line_fail(line, name, errp);
		free(name);
		free(text);
		free(number);
	}
	free(port_same);
	return rc;
}

/* One address for each node, or the same for all, as several slurmds of a machine have it: then each has its own port. */
static int counts_check(const slurm_conf_node_t *line, int names, int addresses, int ports, struct wt_error *errp)
{
	if (ports != 1 && ports != names)
		return wt_error_set(errp, EINVAL, "NodeName=%s Port=%s: one port, or one for each of its %d nodes, is "
				    "needed", line->nodenames, line->port_str, names);
	if (addresses != names && (addresses != 1 || ports != names))
		return wt_error_set(errp, EINVAL,
				    "NodeName=%s has %d names, NodeAddr=%s %d addresses: each node needs its own",
				    line->nodenames, names, line->addresses, addresses);
	return 0;
}

static void lists_destroy(compat_hostlist *lists, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (lists[i])
			hostlist_destroy(lists[i]);
}

/* Put the nodes of a line into *found, which numbers them in order of appearance, and their names into 'all'. */
static int line_expand(const slurm_conf_node_t *line, bool joins, struct wt_nodetable *found, compat_hostlist all,
		       struct wt_error *errp)
{
	char port[16];
	compat_hostlist lists[3];
	int rc = -1;

	snprintf(port, sizeof(port), "%u", slurm_conf.slurmd_port);
	lists[0] = hostlist_create(line->nodenames);
	lists[1] = hostlist_create(line->addresses);
	lists[2] = hostlist_create(line->port_str ? line->port_str : port);
	if (!lists[0] || !lists[1] || !lists[2])
		wt_error_set(errp, EINVAL, "NodeName=%s NodeAddr=%s: this is no host list", line->nodenames,
			     line->addresses);
	else if (counts_check(line, hostlist_count(lists[0]), hostlist_count(lists[1]), hostlist_count(lists[2]), errp) == 0)
		rc = line_nodes_add(line, joins, lists, found, errp);
	if (!rc)
		hostlist_push(all, line->nodenames);
	lists_destroy(lists, sizeof(lists) / sizeof(lists[0]));
	return rc;
}

/* A node that gets its address when its machine is made has none yet: it cannot be one of ours. */
static bool line_nowhere(const slurm_conf_node_t *line)
{
	compat_hostlist addresses;
	in_addr_t address;
	char *text;
	bool nowhere = false;

	if (!line_off(line))
		return false;
	addresses = hostlist_create(line->addresses);
	nowhere = !addresses;
	while (!nowhere && (text = hostlist_shift(addresses))) {
		nowhere = address_find(text, &address, NULL) < 0;
		free(text);
	}
	if (addresses)
		hostlist_destroy(addresses);
	if (nowhere)
		error("NodeName=%s State=%s: its NodeAddr=%s cannot be found; these nodes are never switched on here",
		      line->nodenames, line->state, line->addresses);
	return nowhere;
}

static uint32_t lines_count(slurm_conf_node_t **lines, int line_count)
{
	uint32_t count = 0;

	for (int i = 0; i < line_count; i++) {
		compat_hostlist names = hostlist_create(lines[i]->nodenames);

		if (!names)	/* line_expand () says so */
			continue;
		count += (uint32_t) hostlist_count(names);
		hostlist_destroy(names);
	}
	return count;
}

/* The same nodes, numbered in the order of a sorted host list. */
static struct wt_nodetable *nodes_sort(const struct wt_nodetable *found, compat_hostlist all, struct wt_error *errp)
{
	struct wt_nodetable *nodes = wt_nodetable_create(found->count);
	char *name;

	if (!nodes) {
		wt_error_errno(errp, ENOMEM, "table of %u nodes", found->count);
		return NULL;
	}
	/* Slurm sorts the nodes of a job: numbered alike, they are a few ranges of numbers. */
	hostlist_sort(all);
	for (uint32_t i = 0; i < found->class_count; i++)
		wt_nodetable_class_add(nodes, &found->classes[i]);
	while ((name = hostlist_shift(all))) {
		uint32_t n = wt_nodetable_by_name(found, name);

		if (n != WT_NODE_NONE)
			wt_nodetable_add(nodes, name, found->addresses[n], found->ports[n], found->class_numbers[n]);
		free(name);
	}
	if (nodes->count != found->count || nodes->class_count != found->class_count) {
		wt_error_errno(errp, ENOMEM, "table of %u nodes", found->count);
		wt_nodetable_destroy(nodes);
		return NULL;
	}
	return nodes;
}

/* This process's nodes lie side by side: they are a range of numbers. */
static int own_take(struct wt_nodetable *nodes, const char *own, struct wt_error *errp)
{
	compat_hostlist names = hostlist_create(own);
	uint32_t first = WT_NODE_NONE, count = 0;
	char *name;
	int rc = names && hostlist_count(names) > 0 ? 0 : wt_error_set(errp, EINVAL, "--own %s: this is no host list", own);

	if (!rc)
		hostlist_sort(names);
	while (!rc && (name = hostlist_shift(names))) {
		uint32_t node = wt_nodetable_by_name(nodes, name);

		if (!count)
			first = node;
		if (node == WT_NODE_NONE || node != first + count)
			rc = wt_error_set(errp, EINVAL, "--own %s: %s %s", own, name, node == WT_NODE_NONE ?
					  "is no node of slurm.conf" :
					  "does not follow the others in the sorted list of all");
		count++;
		free(name);
	}
	if (names)
		hostlist_destroy(names);
	if (!rc)
		wt_nodetable_own_set(nodes, first, count);
	return rc;
}

/* Where all nodes are this process's they listen at one port; *port 0: each has its own. */
static int ports_check(const struct wt_nodetable *nodes, const char *own, uint16_t *port, struct wt_error *errp)
{
	*port = nodes->count ? nodes->ports[0] : (uint16_t) slurm_conf.slurmd_port;
	for (uint32_t i = 1; i < nodes->count && *port; i++) {
		if (nodes->ports[i] != *port && !own)
			return wt_error_set(errp, EINVAL, "%s has Port %u, other nodes %u: one port for all is needed",
					    wt_nodetable_name(nodes, i), nodes->ports[i], *port);
		if (nodes->ports[i] != *port)
			*port = 0;
	}
	return 0;
}

static int lines_expand(slurm_conf_node_t **lines, int line_count, bool join, struct wt_nodetable *found,
			compat_hostlist all, struct wt_error *errp)
{
	int rc = 0;

	for (int i = 0; !rc && i < line_count; i++)
		if (!line_nowhere(lines[i]))
			rc = line_expand(lines[i], join, found, all, errp);
	return rc;
}

/* Of slurm.conf, and of the nodes that join, if there are any; in the order of a sorted host list. */
static struct wt_nodetable *nodes_read(slurm_conf_node_t *joining, struct wt_error *errp)
{
	slurm_conf_node_t **lines;
	int line_count = slurm_conf_nodename_array(&lines), join_count = joining != NULL, rc = 0;
	struct wt_nodetable *found, *nodes = NULL;
	compat_hostlist all = hostlist_create(NULL);

	found = wt_nodetable_create(lines_count(lines, line_count) + lines_count(&joining, join_count));
	if (!found || !all)
		rc = wt_error_errno(errp, ENOMEM, "node table");
	if (!rc && !line_count)
		rc = wt_error_set(errp, EINVAL, "slurm.conf has no nodes (NodeName=...)");
	if (!rc && lines_expand(lines, line_count, false, found, all, errp) == 0 &&
	    lines_expand(&joining, join_count, true, found, all, errp) == 0)
		nodes = nodes_sort(found, all, errp);
	if (all)
		hostlist_destroy(all);
	wt_nodetable_destroy(found);
	return nodes;
}

struct wt_nodetable *wt_slurmconf_nodes(const char *own, const char *joining, uint16_t *port, struct wt_error *errp)
{
	s_p_hashtbl_t *table = NULL;
	slurm_conf_node_t *line = joining ? slurm_conf_parse_nodeline(joining, &table) : NULL;
	struct wt_nodetable *nodes = NULL;

	if (joining && !line)
		wt_error_set(errp, EINVAL, "--dynamic %s: Slurm's reader refuses it", joining);
	else
		nodes = nodes_read(line, errp);
	if (table)
		s_p_hashtbl_destroy(table);
	if (nodes && ((own && own_take(nodes, own, errp) < 0) || ports_check(nodes, own, port, errp) < 0)) {
		wt_nodetable_destroy(nodes);
		nodes = NULL;
	}
	return nodes;
}

void wt_slurmconf_model(struct wt_model_conf *conf)
{
	const char *expire = slurm_conf.authinfo ? strstr(slurm_conf.authinfo, "cred_expire=") : NULL;
	long expire_s = expire ? strtol(expire + strlen("cred_expire="), NULL, 10) : DEFAULT_CRED_EXPIRE_S;

	*conf = (struct wt_model_conf) {
		.epilog = slurm_conf.epilog != NULL || spank_has_epilog(),
		.epilog_msg_time_us = slurm_conf.epilog_msg_time, .tcp_timeout_s = slurm_conf.tcp_timeout,
		/* slurmd never waits for less than 5 s. */
		.kill_wait_s = slurm_conf.kill_wait > 5 ? slurm_conf.kill_wait : 5,
		.forget_s = expire_s < 5 ? DEFAULT_CRED_EXPIRE_S : (uint32_t) expire_s,
	};
}

uint32_t wt_slurmconf_message_timeout_s(void)
{
	return slurm_conf.msg_timeout;
}

int wt_slurmconf_controller(unsigned int number, struct sockaddr_in *address, struct wt_error *errp)
{
	if (number >= slurm_conf.control_cnt)
		return wt_error_set(errp, ENOENT, "slurm.conf names no controller number %u", number);
	*address = (struct sockaddr_in) {
		.sin_family = AF_INET, .sin_port = htons((uint16_t) slurm_conf.slurmctld_port),
	};
	return address_find(slurm_conf.control_addr[number], &address->sin_addr.s_addr, errp);
}
