/* hosts.h - which host has which nodes of a cluster (windtunnel-cluster(1), --hosts).
 *
 * Pure.  One host a line, "NAME [address=IPV4] [nodes=N]"; what follows a '#' is a comment.  Nodes are given to the hosts in
 * the order of the file: the first host, on which slurmctld runs, has n0 to n(N-1), unless it has nodes=0.
 * Unless noted: 0, or -1 with errno (EINVAL, ENOMEM) and *errp set. */
#ifndef WT_HARNESS_CLUSTER_CONF_HOSTS_H
#define WT_HARNESS_CLUSTER_CONF_HOSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

#define WT_HOSTS_MAX 512
#define WT_HOST_NAME_MAX 63	/* of a label, RFC 1035; also in the path of a folder */
#define WT_HOST_ADDRESS_SIZE 16	/* INET_ADDRSTRLEN */

struct wt_host {
	char name[WT_HOST_NAME_MAX + 1];
	char address[WT_HOST_ADDRESS_SIZE];	/* "": the file does not say it */
	uint32_t first, count;			/* its nodes */
	bool count_given;
};

struct wt_hosts {		/* zeroed: no hosts */
	struct wt_host *list;
	size_t count;
};

/* 'where' is the file's name, for messages.  Names and addresses are those of one host each. */
int wt_hosts_parse(struct wt_hosts *hosts, const char *text, const char *where, struct wt_error *errp);

/* Give 'nodes' nodes to them: as many as a line says, and the rest in equal parts to those that say none. */
int wt_hosts_share(struct wt_hosts *hosts, uint32_t nodes, struct wt_error *errp);

/* Move each limit between two hosts that say no number of nodes to the nearest one between two leaf switches of this
 * topology.conf, so that what is below a switch is on one host, as far as it goes: each keeps at least one node.  A text
 * that topology/tree.h does not read changes nothing. */
void wt_hosts_align(struct wt_hosts *hosts, const char *topology);

/* The nodes of the host that has most: so many ports are needed. */
uint32_t wt_hosts_most(const struct wt_hosts *hosts);

int wt_hosts_copy(struct wt_hosts *to, const struct wt_hosts *from, struct wt_error *errp);
void wt_hosts_clear(struct wt_hosts *hosts);	/* errno is preserved */

/* Does an engine's remote shell take this word as it stands? */
bool wt_hosts_word_is_plain(const char *word);

#endif
