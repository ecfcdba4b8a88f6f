/* SPDX-License-Identifier: GPL-2.0-or-later */
/* On a host: the folder of its part of a cluster, and what becomes of it. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/cluster/cluster_private.h"
#include "harness/cluster/folder/address.h"
#include "harness/cluster/folder/clusterdir.h"
#include "harness/cluster/folder/epilog.h"
#include "harness/cluster/folder/hostname.h"
#include "harness/cluster/folder/leftovers.h"
#include "harness/cluster/folder/limits.h"
#include "harness/cluster/folder/part_spec.h"
#include "harness/cluster/supervisor/supervisor.h"
#include "lib/clock.h"
#include "lib/fs.h"
#include "lib/json.h"
#include "lib/str.h"

#define CLAIM_US ((int64_t) 30 * 1000000)	/* until a part before this one has ended */
#define CLAIM_POLL_US 100000

/* Not a byte more: what follows is for the supervisor. */
static int bytes_read(char *to, size_t len, struct wt_error *errp)
{
	for (size_t at = 0; at < len;) {
		ssize_t n = read(STDIN_FILENO, to + at, len - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return wt_error_set(errp, EPROTO, "what the cluster's supervisor sends has ended too early");
		at += (size_t) n;
	}
	return 0;
}

static int length_read(size_t *len, struct wt_error *errp)
{
	char line[24];
	uint64_t n;
	size_t at = 0;

	do
		if (bytes_read(&line[at], 1, errp) < 0)
			return -1;
	while (line[at++] != '\n' && at < sizeof(line) - 1);
	line[at - 1] = '\0';
	if (wt_str_to_u64(line, 2, PART_SPEC_BYTES_MAX, "length", &n, errp) < 0)
		return wt_error_prefix(errp, "'windtunnel cluster host' is for the supervisor of a cluster only");
	*len = (size_t) n;
	return 0;
}

static json_t *spec_read(struct wt_error *errp)
{
	json_t *spec = NULL;
	json_error_t said;
	size_t len = 0;
	char *text;

	if (length_read(&len, errp) < 0)
		return NULL;
	text = calloc(1, len + 1);
	if (!text) {
		wt_error_errno(errp, ENOMEM, "part of a cluster");
		return NULL;
	}
	if (bytes_read(text, len, errp) == 0) {
		spec = json_loadb(text, len, 0, &said);
		if (!spec)
			wt_error_set(errp, EINVAL, "what the cluster's supervisor sent is no JSON: %s", said.text);
	}
	explicit_bzero(text, len);
	free(text);
	return spec;
}

/* Is a part of the cluster with this uuid in the folder? */
static bool is_of(const char *path, const char *uuid)
{
	struct wt_clusterinfo info;
	bool same;

	if (wt_clusterinfo_load(path, &info, NULL) < 0)
		return false;
	same = !strcmp(info.uuid, uuid);
	wt_clusterinfo_clear(&info);
	return same;
}

/* A part of the same cluster from before, whose supervisor was cut off, is ended; another cluster's is left alone. */
static int folder_take(const char *path, const char *uuid, int *lock_fd, struct wt_error *errp)
{
	const struct wt_clock *clock = wt_clock_real();
	int64_t end_us = wt_clock_now_us(clock) + CLAIM_US;

	while (wt_cluster_folder_claim(path, lock_fd, errp) < 0) {
		if (errno != EBUSY)
			return -1;
		if (is_of(path, uuid) && wt_cluster_end_processes(path, errp) < 0)
			return -1;
		if (wt_clock_now_us(clock) > end_us)
			return wt_error_set(errp, EBUSY, "%s: another cluster of this name has nodes here", path);
		wt_clock_sleep_until_us(clock, wt_clock_now_us(clock) + CLAIM_POLL_US);
	}
	return 0;
}

/* The cluster's words for this host are others' than its own: is the address one of this machine? */
static int address_check(const struct wt_host *host, struct wt_error *errp)
{
	int own = wt_address_is_own(host->address, errp);

	if (own != 0)
		return own < 0 ? -1 : 0;
	return wt_error_set(errp, EINVAL, "%s is no address of this host: the file of --hosts is wrong", host->address);
}

static int part_check(const struct wt_clusterinfo *info, struct wt_error *errp)
{
	if (!info->part)
		return wt_error_set(errp, EINVAL, "%s/cluster.json is no part of a cluster", info->dir);
	if (address_check(info->part, errp) < 0)
		return -1;
	return wt_clusterinfo_real_nodes(info) ? wt_limits_host_check(info->part->count, info->nodes_port, errp) :
	       wt_limits_virtual_check(info->part->count, info->nodes_port, errp);
}

static int text_write(const struct wt_clusterinfo *info, const char *name, char *text, mode_t mode, struct wt_error *errp)
{
	char *path = wt_clusterinfo_path(info, name);
	int rc = path && text ? wt_fs_write(path, text, strlen(text), mode, errp) : wt_error_errno(errp, ENOMEM, "%s", name);

	free(path);
	free(text);
	return rc;
}

/* What does not come from the cluster's own folder, because it has this host's paths. */
static int folder_fill(const json_t *spec, const char *path, struct wt_clusterinfo *info, struct wt_error *errp)
{
	char *nodes = wt_str_format("%s/nodes", path);
	int rc = nodes ? wt_fs_make_dir(nodes, 0755, errp) : wt_error_errno(errp, ENOMEM, "nodes");

	free(nodes);
	if (rc < 0 || part_spec_write(spec, path, wt_hostname_can_take(), errp) < 0 ||
	    wt_clusterinfo_load(path, info, errp) < 0)
		return -1;
	if (part_check(info, errp) < 0 || wt_leftovers_key_make(info, errp) < 0 ||
	    text_write(info, "epilog", wt_epilog_text(info), 0755, errp) < 0 ||
	    text_write(info, "reboot", wt_reboot_text(info), 0755, errp) < 0 ||
	    text_write(info, WT_NODE_EVENTS, strdup(WT_EVENTS_HEADER "\n"), 0644, errp) < 0)
		rc = -1;
	return rc;
}

/* As the supervisor of a whole cluster finds it (supervisor_spawn.c): what its daemons inherit, and where it writes. */
static int surroundings_make(const struct wt_clusterinfo *info, struct wt_error *errp)
{
	char *log = wt_clusterinfo_path(info, "daemons.log"), *key = wt_leftovers_key(info);
	int fd = log ? open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1, rc = 0;

	if (fd < 0 || !key || setenv(WT_CLUSTER_ENV, info->uuid, 1) < 0 || setenv(WT_CLUSTER_KEY_ENV, key, 1) < 0 ||
	    dup2(fd, STDERR_FILENO) < 0)
		rc = wt_error_errno(errp, errno, "%s", info->dir);
	if (fd >= 0)
		close(fd);
	free(key);
	free(log);
	return rc;
}

/* Its standard input and output go on as other descriptors: no daemon shall have them. */
static int ends_move(int ends[2], struct wt_error *errp)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	ends[0] = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	ends[1] = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (null < 0 || ends[0] < 0 || ends[1] < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0)
		return wt_error_errno(errp, errno, "standard input");
	return 0;
}

