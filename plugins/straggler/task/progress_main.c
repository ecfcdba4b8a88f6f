/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wt-progress: a script's word on how far it is. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "straggler/protocol/progress_env.h"
#include "plugins/straggler/task/wt_progress.h"

static const char doc[] =
	"Report the progress of a task of a job array that was submitted with 'sbatch --speculate': a SHARE from 0 to "
	"1, or what is DONE of a TOTAL.  Does nothing in other jobs.";
static const char args_doc[] = "SHARE\nDONE TOTAL";

struct progress_arguments {
	double values[2];
	unsigned int count;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct progress_arguments *input = state->input;
	char *end;

	if (key == ARGP_KEY_ARG && input->count < 2) {
		input->values[input->count] = strtod(arg, &end);
		if (end == arg || *end || !isfinite(input->values[input->count]))
			argp_error(state, "'%s' is not a number", arg);
		input->count++;
		return 0;
	}
	if (key == ARGP_KEY_ARG)
		argp_error(state, "one or two numbers, not more");
	if (key == ARGP_KEY_NO_ARGS)
		argp_error(state, "a number is missing: the share of the work that is done, 0 to 1");
	return ARGP_ERR_UNKNOWN;
}

int main(int argc, char **argv)
{
	static const struct argp argp = { .parser = parse, .doc = doc, .args_doc = args_doc };
	struct progress_arguments input = { { 0, 0 }, 0 };
	int rc;

	argp_err_exit_status = 2;
	argp_program_version = "wt-progress (windtunnel) " PACKAGE_VERSION;
	argp_parse(&argp, argc, argv, 0, NULL, &input);
	rc = input.count == 1 ? wt_progress(input.values[0]) : wt_progress_of(input.values[0], input.values[1]);
	if (rc == 0)
		return 0;
	if (errno == EINVAL) {
		fprintf(stderr, "wt-progress: the share must be from 0 to 1\n");
		return 2;
	}
	fprintf(stderr, "wt-progress: %s: %s\n", getenv(PROGRESS_ENV_FILE),
		errno == EPROTO ? "not the file that slurmstepd made for this job's progress" : strerror(errno));
	return 1;
}
