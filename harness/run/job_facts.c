/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <jansson.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/run/job_facts.h"
#include "record/record.h"
#include "lib/str.h"

#define PASSWD_BYTES 65536	/* an entry of passwd (5), with all its texts */

struct gpu_sum {
	uint64_t all, typed;	/* "gpu" and "gpu:TYPE": the first covers the second, where there are both */
	bool has_all, found, bad;
};

/* 'mark' stands before the count. */
/* "gres/gpu:tesla=2" of tres_alloc_str, or "gpu:tesla:2(IDX:0-1)" of gres_total. */
static void item_add(struct gpu_sum *sum, char *item, const char *name, char mark)
{
	size_t len = strlen(name);
	uint64_t count;
	char *at;

	if (strncmp(item, name, len) || (item[len] != mark && item[len] != ':'))
		return;
	item[strcspn(item, "(")] = '\0';	/* (IDX:0-1) */
	at = strrchr(item, mark);
	sum->found = true;
	if (!at || wt_str_to_u64(at + 1, 0, WT_GPUS_UNKNOWN - 1, "GPUs", &count, NULL) < 0) {
		sum->bad = true;
	} else if (at == item + len) {
		sum->all += count;
		sum->has_all = true;
	} else {
		sum->typed += count;
	}
}

static struct gpu_sum text_sum(const char *text, const char *name, char mark)
{
	struct gpu_sum sum = { 0 };
	char *copy = text ? strdup(text) : NULL, *rest = copy, *item;

	sum.bad = text && !copy;
	while ((item = strsep(&rest, ",")) != NULL)
		item_add(&sum, item, name, mark);
	free(copy);
	return sum;
}

uint32_t wt_job_gpus(const char *tres, const char *gres)
{
	struct gpu_sum sum = text_sum(tres, "gres/gpu", '=');
	uint64_t count;

	if (!sum.found && !sum.bad)
		sum = text_sum(gres, "gpu", ':');
	count = sum.has_all ? sum.all : sum.typed;
	return sum.bad || count >= WT_GPUS_UNKNOWN ? WT_GPUS_UNKNOWN : (uint32_t) count;
}

int wt_user_names_read(struct wt_user *user, const char *passwd)
{
	FILE *in = fopen(passwd, "re");
	const struct passwd *entry;
	char key[16];
	int rc = in && (user->own = json_object()) ? 0 : -1;

	while (rc == 0 && (entry = fgetpwent(in))) {
		snprintf(key, sizeof(key), "%u", (unsigned int) entry->pw_uid);
		rc = json_object_set_new(user->own, key, json_string_nocheck(entry->pw_name));
		errno = rc < 0 ? ENOMEM : 0;
	}
	if (in)
		fclose(in);
	return rc;
}

void wt_user_names_clear(struct wt_user *user)
{
	json_decref(user->own);
	*user = (struct wt_user) { 0 };
}

static const char *own_name(struct wt_user *user, uid_t uid)
{
	const char *name;

	snprintf(user->name, sizeof(user->name), "%u", (unsigned int) uid);
	name = json_string_value(json_object_get(user->own, user->name));
	return name ? name : user->name;
}

const char *wt_user_name(struct wt_user *user, uid_t uid)
{
	struct passwd entry, *found = NULL;
	char *buf;

	if (user->own)
		return own_name(user, uid);
	if (user->known && user->uid == uid)
		return user->name;
	buf = malloc(PASSWD_BYTES);
	if (buf && getpwuid_r(uid, &entry, buf, PASSWD_BYTES, &found) == 0 && found && *found->pw_name)
		snprintf(user->name, sizeof(user->name), "%s", found->pw_name);
	else
		snprintf(user->name, sizeof(user->name), "%u", (unsigned int) uid);
	free(buf);
	user->known = true;
	user->uid = uid;
	return user->name;
}
