/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/cluster/sitefolder.h"
#include "lib/fs.h"
#include "lib/str.h"

#define CONF_BYTES_MAX ((size_t) 16 << 20)	/* as of --conf */
#define BYTES_MAX ((size_t) 64 << 20)

static const char *const names[SITE_FILES] = {
	[SITE_CONF] = "slurm.conf", [SITE_TOPOLOGY] = "topology.conf", [SITE_GRES] = "gres.conf",
	[SITE_ACCOUNTS] = "accounts.cfg", [SITE_PASSWD] = "passwd", [SITE_GROUP] = "group",
	[SITE_USAGE] = "usage.csv",
};

static int one_read(struct wt_sitefolder *site, const char *dir, int file, struct wt_error *errp)
{
	struct stat st;

	site->path[file] = wt_str_format("%s/%s", dir, names[file]);
	if (!site->path[file])
		return wt_error_errno(errp, ENOMEM, "--site");
	if (file != SITE_CONF && lstat(site->path[file], &st) < 0 && errno == ENOENT)
		return 0;
	if (wt_fs_read_unlinked(site->path[file], file <= SITE_GRES ? CONF_BYTES_MAX : BYTES_MAX, &site->text[file],
				&site->len[file], errp) < 0)
		return wt_error_prefix(errp, "--site");
	/* Those of accounts and users are checked where they are read, with the line. */
	if (file <= SITE_GRES && strlen(site->text[file]) != site->len[file])
		return wt_error_set(errp, EINVAL, "--site: %s has a NUL after %zu bytes: it is no text", site->path[file],
				    strlen(site->text[file]));
	return 0;
}

int wt_sitefolder_read(struct wt_sitefolder *site, const char *dir, struct wt_error *errp)
{
	int rc = 0;

	*site = (struct wt_sitefolder) { 0 };
	for (int i = 0; i < SITE_FILES && rc == 0; i++)
		rc = one_read(site, dir, i, errp);
	if (rc == 0 && site->text[SITE_GROUP] && !site->text[SITE_PASSWD])
		rc = wt_error_set(errp, EINVAL, "--site: %s is there, and no %s", site->path[SITE_GROUP],
				  site->path[SITE_PASSWD]);
	if (rc < 0)
		wt_sitefolder_clear(site);
	return rc;
}

void wt_sitefolder_clear(struct wt_sitefolder *site)
{
	int saved_errno = errno;

	for (int i = 0; i < SITE_FILES; i++) {
		free(site->text[i]);
		free(site->path[i]);
	}
	*site = (struct wt_sitefolder) { 0 };
	errno = saved_errno;
}
