/* accounting.h - a private MariaDB and slurmdbd for one cluster: what lies in its folder accounting/, and command lines.
 *
 * MariaDB listens on a Unix socket in that folder only; slurmdbd finds it by the environment (wt_accounting_environment ()),
 * and with a password that no other database knows.  Unless noted: 0 or a pointer; -1 or NULL with errno and *errp set. */
#ifndef WT_HARNESS_CLUSTER_FOLDER_ACCOUNTING_H
#define WT_HARNESS_CLUSTER_FOLDER_ACCOUNTING_H

#include <stdbool.h>

#include "harness/cluster/conf/clusterinfo.h"

#define WT_ACCOUNTING_SOCKET "accounting/db.sock"
#define WT_ACCOUNTING_USAGE "accounting/usage.csv"		/* there if something was used before */
#define WT_ACCOUNTING_ASSOCIATIONS "accounting/associations"	/* as usage_state.h takes them */
#define WT_ACCOUNTING_PACKAGES "Debian packages mariadb-server-core, mariadb-client-core, slurmdbd"

/* Are all programs there?  ENOENT: which is missing, and the packages. */
int wt_accounting_check(const struct wt_clusterinfo *info, struct wt_error *errp);

struct wt_accounting {
	const char *user, *host;	/* SlurmUser; the machine's short name, as in slurm.conf */
	bool bind;			/* slurmdbd can be told to listen on controller_addr only */
	bool wckeys;			/* TrackWCKey of slurm.conf */
	const char *commands;		/* for sacctmgr: what is there besides the cluster itself; may be "" */
	char *const *dumps;		/* texts that the commands load (accounts.h) */
	size_t dump_count;
	const char *usage;		/* usage.csv of a site's folder (usage_state.h); NULL: none */
};

/* Write accounting/ and slurmdbd.conf. */
int wt_accounting_prepare(const struct wt_clusterinfo *info, const struct wt_accounting *a, struct wt_error *errp);

/* Argument lists, ending with NULL; free with wt_munge_argv_free ().  NULL: ENOMEM.  The first makes the database's own
 * tables and ends, as do the last two, which make the accounts, and write WT_ACCOUNTING_ASSOCIATIONS. */
char **wt_mariadb_make_argv(const struct wt_clusterinfo *info);
char **wt_mariadb_argv(const struct wt_clusterinfo *info);
char **wt_slurmdbd_argv(void);
char **wt_sacctmgr_argv(const struct wt_clusterinfo *info);
char **wt_associations_argv(const struct wt_clusterinfo *info);

/* What slurmdbd's library reads.  Else it would look for the machine's own database. */
int wt_accounting_environment(const struct wt_clusterinfo *info);

/* Do they take connections? */
bool wt_mariadb_listens(const struct wt_clusterinfo *info);
bool wt_slurmdbd_listens(const struct wt_clusterinfo *info);

#endif
