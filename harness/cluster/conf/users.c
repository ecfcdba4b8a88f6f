/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cluster/conf/users.h"
#include "lib/str.h"

#define FIELDS_MAX 7
#define SHOWN_MAX 60	/* bytes of a wrong name in an error */

struct users_reading {
	const struct wt_users_from *from;
	const struct wt_users_text *file;
	struct wt_users *users;
	struct wt_str out;
	json_t *names, *numbers;	/* of what was read: name -> number, number -> name */
	json_t *known;			/* names of users, for members of groups */
	uint32_t caller_group;		/* of the caller at the site; 0: he has none there */
	unsigned int line;
};

static int refuse(const struct users_reading *r, struct wt_error *errp, const char *name, const char *why)
{
	char *shown = wt_str_make_line(name, SHOWN_MAX);

	wt_error_set(errp, EINVAL, "%s: line %u: '%s': %s", r->file->where, r->line, shown ? shown : "", why);
	free(shown);
	errno = EINVAL;
	return -1;
}

const char *wt_users_name_fault(const char *name)
{
	size_t len = strlen(name);

	if (!len || len > WT_USERS_NAME_MAX)
		return "a name has 1 to 255 bytes";
	if (strspn(name, "0123456789") == len)
		return "a name of digits alone would be taken for a number";
	if (name[0] == '-' || name[0] == '+')
		return "a name that begins with - or + would be taken for an option or for others' names";
	for (const char *p = name; *p; p++)
		if ((unsigned char) *p <= ' ' || *p == 0x7f || strchr(":,\"'/=\\", *p))
			return "a name without blanks, commas, colons, quotes, slashes and '=' is needed";
	return wt_str_has_controls(name) ? "control characters" : NULL;
}

/* Splits at colons; returns their number plus one. */
static size_t fields_split(char *line, char *fields[FIELDS_MAX])
{
	size_t count = 0;
	char *rest = line, *field;

	while ((field = strsep(&rest, ":"))) {
		if (count < FIELDS_MAX)
			fields[count] = field;
		count++;
	}
	return count;
}

static int number_read(const struct users_reading *r, const char *name, const char *text, uint32_t *number,
		       struct wt_error *errp)
{
	uint64_t value;

	if (wt_str_to_u64(text, 0, UINT32_MAX - 2, "id", &value, NULL) < 0)
		return refuse(r, errp, name, "its number is none, or too large");
	if (value == 0)
		return refuse(r, errp, name, "0 is root's number: no user or group of a site may have it here");
	*number = (uint32_t) value;
	return 0;
}

/* Does anybody have this name or number already? */
static int unique_check(struct users_reading *r, const char *name, uint32_t number, bool numbers, struct wt_error *errp)
{
	char key[16];

	snprintf(key, sizeof(key), "%" PRIu32, number);
	if (json_object_get(r->names, name))
		return refuse(r, errp, name, "this name stands here twice");
	if (numbers && json_object_get(r->numbers, key))
		return refuse(r, errp, name, "another one has this number");
	if (json_object_set_new_nocheck(r->names, name, json_integer((json_int_t) number)) < 0 ||
	    json_object_set_new_nocheck(r->numbers, key, json_true()) < 0)
		return wt_error_errno(errp, ENOMEM, "%s", r->file->where);
	return 0;
}

static int stranger_check(const struct users_reading *r, const char *name, uint32_t uid, struct wt_error *errp)
{
	const struct wt_users_from *from = r->from;
	const char *here;

	if (!strcmp(name, "root"))
		return refuse(r, errp, name, "no user of a site may be root here");
	if (uid == from->caller_uid && strcmp(name, from->caller))
		return refuse(r, errp, name, "this is your own number here: give the site's user another one");
	here = from->machine_name ? from->machine_name(uid, from->arg) : NULL;
	if (here && strcmp(here, name))
		return refuse(r, errp, name, "his number is another user's on this machine, who could act for him: "
			      "give him one that is free here");
	return 0;
}

static int passwd_line(struct users_reading *r, char *fields[FIELDS_MAX], size_t count, struct wt_error *errp)
{
	const char *fault = wt_users_name_fault(fields[0]);
	uint32_t uid, gid;

	if (count != 7 || fault)
		return refuse(r, errp, fields[0], count != 7 ? "a line of passwd(5) has seven fields" : fault);
	if (number_read(r, fields[0], fields[2], &uid, errp) < 0 || number_read(r, fields[0], fields[3], &gid, errp) < 0)
		return -1;
	/* Slurm's daemons and commands are his processes: the site's user of his name can but have his number here. */
	if (!strcmp(fields[0], r->from->caller)) {
		uid = r->from->caller_uid;
		r->caller_group = gid;
	}
	if (stranger_check(r, fields[0], uid, errp) < 0 || unique_check(r, fields[0], uid, true, errp) < 0)
		return -1;
	if (json_object_set_new_nocheck(r->known, fields[0], json_true()) < 0)
		return wt_error_errno(errp, ENOMEM, "%s", r->file->where);
	r->users->user_count++;
	if (uid != r->from->caller_uid)		/* the caller's own line is there already */
		wt_str_printf(&r->out, "%s:x:%" PRIu32 ":%" PRIu32 "::/nonexistent:/usr/sbin/nologin\n", fields[0], uid,
			      gid);
	return 0;
}

