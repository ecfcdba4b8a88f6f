/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --plugin: where our plugin lies, and whether slurmctld really runs it. */
#include "config.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wt_cluster_private.h"
#include "wt_str.h"

#define PLUGIN_FILE "select_cons_tres.so"

/* Returns the real path of 'dir' if the plugin is in it, else NULL; frees 'dir'. */
static char *folder_with_plugin(char *dir)
{
	char *file = dir ? wt_str_format("%s/" PLUGIN_FILE, dir) : NULL, *found = NULL;

	if (file && access(file, R_OK) == 0)
		found = realpath(dir, NULL);
	free(file);
	free(dir);
	return found;
}

/* The build folder comes before the installed one, as for our programs. */
char *wt_plugin_dir(const char *name, struct wt_error *errp)
{
	const char *dir = getenv("WT_PLUGINDIR"), *here = NULL;
	char self[PATH_MAX], *found;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (strcmp(name, "bestfit")) {
		wt_error_set(errp, EINVAL, "--plugin: '%s' is not known; there is \"bestfit\"", name);
		return NULL;
	}
	if (len > 0) {
		self[len] = '\0';
		here = dirname(self);
	}
	if (dir && *dir) {
		found = folder_with_plugin(strdup(dir));
	} else {
		dir = WT_PLUGINDIR;
		found = here ? folder_with_plugin(wt_str_format("%s/../plugins/select_bestfit/slurm", here)) : NULL;
		if (!found)
			found = folder_with_plugin(strdup(dir));
	}
	if (!found)
		wt_error_set(errp, ENOENT, "--plugin %s: there is no " PLUGIN_FILE " in %s: install windtunnel (make install) or name "
			     "its folder in WT_PLUGINDIR", name, dir);
	return found;
}

/* 1: the process has mapped the file; 0: not; -1: its maps cannot be read. */
static int mapped(pid_t pid, const char *file)
{
	char path[64], *line = NULL;
	size_t size = 0;
	int found = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%ld/maps", (long) pid);
	maps = fopen(path, "re");
	if (!maps)
		return -1;
	while (!found && getline(&line, &size, maps) > 0) {
		char *name = strchr(line, '/');

		if (name) {
			name[strcspn(name, "\n")] = '\0';
			found = !strcmp(name, file);
		}
	}
	free(line);
	fclose(maps);
	return found;
}

int wt_plugin_check(const struct wt_clusterinfo *info, const char *dir, struct wt_error *errp)
{
	struct wt_cluster *c = wt_cluster_open(info->name, errp);
	char *link = wt_str_format("%s/" PLUGIN_FILE, dir), *file = link ? realpath(link, NULL) : NULL;
	int found = c && file ? mapped(c->controller_pid, file) : -1;

	if (c && found < 0)
		wt_error_set(errp, EIO, "--plugin: it cannot be seen what slurmctld has loaded (/proc/%ld/maps)", (long) c->controller_pid);
	else if (c && found == 0)
		wt_error_set(errp, ENOEXEC, "--plugin: slurmctld did not load %s/" PLUGIN_FILE " but took Slurm's own; %s/ctld/slurmctld.log "
			     "says why (was it built for another release of Slurm?)", dir, info->dir);
	wt_cluster_close(c);
	free(link);
	free(file);
	return found == 1 ? 0 : -1;
}
