/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wt-agentd: gathers the progress of a node's tasks, and sends it once a window.
 *
 * slurmstepd starts one with each job that speculates; the first gets the folder's lock and works, the others stand by until
 * it ends or is killed.  Each ends when its folder has no job any more (a stand-by: when its own job has ended). */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gather.h"
#include "wt_clock.h"

#define LOOK_US 500000		/* between two looks at the folder */
#define LOOK_STANDBY_US 2000000
#define LOG_MAX (1 << 20)	/* bytes: then it begins anew */

struct input {
	const char *conf, *node, *job;
	bool keep;
};

static const struct argp_option options[] = {
	{ "conf", 'c', "FILE", 0, "The straggler.conf (default: beside the slurm.conf of SLURM_CONF, or in /etc/slurm)", 0 },
	{ "node", 'n', "NAME", 0, "The node's name (default: the host's short name)", 0 },
	{ "job", 'j', "JOB.RESTART", 0, "End, while standing by, when this job has ended", 0 },
	{ "keep", 'k', NULL, 0, "Do not end when no job is left: for a service of the system", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct input *input = state->input;

	switch (key) {
	case 'c':
		input->conf = arg;
		return 0;
	case 'n':
		input->node = arg;
		return 0;
	case 'j':
		input->job = arg;
		return 0;
	case 'k':
		input->keep = true;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static void nap(int64_t us)
{
	wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + us);
}

static int lock_open(const char *directory, struct wt_error *errp)
{
	char path[PATH_MAX + 300];
	int fd;

	snprintf(path, sizeof(path), "%s/agent", directory);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	return fd < 0 ? wt_error_errno(errp, errno, "%s", path) : fd;
}

static bool job_gone(const char *directory, const char *job)
{
	char path[PATH_MAX + 300];

	if (!job)
		return false;
	snprintf(path, sizeof(path), "%s/%s", directory, job);
	return access(path, F_OK) < 0 && errno == ENOENT;
}

/* 1: the lock is ours; 0: it is not needed any more. */
static int lock_wait(int fd, const char *directory, const struct input *input)
{
	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (!input->keep && job_gone(directory, input->job))
			return 0;
		nap(LOOK_STANDBY_US);
	}
	return 1;
}

static void log_bound(void)
{
	struct stat st;

	if (fstat(STDERR_FILENO, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > LOG_MAX && ftruncate(STDERR_FILENO, 0) < 0)
		return;
}

/* Until the folder is empty, twice: a job may just have been about to come. */
static void work(struct gather *gather, const struct input *input)
{
	int empty = 0;

	while (empty < 2 || input->keep) {
		struct wt_error err;

		switch (gather_look(gather, &err)) {
		case GATHER_SAID:
			log_bound();
			fprintf(stderr, "wt-agentd: %s\n", err.text);
			break;
		case GATHER_NONE:
			empty++;
			break;
		case GATHER_OK:
			empty = 0;
		}
		nap(LOOK_US);
	}
}

static int run(const struct input *input, struct wt_error *errp)
{
	char directory[PATH_MAX], path[PATH_MAX], host[WT_BEAT_NODE_MAX + 1] = "";
	static struct specconf conf;
	struct gather *gather;
	int fd;

	gethostname(host, sizeof(host) - 1);
	host[strcspn(host, ".")] = '\0';
	specconf_path(getenv("SLURM_CONF"), path);
	if (specconf_read(&conf, input->conf ? input->conf : path, errp) < 0 ||
	    specconf_directory(&conf, input->node ? input->node : host, directory, sizeof(directory) - 64, errp) < 0)
		return -1;
	fd = lock_open(directory, errp);
	if (fd < 0)
		return -1;
	if (!lock_wait(fd, directory, input))
		return 0;
	gather = gather_create(&conf, directory, input->node ? input->node : host, errp);
	if (!gather)
		return -1;
	work(gather, input);
	gather_destroy(gather);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options, .parser = parse,
		.doc = "Send the progress of this node's tasks to slurmctld's straggler plugin.  Started by slurmstepd.",
	};
	struct input input = { NULL, NULL, NULL, false };
	struct wt_error err;

	argp_err_exit_status = 2;
	argp_program_version = "wt-agentd (windtunnel) " PACKAGE_VERSION;
	argp_parse(&argp, argc, argv, 0, NULL, &input);
	signal(SIGPIPE, SIG_IGN);
	if (run(&input, &err) == 0)
		return 0;
	fprintf(stderr, "wt-agentd: %s\n", err.text);
	return 1;
}
