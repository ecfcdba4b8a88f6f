/* control.h - stopping and starting single daemons of a running cluster on purpose: "windtunnel cluster stop" and "start".
 *
 * The supervisor listens on the socket "control" in the cluster's folder (supervisor_control.c). */
#ifndef WT_HARNESS_CLUSTER_FOLDER_CONTROL_H
#define WT_HARNESS_CLUSTER_FOLDER_CONTROL_H

#include "harness/cluster/conf/hosts.h"
#include "lib/error.h"

#define WT_CONTROL_SOCKET "control"
#define WT_CONTROL_LINE_MAX 160

enum wt_control_verb { WT_CONTROL_STOP, WT_CONTROL_KILL, WT_CONTROL_START };

/* Bits, in the order in which they are started. */
enum control_service {
	WT_CONTROL_MUNGE = 1,
	WT_CONTROL_MARIADBD = 2,
	WT_CONTROL_SLURMDBD = 4,
	WT_CONTROL_SLURMCTLD = 8,
	WT_CONTROL_NODES = 16,
	CONTROL_SERVICES_END = 32
};

/* Those that only a cluster with accounting has. */
#define WT_CONTROL_ACCOUNTING (WT_CONTROL_MARIADBD | WT_CONTROL_SLURMDBD)

/* Pure: the service of this name, "munge", "mariadbd", "slurmdbd", "slurmctld" or "nodes"; 0: none. */
unsigned int control_service_named(const char *name);

/* Pure: read a request, "VERB SERVICE... [@HOST]" up to a newline; no service means all.  'host' becomes "", or the one
 * whose nodes are meant.  0, or -1 with EINVAL. */
int wt_control_read(const char *line, enum wt_control_verb *verb, unsigned int *services, char host[WT_HOST_NAME_MAX + 1]);

/* Ask the supervisor of the cluster in folder 'dir' and wait until it is done.  0, or -1 with errno and *errp set: ENOTCONN,
 * there is no supervisor that listens.  'host' (NULL: all) is a name that fits. */
int wt_control_ask(const char *dir, enum wt_control_verb verb, unsigned int services, const char *host,
		   struct wt_error *errp);

#endif
