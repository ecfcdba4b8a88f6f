/* supervisor.h - the process that starts a cluster's daemons, keeps them, and ends them.
 *
 * It is the windtunnel command itself, run as "windtunnel cluster supervise" (hidden: for "up" only), a session of its own,
 * and the parent of all daemons.  While it starts it tells "up" its progress through a socket, one line each:
 *	S PID START_TIME		it runs
 *	P PHASE REGISTERED NODES	progress
 *	U				all nodes are IDLE; the socket is not used any more
 *	F ERRNO TEXT			it failed; all that it started ends, then the socket closes
 * When that socket closes before U, when its owner ends, or when its folder was removed, it ends everything and removes
 * it.  SIGTERM ends everything and leaves the folder; a second one does not wait for the daemons. */
#ifndef WT_HARNESS_CLUSTER_SUPERVISOR_SUPERVISOR_H
#define WT_HARNESS_CLUSTER_SUPERVISOR_SUPERVISOR_H

#include "harness/cluster/conf/clusterinfo.h"
#include "lib/proc.h"

struct wt_supervisor_args {
	int up_fd, lock_fd, port_fd;	/* inherited: progress, the folder's lock, the lock port */
	int part_in, part_out;		/* of a host's part only: from and to the cluster's supervisor */
	struct wt_proc owner;		/* pid 0: none */
};

/* Start it for the folder of 'info' (cluster.json is there).  The caller closes its own copies of the descriptors. */
int wt_supervisor_start(const struct wt_clusterinfo *info, const struct wt_supervisor_args *args, struct wt_error *errp);

/* "windtunnel cluster supervise DIR UP-FD LOCK-FD PORT-FD OWNER-PID OWNER-START": the supervisor itself.  Exit status. */
int wt_supervisor_main(int argc, char **argv);

/* The same for the part of a cluster in folder 'dir' (cluster.json says so) that this host has: munged and the part's
 * nodes, no slurmctld.  It ends, and removes the folder, when 'in' does.  Exit status. */
int wt_supervisor_part(const char *dir, int lock_fd, int in, int out);

/* "windtunnel cluster resources SLURM.CONF", which the supervisor runs before sacctmgr (resources.c). */
int wt_resources_main(int argc, char **argv);

/* How long the daemons of so large a cluster may take to end after SIGTERM, and to start until all nodes are IDLE. */
int wt_supervisor_stop_ms(uint32_t nodes);
int wt_supervisor_start_ms(uint32_t nodes);

#endif
