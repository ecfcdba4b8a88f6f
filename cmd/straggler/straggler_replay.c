/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel straggler replay: detectors over a log of heartbeats. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/straggler/straggler_options.h"
#include "cmd/straggler/failure.h"
#include "cmd/straggler/straggler_verb.h"
#include "lib/options.h"
#include "straggler/trace_log.h"

struct replay_arguments {
	struct detector_options options;
	char *path;
	struct wt_trial_result result;
	struct wt_tally tallies[WT_STRAGGLER_METHODS];
};

static error_t replay_parse(int key, char *arg, struct argp_state *state)
{
	struct replay_arguments *r = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &r->options;
		return 0;
	case ARGP_KEY_ARG:
		if (r->path)
			argp_error(state, "one log at a time; '%s' is another one", arg);
		r->path = arg;
		return 0;
	case ARGP_KEY_END:
		if (!r->path)
			argp_error(state, "which log? Its path, or - for standard input");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int replay_job(const char *job, const struct wt_trace *trace, void *arg, struct wt_error *errp)
{
	struct replay_arguments *r = arg;

	for (size_t i = 0; i < r->options.count; i++) {
		if (wt_trial_run(trace, &r->options.detector[i], &r->result, errp) < 0 ||
		    wt_tally_add(&r->tallies[i], trace, &r->result, errp) < 0)
			return wt_error_prefix(errp, "job %s", job);
	}
	return 0;
}

static int replay_read(struct replay_arguments *r, struct wt_error *errp)
{
	bool input = !strcmp(r->path, "-");
	FILE *in = input ? stdin : fopen(r->path, "r");
	int rc;

	if (!in)
		return wt_error_errno(errp, errno, "%s", r->path);
	rc = wt_trace_log_read(in, input ? "standard input" : r->path, replay_job, r, errp);
	if (!input)
		fclose(in);
	if (rc == 0 && r->tallies[0].runs == 0)
		return wt_error_set(errp, EINVAL, "%s: no job in it", r->path);
	return rc;
}

static int replay_report(struct replay_arguments *r, struct wt_error *errp)
{
	struct figures figures[WT_STRAGGLER_METHODS];

	for (size_t i = 0; i < r->options.count; i++)
		figures[i] = figures_of(options_name(&r->options, i), &r->tallies[i]);
	return options_report(&r->options, r->path, r->options.json ? json_pack("{s:s}", "log", r->path) : NULL, figures,
			      errp);
}

int straggler_replay(int argc, char **argv)
{
	static const struct argp_child children[] = { { &options_argp, 0, NULL, 1 }, { 0 } };
	static const struct argp argp = {
		NULL, replay_parse, "LOG",
		"Run detectors of slow tasks over a log of heartbeats (see windtunnel-straggler(1)); all of them unless "
		"told.",
		children, NULL, NULL
	};
	struct replay_arguments r = { 0 };
	struct wt_error err;
	int rc;

	options_init(&r.options, true);
	if (wt_options_parse(&argp, argc, argv, 0, &r))
		return 2;
	rc = replay_read(&r, &err);
	if (rc == 0)
		rc = replay_report(&r, &err);
	for (size_t i = 0; i < r.options.count; i++)
		wt_tally_fini(&r.tallies[i]);
	wt_trial_result_fini(&r.result);
	return rc < 0 ? straggler_failed(argv[0], &err) : 0;
}
