/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wt_cluster_up: claim a folder, fill it, start the supervisor, listen to its progress. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "harness/cluster/cluster_private.h"
#include "harness/cluster/folder/clusterdir.h"
#include "lib/fs.h"
#include "harness/cluster/folder/logtail.h"
#include "lib/proc.h"
#include "lib/str.h"
#include "harness/cluster/supervisor/supervisor.h"

#define ATTEMPTS 8		/* with other ports, when one was taken between our look and the daemon's bind */
#define POLL_MS 100
#define SPACE_KIB 4096		/* for logs and configuration */
#define SPACE_KIB_ACCOUNTING 65536	/* an empty database has about 40 MiB */
#define COMPLAINT_BYTES_MAX 200
#define SPACE_KIB_PER_NODE 1	/* for slurmctld's two copies of its state, with a reserve */

struct up {
	struct wt_plan plan;
	wt_cluster_progress_f progress;
	void *arg;
	const volatile int *cancelled;
	struct wt_proc supervisor;	/* pid 0: not known yet */
	bool reached, stopping;
	int failed;			/* errno of F */
	char text[1024];		/* of F */
	char buf[2048];			/* what was received and is no whole line yet */
	size_t len;
};

static void line_take(struct up *up, char *line)
{
	uint32_t registered, nodes;
	char phase[32];
	int at = 0;
	long pid;

	if (sscanf(line, "S %ld %" SCNu64, &pid, &up->supervisor.start_time) == 2) {
		up->supervisor.pid = (pid_t) pid;
	} else if (sscanf(line, "P %31s %" SCNu32 " %" SCNu32, phase, &registered, &nodes) == 3) {
		if (up->progress && !up->stopping)
			up->progress(phase, registered, nodes, up->arg);
	} else if (!strcmp(line, "U")) {
		up->reached = true;
	} else if (sscanf(line, "F %d %n", &up->failed, &at) == 1) {
		snprintf(up->text, sizeof(up->text), "%.*s", (int) sizeof(up->text) - 1, line + at);
	}
}

/* Returns whether the supervisor's end of the socket is still open. */
static bool lines_receive(struct up *up, int fd)
{
	ssize_t n = recv(fd, up->buf + up->len, sizeof(up->buf) - 1 - up->len, 0);
	char *line = up->buf, *end;

	if (n <= 0)
		return n < 0 && errno == EINTR;
	up->len += (size_t) n;
	up->buf[up->len] = '\0';
	while ((end = strchr(line, '\n'))) {
		*end = '\0';
		line_take(up, line);
		line = end + 1;
	}
	/* A line may come in two parts: the first stays until the rest is there. */
	up->len -= (size_t) (line - up->buf);
	memmove(up->buf, line, up->len);
	/* No line of the supervisor is that long: it is dropped, or nothing could be received any more. */
	if (up->len == sizeof(up->buf) - 1)
		up->len = 0;
	return true;
}

static void supervisor_tell_to_stop(struct up *up)
{
	if (up->supervisor.pid == 0)	/* S was not received yet: ask again at the next turn */
		return;
	up->stopping = true;
	wt_proc_signal(&up->supervisor, SIGTERM);
}

/* Until all nodes are IDLE, or the supervisor has ended and so closed its socket. */
static void supervisor_follow(struct up *up, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	while (!up->reached) {
		int n;

		if (up->cancelled && *up->cancelled && !up->stopping)
			supervisor_tell_to_stop(up);
		n = poll(&p, 1, POLL_MS);
		if (n > 0 && !lines_receive(up, fd))
			break;
	}
}

static int result_judge(struct up *up, struct wt_error *errp)
{
	if (up->reached && !(up->cancelled && *up->cancelled))
		return 0;
	if (up->cancelled && *up->cancelled)
		return wt_error_set(errp, EINTR, "cluster '%s': interrupted", up->plan.info.name);
	if (up->failed)
		return wt_error_set(errp, up->failed, "cluster '%s': %s", up->plan.info.name, up->text);
	if (up->supervisor.pid == 0) {
		char *log = wt_clusterinfo_path(&up->plan.info, "daemons.log"), *said = log ? wt_logtail_file(log, 1) : NULL;

		wt_error_set(errp, ECHILD, "cluster '%s': its supervisor ended and said: %s", up->plan.info.name,
			     said ? said : "nothing");
		free(log);
		free(said);
		return -1;
	}
	return wt_error_set(errp, ECANCELED, "cluster '%s' was stopped while it started; see %s/daemons.log",
			    up->plan.info.name,
			    up->plan.info.dir);
}

