/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/cluster/folder/slurmenv.h"
#include "lib/str.h"

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

const char *wt_slurmenv_bindir(void)
{
	return SLURM_BINDIR;
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
	return path_set(wt_slurmenv_bindir()) < 0 ? -1 : setenv("SLURM_CONF", slurm_conf, 1);
}

int wt_slurmenv_use(const char *slurm_conf)
{
	return access(slurm_conf, R_OK) < 0 ? -1 : wt_slurmenv_set(slurm_conf);
}
