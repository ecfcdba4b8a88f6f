/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wt-agentd: gathers the progress of a node's tasks, and sends it once a window.
 *
 * slurmstepd starts one with a job that speculates unless the node has two: one that works, and one that stands by until the
 * first ends or is killed.  Each ends when its folder has no job any more. */
#include "config.h"

#include <argp.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugins/straggler/spank/agent_locks.h"
#include "plugins/straggler/agent/gather.h"
#include "lib/clock.h"
#include "straggler/protocol/straggler_conf_watch.h"

#define CONF_WAIT_MS 2000	/* for a file that is being replaced */
#define LOOK_US 500000		/* between two looks at the folder */
#define LOG_MAX (1 << 20)	/* bytes: then it begins anew */

struct agent_arguments {
	const char *conf, *node;
	bool keep;
};

static const struct argp_option options[] = {
	{ "conf", 'c', "FILE", 0, "The straggler.conf (default: beside the slurm.conf of SLURM_CONF, or in /etc/slurm)", 0 },
	{ "node", 'n', "NAME", 0, "The node's name (default: the host's short name)", 0 },
	{ "keep", 'k', NULL, 0, "Do not end when no job is left: for a service of the system", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct agent_arguments *input = state->input;

	switch (key) {
	case 'c':
		input->conf = arg;
		return 0;
	case 'n':
		input->node = arg;
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

/* Another one stands by from now on.  Twice forked: init fetches it, not we. */
static void standby_start(char **argv)
{
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	pid_t pid;

	if (len <= 0)
		return;
	self[len] = '\0';
	pid = fork();
	if (pid == 0) {
		if (fork() == 0)
			execv(self, argv);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void log_bound(void)
{
	struct stat st;

	/* The file is opened with O_APPEND by slurmstepd: after the cut the next line is its first. */
	if (fstat(STDERR_FILENO, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > LOG_MAX && ftruncate(STDERR_FILENO, 0) < 0)
		return;
}

/* Until the folder is empty, twice: a job may just have been about to come.  'follower': an agent that has followed
 * another one gets a stand-by of its own, if there are jobs. */
static void work(struct gather *gather, const struct agent_arguments *input, bool follower, char **argv)
{
	int empty = 0;

	while (empty < 2 || input->keep) {
		struct wt_error err;
		enum gather_result result = gather_look(gather, &err);

		/* Only now: a stand-by for a folder without jobs would live for nothing. */
		if (follower && result != GATHER_NONE && !input->keep)
			standby_start(argv);
		follower = follower && result == GATHER_NONE;
		switch (result) {
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

static int run(const struct agent_arguments *input, char **argv, struct wt_error *errp)
{
	char directory[PATH_MAX], path[PATH_MAX], host[PORT_NODE_MAX + 1] = "";
	static struct straggler_conf conf;
	struct gather *gather;
	bool waited;
	int fd;

	gethostname(host, sizeof(host) - 1);
	host[strcspn(host, ".")] = '\0';
	straggler_conf_path(getenv("SLURM_CONF"), path);
	if (straggler_conf_read_patiently(&conf, input->conf ? input->conf : path, CONF_WAIT_MS, errp) < 0 ||
	    straggler_conf_directory(&conf, input->node ? input->node : host, directory, sizeof(directory) - 64, errp) < 0)
		return -1;
	fd = agent_locks_take(directory, input->keep, &waited, errp);
	/* -2: the node has its two agents, so that this one has nothing to do. */
	if (fd < 0)
		return fd == -2 ? 0 : -1;
	gather = gather_create(&conf, directory, input->node ? input->node : host, errp);
	if (!gather)
		return -1;
	work(gather, input, waited, argv);
	gather_destroy(gather);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options, .parser = parse,
		.doc = "Send the progress of this node's tasks to slurmctld's straggler plugin.  Started by slurmstepd.",
	};
	struct agent_arguments input = { NULL, NULL, false };
	struct wt_error err;

	argp_err_exit_status = 2;
	argp_program_version = "wt-agentd (windtunnel) " PACKAGE_VERSION;
	argp_parse(&argp, argc, argv, 0, NULL, &input);
	/* slurmctld may close the connection while we write: that is an error to say, not our end. */
	signal(SIGPIPE, SIG_IGN);
	if (run(&input, argv, &err) == 0)
		return 0;
	fprintf(stderr, "wt-agentd: %s\n", err.text);
	return 1;
}
