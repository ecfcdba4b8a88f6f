/* cputime.h - how much CPU time a batch script and what it started have used. */
#ifndef WT_STRAGGLER_CPUTIME_H
#define WT_STRAGGLER_CPUTIME_H

#include <sys/types.h>

/* Of all processes in the session of 'leader' but its parent, with the children they have waited for, in seconds; 0 when 'leader' is none. */
double cputime_s(pid_t leader);

#endif
