/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz lines of passwd(5) and group(5) from elsewhere: what the cluster gets can be read by the C library, and names nobody
 * but root as 0, and nobody twice. */
#include "config.h"

#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cluster/conf/users.h"
#include "lib/fuzz.h"

#define CALLER_UID 1000

/* The first byte says where the second file begins. */
static const char *const seeds[] = {
	"\x18" "alice:x:700:600:A:/h:/s\n" "chem:x:600:alice,bob\n",
	"\x20" "me:x:1000:7:::\nbob.k:x:701:600:::" "us:x:7:me\n#c\n\nroot:x:0:\n",
	"\x14" "toor:x:0:0:::\na:x:5" ":::\n-a:x:4294967295:\n",
};

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	size_t len = index < sizeof(seeds) / sizeof(seeds[0]) ? strlen(seeds[index]) : 0;

	if (len > size)
		len = size;
	memcpy(buf, len ? seeds[index] : "", len);
	return len;
}

static void require(bool good)
{
	if (!good)
		abort();
}

static void passwd_check(const struct wt_users *users)
{
	FILE *in = fmemopen(users->passwd, strlen(users->passwd), "r");
	struct passwd *user;
	size_t count = 0, callers = 0;

	require(in != NULL);
	while ((user = fgetpwent(in))) {
		require((user->pw_uid == 0) == (count == 0) && (user->pw_uid == 0) == !strcmp(user->pw_name, "root"));
		callers += user->pw_uid == CALLER_UID;
		count++;
	}
	fclose(in);
	require(callers == 1 && (count == users->user_count + 2 || count == users->user_count + 1));
}

static void group_check(struct wt_users *users)
{
	FILE *in = fmemopen(users->group, strlen(users->group), "r");
	struct group *group;
	size_t count = 0;

	require(in != NULL);
	while ((group = fgetgrent(in))) {
		require((group->gr_gid == 0) == (count == 0));
		count++;
	}
	fclose(in);
	require(count == users->group_count + 1 || count == users->group_count + 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len = size ? size - 1 : 0, first = size && data[0] < len ? data[0] : len;
	char *passwd = calloc(1, first + 1), *group = calloc(1, len - first + 1);
	struct wt_users users;

	require(passwd && group);
	memcpy(passwd, size ? data + 1 : data, first);
	if (len > first)
		memcpy(group, data + 1 + first, len - first);
	if (wt_users_read(&users, &(struct wt_users_from) {
				  .passwd = { "p", passwd, first }, .group = { "g", group, len - first },
				  .caller = "me", .caller_group = "us", .caller_uid = CALLER_UID, .caller_gid = 100 },
			  NULL) == 0) {
		passwd_check(&users);
		group_check(&users);
	}
	wt_users_clear(&users);
	free(passwd);
	free(group);
	return 0;
}
