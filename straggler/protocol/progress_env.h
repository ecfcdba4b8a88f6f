/* progress_env.h - what the SPANK plugin puts into a task's environment, beside WT_STRAGGLER_CONF (straggler_conf.h). */
#ifndef WT_STRAGGLER_PROTOCOL_PROGRESS_ENV_H
#define WT_STRAGGLER_PROTOCOL_PROGRESS_ENV_H

#define PROGRESS_ENV_FILE "WT_PROGRESS_FILE"	/* path of its progress file */
/* 1: the original.  Without the others: an attempt that is not the only one, and that slurmstepd could not follow. */
#define PROGRESS_ENV_ATTEMPT "WT_ATTEMPT"
#define PROGRESS_ENV_START "WT_INSTANCE"	/* start.h */

#endif
