/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "wt_libexec.h"
#include "wt_str.h"

/* Returns 'path' if it can be run, else frees it. */
static char *runnable(char *path)
{
	if (path && access(path, X_OK) == 0)
		return path;
	free(path);
	return NULL;
}

char *wt_libexec_find(const char *name, struct wt_error *errp)
{
	const char *dir = getenv("WT_LIBEXECDIR"), *here = NULL;
	char self[PATH_MAX], *found;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len > 0) {
		self[len] = '\0';
		here = dirname(self);
	}
	if (dir && *dir) {
		found = runnable(wt_str_format("%s/%s", dir, name));
	} else {
		dir = WT_LIBEXECDIR;
		found = here ? runnable(wt_str_format("%s/vnode/%s", here, name)) : NULL;
		if (!found)
			found = runnable(wt_str_format("%s/%s", dir, name));
		if (!found && here)	/* installed with DESTDIR, or moved as a whole */
			found = runnable(wt_str_format("%s/../libexec/windtunnel/%s", here, name));
	}
	if (!found)
		wt_error_set(errp, ENOENT, "%s cannot be run from %s: install windtunnel (make install) or name its folder in "
			     "WT_LIBEXECDIR", name, dir);
	return found;
}
