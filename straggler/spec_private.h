/* spec_private.h - the inside of wt_spec. */
#ifndef WT_STRAGGLER_SPEC_PRIVATE_H
#define WT_STRAGGLER_SPEC_PRIVATE_H

#include <sys/queue.h>

#include "straggler/spec.h"

#define SPEC_LOOKUPS_MAX 4096	/* job ids that are not known yet, at a time */
#define SPEC_FORGET_S 600.	/* an array without a live attempt is forgotten after this time */
#define SPEC_HELD_MAX 8		/* wt-commits of one start that run at a time and are told apart */
#define SPEC_SETTLE_S 60.	/* ended attempts are looked at for this long: their exit code may still change */
#define SPEC_RETRY_S 60.	/* after a refused copy of a task */
#define SPEC_STRAY_S 60.	/* for a start that slurmctld does not know of to be killed, see spec_commit.c */
/* for a copy to start, while its original has failed; slurmctld may take 3 s and more (batch_sched_delay) */
#define SPEC_START_WAIT_S 10.
#define SPEC_REPORT_WAIT_S 3.	/* for the agent's own word on a task's duration */
#define SPEC_GAP_WINDOWS 2
#define SPEC_ROOT 0u
#define SPEC_CALM_TURNS 10	/* groups of calm attempts, see spec_look.c */

enum spec_file { SPEC_UNFILED, SPEC_KEEN, SPEC_CALM };

struct spec_attempt {	/* what is looked at each second comes first: there may be ten thousand, and memory is slow */
	uint32_t job_id, number;	/* number 1: the original */
	enum wt_spec_state state;
	bool heard, end_heard;
	bool end_fed;			/* the detector knows the duration */
	bool completing;		/* it has ended, but its processes may still be there */
	bool holding;			/* its process has failed; it waits for the others */
	bool cancelled;			/* cancellation was asked for */
	enum spec_file file;
	uint32_t exit_code;
	double received_s;
	LIST_ENTRY(spec_attempt) of_file;
	LIST_ENTRY(spec_attempt) of_all;
	struct spec_attempt *of_slot;	/* the next one of the same slot of wt_spec.by_job */
	struct spec_task *task;
	uint32_t restart;
	/* wt_spec_fact.seen_s of the first fact that told the present state and start; 0: none yet */
	int64_t seen_s;
	double elapsed_s, progress;
	double run_time_s, ended_s;	/* as the scheduler has it; ended_s: when we saw that it had ended */
	double cancelled_s;
	/* of this start of it all acquisitions up to this one are over: nothing of them counts any more */
	uint64_t over_instance, over;
	bool written;			/* a copy: the scheduler's own file had it once */
	/* it was loaded, and its number may be another job's now: of the next fact all fields are needed */
	bool unsure;
	/* this start of it may have published, or be publishing: see spec_doubt.c; unknown: it had begun when the right's
	 * holders were forgotten, and acquisitions of it may be in use that are not known */
	bool doubted, unknown;
	double made_s;			/* a copy: when it was submitted; 0: not by us, or before a restart */
	LIST_ENTRY(spec_attempt) of_task;
	char node[PORT_NODE_MAX + 1];
};

struct spec_task {
	struct spec_array *array;
	uint32_t id, index;
	LIST_HEAD(, spec_attempt) attempts;
	uint32_t copies;		/* ever made */
	bool reported;			/* progress, once at least */
	bool flagged, copying;		/* copying: a COPY was returned, its outcome is not known */
	bool again;			/* its copy was forgotten: see copy_forgotten () */
	double retry_s;			/* no copy before */
	const char *refused;		/* why the last copy was not made */
	uint32_t holder, holder_restart;	/* job id of the attempt that may publish; 0: none */
	uint64_t holder_instance;	/* the start of it that asked */
	/* its acquisitions that are not over, and the newest one ever; held_more: there may be others, not known here */
	uint64_t held[SPEC_HELD_MAX], holder_newest;
	uint32_t held_count;
	bool held_more;
	double stray_s;			/* when another start of the holder's attempt first asked; 0: none has */
	bool committed;
	bool doubted, spoiled;		/* it is not known which attempt may publish; nor will it be */
	uint32_t winner;		/* job id; 0: open */
	bool ended;
	bool changed;			/* since it was saved last */
	LIST_ENTRY(spec_task) of_flagged, of_changed;
};

struct spec_array {
	uint32_t id, uid, tasks;
	bool owned;			/* uid is known (root's is 0) */
	bool silence_told;		/* that one of its tasks has fallen silent */
	struct wt_spec_policy policy;
	struct wt_straggler *detector;	/* NULL: none yet, or too large */
	void *by_task;			/* tsearch (3) of spec_task by id */
	struct spec_task **order;	/* the same by index */
	uint32_t order_size;
	uint32_t known;			/* tasks in by_task and order */
	uint32_t reporting;		/* tasks that have reported progress */
	uint32_t copies_alive;
	double active_s;		/* when one of its tasks was heard of last */
	double heard_since_s;		/* its tasks have been heard of without a gap since then */
	LIST_ENTRY(spec_array) of_all;
};

struct spec_node {
	char name[PORT_NODE_MAX + 1];
	uint64_t tasks, flagged;	/* originals that ended or were flagged on it; of them flagged */
	LIST_ENTRY(spec_node) of_all;
};

struct spec_lookup {
	uint32_t job_id;
	double since_s;
	/* the last that was reported of it, and by which user: it counts once the job is known */
	bool reported;
	uint32_t uid;
	struct beat_record record;
};

