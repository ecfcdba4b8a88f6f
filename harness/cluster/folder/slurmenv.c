/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/cluster/folder/slurmenv.h"
#include "lib/str.h"

#define CLIENT "scontrol"

bool wt_slurmenv_misleads(const char *setting)
{
	static const char *const prefixes[] = {
		"SLURM_", "SLURMCTLD_", "SLURMD_", "SLURMDBD_", "SLURMSTEPD_", "_SLURM_", "SBATCH_", "SALLOC_", "SRUN_",
			"SCRONTAB_",
	};
	static const char harmless[] = "SLURM_TIME_FORMAT=";

	if (!strncmp(setting, harmless, sizeof(harmless) - 1))
		return false;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(setting, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

char **wt_slurmenv_clean(void)
{
	size_t count = 0, kept = 0;
	char **list;

	while (environ && environ[count])
		count++;
	list = calloc(count + 1, sizeof(*list));
	for (size_t i = 0; list && i < count; i++)
		if (!wt_slurmenv_misleads(environ[i]))
			list[kept++] = environ[i];
	return list;
}

/* The first file of that name in a list of folders as PATH is one; the caller frees it.  NULL: none. */
static char *first_in(const char *folders, const char *name)
{
	for (const char *at = folders; at && *at;) {
		int len = (int) strcspn(at, ":");
		char *path = len ? wt_str_format("%.*s/%s", len, at, name) : NULL;

		if (path && access(path, X_OK) == 0)
			return path;
		free(path);
		at += len + (at[len] == ':');
	}
	return NULL;
}

/* A site's own script around a command is none. */
static bool is_binary(const char *path)
{
	char magic[sizeof(ELFMAG) - 1] = "";
	FILE *file = fopen(path, "re");
	bool binary = file && fread(magic, sizeof(magic), 1, file) == 1 && !memcmp(magic, ELFMAG, sizeof(magic));

	if (file)
		fclose(file);
	return binary;
}

/* Would PATH find the clients of another Slurm than that of 'own', which has them? */
static bool path_misleads(const char *path, const char *own)
{
	char *found = first_in(path, CLIENT), *wanted = wt_str_format("%s/" CLIENT, own);
	struct stat a, b;
	bool misleads = found && wanted && stat(found, &a) == 0 && stat(wanted, &b) == 0 &&
			(a.st_dev != b.st_dev || a.st_ino != b.st_ino) && is_binary(found);

	free(found);
	free(wanted);
	return misleads;
}

const char *wt_slurmenv_bindir(void)
{
	if (*SLURM_BINDIR)
		return SLURM_BINDIR;
	return path_misleads(getenv("PATH"), SLURM_CLIENTDIR) ? SLURM_CLIENTDIR : "";
}

/* Slurm's programs find their library by a path within them, before which the loader looks here; of all releases it has
 * one name. */
static int library_path_clean(void)
{
	const char *old = getenv("LD_LIBRARY_PATH");
	struct wt_str kept = { 0 };
	char *text;
	int rc;

	for (const char *at = old; at && *at;) {
		int len = (int) strcspn(at, ":");
		char *library = wt_str_format("%.*s/libslurmfull.so", len, at);

		if (len && library && access(library, F_OK) < 0)
			wt_str_printf(&kept, "%s%.*s", kept.len ? ":" : "", len, at);
		free(library);
		at += len + (at[len] == ':');
	}
	text = wt_str_take(&kept);
	if (!old || !text)
		rc = old ? -1 : 0;
	else
		rc = *text ? setenv("LD_LIBRARY_PATH", text, 1) : unsetenv("LD_LIBRARY_PATH");
	free(text);
	return rc;
}

static int path_set(const char *bindir)
{
	const char *path = getenv("PATH");
	size_t len = strlen(bindir);
	char *longer;
	int rc;

	if (!len || (path && !strncmp(path, bindir, len) && (!path[len] || path[len] == ':')))
		return 0;
	longer = wt_str_format("%s%s%s", bindir, path ? ":" : "", path ? path : "");
	rc = longer ? setenv("PATH", longer, 1) : -1;
	free(longer);
	return rc;
}

int wt_slurmenv_set(const char *slurm_conf)
{
	for (size_t i = 0; environ && environ[i];) {
		char *name;

		if (!wt_slurmenv_misleads(environ[i])) {
			i++;
			continue;
		}
		name = strndup(environ[i], strcspn(environ[i], "="));
		if (!name || unsetenv(name) < 0) {
			free(name);
			return -1;
		}
		free(name);	/* the list has moved up: look at the same place again */
	}
	return path_set(wt_slurmenv_bindir()) < 0 || library_path_clean() < 0 ? -1 : setenv("SLURM_CONF", slurm_conf, 1);
}

int wt_slurmenv_use(const char *slurm_conf)
{
	return access(slurm_conf, R_OK) < 0 ? -1 : wt_slurmenv_set(slurm_conf);
}
