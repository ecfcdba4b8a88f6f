/* slurmctld_straggler.h - speculation while a slurmctld is in charge.
 *
 * For the entry: the file of this release that slurmctld knows as a plugin (entry_*.c).  One thread at a time. */
#ifndef WT_PLUGINS_STRAGGLER_SLURMCTLD_SLURMCTLD_STRAGGLER_H
#define WT_PLUGINS_STRAGGLER_SLURMCTLD_SLURMCTLD_STRAGGLER_H

/* With slurmctld's jobs read and none of its locks held.  What fails is said, and left undone. */
void straggler_begin(void);
/* No attempt gets a right from now on; what was decided is on the disk.  Also after a beginning that failed. */
void straggler_end(void);

#endif
