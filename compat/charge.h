/* charge.h - whether a slurmctld is in charge.  For our plugins. */
#ifndef WT_COMPAT_CHARGE_H
#define WT_COMPAT_CHARGE_H

#include "compat/controller.h"

/* Its jobs have been read, and it neither waits as a backup nor ends.  Slurm has no word for that, but exactly then there is
 * the thread that saves its state. */
static inline bool compat_in_charge(void)
{
	return slurmctld_config.thread_id_save && !slurmctld_config.shutdown_time;
}

#endif
