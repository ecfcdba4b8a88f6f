/* cluster_release.h - the release of Slurm of the cluster that a command line names: its daemons understand that one's
 * clients only, so the command is one for that release's build. */
#ifndef WT_CMD_CLUSTER_RELEASE_H
#define WT_CMD_CLUSTER_RELEASE_H

/* The cluster that "windtunnel VERB ..." is going to talk to: of "cluster env|exec|start|status NAME" and of
 * "--cluster NAME" of esp and run.  One of argv's texts.  NULL: none, as in verbs that only look at its files or end its
 * processes.  Pure. */
const char *cluster_named(int argc, char **argv);

/* "24.11.5", which the caller frees.  NULL: there is no such cluster, or it is not known. */
char *cluster_release(const char *name);

#endif
