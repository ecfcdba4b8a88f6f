/* job_rules.h - slurmctld's jobs as the selector is asked for them.  For the plugin's adapter only. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_JOB_RULES_H
#define WT_PLUGINS_SELECT_BESTFIT_JOB_RULES_H

#include "plugins/select_bestfit/bestfit.h"
#include "compat/controller.h"

bool job_is_whole(const job_record_t *job);	/* it gets each of its nodes alone */

/* Why Slurm places it by rules of its own; BESTFIT_CHOSEN: it does not.  The other arguments are those of struct
 * choice. */
enum bestfit_reason job_refusal(const job_record_t *job, uint16_t cr_type, bool prefer_alloc_nodes, uint32_t req_nodes);

/* Neither --switches nor features: nothing that counts of free cores, or of nodes of a partition, do not tell. */
bool job_is_plain(const job_record_t *job);

/* All but the numbers of nodes and leaves and 'refused'. */
void job_read(const job_record_t *job, struct bestfit_job *to);

#endif
