/* willrun_rules.h - which questions of WILL_RUN counts can follow, and what they ask of a node.  For the plugin's adapter
 * only. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_WILLRUN_RULES_H
#define WT_PLUGINS_SELECT_BESTFIT_WILLRUN_RULES_H

#include "plugins/select_bestfit/allocs.h"
#include "plugins/select_bestfit/question.h"
#include "plugins/select_bestfit/quick.h"

/* Why a question is left to Slurm's own search.  The order of willrun_left_names. */
enum willrun_left {
	WILLRUN_OURS,		/* it is not */
	WILLRUN_PREEMPTION, WILLRUN_SHARING, WILLRUN_CONFIG, WILLRUN_GRES, WILLRUN_SWITCHES, WILLRUN_CORE_SPEC,
	WILLRUN_OVERCOMMIT, WILLRUN_MIN_CPUS, WILLRUN_CORES, WILLRUN_NODES, WILLRUN_TABLES, WILLRUN_SEARCH, WILLRUN_MEMORY,
	WILLRUN_LEFT
};
extern const char *const willrun_left_names[WILLRUN_LEFT];

enum willrun_left willrun_job_left(const struct job_test *c);
enum willrun_left willrun_tables_left(const struct job_test *c, const struct allocs *allocs);

/* Of a node of 'threads' a core; struct capacity_want.cpus_per_core is the caller's to fill for each. */
struct capacity_want willrun_want(const struct job_test *c);
/* Whether nodes without free cores may decide: in Slurm's first test, in which all cores are free. */
bool willrun_heeds_busy_nodes(const struct job_test *c);
/* The fewest nodes that can do, and the most that Slurm takes. */
uint32_t willrun_min_nodes(const struct job_test *c);
uint32_t willrun_max_nodes(const struct job_test *c);
/* CPUs of each node with which any choice of nodes is good enough; 0: each node that Slurm takes has so many. */
uint32_t willrun_share(const struct job_test *c);
/* false: the answer depends on more than the question, the map and the tables. */
bool willrun_question(const struct job_test *c, uint64_t serial, struct question *q);
/* Slurm's guess when a job ends that ought to have ended. */
time_t willrun_overdue_end(const job_record_t *job, time_t now);

#endif
