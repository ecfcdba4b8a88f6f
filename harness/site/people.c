/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cluster/conf/users.h"
#include "harness/site/people.h"
#include "lib/str.h"

int wt_people_init(struct wt_people *people, struct wt_error *errp)
{
	people->users = json_object();
	people->groups = json_object();
	people->refused = json_object();
	return people->users && people->groups && people->refused ? 0 : wt_error_errno(errp, ENOMEM, "users");
}

void wt_people_clear(struct wt_people *people)
{
	json_decref(people->users);
	json_decref(people->groups);
	json_decref(people->refused);
	memset(people, 0, sizeof(*people));
}

/* Can a cluster have it?  1: yes; 0: no, which is remembered; -1: memory has ended. */
static int name_check(struct wt_people *people, const char *name, struct wt_error *errp)
{
	bool good = !wt_users_name_fault(name);
	char *shown;
	int rc;

	if (!*name || !strcmp(name, "root"))
		return 0;
	for (const char *p = name; *p; p++)
		good &= (unsigned char) *p < 0x80;
	if (good)
		return 1;
	shown = wt_str_make_line(name, WT_USERS_NAME_MAX);
	rc = shown ? json_object_set_new(people->refused, shown, json_true()) : -1;
	free(shown);
	return rc < 0 ? wt_error_errno(errp, ENOMEM, "users") : 0;
}

int wt_people_group(struct wt_people *people, const char *group, struct wt_error *errp)
{
	int good = name_check(people, group, errp);

	if (good <= 0)
		return good < 0 ? -1 : 1;
	if (!json_object_get(people->groups, group) && json_object_set_new(people->groups, group, json_object()) < 0)
		return wt_error_errno(errp, ENOMEM, "groups");
	return 0;
}

int wt_people_user(struct wt_people *people, const char *user, const char *group, struct wt_error *errp)
{
	int good = name_check(people, user, errp), group_rc;
	const json_t *known;

	if (good <= 0)
		return good < 0 ? -1 : 1;
	known = json_object_get(people->users, user);
	if (json_is_string(known))
		return 0;
	group_rc = group ? wt_people_group(people, group, errp) : 1;
	if (group_rc < 0)
		return -1;
	if ((!known || group_rc == 0) &&
	    json_object_set_new(people->users, user, group_rc == 0 ? json_string(group) : json_null()) < 0)
		return wt_error_errno(errp, ENOMEM, "users");
	return 0;
}

int wt_people_member(struct wt_people *people, const char *group, const char *user, struct wt_error *errp)
{
	int rc = wt_people_group(people, group, errp), good = rc == 0 ? name_check(people, user, errp) : 0;

	if (good <= 0)
		return rc < 0 || good < 0 ? -1 : 1;
	if (json_object_set_new(json_object_get(people->groups, group), user, json_true()) < 0)
		return wt_error_errno(errp, ENOMEM, "groups");
	return 0;
}

static int name_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *) a, *(const char *const *) b);
}

/* The keys of an object, sorted; to be freed, not the names.  NULL with ENOMEM. */
static const char **names_sorted(json_t *object)
{
	const char **names = calloc(json_object_size(object) + 1, sizeof(*names)), *key;
	size_t count = 0;
	json_t *value;

	if (!names)
		return NULL;
	json_object_foreach(object, key, value)
		names[count++] = key;
	qsort(names, count, sizeof(*names), name_compare);
	return names;
}

/* All groups there are: those that were told, and one of his own for each user without. */
static json_t *groups_all(const struct wt_people *people)
{
	json_t *all = json_deep_copy(people->groups), *group;
	const char *user;

	json_object_foreach(people->users, user, group)
		if (all && json_is_null(group) && !json_object_get(all, user) &&
		    json_object_set_new(all, user, json_object()) < 0) {
			json_decref(all);
			all = NULL;
		}
	return all;
}

static uint32_t gid_of(const char *const *names, size_t count, const char *group)
{
	const char *const *found = bsearch(&group, names, count, sizeof(*names), name_compare);

	return found ? WT_SITE_FIRST_ID + (uint32_t) (found - names) : 0;
}

char *wt_people_passwd(const struct wt_people *people)
{
	json_t *all = groups_all(people);
	const char **users = names_sorted(people->users), **groups = all ? names_sorted(all) : NULL;
	struct wt_str s = { 0 };

	for (uint32_t i = 0; users && groups && users[i]; i++) {
		const char *group = json_string_value(json_object_get(people->users, users[i]));

		wt_str_printf(&s, "%s:x:%u:%u::/:/bin/sh\n", users[i], WT_SITE_FIRST_ID + i,
			      gid_of(groups, json_object_size(all), group ? group : users[i]));
	}
	s.failed |= !users || !groups;
	free(users);
	free(groups);
	json_decref(all);
	return wt_str_take(&s);
}

char *wt_people_groups(const struct wt_people *people)
{
	json_t *all = groups_all(people);
	const char **groups = all ? names_sorted(all) : NULL;
	struct wt_str s = { 0 };

	for (uint32_t i = 0; groups && groups[i]; i++) {
		const char **members = names_sorted(json_object_get(all, groups[i]));

		wt_str_printf(&s, "%s:x:%u:", groups[i], WT_SITE_FIRST_ID + i);
		for (size_t m = 0; members && members[m]; m++)
			wt_str_printf(&s, "%s%s", m ? "," : "", members[m]);
		wt_str_add(&s, "\n");
		s.failed |= !members;
		free(members);
	}
	s.failed |= !groups;
	free(groups);
	json_decref(all);
	return wt_str_take(&s);
}
