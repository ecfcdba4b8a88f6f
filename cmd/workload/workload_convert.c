/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel workload convert, slice: a workload, or a part of it, as a file. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/workload/workload_verb.h"
#include "harness/run/option_value.h"
#include "lib/options.h"
#include "workload/dependency.h"

enum { KEY_TO = 256, KEY_SKIP_BAD, KEY_FROM, KEY_DURATION, KEY_FIRST_JOB, KEY_LAST_JOB };

struct conversion {
	const char *path, *output;
	enum workload_form form;
	bool form_given, skip_bad, slice_given;
	struct wt_slice_options slice;
};

#define COMMON_OPTIONS                                                                                                   \
	{ "output", 'o', "FILE", 0, "Write this file (default: standard output); packed if its name ends in .gz", 0 },   \
	{ "to", KEY_TO, "swf|batsim|csv|jobs", 0, "In this format (default: by the end of FILE's name)", 0 },         \
	{ "skip-bad", KEY_SKIP_BAD, NULL, 0, "Leave out, and count, what cannot be read (not of a jobs.csv)", 0 }

static error_t common_parse(int key, char *arg, struct argp_state *state, struct conversion *c)
{
	switch (key) {
	case 'o':
		c->output = arg;
		return 0;
	case KEY_TO:
		if (workload_form_parse(arg, &c->form) < 0)
			argp_error(state, "--to %s: give swf, batsim, csv or jobs", arg);
		c->form_given = true;
		return 0;
	case KEY_SKIP_BAD:
		c->skip_bad = true;
		return 0;
	case ARGP_KEY_ARG:
		if (c->path)
			argp_error(state, "one workload at a time; '%s' is another one", arg);
		c->path = arg;
		return 0;
	case ARGP_KEY_END:
		if (!c->path)
			argp_error(state, "which workload?  An SWF, a workload of Batsim, a workflow, a jobs.csv or a run "
				   "folder");
		if (!c->form_given && c->output && workload_form_of_name(c->output, &c->form) == 0)
			c->form_given = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t convert_parse(int key, char *arg, struct argp_state *state)
{
	struct conversion *c = state->input;

	if (key == ARGP_KEY_END && c->path && !c->form_given &&
	    (!c->output || workload_form_of_name(c->output, &c->form) < 0))
		argp_error(state, "into which format?  Give --to, or a name that ends in .swf, .json, .csv or .jsonl");
	return common_parse(key, arg, state, c);
}

static error_t slice_parse(int key, char *arg, struct argp_state *state)
{
	struct conversion *c = state->input;
	struct wt_slice_options *o = &c->slice;

	if (key == ARGP_KEY_END && !c->slice_given)
		argp_error(state, "which part?  Give --from, --duration, --first-job or --last-job");
	if (key == ARGP_KEY_END && o->last_job && o->last_job < o->first_job)
		argp_error(state, "--last-job %llu is below --first-job %llu", (unsigned long long) o->last_job,
			   (unsigned long long) o->first_job);
	if (key < KEY_FROM || key > KEY_LAST_JOB)
		return common_parse(key, arg, state, c);
	c->slice_given = true;
	switch (key) {
	case KEY_FROM:
		o->from_absolute = *arg == '@';
		return wt_option_number(state, "from", arg + o->from_absolute, 0, 1e10, &o->from_s);
	case KEY_DURATION:
		return wt_option_number(state, "duration", arg, 1, 1e10, &o->duration_s);
	case KEY_FIRST_JOB:
		return wt_option_whole(state, "first-job", arg, 0, UINT64_MAX, &o->first_job);
	default:
		return wt_option_whole(state, "last-job", arg, 1, UINT64_MAX, &o->last_job);
	}
}

/* A job that waits for one outside of the slice would make a file that cannot be read: it waits for it no more. */
static int dependencies_cut(struct workload_file *file, size_t *cut, struct wt_error *errp)
{
	json_t *ids = json_object();
	int rc = ids ? 0 : -1;

	for (size_t i = 0; rc == 0 && i < file->trace.job_count; i++) {
		const struct wt_swf_job *job = &file->trace.jobs[i];
		char *within = NULL;

		if (job->ask->text[WT_ASK_DEPENDENCY]) {
			within = wt_dependency_within(job->ask->text[WT_ASK_DEPENDENCY], ids, cut, errp);
			rc = within ? wt_job_ask_text_set(job->ask, WT_ASK_DEPENDENCY, *within ? within : NULL) : -1;
			free(within);
		}
		if (rc == 0)
			rc = json_object_set_new(ids, job->id, json_true());
	}
	json_decref(ids);
	return rc < 0 ? wt_error_errno(errp, ENOMEM, "%s", file->path) : 0;
}

/* What happened before is done at the part's beginning. */
static int world_cut(struct wt_swf_trace *t, const struct wt_slice_options *o, struct wt_error *errp)
{
	double origin_s = o->from_absolute ? 0 : t->first_submit_s, from_s = origin_s + o->from_s;

	if (!(from_s > t->jobs[0].submit_s))	/* or the part was chosen by its jobs' numbers */
		from_s = t->jobs[0].submit_s;
	return wt_world_cut(&t->world, from_s, o->duration_s > 0 ? origin_s + o->from_s + o->duration_s : INFINITY, errp);
}

static int trace_cut(struct workload_file *file, const struct wt_slice_options *o, struct wt_error *errp)
{
	struct wt_swf_trace *t = &file->trace;
	size_t kept = 0;

	for (size_t i = 0; i < t->job_count; i++) {
		if (wt_slice_has(t, &t->jobs[i], o)) {
			t->jobs[kept++] = t->jobs[i];
		} else {
			t->left_out[WT_LEFT_OUTSIDE]++;
			wt_swf_job_clear(&t->jobs[i]);
		}
	}
	t->job_count = kept;
	if (!kept)
		return wt_error_set(errp, EINVAL, "%s: none of its jobs is in this slice", file->path);
	return t->world.count ? world_cut(t, o, errp) : 0;
}

static int conversion_do(const struct conversion *c, struct wt_error *errp)
{
	struct workload_file file;
	enum workload_form form;
	size_t cut = 0;
	int rc;

	if (workload_file_read(&file, c->path, c->skip_bad, errp) < 0)
		return -1;
	form = c->form_given ? c->form : file.form == FORM_RUN ? FORM_SWF : file.trace.has_asks ? FORM_JOBS : file.form;
	rc = c->slice_given ? trace_cut(&file, &c->slice, errp) : 0;
	if (rc == 0 && c->slice_given && file.trace.has_asks)
		rc = dependencies_cut(&file, &cut, errp);
	if (rc == 0 && !c->slice_given && form == FORM_CSV && (file.form == FORM_CSV || file.form == FORM_RUN))
		rc = wt_error_set(errp, EINVAL, "%s: it has a jobs.csv, which tells more than one that is made of it",
				  file.path);
	if (rc == 0)
		rc = workload_file_write(&file, form, c->output, c->slice_given && form == FORM_SWF && file.form == FORM_SWF,
					 errp);
	if (rc == 0)
		workload_file_tell(stderr, "", &file);
	if (rc == 0 && file.trace.has_asks && form != FORM_JOBS)
		fprintf(stderr, "%s: what its jobs ask for besides CPUs and time, and how they end, is lost\n", file.path);
	if (rc == 0 && file.trace.world.count && form != FORM_JOBS)
		fprintf(stderr, "%s: its %zu events of the cluster are lost\n", file.path, file.trace.world.count);
	if (rc == 0 && cut)
		fprintf(stderr, "%s: %zu dependencies on jobs outside of the slice are left out\n", file.path, cut);
	workload_file_clear(&file);
	return rc;
}

static int conversion_run(const struct argp *argp, int argc, char **argv)
{
	struct conversion c = { 0 };
	struct wt_error error;

	wt_slice_options_init(&c.slice);
	argp_err_exit_status = 2;
	if (wt_options_parse(argp, argc, argv, 0, &c))
		return 2;
	return conversion_do(&c, &error) < 0 ? workload_fail(argv[0], &error) : 0;
}

int workload_convert(int argc, char **argv)
{
	static const struct argp_option options[] = { COMMON_OPTIONS, { 0 } };
	static const struct argp argp = {
		options, convert_parse, "FILE",
		"Write a workload in another format: of each job its submission, size, run time, time limit and, where it "
		"is known, its waiting time.  FILE is an SWF, a workload of Batsim, a workflow (DAX, WfCommons), a "
		"jobs.csv, jobs (.jsonl), each perhaps packed by gzip, or a run folder.", NULL, NULL, NULL
	};

	return conversion_run(&argp, argc, argv);
}

int workload_slice(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "from", KEY_FROM, "[@]S", 0,
		  "Jobs submitted from S seconds after the first one on, or, with @, from this time of the workload on", 0 },
		{ "duration", KEY_DURATION, "S", 0, "And within so many seconds (default: to the end)", 0 },
		{ "first-job", KEY_FIRST_JOB, "N", 0, "Jobs with this number or a higher one", 0 },
		{ "last-job", KEY_LAST_JOB, "N", 0, "Jobs with this number or a lower one", 0 },
		COMMON_OPTIONS,
		{ 0 },
	};
	static const struct argp argp = {
		options, slice_parse, "FILE",
		"Write the part of a workload that lies within times or job numbers, with the times that it had.  Of an SWF "
		"the lines stay as they are.", NULL, NULL, NULL
	};

	return conversion_run(&argp, argc, argv);
}
