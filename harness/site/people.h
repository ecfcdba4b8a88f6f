/* people.h - the users of a site and their groups, as lines of passwd(5) and group(5) with numbers of our own.
 *
 * Not locked: one thread at a time.  Unless noted: 0, or -1 with ENOMEM and *errp set. */
#ifndef WT_HARNESS_SITE_PEOPLE_H
#define WT_HARNESS_SITE_PEOPLE_H

#include <stddef.h>

#include <jansson.h>

#include "lib/error.h"

/* Above the numbers of users, system services, containers and systemd's ranges, and below 2^31. */
#define WT_SITE_FIRST_ID 2000000001u

struct wt_people {
	json_t *users;		/* a user's name: the name of his group, or null: not known */
	json_t *groups;		/* a group's name: an object whose keys are its members */
	json_t *refused;	/* names that no cluster can have (users.h), as texts for people: true */
};

int wt_people_init(struct wt_people *people, struct wt_error *errp);
void wt_people_clear(struct wt_people *people);

/* A user, with his group (NULL: not known; the first that is told stays).  Root and names that no cluster can have are
 * passed over: 1. */
int wt_people_user(struct wt_people *people, const char *user, const char *group, struct wt_error *errp);
int wt_people_group(struct wt_people *people, const char *group, struct wt_error *errp);
int wt_people_member(struct wt_people *people, const char *group, const char *user, struct wt_error *errp);

/* The texts of both files, by name, to be freed; NULL with ENOMEM. */
char *wt_people_passwd(const struct wt_people *people);
char *wt_people_groups(const struct wt_people *people);

#endif
