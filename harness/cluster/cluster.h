/* cluster.h - start, find and stop an emulated cluster.
 *
 * Files and processes: doc/formats.md.  Unless noted: 0 or a pointer on success; -1 or NULL with errno and *errp set.
 * Call from one thread. */
#ifndef WT_HARNESS_CLUSTER_CLUSTER_H
#define WT_HARNESS_CLUSTER_CLUSTER_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/error.h"

/* Who seals and opens the credentials of a cluster in virtual time (doc/design-clock.md). */
enum wt_credentials {
	WT_CREDENTIALS_DEFAULT,		/* not given */
	WT_CREDENTIALS_MUNGED,		/* munged, as on any cluster */
	WT_CREDENTIALS_PROCESS,		/* each process that may read its key: libwtmunge.so */
};
const char *wt_credentials_name(enum wt_credentials credentials);	/* NULL: default */

/* What the user asked for.  Fields of this struct are owned by it; NULL or 0 means "not given: the default". */
struct wt_cluster_wanted {
	uint32_t nodes, dynamic_nodes;	/* dynamic: beyond 'nodes', they join at run time */
	char *backend;			/* "virtual" */
	char *shape;			/* hwloc synthetic description, "host", or the path of an exported XML */
	uint64_t memory_mib;		/* of one node */
	char *site;			/* a folder of windtunnel-site(5), which names the nodes */
	char *passwd_file, *group_file;	/* users and groups of its own */
	char **files;			/* put beside slurm.conf (extrafiles.h), in the order given */
	size_t file_count;
	char *topology_file;
	char *hosts_file;		/* hosts that have the nodes (hosts.h) */
	char *engine, *host_shell;	/* how a command is run there: "clush" or "ssh", or words before the host's name */
	bool accounting;		/* with a MariaDB and a slurmdbd of its own */
	char **accounts_files;		/* for sacctmgr (accounts.h), in the order given; they imply accounting */
	size_t accounts_file_count;
	char *plugin;			/* WT_PLUGIN_BESTFIT or WT_PLUGIN_STRAGGLER */
	char *conf_file;		/* slurm.conf lines that replace generated ones, before 'sets' */
	char **sets;			/* "KEY=VALUE" or "KEY+=VALUE", in the order given */
	size_t set_count;
	char **keeps;			/* keys of slurm.conf that are taken over although they reach out of the emulation */
	size_t keep_count;
	char **node_settings;		/* "KEY=VALUE" of node_settings.h, in the order given; virtual nodes only */
	size_t node_setting_count;
	char **elastic;			/* "KEY=VALUE" of elastic.h: nodes are switched on and off */
	size_t elastic_count;
	bool run_time_given;
	double default_run_time_s;	/* of jobs and tasks that say none, if run_time_given; virtual nodes only */
	/* what the caller will start is to live by a virtual clock, if this process does not yet */
	bool virtual_clock;
	enum wt_credentials credentials;	/* "process" is for a virtual clock: the caller checks it */
	char *allocator;		/* of slurmctld's memory: allocator.h */
	uint32_t save_interval_s;	/* of slurmctld's state, for a virtual clock: the caller checks it */
	uint32_t timer_slack_ms;	/* of a virtual clock, as above: clock_shm.h */
	/* Gets, before anything is started, what of the user's settings is not taken over, and, when all is up, what
	 * sacctmgr complained of. */
	void (*tell)(const char *text);
	bool given;			/* at least one of these options was on the command line */
};

/* The options of "cluster up" (--nodes and the rest), as a child parser for any verb that can make a cluster:
 * state->input is a struct wt_cluster_wanted that the caller has zeroed. */
extern const struct argp wt_cluster_wanted_argp;
void wt_cluster_wanted_clear(struct wt_cluster_wanted *wanted);	/* frees the fields, not *wanted */

/* Progress of a start: 'registered' of 'nodes' are there; 'phase' is a short word for people. */
typedef void (*wt_cluster_progress_f)(const char *phase, uint32_t registered, uint32_t nodes, void *arg);

/* Start cluster 'name' and return when all its nodes are IDLE.  'owner' (0: none) is a process whose end ends the cluster,
 * too.  *cancelled (may be NULL), set by a signal handler, makes it stop what it started and fail with EINTR.
 * On failure everything it started has ended; errp says which daemon said what, and the folder stays with its logs until
 * wt_cluster_down () or the next start under that name (it does not after EINTR, nor when nothing had been started).
 * EINVAL: the name or the specification is wrong; EBUSY: the name is running.  The supervisor is the calling program itself,
 * run as "windtunnel cluster supervise": only for programs that have that verb. */
int wt_cluster_up(const char *name, const struct wt_cluster_wanted *wanted, pid_t owner, const volatile int *cancelled,
		  wt_cluster_progress_f progress, void *arg, struct wt_error *errp);

/* How large a cluster of that specification, with a site's nodes, would be; starts nothing. */
int wt_cluster_size(const struct wt_cluster_wanted *wanted, uint32_t *nodes, uint32_t *cpus, struct wt_error *errp);

/* Stop it: exactly its own processes; remove its folder.  ENOENT: there is no such cluster. */
int wt_cluster_down(const char *name, struct wt_error *errp);

struct wt_cluster {			/* a running cluster, read from its folder */
	char *name, *dir, *slurm_conf, *backend;
	char *node_events;		/* path of events.csv written by the node side, or NULL */
	char *clock;			/* for cluster_clock.h; NULL: it lives in real time */
	bool sealed_in_process;		/* the same */
	char *nss_wrapper;		/* users of its own: see wt_cluster_users_environment (); NULL: the machine's */
	uint32_t nodes, cpus_per_node;
	bool accounting;		/* with a slurmdbd of its own */
	bool elastic;			/* by --elastic: its nodes are switched on and off */
	bool nodes_join;		/* by --dynamic: more than 'nodes' may be there */
	bool on_hosts;			/* by --hosts: its nodes have folders of their own there */
	uint32_t host_losses;		/* how often one of these hosts was lost so far */
	bool numbered;			/* they are n0 to n(N-1); else a site's */
	pid_t controller_pid;		/* at the time of the call: it changes when the supervisor restarts slurmctld */
};

/* ENOENT; ENOTCONN when it is not up; EPROTONOSUPPORT when it is of another release of Slurm than this program */
struct wt_cluster *wt_cluster_open(const char *name, struct wt_error *errp);
void wt_cluster_close(struct wt_cluster *cluster);	/* NULL is ignored; errno is preserved */

/* Set the environment so that what is executed next sees the cluster's users, if it has some of its own.  0, or -1. */
int wt_cluster_users_environment(const struct wt_cluster *cluster, struct wt_error *errp);

#endif
