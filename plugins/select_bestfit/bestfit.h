/* bestfit.h - which nodes a job of slurmctld gets, and which jobs are left to Slurm's own choice.
 *
 * Pure: no Slurm, no clock.  Not locked: one thread at a time for each object.  The algorithm is that of select.h. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_BESTFIT_H
#define WT_PLUGINS_SELECT_BESTFIT_BESTFIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topology/select.h"

enum bestfit_mode { BESTFIT_OFF, BESTFIT_SHADOW, BESTFIT_ON };

/* Whether select_p_job_test () is answered without looking at all nodes: quick.h. */
enum bestfit_quick { BESTFIT_QUICK_OFF, BESTFIT_QUICK_ON, BESTFIT_QUICK_VERIFY };

struct bestfit_settings {
	enum bestfit_mode mode;
	enum bestfit_quick quick;	/* when mode is BESTFIT_ON, or quick_given */
	bool quick_given;		/* by name, not by default */
	bool will_run;			/* WILL_RUN from counts, where tests are quick */
	bool one_weight;		/* all nodes have one, and will */
	enum wt_tie tie;
	bool offers;			/* log what a job that starts could choose from */
	uint32_t report_decisions;	/* a line of counters after so many decisions; 0: never */
	/* How long a job may wait for the least number of switches of a level that its size needs; 0: not at all. */
	uint32_t wait_s[WT_TREE_LEVELS_MAX];
	/* The same, but only while fewer would do if the nodes that complete were free already. */
	uint32_t completing_s[WT_TREE_LEVELS_MAX];
};

#define BESTFIT_WAIT_S_MAX 86400

#define BESTFIT_REPORT_DECISIONS 10000

extern const char *const bestfit_mode_names[];	/* by enum bestfit_mode */

/* Our tokens of SchedulerParameters (may be NULL), windtunnel-bestfit(5); others are skipped.  Without any: off.  -1 with
 * EINVAL for a token that makes no sense; *settings is off then. */
int bestfit_settings_parse(const char *params, struct bestfit_settings *settings, struct wt_error *errp);
bool bestfit_settings_wait(const struct bestfit_settings *settings);	/* on, and on some level jobs may wait */

/* Which of the two chose, or why not we.  The order of bestfit_reason_names. */
enum bestfit_reason {
	BESTFIT_CHOSEN,
	BESTFIT_NO_TREE,	/* no tree of switches, or one that we refuse */
	BESTFIT_REQUIRED,	/* nodes asked for by name */
	BESTFIT_CONTIGUOUS,
	BESTFIT_SPREAD,
	BESTFIT_LLN,		/* least loaded nodes first */
	BESTFIT_PREFER_BUSY,	/* Slurm wants nodes with jobs first */
	BESTFIT_GRES,
	BESTFIT_SWITCHES,	/* --switches, and our choice touches more leaves than that */
	BESTFIT_CORE_SPEC,
	/* numbers of nodes with a feature, one of several for all nodes, features that need a boot */
	BESTFIT_FEATURES,
	BESTFIT_OVERCOMMIT,
	BESTFIT_SHARING,	/* --exclusive=user or mcs */
	BESTFIT_ARBITRARY,	/* --distribution=arbitrary */
	BESTFIT_CPU_LIMIT,	/* the job has a greatest number of CPUs */
	BESTFIT_MIXED,		/* it needs nodes of several weights, or those of the least weight differ in CPUs */
	BESTFIT_OUTSIDE,	/* a candidate is below no switch */
	BESTFIT_RANGE,		/* nodes and CPUs that no single number of nodes answers */
	BESTFIT_FEW,		/* the candidates do not hold the job */
	BESTFIT_ALL,		/* it needs all candidates: nothing to choose */
	BESTFIT_ERROR,
	BESTFIT_REASONS
};
extern const char *const bestfit_reason_names[BESTFIT_REASONS];

/* A job as the selector is asked for it.  Numbers as in choose_nodes () of select/cons_tres. */
struct bestfit_job {
	enum bestfit_reason refused;	/* found by the caller; BESTFIT_CHOSEN: nothing speaks against it */
	bool whole;			/* it gets each node alone, with all of its CPUs */
	uint32_t min_nodes, max_nodes, req_nodes;
	uint32_t min_cpus, tasks;	/* tasks 0: not given */
	uint32_t cpus_per_task;		/* at least 1 */
	uint32_t most_leaves;		/* leaf switches it would wait to be on, --switches; 0: any number */
	/* [next_count]: the jobs that wait behind it, in their order; 0 of them: not known */
	const struct bestfit_job *next;
	size_t next_count;
	bool imagined;			/* of a plan, not of a start or a submission: nothing is learnt from its size */
};

