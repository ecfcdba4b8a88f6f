/* accounts.h - accounts, users, QOS and limits for a cluster with accounting, from files of sites.
 *
 * Pure.  A file is one of three: a script of sacctmgr's commands (with or without "sacctmgr -i" before each), what "sacctmgr
 * dump" has written, or what "sacctmgr -P show qos" prints.  All become commands for the standard input of one
 * "sacctmgr -i", and name this cluster where they name the site's.  Only commands that add, change, delete or list are
 * taken: the others would end slurmdbd, or write files; none deletes a cluster. */
#ifndef WT_HARNESS_CLUSTER_CONF_ACCOUNTS_H
#define WT_HARNESS_CLUSTER_CONF_ACCOUNTS_H

#include <stddef.h>

#include "lib/str.h"

struct wt_accounts {		/* zeroed, with 'cluster': empty and valid */
	const char *cluster;		/* its name, of the caller */
	const char *user;		/* the user who runs sacctmgr, of the caller; NULL: root */
	struct wt_str commands;		/* one on each line */
	char **dumps;			/* texts of dumps: 'commands' names them dump-0 and so on */
	size_t dump_count;
};

/* Add what 'text' has, of the file 'where': terminated, of 'len' bytes, and a NUL among them is an error.  0, or -1 with
 * EINVAL (what is wrong, and in which line) or ENOMEM. */
int wt_accounts_add(struct wt_accounts *accounts, const char *where, const char *text, size_t len, struct wt_error *errp);
void wt_accounts_clear(struct wt_accounts *accounts);	/* errno is preserved */

/* What sacctmgr complains of in 'line' of what it has said, without what stands before it; NULL: of nothing. */
const char *wt_accounts_complaint(const char *line);

/* accounts_qos.c: the table of "sacctmgr -P show qos".  0, or -1 with EINVAL or ENOMEM. */
int wt_accounts_qos(struct wt_str *commands, const char *where, const char *text, struct wt_error *errp);

#endif
