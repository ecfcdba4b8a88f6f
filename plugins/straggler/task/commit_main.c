/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wt-commit: run a command that publishes a task's output, in exactly one of its attempts. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugins/straggler/task/wt_progress.h"

#define LOST 75	/* EX_TEMPFAIL is taken for "try again" elsewhere; here: another attempt has published */

static const char doc[] =
	"Run COMMAND, which publishes a task's output, if this attempt of the task may: of all attempts exactly one does. "
	" Waits while "
	"another one is publishing.\vExit status: COMMAND's; 75 when another attempt has published (COMMAND was not run); "
	"1 when slurmctld "
	"could not be asked; 2 for wrong use; 126 or 127 when COMMAND could not be run.";

struct commit_arguments {
	double timeout_s;
	char **command;
};

static const struct argp_option options[] = {
	{ "timeout", 't', "SECONDS", 0, "Give up after so long without an answer (default 300; negative: never)", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct commit_arguments *input = state->input;
	char *end;

	switch (key) {
	case 't':
		input->timeout_s = strtod(arg, &end);
		if (end == arg || *end || input->timeout_s != input->timeout_s)
			argp_error(state, "--timeout: '%s' is not a number of seconds", arg);
		return 0;
	case ARGP_KEY_ARG:
		input->command = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "the command that publishes is missing");
	}
	return ARGP_ERR_UNKNOWN;
}

static int command_run(char **command)
{
	int status;
	pid_t pid = fork();

	if (pid < 0) {
		perror("wt-commit: fork");
		return 1;
	}
	if (pid == 0) {
		execvp(command[0], command);
		fprintf(stderr, "wt-commit: %s: %s\n", command[0], strerror(errno));
		_exit(errno == ENOENT ? 127 : 126);
	}
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return 1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int refused(const char *what)
{
	if (errno == ECANCELED) {
		fprintf(stderr, "wt-commit: %s: another attempt of this task has published\n", what);
		return LOST;
	}
	fprintf(stderr, "wt-commit: %s: %s\n", what, errno == EBUSY ?
		"another attempt is still publishing, or may have published (slurmctld's log says so), or slurmctld has "
		"not saved this job yet" :
		errno == ENOTCONN ?
		"slurmstepd could not follow this attempt (slurmd's log says why), and there are others" :
		errno == EAGAIN ? "slurmctld does not know this job as one that speculates" : strerror(errno));
	return 1;
}

int main(int argc, char **argv)
{
	static const struct argp argp = { .options = options, .parser = parse, .doc = doc,
					  .args_doc = "COMMAND [ARGUMENT...]" };
	struct commit_arguments input = { 300, NULL };
	int rc;

	argp_err_exit_status = 2;
	argp_program_version = "wt-commit (windtunnel) " PACKAGE_VERSION;
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &input);
	if (wt_commit_begin(input.timeout_s) < 0)
		return refused("not run");
	rc = command_run(input.command);
	/* A command that failed has published nothing that counts: another attempt may try. */
	if (rc != 0) {
		wt_commit_release(input.timeout_s);
		return rc;
	}
	return wt_commit_done(input.timeout_s) < 0 ? refused("published, but it is not recorded") : 0;
}
