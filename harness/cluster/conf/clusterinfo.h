/* clusterinfo.h - what a cluster is (its cluster.json) and where its files lie.
 *
 * Written once by "up", read by everything else.  Unless noted: 0 or a pointer, or -1 or NULL with errno and *errp set. */
#ifndef WT_HARNESS_CLUSTER_CONF_CLUSTERINFO_H
#define WT_HARNESS_CLUSTER_CONF_CLUSTERINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "harness/cluster/conf/hosts.h"
#include "harness/cluster/conf/shape.h"

#define WT_CLUSTER_ENV "WINDTUNNEL_CLUSTER"	/* in the environment of every process of a cluster: its uuid */
#define WT_CLUSTER_KEY_ENV "WINDTUNNEL_CLUSTER_KEY"	/* beside it: what only the cluster's owner knows (leftovers.h) */
#define WT_CLUSTER_NAME_MAX 64
#define WT_SAVE_INTERVAL_MAX_S 86400
#define WT_BACKEND_VIRTUAL "virtual"
#define WT_BACKEND_SLURMD "slurmd"

struct wt_clusterinfo {
	char *name, *uuid, *backend, *shape_text;	/* owned */
	char *controller_addr;				/* IPv4, text */
	/* "24.11.5", owned: its daemons' release, and the only one whose clients it understands.  Of a file that was read;
	 * saved is the caller's own.  NULL: an older windtunnel did not say it. */
	char *slurm_version;
	bool own_host_name;				/* slurmctld runs under WT_HOSTNAME_OWN (hostname.h) */
	bool listens_everywhere;			/* slurmctld: on all addresses, not only on controller_addr */
	char *dir;					/* absolute; not in the file: it is where the file lies */
	char **node_settings;				/* owned: "KEY=VALUE" for wt-vnoded --node */
	size_t node_setting_count;
	char **elastic;					/* owned: "KEY=VALUE" of elastic.h */
	size_t elastic_count;				/* 0: nodes keep their power */
	bool nodes_begin_off;				/* real ones: they have State=CLOUD or FUTURE */
	bool run_time_given;
	double default_run_time_s;			/* for wt-vnoded, if run_time_given */
	/* owned: the memory of its virtual clock (harness/clock/virtual.h); NULL: real time */
	char *clock;
	bool sealed_in_process;				/* its processes have libwtmunge.so (harness/credential) */
	char *nss_wrapper;				/* owned: libnss_wrapper's path; NULL: the machine's users */
	char *allocator;				/* owned: path of the library; NULL: the C library's */
	uint32_t save_interval_s;			/* of slurmctld's state in virtual time; 0: as Slurm does */
	char *site;					/* owned: --site's folder, as it was given; NULL: none */
	bool accounting;				/* with a MariaDB and a slurmdbd of its own */
	struct wt_hosts hosts;				/* owned: where its nodes run; none: all on this machine */
	char **engine;					/* owned: words before a host's name, to run a command there */
	size_t engine_count;
	/* owned: a command that asks for the job of another Slurm cluster whose nodes the hosts are (allocation.h); their
	 * engine begins what runs there, also on the first one. */
	char **allocation;
	size_t allocation_count;			/* 0: they are of no job */
	/* In the folder that a host has of it: that host, one of 'hosts'.  NULL: this is the whole cluster's. */
	const struct wt_host *part;
	uint32_t nodes, dynamic_nodes;			/* dynamic: beyond those of slurm.conf, they join at run time */
	struct wt_shape shape;				/* memory_mib is never 0 here */
	unsigned int network;				/* nodes are 127.network.0.0/16 */
	uint16_t slurmdbd_port;				/* if accounting */
	uint16_t controller_port, nodes_port, lock_port;	/* nodes_port: shared, or with real nodes the first one's */
	int64_t created_us;				/* since the epoch */
};

int wt_clusterinfo_save(const struct wt_clusterinfo *info, struct wt_error *errp);	/* DIR/cluster.json */
int wt_clusterinfo_load(const char *dir, struct wt_clusterinfo *info, struct wt_error *errp);
void wt_clusterinfo_clear(struct wt_clusterinfo *info);		/* frees the fields; errno is preserved */

/* Is every node a real slurmd?  Else wt-vnoded answers for all. */
/* Nodes, and places of those that join. */
static inline uint32_t wt_clusterinfo_places(const struct wt_clusterinfo *info)
{
	return info->nodes + info->dynamic_nodes;
}

bool wt_clusterinfo_real_nodes(const struct wt_clusterinfo *info);

/* Copy the strings into info, which has none yet.  -1: ENOMEM. */
int wt_clusterinfo_node_settings(struct wt_clusterinfo *info, char *const *settings, size_t count, struct wt_error *errp);
int wt_clusterinfo_engine(struct wt_clusterinfo *info, char *const *words, size_t count, struct wt_error *errp);
int wt_clusterinfo_allocation(struct wt_clusterinfo *info, char *const *words, size_t count, struct wt_error *errp);
int wt_clusterinfo_elastic(struct wt_clusterinfo *info, char *const *settings, size_t count, struct wt_error *errp);

/* A new random uuid (RFC 4122, version 4) in 'text'. */
int wt_clusterinfo_uuid(char text[37], struct wt_error *errp);

/* The path of a file in the cluster's folder ("slurm.conf", "munge/socket"); the caller frees it; NULL: ENOMEM. */
char *wt_clusterinfo_path(const struct wt_clusterinfo *info, const char *file);

#endif
