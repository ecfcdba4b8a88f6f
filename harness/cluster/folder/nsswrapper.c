/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/cluster/folder/nsswrapper.h"
#include "harness/cluster/folder/preload.h"
#include "lib/str.h"

#define LIBRARY "libnss_wrapper.so"
#define WRAPPER_PACKAGE "Debian package libnss-wrapper"

char *wt_nsswrapper_find(struct wt_error *errp)
{
	const char *own = getenv("WT_NSS_WRAPPER");
	char *path = own ? strdup(own) : wt_preload_find(LIBRARY);

	if (path && wt_preload_usable(path))
		return path;
	wt_error_set(errp, ENOENT, "users of a cluster's own need %s (" WRAPPER_PACKAGE "), which is not there",
		     path ? path : LIBRARY);
	free(path);
	errno = ENOENT;
	return NULL;
}

int wt_nsswrapper_environment(const char *library, const char *dir, struct wt_error *errp)
{
	char *passwd = wt_str_format("%s/" WT_USERS_PASSWD, dir), *group = wt_str_format("%s/" WT_USERS_GROUP, dir);
	int rc = -1;

	/* The loader only warns of a library that is not there, and all would have this machine's users. */
	if (access(library, R_OK) < 0)
		wt_error_errno(errp, errno, "%s (" WRAPPER_PACKAGE ")", library);
	else if (!passwd || !group || setenv("NSS_WRAPPER_PASSWD", passwd, 1) < 0 ||
		 setenv("NSS_WRAPPER_GROUP", group, 1) < 0 || wt_preload_add(library) < 0)
		wt_error_errno(errp, ENOMEM, "users");
	else
		rc = 0;
	free(passwd);
	free(group);
	return rc;
}