/* Of the group 'gid'.  The caller's own line has his group on this machine: he stays in that which he has at the site. */
static void members_add(struct users_reading *r, char *list, uint32_t gid)
{
	bool caller = r->caller_group && gid == r->caller_group && gid != r->from->caller_gid;
	char *rest = list, *member;
	const char *comma = "";

	while ((member = strsep(&rest, ","))) {
		if (!*member)
			continue;
		if (!json_object_get(r->known, member)) {
			r->users->members_unknown++;
			continue;
		}
		caller &= strcmp(member, r->from->caller) != 0;
		wt_str_printf(&r->out, "%s%s", comma, member);
		comma = ",";
	}
	if (caller)
		wt_str_printf(&r->out, "%s%s", comma, r->from->caller);
}

static int group_line(struct users_reading *r, char *fields[FIELDS_MAX], size_t count, struct wt_error *errp)
{
	const char *fault = wt_users_name_fault(fields[0]);
	uint32_t gid;

	if (count != 4 || fault)
		return refuse(r, errp, fields[0], count != 4 ? "a line of group(5) has four fields" : fault);
	if (!strcmp(fields[0], "root"))
		return refuse(r, errp, fields[0], "no group of a site may be root's here");
	if (number_read(r, fields[0], fields[2], &gid, errp) < 0 || unique_check(r, fields[0], gid, false, errp) < 0)
		return -1;
	r->users->group_count++;
	wt_str_printf(&r->out, "%s:x:%" PRIu32 ":", fields[0], gid);
	members_add(r, fields[3], gid);
	wt_str_add(&r->out, "\n");
	return 0;
}

typedef int (*users_line_f)(struct users_reading *r, char *fields[FIELDS_MAX], size_t count, struct wt_error *errp);

static int file_check(const struct wt_users_text *file, struct wt_error *errp)
{
	if (!file->text || strlen(file->text) == file->len)
		return 0;
	return wt_error_set(errp, EINVAL, "%s: it has a NUL after %zu bytes: it is no text", file->where,
			    strlen(file->text));
}

static int lines_read(struct users_reading *r, const struct wt_users_text *file, users_line_f line_read,
		      struct wt_error *errp)
{
	char *copy, *rest, *line, *fields[FIELDS_MAX] = { NULL };
	size_t taken = 0;
	int rc = file_check(file, errp);

	if (rc < 0 || !file->text)
		return rc;
	r->file = file;
	r->line = 0;
	copy = rest = strdup(file->text);
	while (copy && rc == 0 && (line = strsep(&rest, "\n"))) {
		r->line++;
		line[strcspn(line, "\r")] = '\0';
		if (!*line || *line == '#')
			continue;
		if (++taken > WT_USERS_MAX)
			rc = wt_error_set(errp, EINVAL, "%s: more than %d lines", file->where, WT_USERS_MAX);
		else
			rc = line_read(r, fields, fields_split(line, fields), errp);
	}
	free(copy);
	return copy ? rc : wt_error_errno(errp, ENOMEM, "%s", file->where);
}

static int names_forget(struct users_reading *r, struct wt_error *errp)
{
	json_decref(r->names);
	json_decref(r->numbers);
	r->names = json_object();
	r->numbers = json_object();
	return r->names && r->numbers && r->known ? 0 : wt_error_errno(errp, ENOMEM, "users");
}

static int passwd_make(struct users_reading *r, struct wt_error *errp)
{
	const struct wt_users_from *from = r->from;

	wt_str_add(&r->out, "root:x:0:0::/nonexistent:/usr/sbin/nologin\n");
	if (from->caller_uid)
		wt_str_printf(&r->out, "%s:x:%" PRIu32 ":%" PRIu32 "::/nonexistent:/usr/sbin/nologin\n", from->caller,
			      from->caller_uid, from->caller_gid);
	if (names_forget(r, errp) < 0 || json_object_set_new_nocheck(r->known, from->caller, json_true()) < 0 ||
	    lines_read(r, &from->passwd, passwd_line, errp) < 0)
		return -1;
	r->users->passwd = wt_str_take(&r->out);
	return r->users->passwd ? 0 : wt_error_errno(errp, ENOMEM, "users");
}

static int group_make(struct users_reading *r, struct wt_error *errp)
{
	const struct wt_users_from *from = r->from;
	char key[16];

	snprintf(key, sizeof(key), "%" PRIu32, from->caller_gid);
	wt_str_add(&r->out, "root:x:0:\n");
	if (names_forget(r, errp) < 0 || lines_read(r, &from->group, group_line, errp) < 0)
		return -1;
	/* The site's group of that name or number is the one that partitions mean. */
	if (from->caller_gid && from->caller_group && !json_object_get(r->names, from->caller_group) &&
	    !json_object_get(r->numbers, key))
		wt_str_printf(&r->out, "%s:x:%" PRIu32 ":\n", from->caller_group, from->caller_gid);
	r->users->group = wt_str_take(&r->out);
	return r->users->group ? 0 : wt_error_errno(errp, ENOMEM, "users");
}

int wt_users_read(struct wt_users *users, const struct wt_users_from *from, struct wt_error *errp)
{
	struct users_reading r = { .from = from, .users = users, .known = json_object() };
	int rc;

	*users = (struct wt_users) { 0 };
	rc = passwd_make(&r, errp) < 0 || group_make(&r, errp) < 0 ? -1 : 0;
	if (rc < 0)
		wt_users_clear(users);
	wt_str_clear(&r.out);
	json_decref(r.names);
	json_decref(r.numbers);
	json_decref(r.known);
	return rc;
}

void wt_users_clear(struct wt_users *users)
{
	int saved_errno = errno;

	free(users->passwd);
	free(users->group);
	*users = (struct wt_users) { 0 };
	errno = saved_errno;
}
