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

#include "harness/cluster/cluster_private.h"
#include "harness/cluster/conf/clusterconf.h"
#include "lib/str.h"

/* Where they are in the build tree, seen from the command's folder, and where "make install" puts them. */
static const struct plugin {
	const char *name, *file, *built, *installed;
} plugins[] = {
	{ WT_PLUGIN_BESTFIT, "select_cons_tres.so", "../plugins/select_bestfit/slurm", WT_PLUGINDIR },
	{ WT_PLUGIN_STRAGGLER, STRAGGLER_PLUGIN, "../plugins/straggler/slurm", WT_PLUGINDIR "-straggler" },
};

static const struct plugin *plugin_find(const char *name)
{
	for (size_t i = 0; i < sizeof(plugins) / sizeof(plugins[0]); i++) {
		if (!strcmp(plugins[i].name, name))
			return &plugins[i];
	}
	return NULL;
}

/* Returns the real path of 'dir' if the plugin is in it, else NULL; frees 'dir'. */
static char *folder_with_plugin(const struct plugin *plugin, char *dir)
{
	char *file = dir ? wt_str_format("%s/%s", dir, plugin->file) : NULL, *found = NULL;

	if (file && access(file, R_OK) == 0)
		found = realpath(dir, NULL);
	free(file);
	free(dir);
	return found;
}

/* The build folder comes before the installed one, as for our programs. */
char *wt_plugin_dir(const char *name, struct wt_error *errp)
{
	const struct plugin *plugin = plugin_find(name);
	const char *dir = getenv("WT_PLUGINDIR"), *here = NULL;
	char self[PATH_MAX], *found;
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (!plugin) {
		wt_error_set(errp, EINVAL, "--plugin: '%s' is not known; there are \"bestfit\" and \"straggler\"", name);
		return NULL;
	}
	if (len > 0) {
		self[len] = '\0';
		here = dirname(self);
	}
	if (dir && *dir) {
		found = folder_with_plugin(plugin, strdup(dir));
	} else {
		dir = plugin->installed;
		found = here ? folder_with_plugin(plugin, wt_str_format("%s/%s", here, plugin->built)) : NULL;
		if (!found)
			found = folder_with_plugin(plugin, strdup(dir));
	}
	if (!found)
		wt_error_set(errp, ENOENT, "--plugin %s: there is no %s in %s: install windtunnel (make install) or name "
			     "its folder in WT_PLUGINDIR", name, plugin->file, dir);
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
			/* The whole path: Slurm's own plugin has the same file name. */
			name[strcspn(name, "\n")] = '\0';
			found = !strcmp(name, file);
		}
	}
	free(line);
	fclose(maps);
	return found;
}

int wt_plugin_check(const struct wt_clusterinfo *info, const char *name, const char *dir, struct wt_error *errp)
{
	const char *plugin = plugin_find(name)->file;
	struct wt_cluster *c = wt_cluster_open(info->name, errp);
	char *link = wt_str_format("%s/%s", dir, plugin), *file = link ? realpath(link, NULL) : NULL;
	int found = c && file ? mapped(c->controller_pid, file) : -1;

	if (c && found < 0)
		wt_error_set(errp, EIO, "--plugin: it cannot be seen what slurmctld has loaded (/proc/%ld/maps)",
			     (long) c->controller_pid);
	else if (c && found == 0)
		wt_error_set(errp, ENOEXEC,
			     "--plugin: slurmctld did not load %s/%s but does without or took Slurm's own; "
			     "%s/ctld/slurmctld.log "
			     "says why (was it built for another release of Slurm?)", dir, plugin, info->dir);
	wt_cluster_close(c);
	free(link);
	free(file);
	return found == 1 ? 0 : -1;
}
