/* offer.h - what a job that starts could choose from, for the log (bestfit_offers=on).  For the plugin's adapter only.
 *
 * Of the calling thread: begin, then each choice forgets what an earlier one of the same test was offered, and at the end
 * the last one counts.  Without memory nothing is logged. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_OFFER_H
#define WT_PLUGINS_SELECT_BESTFIT_OFFER_H

#include <stdbool.h>
#include <stdint.h>

#include "compat/controller.h"

void offer_begin(void);		/* a test of a job begins */
void offer_end(void);
bool offer_wanted(void);	/* between begin and end */

void offer_forget(void);	/* a choice begins */
void offer_add(uint32_t n, uint32_t cpus);	/* Slurm's node n can give the job so many */

/* One line "windtunnel bestfit: offered: JobId=N CPUS:NODES CPUS:NODES ...", or none if nothing was offered. */
void offer_log(const job_record_t *job);

#endif
