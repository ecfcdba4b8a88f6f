/* spec.h - speculation: which tasks get a copy, which attempt wins, which may publish.
 *
 * Pure: no Slurm, no clock, no I/O; times are arguments (seconds on one monotonic line, now_s never shrinks).  The caller
 * tells what tasks report (wt_spec_report ()) and what the scheduler knows (wt_spec_fact ()); wt_spec_decide () returns
 * what is to be done.  Not locked: one thread at a time.  doc/design-straggler.md has the rules and their reasons.
 *
 * Unless noted: 0 or a pointer on success; -1 or NULL with errno set, text in *errp (may be NULL). */
#ifndef WT_STRAGGLER_SPEC_H
#define WT_STRAGGLER_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "straggler/port_message.h"
#include "straggler/straggler.h"

struct wt_spec;	/* opaque */

struct wt_spec_policy {		/* of a job array; what a user asks for is cut to what the site allows */
	uint32_t copies;	/* for one task, over its whole life */
	double share;		/* of the array's tasks that may have a copy at a time; one always may */
	double z;		/* wt_straggler_options.z */
	double cpu_s;		/* > 0: progress is CPU time over this many seconds */
	/* Hadoop's rule in place of ours: WT_STRAGGLER_SCORE, and a copy whatever it may gain (doc/straggler.md) */
	bool by_score;
};

struct wt_spec_options {
	uint32_t owner_uid;	/* SlurmUser: may report for all, as root may */
	double window_s;	/* between two heartbeats of a task */
	double silence_s;	/* wt_straggler_options.silence_s */
	double cost;		/* a copy needs gain > cost * extra work, see wt_spec_decide () */
	double age_min_s;	/* no copy of a task that has run for less */
	uint32_t tasks_min;	/* no copies in smaller arrays */
	uint32_t copies_max;	/* alive at a time, of all arrays */
	uint32_t attempts_max;	/* known at a time: bounds the memory */
	bool score_allowed;	/* a user may ask for rule=score, which heeds neither cost nor z */
	struct wt_spec_policy policy;	/* the largest that a user may ask for, and the default */
};

struct wt_spec_options wt_spec_defaults(void);

/* Read "on", or words of copies=N, share=F, z=F, cpu=SECONDS, rule=fresh and rule=score with commas between.  EINVAL:
 * *errp says which word. */
int wt_spec_policy_parse(const char *text, struct wt_spec_policy *policy, struct wt_error *errp);

struct wt_spec *wt_spec_create(const struct wt_spec_options *options, struct wt_error *errp);
void wt_spec_destroy(struct wt_spec *s);	/* NULL is ignored; errno is preserved */
/* New limits for what is decided from now on. */
int wt_spec_configure(struct wt_spec *s, const struct wt_spec_options *options, struct wt_error *errp);

struct wt_spec_counters {	/* of records, unless noted */
	uint64_t messages, accepted;
	uint64_t foreign;	/* of another user's job */
	uint64_t unknown;	/* of a job that is not (yet) known; it is looked up */
	uint64_t stale;		/* of an earlier start of the job, or late */
	uint64_t range;		/* progress outside [0, 1] or not a number, elapsed time without measure */
	uint64_t backwards;	/* progress or time shrinks */
	uint64_t flood;		/* far more often than the window */
	uint64_t flagged, copies, copies_won, copies_lost, copies_failed, copies_refused;	/* tasks and copies */
	uint64_t commits, commits_refused, releases, held;	/* questions */
	/* counted by the adapter */
	uint64_t garbage, replayed, expired, bad_credential, refused_busy, munge_failed;	/* messages */
	uint64_t bad_mac, no_session, other_version;		/* messages */
	/* opened; of them dropped before their time, since others were opened */
	uint64_t sessions, sessions_dropped;
};

struct wt_spec_counters *wt_spec_counters(struct wt_spec *s);

/* What a message says.  Returns OK, or DENIED when every record was of another user's job. */
enum port_code wt_spec_report(struct wt_spec *s, uint32_t uid, const struct port_message *message, double now_s);

/* The right to publish, and the end of an attempt whose process failed (see enum port_code).  With OLD *newest (may be
 * NULL) is the newest acquisition that is known of the asker's start. */
enum port_code wt_spec_commit(struct wt_spec *s, uint32_t uid, const struct port_message *message, double now_s,
				 uint64_t *newest);
enum port_code wt_spec_exit(struct wt_spec *s, uint32_t uid, const struct port_message *message, double now_s);

enum wt_spec_state {
	WT_SPEC_GONE,		/* the scheduler knows no such job */
	WT_SPEC_PENDING, WT_SPEC_RUNNING,
	WT_SPEC_OK,		/* ended with exit code 0 */
	WT_SPEC_FAILED, WT_SPEC_CANCELLED
};

struct wt_spec_fact {		/* what the scheduler knows of a job */
	uint32_t job_id;
	enum wt_spec_state state;	/* GONE: all that follows is ignored */
	const char *policy;	/* NULL: the job does not speculate */
	uint32_t copy_of, number;	/* of a copy: the original's job id and the attempt's number (>= 2); else 0 */
	uint32_t uid, array_job_id, array_task_id;
	uint32_t tasks;		/* of the array */
	uint32_t restart;
	uint32_t exit_code;
	/* it has ended or is requeued, and its nodes have not said yet that its processes are gone */
	bool completing;
	double run_time_s;	/* so far, or when it ended */
	const char *node;	/* its (first) node; NULL: none yet */
	/* when the scheduler was asked, by the clock with which it stamps its own file; see wt_spec_saved () */
	int64_t seen_s;
};