static int part_serve(const json_t *spec, const char *path, int lock_fd, struct wt_error *errp)
{
	struct wt_clusterinfo info = { 0 };
	int ends[2], rc = -1;

	if (folder_fill(spec, path, &info, errp) == 0 && surroundings_make(&info, errp) == 0 && ends_move(ends, errp) == 0)
		rc = 0;
	wt_clusterinfo_clear(&info);
	return rc < 0 ? -1 : wt_supervisor_part(path, lock_fd, ends[0], ends[1]);
}

/* The path of the part's folder, a new string. */
static char *part_path(const char *name, const char *host, bool create, struct wt_error *errp)
{
	char *base = wt_clusterdir_base(create, errp), *path = base ? wt_clusterdir_host_path(base, name, host, errp) : NULL;

	free(base);
	return path;
}

static int part_begin(struct wt_error *errp)
{
	json_t *spec = spec_read(errp);
	char *path = NULL;
	int lock_fd = -1, rc = -1;

	if (spec && part_spec_check(spec, wt_clock_now_us(wt_clock_real()), errp) == 0)
		path = part_path(part_spec_text(spec, "name"), part_spec_text(spec, "host"), true, errp);
	if (path && folder_take(path, part_spec_text(spec, "uuid"), &lock_fd, errp) == 0) {
		rc = part_serve(spec, path, lock_fd, errp);
		if (rc < 0) {
			int saved_errno = errno;

			wt_clusterdir_remove(path, NULL);
			errno = saved_errno;
		}
	}
	json_decref(spec);
	free(path);
	return rc;
}

static int leftovers_end(const char *name, const char *host, const char *uuid, struct wt_error *errp)
{
	char *path = part_path(name, host, false, errp);
	int lock_fd, rc = 0;

	if (!path)	/* with such a name nothing can have been begun */
		return errno == ENOENT || errno == ENAMETOOLONG ? 0 : -1;
	if (access(path, F_OK) == 0) {
		/* Another cluster's of that name is none of ours; one without a cluster.json has started nothing. */
		if (!is_of(path, uuid) && wt_clusterdir_busy(path))
			rc = 0;
		else if ((rc = folder_take(path, uuid, &lock_fd, errp)) == 0)
			rc = wt_clusterdir_remove(path, errp);
	}
	free(path);
	return rc;
}

int wt_host_main(int argc, char **argv)
{
	bool end = argc == 5 && !strcmp(argv[1], "--end");
	struct wt_error err = { "" };
	int rc;

	/* A cluster's supervisor may have started it itself; it ends by its input, in order. */
	prctl(PR_SET_PDEATHSIG, 0);
	umask(022);
	if (!end && (argc != 1 || isatty(STDIN_FILENO))) {
		fprintf(stderr, "windtunnel cluster host: it is for the supervisor of a cluster only\n");
		return 2;
	}
	rc = end ? leftovers_end(argv[2], argv[3], argv[4], &err) : part_begin(&err);
	if (rc >= 0)
		return rc;
	dprintf(STDOUT_FILENO, "E %d %s\n", errno, err.text);
	return 1;
}
