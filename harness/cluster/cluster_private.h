/* cluster_private.h - shared by the files behind cluster.h only. */
#ifndef WT_HARNESS_CLUSTER_CLUSTER_PRIVATE_H
#define WT_HARNESS_CLUSTER_CLUSTER_PRIVATE_H

#include "harness/cluster/cluster.h"
#include "harness/cluster/conf/accounts.h"
#include "harness/cluster/conf/clusterinfo.h"
#include "harness/cluster/conf/confpolicy.h"
#include "harness/cluster/conf/demands.h"
#include "harness/cluster/conf/users.h"
#include "harness/cluster/folder/ports.h"
#include "harness/cluster/folder/state_json.h"
#include "harness/cluster/sitefolder.h"

struct wt_plan {			/* a validated specification */
	const struct wt_cluster_wanted *wanted;
	struct wt_clusterinfo info;	/* uuid, ports and network change with each attempt */
	char *user, *host;
	char *unknown_words;		/* lines for people: words that slurmctld passes over (schedparams.h); NULL: none */
	char *plugin_dir;		/* of --plugin; NULL: not given */
	struct wt_demands demands;	/* of --conf and --set */
	struct wt_confnotes notes;	/* which of them were not taken over */
	struct wt_accounts accounts;	/* of --sacctmgr */
	struct wt_sitefolder site;		/* of --site */
	struct wt_users users;		/* of --site, or of --passwd and --group; no 'passwd': this machine's */
	char *remarks;			/* lines for people: what else was left out; NULL: nothing */
	uint64_t cpus;			/* of all nodes */
	char *topology;			/* contents of --topology; NULL: not given */
	bool bind_controller;
	uint32_t node_ports;		/* one each for real nodes, and one for the straggler plugin; 0: all share one */
};

/* up.c: make the folder and lock it; what a dead cluster left in it is ended and removed.  EBUSY: a running one holds it. */
int wt_cluster_folder_claim(const char *path, int *lock_fd, struct wt_error *errp);

/* host.c: "windtunnel cluster host", which the cluster's supervisor has an engine run on a host: its part of the cluster,
 * from what stands on the standard input (part_spec.h) until that ends.  "... host --end NAME HOST UUID" ends and removes
 * what a part has left there that was killed.  Exit status. */
int wt_host_main(int argc, char **argv);

/* down_hosts.c: the same on all hosts that have not said that nothing is left there.  -1: not all could be asked; *errp
 * names them. */
int wt_cluster_hosts_end(const char *path, struct wt_error *errp);

/* plan_hosts.c: the hosts of --hosts with their nodes and addresses, and the engine; nothing without --hosts. */
int wt_plan_hosts(struct wt_plan *plan, const struct wt_cluster_wanted *wanted, struct wt_error *errp);

/* plan_slurm.c: the text of a file of hosts for the allocation of another Slurm cluster in which we are, which the caller
 * frees; its srun becomes the engine.  NULL: errno and *errp. */
char *wt_plan_slurm(struct wt_clusterinfo *info, struct wt_error *errp);

/* plan.c: read and check everything the user gave, before anything is made.  'path' is the cluster's folder. */
int wt_plan_make(struct wt_plan *plan, const char *name, const char *path, const struct wt_cluster_wanted *wanted,
		 struct wt_error *errp);
/* Its settings; the caller destroys them.  What was not taken over is added to *notes. */
struct wt_conf *wt_plan_conf(const struct wt_plan *plan, struct wt_confnotes *notes, struct wt_error *errp);
void wt_plan_clear(struct wt_plan *plan);

/* plan_dynamic.c: can there be nodes that join at run time?  0, or -1 with EINVAL; select (): as slurm.conf will be. */
int wt_plan_dynamic_check(const struct wt_plan *plan, const struct wt_cluster_wanted *wanted, struct wt_error *errp);
int wt_plan_dynamic_select(const struct wt_clusterinfo *info, const struct wt_conf *conf, struct wt_error *errp);

/* plan_elastic.c: do the settings of --elastic fit each other, these nodes and this machine?  0, or -1 with EINVAL, what is
 * the matter with a program, or ENOMEM. */
int wt_plan_elastic_check(const struct wt_plan *plan, struct wt_error *errp);
int wt_plan_power_write(const struct wt_plan *plan, struct wt_error *errp);	/* the programs of nodes with power */

/* plan_files.c: a file of the cluster's folder; script () frees 'text', NULL is ENOMEM. */
int wt_plan_file_write(const struct wt_plan *plan, const char *name, const char *text, mode_t mode, struct wt_error *errp);
int wt_plan_script_write(const struct wt_plan *plan, const char *name, char *text, struct wt_error *errp);

/* plan_write.c */
void wt_plan_ports(struct wt_plan *plan, const struct wt_ports *ports);
char *wt_plan_conf_text(const struct wt_plan *plan, struct wt_error *errp);	/* the slurm.conf; the caller frees it */
int wt_plan_write(struct wt_plan *plan, const struct wt_ports *ports, struct wt_error *errp);	/* the folder's files */

/* down.c: end every process that the cluster in 'path' may still have: its supervisor in good order, then what
 * state.json names, then what carries its uuid. */
int wt_cluster_end_processes(const char *path, struct wt_error *errp);

/* plugin.c: the folder of our plugin for --plugin 'name'; the caller frees it.  NULL: EINVAL, ENOENT. */
char *wt_plugin_dir(const char *name, struct wt_error *errp);
/* Whether the running slurmctld of a cluster has loaded the one from 'dir'.  0, or -1 with *errp set. */
int wt_plugin_check(const struct wt_clusterinfo *info, const char *name, const char *dir, struct wt_error *errp);

/* up.c: check everything as wt_cluster_up () does and return the slurm.conf that it would write, with ports that are free
 * now; nothing is made or started.  The caller frees it. */
char *wt_cluster_conf_text(const char *name, const struct wt_cluster_wanted *wanted, struct wt_error *errp);

/* The same as wt_cluster_down; 'keep' leaves the folder with its logs. */
int wt_cluster_stop(const char *name, bool keep, struct wt_error *errp);

/* cluster.c: whatever is known of a cluster, running or not.  ENOENT: no such cluster. */
struct wt_cluster_view {
	struct wt_clusterinfo info;
	struct wt_state state;		/* of the last supervisor */
	bool busy;			/* its folder is held: it runs, starts or stops */
};

int wt_cluster_look(const char *name, struct wt_cluster_view *view, struct wt_error *errp);
void wt_cluster_view_clear(struct wt_cluster_view *view);
const char *wt_cluster_view_status(const struct wt_cluster_view *view);	/* a phase, "outage", "dead" or "stopped" */

#endif