/* Job ids to look up now: *ids belongs to 's' and holds until the next call of anything.  The last wt_spec_unknown () of
 * them are of jobs of which agents report and nothing is known: only they need all fields of a fact; of the others
 * policy, copy, user and array were told before.  Nothing but these need be looked up while wt_spec_settled () and no job
 * has changed for WT_SPEC_LOOK_S. */
size_t wt_spec_watch(struct wt_spec *s, double now_s, const uint32_t **ids);
size_t wt_spec_unknown(const struct wt_spec *s);
bool wt_spec_settled(const struct wt_spec *s, double now_s);	/* there is no copy, and no task has ended lately */
#define WT_SPEC_LOOK_S 60
int wt_spec_fact(struct wt_spec *s, const struct wt_spec_fact *fact, double now_s, struct wt_error *errp);

/* A running task of which nothing was heard for longer than options.silence_s, and that the scheduler says runs on: it
 * hangs, or its node's agent has gone.  True once at most for each array; wt_spec_watch () finds them, and is to be called
 * each second for that. */
struct wt_spec_silent {
	uint32_t job_id, array_job_id, array_task_id;
	double silence_s;
	char node[PORT_NODE_MAX + 1];
};
bool wt_spec_silent(struct wt_spec *s, struct wt_spec_silent *silent);

/* The scheduler's own file has all that it knew before 'stamp_s', in whole seconds of its clock.  No task publishes from a
 * start that is not in it: a scheduler that was killed would start that attempt again, or give its number to another job.
 * Asking for the right then answers WAIT, and wt_spec_save_wanted () says that the scheduler should write its file; as it
 * does, too, when attempts have begun or ended, so that no attempt has to wait whose task takes longer than some seconds. */
void wt_spec_saved(struct wt_spec *s, int64_t stamp_s);
bool wt_spec_save_wanted(const struct wt_spec *s);

enum wt_spec_kind {
	WT_SPEC_COPY,		/* start attempt 'number' of the task of job_id, not on 'node' */
	WT_SPEC_COMPLETE,	/* end job_id as completed: attempt other_id has won */
	WT_SPEC_REPAIR,		/* job_id was completed so, and its killed script has left an exit code behind */
	WT_SPEC_CANCEL		/* cancel job_id, a copy that is not needed any more */
};

struct wt_spec_action {
	enum wt_spec_kind kind;
	uint32_t job_id, restart, other_id;
	uint32_t array_job_id, array_task_id, tasks, uid, number;
	char node[PORT_NODE_MAX + 1];
};

/* What is to be done now; at most 'room' actions, the rest comes next time.  A flagged task gets a copy when the time that
 * is gained, R - D, exceeds options.cost times the extra work, 2 D - R (R: what the task still takes, D: the mean task's
 * duration), no attempt of it publishes, and no limit is reached. */
size_t wt_spec_decide(struct wt_spec *s, double now_s, struct wt_spec_action *actions, size_t room);

/* What became of a COPY: its job id, or 0 and why there is none. */
void wt_spec_copied(struct wt_spec *s, const struct wt_spec_action *action, uint32_t job_id, const char *why, double now_s);

/* What must outlive the process, as text: all of it, and what has changed since, to be put behind it.  Both mark it as
 * saved; check the stream afterwards, and wt_spec_mark () what could not be written: then only all of it will do. */
bool wt_spec_changed(const struct wt_spec *s);
void wt_spec_mark(struct wt_spec *s);
bool wt_spec_marked(const struct wt_spec *s);
void wt_spec_save(struct wt_spec *s, FILE *out);
void wt_spec_save_changes(struct wt_spec *s, FILE *out);
/* Into an empty 's'.  The changes put behind it last may be torn: no attempt was told that they had been saved.  EINVAL:
 * broken elsewhere.  ENOMEM: not known. */
int wt_spec_load(struct wt_spec *s, const char *text, size_t len, struct wt_error *errp);

/* What was to be loaded is lost: of all that facts tell between true and false it is not known which may publish, or has.
 * An attempt that had begun then is in doubt until it asks for the right: one that asks has not published.  A task in doubt
 * answers WAIT while another of its attempts may be publishing, and for good when one that has ended, or an earlier start,
 * may have published. */
void wt_spec_doubt(struct wt_spec *s, bool lost);
/* tasks in doubt of which an attempt runs; ENOMEM: not all are known */
int wt_spec_doubted(const struct wt_spec *s, struct wt_error *errp);

/* JSON for people and programs: WT_STATUS_JOBS of array 'job_id' (or the array of that job; 0: all) as far as 'uid' may
 * see them, with tasks when one is named or 'tasks' is set; NODES; COUNTERS. */
void wt_spec_show(struct wt_spec *s, enum port_what what, uint32_t uid, uint32_t job_id, double now_s, FILE *out);

/* Heartbeats as they are accepted, for a log; 'attempt' 1 is the original, 2 and up are copies of its task. */
typedef void (*wt_spec_heard_fn)(uint32_t uid, uint32_t array_job_id, uint32_t tasks, uint32_t attempt,
				 const struct wt_heartbeat *hb, void *arg);
void wt_spec_listen(struct wt_spec *s, wt_spec_heard_fn fn, void *arg);

/* Every invariant: for tests.  EPROTO. */
int wt_spec_check(const struct wt_spec *s, struct wt_error *errp);

#endif
