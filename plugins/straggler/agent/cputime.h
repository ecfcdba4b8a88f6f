/* cputime.h - how much CPU time batch scripts and what they started have used: one look at all processes, for any number of
 * scripts. */
#ifndef WT_PLUGINS_STRAGGLER_AGENT_CPUTIME_H
#define WT_PLUGINS_STRAGGLER_AGENT_CPUTIME_H

#include <sys/types.h>

struct cputimes;

/* As of now; NULL: no memory, or no /proc.  The caller frees it. */
struct cputimes *cputimes_read(void);
void cputimes_free(struct cputimes *c);

/* Of all processes in the session of 'leader' but its parent, with the children they have waited for, in seconds; 0 when
 * 'leader' is none, or 'c' NULL. */
double cputime_s(const struct cputimes *c, pid_t leader);

#endif
