/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/cluster/folder/preload.h"
#include "lib/str.h"

/* The caller frees it; NULL: it is not there. */
static char *library_in(const char *prefix, const char *folder, size_t len, const char *library)
{
	char *path = wt_str_format("%s%.*s/%s", prefix, (int) len, folder, library);

	if (path && access(path, R_OK) == 0)
		return path;
	free(path);
	return NULL;
}

/* Distributions have a folder for each architecture. */
static char *library_beside_libc(const char *library)
{
	const char *slash;
	Dl_info info;
	char *path;
	size_t len;

	if (!dladdr((const void *) gnu_get_libc_version, &info) || !info.dli_fname ||
	    !(slash = strrchr(info.dli_fname, '/')))
		return NULL;
	len = (size_t) (slash - info.dli_fname);
	path = library_in("", info.dli_fname, len, library);
	return path ? path : library_in("/usr", info.dli_fname, len, library);
}

char *wt_preload_find(const char *library)
{
	static const char *const folders[] = { "/usr/lib64", "/usr/lib", "/usr/local/lib" };
	char *path = library_beside_libc(library);

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && !path; i++)
		path = library_in("", folders[i], strlen(folders[i]), library);
	return path;
}

bool wt_preload_usable(const char *path)
{
	return !strpbrk(path, ": \t\n") && access(path, R_OK) == 0;
}

int wt_preload_add(const char *path)
{
	const char *old = getenv("LD_PRELOAD");
	char *list;
	int rc;

	if (old && strstr(old, path))
		return 0;
	list = old && *old ? wt_str_format("%s:%s", old, path) : strdup(path);
	rc = list ? setenv("LD_PRELOAD", list, 1) : -1;
	free(list);
	return rc;
}
