/* users.h - the users and groups that a cluster knows, from lines of passwd(5) and group(5) that came from elsewhere.
 *
 * Pure.  Only names and numbers are taken; homes, shells and passwords are not.  The cluster knows root, the caller and
 * these users, and nobody else: a number that is another's on this machine would show, and obey, the wrong one. */
#ifndef WT_HARNESS_CLUSTER_CONF_USERS_H
#define WT_HARNESS_CLUSTER_CONF_USERS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

#define WT_USERS_MAX 100000		/* users, and groups: libnss_wrapper looks through all of them */
#define WT_USERS_NAME_MAX 255		/* bytes of a name */

struct wt_users_text {
	const char *where;		/* for errors: the file's name */
	const char *text;		/* terminated; NULL: there is no such file */
	size_t len;			/* a NUL before its end is an error */
};

struct wt_users_from {
	struct wt_users_text passwd, group;
	const char *caller, *caller_group;	/* caller_group NULL: it has no name */
	uint32_t caller_uid, caller_gid;
	/* The name that this machine has for a uid, which lives until the next call; NULL: none.  May be NULL. */
	const char *(*machine_name)(uint32_t uid, void *arg);
	void *arg;
};

struct wt_users {		/* zeroed: empty and valid */
	char *passwd, *group;		/* whole files for the cluster, owned */
	size_t user_count, group_count;	/* of those that came from elsewhere */
	size_t members_unknown;		/* names in groups that are no such user, and are left out */
};

/* What is wrong with a user's or group's name; NULL: nothing.  Slurm's lists have commas, and where it takes names it takes
 * numbers, too. */
const char *wt_users_name_fault(const char *name);

/* A user of the caller's name is the caller, whatever his number: he has his own here, and is a member of his group there.
 *
 * 0, or -1 with EINVAL (the first line that is wrong, and why) or ENOMEM. */
int wt_users_read(struct wt_users *users, const struct wt_users_from *from, struct wt_error *errp);
void wt_users_clear(struct wt_users *users);		/* errno is preserved */

#endif
