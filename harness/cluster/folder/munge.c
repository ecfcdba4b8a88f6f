/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <libgen.h>
#include <munge.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/fs.h"
#include "harness/cluster/folder/munge.h"
#include "lib/str.h"

#define KEY_BYTES 128	/* mungekey(8) makes as many */

int wt_munge_prepare(const struct wt_clusterinfo *info, struct wt_error *errp)
{
	char *dir = wt_clusterinfo_path(info, "munge"), *key = wt_clusterinfo_path(info, "munge/key");
	unsigned char bytes[KEY_BYTES];
	int rc = -1;

	if (!dir || !key)
		wt_error_errno(errp, ENOMEM, "munge key");
	else if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t) sizeof(bytes))
		wt_error_errno(errp, errno, "getrandom");
	else if (wt_fs_make_dir(dir, 0755, errp) == 0)
		rc = wt_fs_write(key, bytes, sizeof(bytes), 0400, errp);
	explicit_bzero(bytes, sizeof(bytes));
	free(dir);
	free(key);
	return rc;
}

/* munged wants its socket to be reachable by every user.  In a private folder (mktemp -d, a user's own TMPDIR) that is not
 * so, and on purpose: then, and only then, it is told to go on. */
static bool path_is_private(const char *dir)
{
	char *copy = strdup(dir), *p = copy;
	bool private = false;
	struct stat st;

	while (copy && !private && strcmp(p, "/")) {
		private = stat(p, &st) == 0 && !(st.st_mode & S_IXOTH);
		p = dirname(p);
	}
	free(copy);
	return private;
}

char **wt_munge_argv(const struct wt_clusterinfo *info)
{
	const char *dir = info->dir;
	char *argv[] = {
		strdup(MUNGED_PATH), strdup("--foreground"), wt_str_format("--socket=%s/munge/socket", dir),
		wt_str_format("--key-file=%s/munge/key", dir), wt_str_format("--pid-file=%s/munge/pid", dir),
		wt_str_format("--seed-file=%s/munge/seed", dir),
		strdup("--num-threads=" WT_MUNGE_THREADS), strdup("--origin=127.0.0.1"),
		path_is_private(dir) ? strdup("--force") : NULL,
	};
	char **list = calloc(sizeof(argv) / sizeof(argv[0]) + 1, sizeof(*list));

	for (size_t i = 0; i < sizeof(argv) / sizeof(argv[0]); i++) {
		if (list)
			list[i] = argv[i];
		else
			free(argv[i]);
	}
	return list;
}

void wt_munge_argv_free(char **argv)
{
	for (size_t i = 0; argv && argv[i]; i++)
		free(argv[i]);
	free(argv);
}

int wt_munge_check(const struct wt_clusterinfo *info, struct wt_error *errp)
{
	char *path = wt_clusterinfo_path(info, "munge/socket"), *cred = NULL;
	munge_ctx_t ctx = munge_ctx_create();
	munge_err_t e = EMUNGE_SNAFU;
	int rc = -1;

	if (!path || !ctx)
		wt_error_errno(errp, ENOMEM, "munge");
	else if (access(path, F_OK) < 0)	/* libmunge would wait for it and try again */
		wt_error_set(errp, EAGAIN, "%s is not there yet", path);
	/* libwtmunge.so would not ask munged but for what is unusual: to compress. */
	else if (munge_ctx_set(ctx, MUNGE_OPT_SOCKET, path) != EMUNGE_SUCCESS ||
		 munge_ctx_set(ctx, MUNGE_OPT_ZIP_TYPE, MUNGE_ZIP_ZLIB) != EMUNGE_SUCCESS ||
		 (e = munge_encode(&cred, ctx, NULL, 0)) != EMUNGE_SUCCESS ||
		 (e = munge_decode(cred, ctx, NULL, NULL, NULL, NULL)) != EMUNGE_SUCCESS)
		wt_error_set(errp, EAGAIN, "munge at %s: %s", path, munge_strerror(e));
	else
		rc = 0;
	if (ctx)
		munge_ctx_destroy(ctx);
	free(cred);
	free(path);
	return rc;
}
