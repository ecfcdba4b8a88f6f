/* job_users.h - as whom each job of a workload is submitted.
 *
 * A job that names a user is his where that is possible: the cluster is ours, the caller is its SlurmUser or root, and
 * the name (or number) is known, of the cluster's own users or of this machine's.  Else it is the caller's, and counted. */
#ifndef WT_HARNESS_RUN_JOB_USERS_H
#define WT_HARNESS_RUN_JOB_USERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lib/error.h"
#include "workload/workload.h"

struct wt_job_user {
	uid_t uid;
	gid_t gid;
};

struct wt_job_users {
	struct wt_job_user *users;	/* one for each job; NULL: all are the caller's, and none names another */
	size_t named;		/* jobs that name a user */
	size_t unknown;		/* of them, whose user this machine does not know: they are the caller's */
	size_t groups_unknown;	/* jobs of a group that this machine does not know: they have their user's own */
	size_t groups_refused;	/* jobs that name root's group for another user: the same */
	bool not_allowed;	/* the caller may not, or the cluster is a real one: all are the caller's */
	char first_unknown[64];
};

/* 'dir': the cluster's folder, whose files etc/passwd and etc/group name its users, if it has them; NULL: a real cluster.
 * 'may': the caller may submit for others.  0, or -1 with ENOMEM. */
int wt_job_users_find(struct wt_job_users *u, const struct wt_workload *w, const char *dir, bool may, struct wt_error *errp);

/* 'enforces': the cluster holds users to what its accounting says of them.  -1 with ENOENT: jobs would run past that, as
 * the caller's, because this machine does not know their users. */
int wt_job_users_check(const struct wt_job_users *u, bool enforces, struct wt_error *errp);
void wt_job_users_clear(struct wt_job_users *u);

#endif
