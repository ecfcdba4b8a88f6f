/* progress_env.h - what the SPANK plugin puts into a task's environment, beside WT_STRAGGLER_CONF (specconf.h). */
#ifndef WT_STRAGGLER_PROTOCOL_PROGRESS_ENV_H
#define WT_STRAGGLER_PROTOCOL_PROGRESS_ENV_H

#define PROGRESS_ENV_FILE "WT_PROGRESS_FILE"	/* path of its progress file */
#define PROGRESS_ENV_ATTEMPT "WT_ATTEMPT"	/* 1: the original */
#define PROGRESS_ENV_START "WT_INSTANCE"	/* start.h */

#endif
