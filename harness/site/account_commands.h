/* account_commands.h - a site's accounts, from what sacctmgr has written, as one file of sacctmgr's commands.
 *
 * Foreign text: a script of commands, what "sacctmgr dump" has written, or the table of "sacctmgr -P show qos", as
 * harness/cluster/conf/accounts.h takes them.  All become commands, with one name for each person, and users are told
 * to people.h.  Pure. */
#ifndef WT_HARNESS_SITE_ACCOUNT_COMMANDS_H
#define WT_HARNESS_SITE_ACCOUNT_COMMANDS_H

#include <stddef.h>

#include <jansson.h>

#include "harness/site/aliases.h"
#include "harness/site/people.h"
#include "lib/str.h"

struct wt_account_commands {	/* zeroed, with what is the caller's: empty and valid */
	const char *cluster;		/* the site's name of it, of the caller */
	const struct wt_aliases *aliases;	/* of the caller; NULL: names stay */
	struct wt_people *people;	/* of the caller */
	struct wt_str text;		/* one command on each line */
	size_t count;
	json_t *qos;			/* names that a command defines */
	json_t *left_out;		/* words that no command was made of, counted by reason */
};

/* Add what 'text' (terminated, of 'len' bytes) has; 'where' is its file.  0, or -1 with EINVAL (with the line) or ENOMEM. */
int wt_account_commands_add(struct wt_account_commands *commands, const char *where, const char *text, size_t len,
			    struct wt_error *errp);
void wt_account_commands_clear(struct wt_account_commands *commands);	/* errno is preserved */

/* account_dump.c: the commands of a dump, before names are changed: to be freed.  NULL with EINVAL or ENOMEM. */
char *wt_account_dump(const char *where, const char *text, json_t *qos, json_t *left_out, struct wt_error *errp);

#endif
