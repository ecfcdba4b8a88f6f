/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/cluster/folder/libexec.h"
#include "lib/str.h"

/* Returns 'path' if it can be used so, else frees it. */
static char *usable(char *path, int mode)
{
	if (path && access(path, mode) == 0)
		return path;
	free(path);
	return NULL;
}

static char *runnable(char *path)
{
	return usable(path, X_OK);
}

static char *readable(char *path)
{
	return usable(path, R_OK);
}

/* The folder of the command itself, in 'self'; NULL when the kernel does not say. */
static const char *own_folder(char self[PATH_MAX])
{
	ssize_t len = readlink("/proc/self/exe", self, PATH_MAX - 1);

	if (len <= 0)
		return NULL;
	self[len] = '\0';
	return dirname(self);
}

char *wt_libexec_find(const char *name, struct wt_error *errp)
{
	const char *dir = getenv("WT_LIBEXECDIR"), *here;
	char self[PATH_MAX], *found;

	if (dir && *dir) {
		found = runnable(wt_str_format("%s/%s", dir, name));
	} else {
		dir = WT_LIBEXECDIR;
		here = own_folder(self);
		found = here ? runnable(wt_str_format("%s/vnode/%s", here, name)) : NULL;
		if (!found && here)
			found = runnable(wt_str_format("%s/clock/%s", here, name));
		if (!found)
			found = runnable(wt_str_format("%s/%s", dir, name));
		if (!found && here)	/* installed with DESTDIR, or moved as a whole */
			found = runnable(wt_str_format("%s/../libexec/windtunnel/%s", here, name));
	}
	if (!found)
		wt_error_set(errp, ENOENT,
			     "%s cannot be run from %s: install windtunnel (make install) or name its folder in "
			     "WT_LIBEXECDIR", name, dir);
	return found;
}

char *wt_libexec_find_library(const char *name, struct wt_error *errp)
{
	const char *dir = getenv("WT_LIBEXECDIR"), *here;
	char self[PATH_MAX], *found;

	if (dir && *dir) {
		found = readable(wt_str_format("%s/%s", dir, name));
	} else {
		dir = WT_PKGLIBDIR;
		here = own_folder(self);
		found = here ? readable(wt_str_format("%s/clock/.libs/%s", here, name)) : NULL;
		if (!found)
			found = readable(wt_str_format("%s/%s", dir, name));
		if (!found && here)
			found = readable(wt_str_format("%s/../lib/windtunnel/%s", here, name));
	}
	if (!found)
		wt_error_set(errp, ENOENT, "%s is not in %s: install windtunnel (make install) or name its folder in "
			     "WT_LIBEXECDIR", name, dir);
	return found;
}