/* On a full disk the daemons go on for a while without saying so plainly. */
static int space_check(const struct wt_clusterinfo *info, struct wt_error *errp)
{
	uint64_t needed_kib = SPACE_KIB + info->nodes * (uint64_t) SPACE_KIB_PER_NODE, free_kib;
	struct statvfs fs;

	needed_kib += info->accounting ? SPACE_KIB_ACCOUNTING : 0;
	if (statvfs(info->dir, &fs) < 0)
		return wt_error_errno(errp, errno, "%s", info->dir);
	free_kib = (uint64_t) fs.f_bavail * fs.f_frsize / 1024;
	if (free_kib >= needed_kib)
		return 0;
	return wt_error_set(errp, ENOSPC, "%s: %" PRIu64 " KiB are free, %"
			    PRIu64 " are needed; WINDTUNNEL_STATE names another "
			    "folder", info->dir, free_kib, needed_kib);
}

/* What sacctmgr complained of first, in its log; the caller frees it.  NULL: of nothing. */
static char *complaint_read(const char *log)
{
	struct wt_error err = { "" };
	FILE *in = wt_fs_stream_regular(log, &err);
	char *line = NULL, *said = NULL;
	const char *complaint;
	size_t size = 0;
	ssize_t len;

	if (!in)
		return strdup(err.text);
	while (!said && (len = getline(&line, &size, in)) >= 0) {
		line[len - (len > 0 && line[len - 1] == '\n')] = '\0';
		complaint = wt_accounts_complaint(line);
		said = complaint ? wt_str_make_line(complaint, COMPLAINT_BYTES_MAX) : NULL;
	}
	free(line);
	fclose(in);
	return said;
}

/* A script of a site may ask for what is there already, so that sacctmgr's status says nothing, and the cluster stays up;
 * but a user whose script has made no account shall know it. */
static void accounts_tell(const struct wt_plan *plan)
{
	char *log = wt_clusterinfo_path(&plan->info, "accounting/sacctmgr.log"), *said = log ? complaint_read(log) : NULL;
	char *text = NULL;

	if (said)
		text = wt_str_format("Accounts may be missing: sacctmgr said '%s'; all that it said is in %s\n", said, log);
	if (text && plan->wanted->tell)
		plan->wanted->tell(text);
	free(text);
	free(said);
	free(log);
}

/* One attempt with one set of ports, in an empty folder. */
static int attempt(struct up *up, const struct wt_ports *ports, int lock_fd, pid_t owner, struct wt_error *errp)
{
	struct wt_supervisor_args args = { .lock_fd = lock_fd, .port_fd = ports->lock_fd };
	int pair[2], rc;

	/* What an attempt with other ports has left must not count for this one. */
	up->reached = up->stopping = false;
	up->failed = 0;
	up->len = 0;
	memset(&up->supervisor, 0, sizeof(up->supervisor));
	if (space_check(&up->plan.info, errp) < 0 || wt_plan_write(&up->plan, ports, errp) < 0)
		return -1;
	if (owner > 0 && wt_proc_identify(owner, &args.owner, errp) < 0)
		return wt_error_prefix(errp, "owner of the cluster");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return wt_error_errno(errp, errno, "socketpair");
	args.up_fd = pair[1];
	rc = wt_supervisor_start(&up->plan.info, &args, errp);
	/* Here as well, or the supervisor's end would never be seen: the socket would stay open in this process. */
	close(pair[1]);
	if (rc == 0) {
		supervisor_follow(up, pair[0]);
		rc = result_judge(up, errp);
	}
	close(pair[0]);
	return rc;
}

int wt_cluster_folder_claim(const char *path, int *lock_fd, struct wt_error *errp)
{
	bool existed = true;

	for (int tries = 0; tries < 10; tries++) {
		char *base;

		if (wt_clusterdir_claim(path, &existed, lock_fd, errp) < 0) {
			if (errno == EBUSY)
				return wt_error_set(errp, EBUSY,
						    "a cluster with this name is running (%s); 'windtunnel cluster down' "
						    "ends it",
						    path);
			if (errno != ENOENT)
				return -1;
			base = wt_clusterdir_base(true, errp);	/* another cluster's end has removed it */
			if (!base)
				return -1;
			free(base);
			continue;
		}
		if (!existed)
			return 0;
		/* Hosts that cannot be asked now find what is left there when they are asked for the next part. */
		wt_cluster_hosts_end(path, NULL);
		if (wt_cluster_end_processes(path, errp) < 0 || wt_fs_remove_tree(path, errp) < 0) {
			close(*lock_fd);
			return -1;
		}
		close(*lock_fd);
	}
	return wt_error_set(errp, EBUSY, "%s: other commands are at work there", path);
}

