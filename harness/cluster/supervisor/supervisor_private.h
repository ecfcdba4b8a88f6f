/* supervisor_private.h - shared by the supervisor's own files only.
 *
 * Each calls those below it: supervisor.c (the frame), supervisor_control.c, supervisor_start.c and supervisor_power.c,
 * supervisor_daemons.c, supervisor_nodes.c, then keeper.c, asker.c and supervisor_report.c.  Upwards goes only what struct
 * sup_frame has. */
#ifndef WT_HARNESS_CLUSTER_SUPERVISOR_SUPERVISOR_PRIVATE_H
#define WT_HARNESS_CLUSTER_SUPERVISOR_SUPERVISOR_PRIVATE_H

#include <ev.h>
#include <stdbool.h>

#include "harness/cluster/conf/clusterinfo.h"
#include "harness/cluster/folder/state_json.h"
#include "harness/cluster/supervisor/asker.h"
#include "harness/cluster/supervisor/keeper.h"
#include "harness/cluster/supervisor/supervisor.h"

enum sup_daemon { SUP_MUNGED, SUP_SLURMCTLD, SUP_VNODED, SUP_MARIADBD, SUP_SLURMDBD, SUP_DAEMONS };

/* What has been reached on the way up. */
enum sup_step { SUP_STEP_MUNGE, SUP_STEP_ACCOUNTING, SUP_STEP_CONTROLLER, SUP_STEP_NODES, SUP_STEP_IDLE, SUP_STEP_UP };

/* On the way down: which daemons are ended after which others have. */
enum sup_stage { SUP_STAGE_FIRST, SUP_STAGE_SLURMDBD, SUP_STAGE_MARIADBD, SUP_STAGE_MUNGED, SUP_STAGES };

struct sup_accounting;		/* the making of the database (supervisor_accounting.c) */
struct sup_hosts;		/* other hosts that have the nodes (supervisor_hosts.c) */
struct sup_allocation;		/* the job of another Slurm that has these hosts (supervisor_allocation.c) */
struct sup_part;		/* of a host that has a part of them (supervisor_part.c) */
struct sup_nodes;		/* the slurmds of real nodes (supervisor_nodes.c) */
struct sup_places;
struct sup_power;		/* which of these have power (supervisor_power.c) */
struct sup_registered;		/* which slurmctld has heard of since they got it (supervisor_registered.c) */

struct sup_service {		/* one daemon */
	struct sup *sup;
	enum sup_daemon which;
	struct wt_state_daemon *state;	/* in sup->state; NULL: this cluster has no such daemon */
	char **argv;		/* owned, ends with NULL */
	char *log;		/* owned: what it writes to stdout and stderr */
	struct keeper keeper;
};

struct sup;
struct sup_control;		/* "windtunnel cluster stop" and "start" (supervisor_control.c) */

/* What the parts tell the frame (supervisor.c), which joins them. */
struct sup_frame {
	void (*failed)(struct sup *sup, int errnum, const char *text);	/* before stop: why */
	void (*stop)(struct sup *sup, const char *why);		/* it has to begin to end everything */
	void (*ended)(struct sup *sup);				/* a process ended while all end */
	/* a daemon has ended, or was started as asked for: a client may wait for that */
	void (*changed)(struct sup *sup);
};

struct sup {
	const struct sup_frame *frame;
	struct wt_clusterinfo info;
	struct wt_supervisor_args args;
	int64_t began_us;		/* by the cluster's clock */
	struct ev_loop *loop;
	struct sup_service services[SUP_DAEMONS];
	struct sup_accounting *accounting;	/* NULL: there is none */
	struct keeper *once[3];		/* of its commands, which run once; NULL: none */
	struct sup_nodes *nodes;	/* NULL: virtual ones, or other hosts have them */
	struct sup_places *places;	/* NULL: all slurmds are where this machine is */
	struct sup_power *power;	/* NULL: theirs cannot be switched here */
	struct sup_registered *registered_nodes;
	struct sup_hosts *hosts;	/* NULL: all is on this machine, or this is a part */
	struct sup_allocation *allocation;	/* NULL: the hosts are of none */
	struct sup_part *part;		/* NULL: this is no part */
	struct sup_control *control;
	struct wt_state state;
	enum sup_step step;
	enum sup_stage stage;	/* if stopping */
	bool stopping, killing, failed, remove_folder;
	bool state_unsaved;	/* state.json could not be written last time */
	uint32_t registered;
	/* nodes that have to become IDLE: all, but for those that are not there (State=CLOUD, FUTURE) */
	uint32_t awaited;
	char idle_text[1000];	/* the waiter's last line about the nodes' states */
	struct asker waiter;
	int owner_fd;		/* pidfd; -1: none */
	ev_timer tick, deadline, grace;
	ev_io up_io, owner_io;
	ev_signal sigterm, sigint, sighup;
};

