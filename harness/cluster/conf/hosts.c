/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cluster/conf/hosts.h"
#include "harness/cluster/conf/nodes.h"
#include "lib/str.h"
#include "topology/tree.h"

#define BLANKS " \t\r"

bool wt_hosts_word_is_plain(const char *word)
{
	for (const char *p = word; *p; p++)
		if (!isalnum((unsigned char) *p) && !strchr("/._-+=:,@", *p))
			return false;
	return *word != '\0';
}

/* It becomes a word of a command line, and a part of a folder's name. */
static bool name_is_good(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char) name[i]) && (!i || !strchr("._-", name[i])))
			return false;
	return len > 0 && len <= WT_HOST_NAME_MAX;
}

static int address_take(struct wt_host *host, const char *value, struct wt_error *errp)
{
	struct in_addr address;

	if (inet_pton(AF_INET, value, &address) != 1 || address.s_addr == 0)
		return wt_error_set(errp, EINVAL, "address=%s: give an IPv4 address, as 10.1.0.2", value);
	/* As Slurm prints it, so that two spellings are not two hosts. */
	inet_ntop(AF_INET, &address, host->address, sizeof(host->address));
	return 0;
}

static int word_take(struct wt_host *host, const char *word, struct wt_error *errp)
{
	uint64_t n;

	if (!strncmp(word, "address=", 8))
		return host->address[0] ? wt_error_set(errp, EINVAL, "address= stands there twice") :
		       address_take(host, word + 8, errp);
	if (strncmp(word, "nodes=", 6))
		return wt_error_set(errp, EINVAL, "'%s' is not known; there are address=IPV4 and nodes=N", word);
	if (host->count_given)
		return wt_error_set(errp, EINVAL, "nodes= stands there twice");
	if (wt_str_to_u64(word + 6, 0, WT_NODES_MAX, "nodes=", &n, errp) < 0) {
		errno = EINVAL;
		return -1;
	}
	host->count = (uint32_t) n;
	host->count_given = true;
	return 0;
}

/* 'line' is cut; an empty one is no host: 0, and host->name is "". */
static int line_take(struct wt_host *host, char *line, struct wt_error *errp)
{
	char *rest = line, *word;

	memset(host, 0, sizeof(*host));
	line[strcspn(line, "#")] = '\0';
	while ((word = strsep(&rest, BLANKS))) {
		if (!*word)
			continue;
		if (host->name[0]) {
			if (word_take(host, word, errp) < 0)
				return -1;
			continue;
		}
		if (!name_is_good(word))
			return wt_error_set(errp, EINVAL, "'%.80s' is no host name: at most %d letters, digits, '.', '_' or "
					    "'-', beginning with a letter or a digit", word, WT_HOST_NAME_MAX);
		snprintf(host->name, sizeof(host->name), "%s", word);
	}
	return 0;
}

static int host_add(struct wt_hosts *hosts, const struct wt_host *host, struct wt_error *errp)
{
	struct wt_host *longer;

	for (size_t i = 0; i < hosts->count; i++) {
		if (!strcmp(hosts->list[i].name, host->name))
			return wt_error_set(errp, EINVAL, "host %s stands there twice", host->name);
		if (host->address[0] && !strcmp(hosts->list[i].address, host->address))
			return wt_error_set(errp, EINVAL, "hosts %s and %s have the same address %s", hosts->list[i].name,
					    host->name, host->address);
	}
	if (hosts->count == WT_HOSTS_MAX)
		return wt_error_set(errp, EINVAL, "more than %d hosts", WT_HOSTS_MAX);
	longer = realloc(hosts->list, (hosts->count + 1) * sizeof(*longer));
	if (!longer)
		return wt_error_errno(errp, ENOMEM, "hosts");
	hosts->list = longer;
	hosts->list[hosts->count++] = *host;
	return 0;
}