static int attempts(struct up *up, const char *path, pid_t owner, struct wt_error *errp)
{
	unsigned int from = 0;
	int rc = -1;

	for (int i = 0; i < ATTEMPTS; i++) {
		struct wt_ports ports;
		int lock_fd;

		if (wt_cluster_folder_claim(path, &lock_fd, errp) < 0)
			return -1;
		rc = wt_ports_take(from, up->plan.node_ports, &ports, &from, errp);
		if (rc == 0)
			rc = attempt(up, &ports, lock_fd, owner, errp);
		wt_ports_release(&ports);
		/* Ctrl-C, or nothing has run: nothing to look at is left behind. */
		if (rc < 0 && (errno == EINTR || up->supervisor.pid == 0)) {
			int saved_errno = errno;

			wt_cluster_end_processes(path, NULL);
			wt_cluster_hosts_end(path, NULL);
			wt_clusterdir_remove(path, NULL);
			errno = saved_errno;
		}
		close(lock_fd);
		/* Only a port that was taken meanwhile can be another one at the next attempt. */
		if (rc == 0 || errno != EADDRINUSE)
			break;
	}
	return rc;
}

/* The folder's path and a checked plan for it.  *base and *path are the caller's, also on failure. */
static int prepare(const char *name, const struct wt_cluster_wanted *wanted, char **base, char **path, struct wt_plan *plan,
		   struct wt_error *errp)
{
	*path = NULL;
	*base = wt_clusterdir_name_check(name, errp) == 0 ? wt_clusterdir_base(true, errp) : NULL;
	if (*base)
		*path = wt_clusterdir_path(*base, name, errp);
	return *path ? wt_plan_make(plan, name, *path, wanted, errp) : -1;
}

/* What the user wanted of slurm.conf and does not get, and what is not known. */
static int notes_tell(const struct wt_plan *plan, struct wt_error *errp)
{
	char *notes = wt_confnotes_text(&plan->notes);
	char *text = notes ? wt_str_format("%s%s%s", notes, plan->unknown_words ? plan->unknown_words : "",
					   plan->remarks ? plan->remarks : "") : NULL;

	free(notes);
	if (!text)
		return wt_error_errno(errp, ENOMEM, "slurm.conf");
	if (*text && plan->wanted->tell)
		plan->wanted->tell(text);
	free(text);
	return 0;
}

/* Free both; the base folder goes if no cluster is in it.  errno is preserved. */
static void prepared_free(char *base, char *path)
{
	int saved_errno = errno;

	if (base)
		rmdir(base);
	free(base);
	free(path);
	errno = saved_errno;
}

char *wt_cluster_conf_text(const char *name, const struct wt_cluster_wanted *wanted, struct wt_error *errp)
{
	struct wt_plan plan;
	struct wt_ports ports;
	unsigned int next;
	char *base, *path, *text = NULL;

	if (prepare(name, wanted, &base, &path, &plan, errp) == 0) {
		if (notes_tell(&plan, errp) == 0 && wt_ports_take(0, plan.node_ports, &ports, &next, errp) == 0) {
			wt_plan_ports(&plan, &ports);
			wt_ports_release(&ports);
			text = wt_plan_conf_text(&plan, errp);
		}
		wt_plan_clear(&plan);
	}
	prepared_free(base, path);
	return text;
}

/* A caller may have closed its standard descriptors: sockets and locks must not take their numbers. */
static void standard_descriptors_open(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* Slurm takes its own plugin without a word when ours does not suit it: a measurement of nothing. */
static int plugin_verify(const struct wt_plan *plan, struct wt_error *errp)
{
	int saved_errno;

	if (wt_plugin_check(&plan->info, plan->wanted->plugin, plan->plugin_dir, errp) == 0)
		return 0;
	/* A cluster that measures the wrong plugin is worse than none. */
	saved_errno = errno;
	wt_cluster_stop(plan->info.name, true, NULL);
	errno = saved_errno;
	return -1;
}

int wt_cluster_up(const char *name, const struct wt_cluster_wanted *wanted, pid_t owner, const volatile int *cancelled,
		  wt_cluster_progress_f progress, void *arg, struct wt_error *errp)
{
	struct up *up = calloc(1, sizeof(*up));
	char *base, *path;
	int rc = -1;

	if (!up)
		return wt_error_errno(errp, ENOMEM, "cluster '%s'", name);
	standard_descriptors_open();
	if (prepare(name, wanted, &base, &path, &up->plan, errp) == 0) {
		up->cancelled = cancelled;
		up->progress = progress;
		up->arg = arg;
		rc = notes_tell(&up->plan, errp) < 0 ? -1 : attempts(up, path, owner, errp);
		if (rc == 0 && up->plan.plugin_dir)
			rc = plugin_verify(&up->plan, errp);
		if (rc == 0 && up->plan.info.accounting)
			accounts_tell(&up->plan);
		wt_plan_clear(&up->plan);
	}
	prepared_free(base, path);
	free(up);
	return rc;
}
