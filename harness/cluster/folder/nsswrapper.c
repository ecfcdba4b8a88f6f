/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/cluster/folder/nsswrapper.h"
#include "lib/str.h"

#define LIBRARY "libnss_wrapper.so"
#define WRAPPER_PACKAGE "Debian package libnss-wrapper"

/* The caller frees it; NULL: it is not there. */
static char *library_in(const char *prefix, const char *folder, size_t len)
{
	char *path = wt_str_format("%s%.*s/" LIBRARY, prefix, (int) len, folder);

	if (path && access(path, R_OK) == 0)
		return path;
	free(path);
	return NULL;
}

/* Where the C library lies: distributions have a folder for each architecture. */
static char *library_beside_libc(void)
{
	const char *slash;
	Dl_info info;
	char *path;

	if (!dladdr((const void *) gnu_get_libc_version, &info) || !info.dli_fname ||
	    !(slash = strrchr(info.dli_fname, '/')))
		return NULL;
	path = library_in("", info.dli_fname, (size_t) (slash - info.dli_fname));
	return path ? path : library_in("/usr", info.dli_fname, (size_t) (slash - info.dli_fname));
}

char *wt_nsswrapper_find(struct wt_error *errp)
{
	static const char *const folders[] = { "/usr/lib64", "/usr/lib", "/usr/local/lib" };
	const char *own = getenv("WT_NSS_WRAPPER");
	char *path = own ? strdup(own) : library_beside_libc();

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && !path; i++)
		path = library_in("", folders[i], strlen(folders[i]));
	/* It becomes a word of LD_PRELOAD, where these separate. */
	if (path && !strpbrk(path, ": \t") && access(path, R_OK) == 0)
		return path;
	wt_error_set(errp, ENOENT, "users of a cluster's own need %s (" WRAPPER_PACKAGE "), which is not there",
		     path ? path : LIBRARY);
	free(path);
	errno = ENOENT;
	return NULL;
}

static int preload_add(const char *library)
{
	const char *old = getenv("LD_PRELOAD");
	char *list;
	int rc;

	if (old && strstr(old, library))
		return 0;
	/* Behind: the virtual clock's library wants to be the first. */
	list = old && *old ? wt_str_format("%s:%s", old, library) : strdup(library);
	rc = list ? setenv("LD_PRELOAD", list, 1) : -1;
	free(list);
	return rc;
}

int wt_nsswrapper_environment(const char *library, const char *dir, struct wt_error *errp)
{
	char *passwd = wt_str_format("%s/" WT_USERS_PASSWD, dir), *group = wt_str_format("%s/" WT_USERS_GROUP, dir);
	int rc = -1;

	/* The loader only warns of a library that is not there, and all would have this machine's users. */
	if (access(library, R_OK) < 0)
		wt_error_errno(errp, errno, "%s (" WRAPPER_PACKAGE ")", library);
	else if (!passwd || !group || setenv("NSS_WRAPPER_PASSWD", passwd, 1) < 0 ||
		 setenv("NSS_WRAPPER_GROUP", group, 1) < 0 || preload_add(library) < 0)
		wt_error_errno(errp, ENOMEM, "users");
	else
		rc = 0;
	free(passwd);
	free(group);
	return rc;
}
