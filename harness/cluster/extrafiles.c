/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/cluster/extrafiles.h"
#include "lib/fs.h"
#include "lib/str.h"

#define BYTES_MAX ((size_t) 16 << 20)

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int wt_extrafile_check(const char *path, struct wt_error *errp)
{
	static const char *const ours[] = { "slurm.conf", "slurmdbd.conf", "topology.conf", "gres.conf", "plugstack.conf",
					    "straggler.conf", "cgroup.conf" };
	const char *name = last_part(path), *dot = strrchr(name, '.');
	int fd;

	if (!dot || dot == name || (strcmp(dot, ".conf") && strcmp(dot, ".lua")) ||
	    strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != (size_t) (dot - name))
		return wt_error_set(errp, EINVAL, "--file %s: files beside slurm.conf are called NAME.conf or NAME.lua",
				    path);
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (!strcmp(name, ours[i]))
			return wt_error_set(errp, EINVAL, "--file %s: windtunnel writes %s itself (windtunnel-cluster(1))",
					    path, name);
	fd = wt_fs_open_regular(path, errp);
	if (fd < 0)
		return wt_error_prefix(errp, "--file");
	close(fd);
	return 0;
}

int wt_extrafile_copy(const char *path, const char *dir, struct wt_error *errp)
{
	char *to = wt_str_format("%s/%s", dir, last_part(path)), *text = NULL;
	struct stat st;
	mode_t mode;
	size_t len;
	int rc = -1;

	if (!to)
		return wt_error_errno(errp, ENOMEM, "--file");
	if (access(to, F_OK) == 0)
		wt_error_set(errp, EINVAL, "--file %s: there is a file of that name already", path);
	else if (stat(path, &st) < 0)
		wt_error_errno(errp, errno, "--file %s", path);
	else if (wt_fs_read_regular(path, BYTES_MAX, &text, &len, errp) < 0)
		wt_error_prefix(errp, "--file");
	else {	/* a token in it is for those alone who may read it there; the copy's group is ours */
		mode = st.st_mode & (st.st_gid == getegid() ? 0777 : 0707);
		rc = wt_fs_write(to, text, len, mode | S_IRUSR | S_IWUSR, errp);
	}
	free(text);
	free(to);
	return rc;
}
