/* epilog.h - the Epilog and the RebootProgram of a cluster.
 *
 * There must be one: a slurmd without an epilog frees its node at once and sends no MESSAGE_EPILOG_COMPLETE. */
#ifndef WT_HARNESS_CLUSTER_FOLDER_EPILOG_H
#define WT_HARNESS_CLUSTER_FOLDER_EPILOG_H

#include "harness/cluster/conf/clusterinfo.h"
#include "record/event_format.h"

#define WT_NODE_EVENTS "nodes/" WT_EVENTS_FILE

#define WT_EPILOG_NODES_MAX 64	/* of a job whose releases are told */

/* With virtual nodes it does nothing (it never runs).  On a real node it appends "release" to events.csv (doc/formats.md),
 * but not for jobs of more than WT_EPILOG_NODES_MAX nodes: those slurmds wait after the epilog, up to nodes *
 * EpilogMsgTime, before they tell slurmctld (slurm.conf(5), EpilogMsgTime), so its time would be wrong.  The caller frees
 * it; NULL: ENOMEM. */
char *wt_epilog_text(const struct wt_clusterinfo *info);

#define WT_NODE_REBOOT_SUFFIX ".reboot"	/* nodes/nX.reboot: the slurmd of nX is to start as one whose node has booted */

/* With virtual nodes it does nothing (it never runs).  On a real node it ends its slurmd, and notes that it is to boot: the
 * machine is shared, so it cannot.  The caller frees it; NULL: ENOMEM. */
char *wt_reboot_text(const struct wt_clusterinfo *info);

#endif
