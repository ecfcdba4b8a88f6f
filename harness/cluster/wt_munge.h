/* wt_munge.h - a private munged for one cluster (munged(8)).
 *
 * Unless noted: 0, or -1 with errno and *errp set. */
#ifndef WT_MUNGE_H
#define WT_MUNGE_H

#include "wt_clusterinfo.h"

#define WT_MUNGE_THREADS "10"	/* munged's default of 2 lets slurmctld and clients wait for each other */

/* Make the folder munge/ with a new random key. */
int wt_munge_prepare(const struct wt_clusterinfo *info, struct wt_error *errp);

/* munged's argument list, ending with NULL; free with wt_munge_argv_free ().  NULL: ENOMEM. */
char **wt_munge_argv(const struct wt_clusterinfo *info);
void wt_munge_argv_free(char **argv);

/* Have munged encode and decode a credential.  Does not wait for a socket that is not there yet.  EAGAIN: not ready. */
int wt_munge_check(const struct wt_clusterinfo *info, struct wt_error *errp);

#endif
