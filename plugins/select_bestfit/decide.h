/* decide.h - our choice of nodes, around Slurm's own.  For the plugin's adapter only.
 *
 * All functions lock for themselves: backfill and the threads of RPCs choose, too. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_DECIDE_H
#define WT_PLUGINS_SELECT_BESTFIT_DECIDE_H

#include "plugins/select_bestfit/bestfit.h"
#include "compat/controller.h"

void decide_attach(void);	/* when Slurm has loaded its plugins: chooser.h */
void decide_detach(void);	/* reports and frees */
/* Read SchedulerParameters again; switches and nodes are read again before the next decision.  'report': log the
 * counters. */
void decide_configure(bool report);
/* SELECT_MODE_* of the calling thread's next decisions. */
void decide_mode(uint16_t mode);
/* While on, the calling thread's decisions are all Slurm's own. */
void decide_bypass(bool on);
/* Between the two select/cons_tres is asked once, by this thread: did it take nodes of ours, and refuse them after the
 * choice? */
void decide_watch(void);
bool decide_refused_later(void);
/* Then Slurm's own choice was asked for. */
void decide_count_again(bool started);
/* A decision made elsewhere by best fit. */
void decide_count_chosen(int64_t spent_us);
/* A size that was asked for elsewhere: best fit's memory of sizes learns it here, too. */
void decide_note(const struct bestfit_want *want);
/* Another number whenever that memory has changed, and with it what best fit may choose. */
uint64_t decide_memory(void);

void decide_settings(struct bestfit_settings *copy);
bool decide_offers(void);	/* on, and what jobs that start were offered is to be logged */

/* Whether a job that could start now is to wait for a better place: asked before the choice, does it come into question at
 * all (cheap), and after it, with the nodes that it would get; 'offered': those that it could choose from. */
bool decide_may_hold(const job_record_t *job);
bool decide_hold(job_record_t *job, const bitstr_t *offered, uint32_t min_nodes, uint32_t max_nodes, uint32_t req_nodes);

#endif