/* supervisor_report.c: what the log, "up" and state.json are told */
void sup_log(struct sup *sup, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sup_tell(struct sup *sup, const char *fmt, ...) __attribute__((format(printf, 2, 3)));	/* to "up", if it listens */
bool sup_folder_is_ours(const struct sup *sup);	/* the folder that we hold is still the one of that name */
void sup_state_save(struct sup *sup);
/* "up" is told, and everything ends. */
void sup_fail(struct sup *sup, int errnum, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same when process 'name' has ended while the cluster starts: with its last words, from 'log' or, if nothing stands
 * there, from 'other' (each may be NULL). */
void sup_fail_ended(struct sup *sup, const char *name, const char *how, const char *log, const char *other);

/* supervisor_daemons.c */
int sup_daemons_init(struct sup *sup, struct wt_error *errp);
void sup_daemons_clear(struct sup *sup);
int sup_daemon_start(struct sup *sup, enum sup_daemon which);	/* -1: failed and said so */
void sup_daemon_stop(struct sup *sup, enum sup_daemon which, int sig);	/* on purpose: it is not restarted */
void sup_daemon_resume(struct sup *sup, enum sup_daemon which);		/* if it was stopped */
/* Those that are ended in that stage or before it. */
void sup_daemons_signal(struct sup *sup, int sig, enum sup_stage last);
bool sup_daemons_running(const struct sup *sup, enum sup_stage last);
void sup_daemons_trim_logs(struct sup *sup);

/* supervisor_accounting.c: all but init do nothing without accounting */
int sup_accounting_init(struct sup *sup, struct wt_error *errp);
void sup_accounting_clear(struct sup *sup);
void sup_accounting_begin(struct sup *sup);
/* One step further, if what it waits for is there: true, slurmctld can start. */
bool sup_accounting_ready(struct sup *sup);

/* supervisor_nodes.c: all but init do nothing with virtual nodes */
int sup_nodes_init(struct sup *sup, struct wt_error *errp);
void sup_nodes_clear(struct sup *sup);
void sup_nodes_begin(struct sup *sup);				/* starts all of them, a few at a time */
bool sup_nodes_running(const struct sup *sup);
void sup_nodes_signal(struct sup *sup, int sig);		/* no more are started */
const char *sup_nodes_log(const struct sup *sup);		/* what all of them write to stderr */
void sup_nodes_stop(struct sup *sup, int sig);			/* on purpose */
void sup_nodes_resume(struct sup *sup);				/* if they were stopped */
void sup_nodes_hurry(struct sup *sup);				/* slurmctld is gone: end them soon */
/* A node's slurmd begins, with -b if it 'boots'; it ends at once with all that runs there, and is not started again;
 * slurmctld has heard of its boot. */
void sup_nodes_power_on(struct sup *sup, uint32_t index, bool boots);
void sup_nodes_power_off(struct sup *sup, uint32_t index);
void sup_nodes_registered(struct sup *sup, uint32_t index);

/* supervisor_place.c: nodes whose slurmds have addresses of their own; none, and sup->places stays NULL. */
struct wt_elastic;
int sup_places_init(struct sup *sup, const struct wt_elastic *elastic, struct wt_error *errp);
void sup_places_clear(struct sup *sup);
void sup_places_boot(struct sup *sup, uint32_t index, uint32_t boot);	/* its present boot */
void sup_places_address(const void *sup, uint32_t index, uint32_t boot, char *text, size_t size);
bool sup_places_wish(const struct sup *sup, uint32_t index);	/* for wt_slurmd_place_take (); false: it has no own place */

/* supervisor_power.c: all but init do nothing where power cannot be switched; init comes after sup_daemons_init () */
int sup_power_init(struct sup *sup, struct wt_error *errp);
void sup_power_look(struct sup *sup);		/* what could not be done is tried again */
void sup_power_stop(struct sup *sup);		/* nothing happens by itself any more */
void sup_power_clear(struct sup *sup);

/* supervisor_registered.c */
int sup_registered_init(struct sup *sup, void (*heard)(struct sup *sup, uint32_t node), struct wt_error *errp);
/* 'heard' is called once slurmctld has a registration of that node's slurmd, which began at 'since_s' (seconds since the
 * epoch) or later; 0: not any more.  What was said is looked for from the next look () on, if it is not yet. */
void sup_registered_await(struct sup *sup, uint32_t node, int64_t since_s);
void sup_registered_look(struct sup *sup);
void sup_registered_clear(struct sup *sup);

/* supervisor_hosts.c: all but init do nothing without hosts.  'which': one of them, as sup_hosts_find () numbers them; -1:
 * all. */
int sup_hosts_init(struct sup *sup, struct wt_error *errp);
void sup_hosts_clear(struct sup *sup);
void sup_hosts_begin(struct sup *sup);
bool sup_hosts_running(const struct sup *sup);
void sup_hosts_signal(struct sup *sup, int sig);	/* SIGKILL: the engines; else each ends its part */
/* The rest is for clusters with hosts only. */
const char *sup_hosts_log(const struct sup *sup);		/* what all engines write to stderr */
uint32_t sup_hosts_ready(const struct sup *sup);		/* nodes of hosts that are up */
int sup_hosts_find(const struct sup *sup, const char *name);	/* -1: it has no nodes, or is none */
bool sup_hosts_serve(const struct sup *sup, int which);		/* does one of its nodes run? */
void sup_hosts_order(struct sup *sup, int which, const char *order);	/* "stop", "kill", "start": its nodes */

/* supervisor_allocation.c: all do nothing where the hosts are nodes of no job */
int sup_allocation_init(struct sup *sup, struct wt_error *errp);
void sup_allocation_clear(struct sup *sup);
void sup_allocation_ask(struct sup *sup);	/* if it has ended, the cluster does */

/* supervisor_part.c: all do nothing in what is no part, but for running */
int sup_part_init(struct sup *sup, struct wt_error *errp);
void sup_part_tell(struct sup *sup, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
uint32_t sup_part_running(const struct sup *sup);	/* nodes */
void sup_part_up(struct sup *sup);
void sup_part_ended(struct sup *sup);			/* all processes have: what is still to be told */
void sup_part_clear(struct sup *sup, bool clean);	/* 'clean': nothing of it is left on this host */

/* supervisor_control.c */
int sup_control_init(struct sup *sup, struct wt_error *errp);
void sup_control_clear(struct sup *sup);
void sup_control_look(struct sup *sup);

/* supervisor_start.c */
void sup_start_begin(struct sup *sup);
void sup_start_end(struct sup *sup);		/* stops its timers and the waiter */

#endif
