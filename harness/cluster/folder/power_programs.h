/* power_programs.h - the programs by which slurmctld switches nodes on and off, and the socket that they ask.
 *
 * wt-vnoded listens on DIR/nodes/power, or for real nodes the supervisor: one line for each request, answered when it stands
 * in wt-vnoded's journal.
 * Unless noted: 0, or -1 with errno and *errp. */
#ifndef WT_HARNESS_CLUSTER_FOLDER_POWER_PROGRAMS_H
#define WT_HARNESS_CLUSTER_FOLDER_POWER_PROGRAMS_H

#include <stdint.h>

#include "lib/error.h"

#define WT_POWER_SOCKET "nodes/power"
#define WT_POWER_ON_PROGRAM "power-on"		/* in the cluster's folder: ResumeProgram */
#define WT_POWER_OFF_PROGRAM "power-off"	/* SuspendProgram */
#define WT_POWER_FAIL_PROGRAM "power-fail"	/* ResumeFailProgram */
#define WT_POWER_NOTICE_PROGRAM "power-notice"	/* see power_notice.h; wt-vnoded finds them beside slurm.conf */
#define WT_POWER_STOCK_OUT_PROGRAM "power-stock-out"

/* The text of such a program, which waits for 'slow_s' seconds first, and calls this command by its own path; the caller
 * frees it.  NULL with errno. */
char *wt_power_program_text(const char *verb, double slow_s);

/* The text of the program that is told of nodes which are taken back soon: 'action' is that of --elastic on-notice. */
char *wt_power_notice_text(const char *dir, const char *action);

/* The same of nodes for which there is no machine: 'action' is that of --elastic on-stock-out, but for "wait". */
char *wt_power_stock_out_text(const char *dir, const char *action);

/* The text of ResumeProgram where boots have addresses of their own, which slurmctld is told of. */
char *wt_power_on_text(const char *dir, double slow_s);

/* The text of ResumeFailProgram: 'action' is that of --elastic on-resume-fail; it waits first, too. */
char *wt_power_fail_text(const char *dir, const char *action, double slow_s);

/* Has this folder an emulated cluster whose nodes have power?  ENOENT: no cluster, as where a slurm.conf is a real one's;
 * ENOTSUP: its nodes run on hosts of their own; ESHUTDOWN: it has lost its supervisor, and nobody will answer. */
int wt_power_folder_check(const char *dir, struct wt_error *errp);

/* Ask the nodes of the cluster in 'dir'; *answer is the text behind "ok " (the caller frees it; NULL: not wanted).  A
 * process that is not there, or dies over it, is asked again for up to 'patience_s' of the cluster's time; ETIMEDOUT:
 * it was there, and silent for as long of real time.  E2BIG: no line of this length is read. */
int wt_power_ask(const char *dir, const char *line, unsigned int patience_s, char **answer, struct wt_error *errp);

#endif
