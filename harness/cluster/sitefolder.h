/* sitefolder.h - a site's folder (windtunnel-site(5)): what "site import" has written, as far as a cluster is made of it. */
#ifndef WT_HARNESS_CLUSTER_SITEFOLDER_H
#define WT_HARNESS_CLUSTER_SITEFOLDER_H

#include <stddef.h>

#include "lib/error.h"

enum site_file { SITE_CONF, SITE_TOPOLOGY, SITE_GRES, SITE_ACCOUNTS, SITE_PASSWD, SITE_GROUP, SITE_USAGE, SITE_FILES };

struct wt_sitefolder {		/* zeroed: none */
	char *text[SITE_FILES];		/* NULL: the folder has no such file */
	size_t len[SITE_FILES];
	char *path[SITE_FILES];		/* for errors */
};

/* Reads all of them: they are regular files of the folder itself, not links.  0, or -1 with errno and *errp; ENOENT: there
 * is no slurm.conf. */
int wt_sitefolder_read(struct wt_sitefolder *site, const char *dir, struct wt_error *errp);
void wt_sitefolder_clear(struct wt_sitefolder *site);	/* errno is preserved */

#endif