/* A node that can take a part of the job. */
struct bestfit_node {
	uint32_t node;		/* of the tree; WT_TREE_NONE: not in it */
	uint32_t avail_cpus;	/* that the job can have there */
	uint32_t cpus;		/* that it has */
	uint64_t weight;
};

struct bestfit;	/* opaque */

/* Takes the tree, also on failure.  cpus[node] of the tree's nodes, 0 for those that Slurm does not know.  NULL: EINVAL,
 * ENOMEM. */
struct bestfit *bestfit_create(struct wt_tree *t, const uint32_t *cpus, enum wt_tie tie, struct wt_error *errp);
void bestfit_destroy(struct bestfit *b);	/* NULL is ignored; errno is preserved */
const struct wt_tree *bestfit_tree(const struct bestfit *b);

/* Lighter nodes are taken before heavier ones, as Slurm does: only the lightest are looked at.
 * BESTFIT_CHOSEN with *choice filled (valid until the next call; 'nodes' are put into another order), or the reason to leave
 * the job to Slurm's own choice. */
enum bestfit_reason bestfit_choose(struct bestfit *b, const struct bestfit_job *job, struct bestfit_node *nodes,
				   size_t count,
				   struct select_choice *choice);

/* What a job asks of nodes that are all alike. */
struct bestfit_want {
	bool by_cpus;		/* units are CPUs, 'each' at a time; else nodes that can give 'each' CPUs */
	uint32_t each;
	uint64_t units;
	uint64_t next_units[WT_SELECT_NEXT_MAX];	/* of the jobs behind it, up to the first of another kind */
	size_t next_count;
};

/* 'cpus': what each node can give when nothing else is on it.  BESTFIT_CHOSEN, or the reason to leave the job to Slurm. */
enum bestfit_reason bestfit_want(const struct bestfit_job *job, uint32_t cpus, struct bestfit_want *want);
/* As bestfit_choose (), from a room in the units of 'want' that the caller keeps. */
enum bestfit_reason bestfit_pick(struct bestfit *b, const struct bestfit_job *job, const struct bestfit_want *want,
				 const struct wt_room *room, struct select_choice *choice);
/* What was asked of another selector: its size is learnt from here, too. */
void bestfit_note(struct bestfit *b, const struct bestfit_want *want);

/* How many switches of each level, from the leaves on, are touched by nodes in ascending order: touched[0 ... levels -
 * 1]. */
void bestfit_touched(const struct wt_tree *t, const uint32_t *nodes, size_t count, uint32_t *touched);
/* Levels from the root down: negative when 'a' touches fewer switches on the first level on which they differ; 0: equal. */
int bestfit_compare(const struct wt_tree *t, const uint32_t *a, const uint32_t *b);

/* A placement, for the question whether a better one is worth a wait. */
struct bestfit_placement {
	const uint32_t *nodes;	/* of the tree, ascending */
	size_t count;
	bool by_cpus;		/* the job needs so many CPUs wherever they are; else so many nodes as it has */
	uint64_t cpus;
	uint32_t cpus_per_task;	/* at least 1 */
	const bool *usable;	/* by the tree's node: which ones the job might have had if nothing ran */
};

/* The levels (a bit each, the root's not) on which the placement touches more switches than the job would need if nothing
 * ran. */
uint32_t bestfit_beyond(struct bestfit *b, const struct bestfit_placement *p);
/* Those of a placement of whole nodes on which the nodes of 'soon' (by the tree's node) would allow fewer switches than
 * those of p->usable. */
uint32_t bestfit_fewer_soon(struct bestfit *b, const struct bestfit_placement *p, const bool *soon);

struct bestfit_counters {
	uint64_t decisions;		/* asked for, in any mode but off */
	uint64_t reasons[BESTFIT_REASONS];
	uint64_t tests[3];		/* decisions for RUN_NOW, TEST_ONLY, WILL_RUN */
	uint64_t unplaced;		/* our nodes did not do, Slurm chose from all */
	uint64_t again, again_started;	/* our nodes were refused after the choice; Slurm's own then did */
	uint64_t held_jobs, held_starts;	/* jobs that waited for a better place, and how often they were put off */
	uint64_t held_better, held_expired;	/* starts after that: in such a place, or when the time was up */
	uint64_t same, fewer, more, other;	/* shadow: ours against Slurm's nodes: equal, or by switches touched */
	uint64_t time_sum_us, time_max_us;	/* of our part of a decision */
};

/* One line for people and programs, "key=value ...".  Returns buf. */
#define BESTFIT_COUNTERS_SIZE 2048	/* holds the longest line */
const char *bestfit_counters_format(const struct bestfit_counters *c, char *buf, size_t size);

#endif
