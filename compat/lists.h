/* lists.h - Slurm's lists of hosts, in its public library too. */
#ifndef WT_COMPAT_LISTS_H
#define WT_COMPAT_LISTS_H

#include "slurm/slurm.h"

#include "compat/features.h"

#ifdef WT_HAVE_LIST_POINTERS
typedef hostlist_t *compat_hostlist;
#else
typedef hostlist_t compat_hostlist;
#endif

#endif