int wt_hosts_parse(struct wt_hosts *hosts, const char *text, const char *where, struct wt_error *errp)
{
	char *copy = strdup(text), *rest = copy, *line;
	struct wt_host host;
	int rc = copy ? 0 : wt_error_errno(errp, ENOMEM, "%s", where);

	*hosts = (struct wt_hosts) { 0 };
	for (unsigned int number = 1; rc == 0 && (line = strsep(&rest, "\n")); number++) {
		rc = line_take(&host, line, errp);
		if (rc == 0 && host.name[0])
			rc = host_add(hosts, &host, errp);
		if (rc < 0)
			wt_error_prefix(errp, "%s:%u", where, number);
	}
	free(copy);
	if (rc == 0 && !hosts->count)
		rc = wt_error_set(errp, EINVAL, "%s: it names no host", where);
	if (rc < 0)
		wt_hosts_clear(hosts);
	return rc;
}

int wt_hosts_share(struct wt_hosts *hosts, uint32_t nodes, struct wt_error *errp)
{
	uint64_t given = 0;
	uint32_t open = 0, rest, first = 0;

	for (size_t i = 0; i < hosts->count; i++) {
		given += hosts->list[i].count_given ? hosts->list[i].count : 0;
		open += !hosts->list[i].count_given;
	}
	if (given > nodes || (!open && given < nodes))
		return wt_error_set(errp, EINVAL, "the hosts' nodes= are %" PRIu64 " together, and --nodes says %" PRIu32,
				    given, nodes);
	rest = nodes - (uint32_t) given;
	for (size_t i = 0; i < hosts->count; i++) {
		struct wt_host *host = &hosts->list[i];

		/* What does not divide goes to the first ones. */
		if (!host->count_given) {
			host->count = rest / open + (rest % open != 0);
			rest -= host->count;
			open--;
		}
		host->first = first;
		first += host->count;
	}
	return 0;
}

/* The leaf switch of the node number 'node', or WT_TREE_NONE. */
static uint32_t leaf_of(const struct wt_tree *tree, uint32_t node)
{
	char name[16];
	uint32_t in_tree;

	snprintf(name, sizeof(name), "n%" PRIu32, node);
	in_tree = wt_tree_node_find(tree, name);
	return in_tree == WT_TREE_NONE ? WT_TREE_NONE : wt_tree_leaf(tree, in_tree);
}

static bool between_leaves(const struct wt_tree *tree, uint32_t node)
{
	return leaf_of(tree, node - 1) != leaf_of(tree, node);
}

/* The first node of the second of two neighbours. */
static uint32_t limit_find(const struct wt_tree *tree, const struct wt_host *one, const struct wt_host *two)
{
	uint32_t low = one->first + 1, high = two->first + two->count - 1, at = two->first;

	for (uint32_t by = 0; at + by <= high || at >= low + by; by++) {
		if (at >= low + by && between_leaves(tree, at - by))
			return at - by;
		if (at + by <= high && between_leaves(tree, at + by))
			return at + by;
	}
	return at;
}

void wt_hosts_align(struct wt_hosts *hosts, const char *topology)
{
	struct wt_tree *tree = wt_tree_parse(topology, strlen(topology), NULL);

	for (size_t i = 1; tree && i < hosts->count; i++) {
		struct wt_host *one = &hosts->list[i - 1], *two = &hosts->list[i];
		uint32_t end = two->first + two->count;

		if (one->count_given || two->count_given || !one->count || !two->count)
			continue;
		two->first = limit_find(tree, one, two);
		one->count = two->first - one->first;
		two->count = end - two->first;
	}
	wt_tree_destroy(tree);
}

uint32_t wt_hosts_most(const struct wt_hosts *hosts)
{
	uint32_t most = 0;

	for (size_t i = 0; i < hosts->count; i++)
		most = hosts->list[i].count > most ? hosts->list[i].count : most;
	return most;
}

int wt_hosts_copy(struct wt_hosts *to, const struct wt_hosts *from, struct wt_error *errp)
{
	*to = (struct wt_hosts) { .list = calloc(from->count + 1, sizeof(*to->list)), .count = from->count };
	if (!to->list) {
		to->count = 0;
		return wt_error_errno(errp, ENOMEM, "hosts");
	}
	if (from->count)
		memcpy(to->list, from->list, from->count * sizeof(*to->list));
	return 0;
}

void wt_hosts_clear(struct wt_hosts *hosts)
{
	int saved_errno = errno;

	free(hosts->list);
	*hosts = (struct wt_hosts) { 0 };
	errno = saved_errno;
}