struct wt_spec {
	struct wt_spec_options options;
	struct wt_spec_counters counters;
	/* by job_slot () of the job's id: found once for each heartbeat, so not in a tree */
	struct spec_attempt **by_job;
	uint32_t job_slots;		/* a power of two, or 0 */
	void *by_array, *by_node;
	LIST_HEAD(, spec_attempt) attempts, keen, calm[SPEC_CALM_TURNS];
	LIST_HEAD(, spec_array) arrays;
	LIST_HEAD(, spec_node) nodes;
	LIST_HEAD(, spec_task) flagged;
	uint32_t attempt_count, copies_alive;
	uint32_t copies_known;		/* attempts that are copies, ended ones too */
	uint32_t unsure;		/* attempts that are */
	double settle_until_s;		/* an attempt has ended not long ago */
	struct spec_lookup lookups[SPEC_LOOKUPS_MAX];
	size_t lookup_count;
	uint16_t lookup_tags[SPEC_LOOKUPS_MAX];	/* how many there are with this remainder: most often none */
	uint32_t *ids;
	size_t ids_size;
	LIST_HEAD(, spec_task) changed;
	bool rewrite;			/* all is to be saved */
	bool loading;			/* no limit counts: what was given stays given */
	bool loading_changes;		/* and what is loaded was put behind the first group */
	bool lost, lost_some;		/* wt_spec_doubt (); there was no memory for a task that is in doubt */
	struct wt_spec_silent silent;	/* to be told; job_id 0: nothing */
	int64_t saved_s, unsaved_s;	/* the scheduler's own file is of that time, and has to be younger than this */
	wt_spec_heard_fn heard;
	void *heard_arg;
};

/* spec.c */
struct spec_attempt *spec_attempt_find(const struct wt_spec *s, uint32_t job_id);
struct spec_attempt *spec_attempt_add(struct wt_spec *s, struct spec_task *task, uint32_t job_id, uint32_t number);
void spec_attempt_remove(struct wt_spec *s, struct spec_attempt *a);
struct spec_array *spec_array_get(struct wt_spec *s, uint32_t id, bool create);
struct spec_task *spec_task_get(struct spec_array *array, uint32_t id, bool create);
struct spec_attempt *spec_task_original(const struct spec_task *task);
void spec_array_remove(struct wt_spec *s, struct spec_array *array);
struct spec_node *spec_node_get(struct wt_spec *s, const char *name);
bool spec_may(const struct wt_spec *s, uint32_t uid, uint32_t owner);

/* One more acquisition of the holder's. */
static inline void spec_task_held(struct spec_task *task, uint64_t acquisition)
{
	if (task->held_count < SPEC_HELD_MAX)
		task->held[task->held_count++] = acquisition;
	else
		task->held_more = true;
	if (acquisition > task->holder_newest)
		task->holder_newest = acquisition;
}

static inline bool spec_alive(const struct spec_attempt *a)
{
	return a->state == WT_SPEC_PENDING || a->state == WT_SPEC_RUNNING;
}

/* The scheduler's own file has the attempt's present state and start: a scheduler that is killed now knows of them later. */
static inline bool spec_saved(const struct wt_spec *s, const struct spec_attempt *a)
{
	return a->seen_s && s->saved_s > a->seen_s;
}

/* spec_feed.c */
void spec_detector_feed(struct wt_spec *s, struct spec_attempt *a, bool end, double now_s);
void spec_detector_forget(struct spec_task *task);

/* spec_array.c: the detector. */
void spec_array_size(struct wt_spec *s, struct spec_array *array, uint32_t tasks);

/* spec_look.c: whenever an attempt's state has changed, or its task's copies. */
void spec_look_file(struct wt_spec *s, struct spec_attempt *a);
void spec_look_unfile(struct spec_attempt *a);
void spec_look_task(struct wt_spec *s, struct spec_task *task);	/* all its attempts */
bool spec_look_filed(const struct spec_attempt *a);		/* where it belongs: for tests */
void spec_lookup_add(struct wt_spec *s, uint32_t job_id, double now_s);
void spec_lookup_asked(struct wt_spec *s, uint32_t uid, uint32_t job_id, double now_s);	/* by any user, for any number */
/* It was reported of a job that is being looked up. */
void spec_lookup_record(struct wt_spec *s, uint32_t uid, const struct beat_record *r);
/* what it was; with number 0: there was none */
struct spec_lookup spec_lookup_remove(struct wt_spec *s, uint32_t job_id);

/* spec_report.c: what was reported before the job, or this start of it, was known. */
void spec_report_late(struct wt_spec *s, struct spec_attempt *a, const struct spec_lookup *lookup, double now_s);

/* spec_save.c */
void spec_task_changed(struct wt_spec *s, struct spec_task *task);

/* spec_doubt.c */
/* the first of this attempt */
void spec_doubt_fact(struct wt_spec *s, struct spec_attempt *a, const struct wt_spec_fact *f);
void spec_doubt_unfollowed(struct wt_spec *s, const struct wt_spec_fact *f);
void spec_doubt_over(struct wt_spec *s, struct spec_attempt *a);	/* this start of it has ended */
void spec_doubt_clear(struct wt_spec *s, struct spec_task *task);	/* all is to be done again, or known */
bool spec_doubt_gone(struct wt_spec *s, struct spec_attempt *a);	/* its present start asks for the right */

/* spec_commit.c */
void spec_commit_check(struct wt_spec *s, struct spec_task *task);	/* release what a dead attempt holds */

#endif
