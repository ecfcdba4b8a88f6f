/* job_env.h - what a job of a run finds in its environment (doc/formats.md): set by the submitter, read by wt-vnoded and,
 * on real nodes, by the job script.
 *
 * Pure, and without a library: wt-vnoded links it, too. */
#ifndef WT_RECORD_JOB_ENV_H
#define WT_RECORD_JOB_ENV_H

/* Seconds, decimal; of an array one for each task, with a blank between.  S+X@NODE,NODE: X longer on any other node. */
#define WT_JOB_ENV_RUN_TIME "WINDTUNNEL_RUN_TIME_S"
#define WT_JOB_ENV_EXIT_CODE "WINDTUNNEL_EXIT_CODE"
#define WT_JOB_ENV_FAIL "WINDTUNNEL_FAIL"	/* WT_JOB_FAIL_SIGNAL and the signal's number, or WT_JOB_FAIL_MEMORY */
#define WT_JOB_ENV_IGNORE_TERM "WINDTUNNEL_IGNORE_TERM"	/* 0 or 1 */
#define WT_JOB_ENV_PROBE "WINDTUNNEL_PROBE"		/* a probe's name */
#define WT_JOB_ENV_EVENTS "WINDTUNNEL_EVENTS"		/* path of the file to which the job script appends */

#define WT_JOB_FAIL_SIGNAL "signal:"
#define WT_JOB_FAIL_MEMORY "memory"	/* more than it was given: a virtual node ends it as slurmd ends such a job */

/* What each job asks the controller when it starts (Georgiou and Hautreux 2012, section 4.3: "a single encapsulated SLURM
 * client call is used in every job in order to evaluate the responsiveness of the system").  They do not say which. */
enum wt_probe { WT_PROBE_NONE, WT_PROBE_PING, WT_PROBE_JOB, WT_PROBE_STEP };
#define WT_PROBE_COUNT (WT_PROBE_STEP + 1)

/* The names as literals, of which the job script is made. */
#define WT_PROBE_NAME_NONE "none"
#define WT_PROBE_NAME_PING "ping"
#define WT_PROBE_NAME_JOB "job"
#define WT_PROBE_NAME_STEP "step"

const char *wt_probe_name(enum wt_probe probe);
int wt_probe_parse(const char *name, enum wt_probe *probe);	/* 0, or -1: there is no such probe */

#endif
