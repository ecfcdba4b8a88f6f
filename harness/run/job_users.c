/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "harness/run/job_users.h"
#include "lib/str.h"

struct users_look {
	bool own;		/* the cluster has users of its own, and knows no others */
	json_t *users, *groups;	/* of the cluster's files: name or number -> [uid, gid], name or number -> gid */
};

static FILE *file_open(const char *dir, const char *name)
{
	char *path = dir ? wt_str_format("%s/%s", dir, name) : NULL;
	FILE *in = path ? fopen(path, "re") : NULL;

	free(path);
	return in;
}

/* What cannot be read names no user. */
static void files_read(struct users_look *look, const char *dir)
{
	FILE *users = file_open(dir, "etc/passwd"), *groups = file_open(dir, "etc/group");
	struct passwd *user;
	struct group *group;
	char number[16];

	look->own = users != NULL;
	while (users && (user = fgetpwent(users))) {
		json_t *ids = json_pack("[I,I]", (json_int_t) user->pw_uid, (json_int_t) user->pw_gid);

		snprintf(number, sizeof(number), "%u", (unsigned int) user->pw_uid);
		json_object_set(look->users, number, ids);
		json_object_set_new(look->users, user->pw_name, ids);
	}
	while (groups && (group = fgetgrent(groups))) {
		snprintf(number, sizeof(number), "%u", (unsigned int) group->gr_gid);
		json_object_set_new(look->groups, number, json_integer((json_int_t) group->gr_gid));
		json_object_set_new(look->groups, group->gr_name, json_integer((json_int_t) group->gr_gid));
	}
	if (users)
		fclose(users);
	if (groups)
		fclose(groups);
}

/* "007" may be anybody's name, and is no number. */
static bool number_of(const char *name, uint64_t *number)
{
	return (name[0] != '0' || !name[1]) && wt_str_to_u64(name, 0, UINT32_MAX - 2, "id", number, NULL) == 0;
}

/* slurmctld asks for the name of each user whose job it starts, and requeues the job for ever when there is none: also a
 * number has to be known. */
static bool user_find(const struct users_look *look, const char *name, struct wt_job_user *found)
{
	const json_t *own = json_object_get(look->users, name);
	const struct passwd *user = own || look->own ? NULL : getpwnam(name);
	uint64_t number;

	if (own) {
		found->uid = (uid_t) json_integer_value(json_array_get(own, 0));
		found->gid = (gid_t) json_integer_value(json_array_get(own, 1));
		return true;
	}
	if (!user && !look->own && number_of(name, &number))
		user = getpwuid((uid_t) number);
	if (!user)
		return false;
	found->uid = user->pw_uid;
	found->gid = user->pw_gid;
	return true;
}

static bool group_find(const struct users_look *look, const char *name, gid_t *gid)
{
	const json_t *own = json_object_get(look->groups, name);
	const struct group *group = own || look->own ? NULL : getgrnam(name);
	uint64_t number;

	if (own) {
		*gid = (gid_t) json_integer_value(own);
		return true;
	}
	if (!group && !look->own && number_of(name, &number))
		group = getgrgid((gid_t) number);
	if (!group)
		return false;
	*gid = group->gr_gid;
	return true;
}

/* A file's word makes no user a member of root's group. */
static void group_take(struct wt_job_users *u, const struct users_look *look, const char *name, struct wt_job_user *user)
{
	gid_t gid = 0;

	if (!name)
		return;
	if (!group_find(look, name, &gid))
		u->groups_unknown++;
	else if (gid == 0 && user->uid != 0)
		u->groups_refused++;
	else
		user->gid = gid;
}

static void job_look(struct wt_job_users *u, const struct users_look *look, const struct wt_job_ask *ask, size_t i)
{
	const char *name = ask ? ask->text[WT_ASK_USER] : NULL;

	u->users[i] = (struct wt_job_user) { getuid(), getgid() };
	if (!name)
		return;
	u->named++;
	if (u->not_allowed)
		return;
	if (!user_find(look, name, &u->users[i])) {
		if (!u->unknown++)
			snprintf(u->first_unknown, sizeof(u->first_unknown), "%s", name);
		return;
	}
	group_take(u, look, ask->text[WT_ASK_GROUP], &u->users[i]);
}

int wt_job_users_find(struct wt_job_users *u, const struct wt_workload *w, const char *dir, bool may, struct wt_error *errp)
{
	struct users_look look = { .users = json_object(), .groups = json_object() };
	int rc = 0;

	*u = (struct wt_job_users) { .not_allowed = !may || !dir };
	u->users = calloc(w->job_count + 1, sizeof(*u->users));
	if (u->users && look.users && look.groups) {
		files_read(&look, dir);
		for (size_t i = 0; i < w->job_count; i++)
			job_look(u, &look, w->jobs[i].ask, i);
	} else {
		/* Entries that nothing has filled would be root's. */
		rc = wt_error_errno(errp, ENOMEM, "users");
	}
	json_decref(look.users);
	json_decref(look.groups);
	return rc;
}

int wt_job_users_check(const struct wt_job_users *u, bool enforces, struct wt_error *errp)
{
	if (!enforces || !u->unknown)
		return 0;
	return wt_error_set(errp, ENOENT, "%zu jobs are of users whom nobody knows, the first: %s; as the caller's they "
			    "would not be held to the limits of their associations, which this cluster enforces: add them "
			    "to the cluster's users", u->unknown, u->first_unknown);
}

void wt_job_users_clear(struct wt_job_users *u)
{
	free(u->users);
	u->users = NULL;
}
