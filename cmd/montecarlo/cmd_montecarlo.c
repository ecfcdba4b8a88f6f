/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel montecarlo - what runs with drawn run times say together. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "cmd/montecarlo/montecarlo_page.h"
#include "cmd/montecarlo/observed_times.h"
#include "cmd/verbs.h"
#include "harness/report/identity.h"
#include "harness/report/montecarlo.h"
#include "harness/report/run_set.h"
#include "lib/json.h"
#include "lib/options.h"
#include "lib/outfile.h"

#define SETTLED_SHARE 0.01

#define DRAW_SEED 1	/* of the simulations beside each other: the same runs give the same figures */

enum { OPT_OBSERVED = 0x5000, OPT_FIGURE, OPT_JSON, OPT_PAGE };

static const struct argp_option options[] = {
	{ "observed", OPT_OBSERVED, "RUN", 0,
	  "runs that were observed, not simulated: how many does the simulation catch?", 0 },
	{ "figure", OPT_FIGURE, "KEY", 0, "of this figure, by its key in summary.json (default: makespan_s)", 0 },
	{ "page", OPT_PAGE, "FILE", 0, "write a page with the fit, what it catches, and how it converges", 0 },
	{ "json", OPT_JSON, 0, 0, "print JSON, with the fit after each run", 0 },
	{ 0 },
};

struct montecarlo {
	const char *path, *observed_path, *page_path; /* of argv */
	enum wt_figure_id figure;
	bool json;
	struct wt_run_set runs, observed;
	double *values, *observed_values;
	size_t observed_count;
	struct montecarlo_fit *fits; /* [runs.count] */
	struct montecarlo_between between[MONTECARLO_POINTS_MAX];
	size_t between_count;
	double level;
	size_t level_jobs;
};

static int figure_take(struct argp_state *state, const char *key, enum wt_figure_id *figure)
{
	for (size_t f = 0; f < WT_FIG_COUNT; f++)
		if (!strcmp(key, wt_figure_infos[f].key)) {
			*figure = (enum wt_figure_id) f;
			return 0;
		}
	argp_error(state, "--figure %s: not a figure; windtunnel-run(5) names them all", key);
	return EINVAL;
}

static error_t montecarlo_parse(int key, char *arg, struct argp_state *state)
{
	struct montecarlo *m = state->input;

	switch (key) {
	case OPT_OBSERVED:
		m->observed_path = arg;
		return 0;
	case OPT_FIGURE:
		return figure_take(state, arg, &m->figure);
	case OPT_PAGE:
		m->page_path = arg;
		return 0;
	case OPT_JSON:
		m->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (m->path)
			argp_error(state, "one simulation at a time; '%s' is another one", arg);
		m->path = arg;
		return 0;
	case ARGP_KEY_END:
		if (!m->path)
			argp_error(state, "which runs?  Give the folder of runs with --repeat, or of an experiment's case");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The figure of each run, by seed; one that a run does not have is an error: nothing is left out silently. */
static double *values_read(struct wt_run_set *set, const char *path, enum wt_figure_id figure, struct wt_error *errp)
{
	double *values;

	if (wt_run_set_read(set, path, errp) < 0)
		return NULL;
	values = calloc(set->count, sizeof(*values));
	if (!values) {
		wt_error_errno(errp, ENOMEM, "%s", path);
		return NULL;
	}
	wt_run_set_figure(set, figure, values);
	for (size_t i = 0; i < set->count; i++)
		if (isnan(values[i])) {
			wt_error_set(errp, EINVAL, "%s: a run has no %s", path, wt_figure_infos[figure].key);
			free(values);
			return NULL;
		}
	return values;
}

/* What is drawn may differ, what is drawn from may not: else that runs are caught, or not, says nothing. */
static void other_workload_tell(const struct montecarlo *m)
{
	json_t *simulated = json_copy(m->runs.identity), *observed = json_copy(m->observed.identity);
	char text[512];

	json_object_del(simulated, "perturb");
	json_object_del(simulated, "workload_seed");
	if (wt_identity_differs(simulated, observed, text, sizeof(text)))
		fprintf(stderr, "windtunnel montecarlo: %s and %s are runs of different workloads: %s\n", m->path,
			m->observed_path, text);
	json_decref(simulated);
	json_decref(observed);
}

static int observed_read(struct montecarlo *m, struct wt_error *errp)
{
	if (!m->observed_path)
		return 0;
	m->observed_values = values_read(&m->observed, m->observed_path, m->figure, errp);
	if (!m->observed_values)
		return -1;
	m->observed_count = m->observed.count;
	other_workload_tell(m);
	return observed_level(&m->observed, &m->level, &m->level_jobs, errp);
}

static int montecarlo_read(struct montecarlo *m, struct wt_error *errp)
{
	m->values = values_read(&m->runs, m->path, m->figure, errp);
	if (!m->values)
		return -1;
	m->fits = calloc(m->runs.count, sizeof(*m->fits));
	if (!m->fits)
		return wt_error_errno(errp, ENOMEM, "%s", m->path);
	montecarlo_converge(m->fits, m->values, m->runs.count);
	m->between_count = montecarlo_between_make(m->between, m->values, m->runs.count, DRAW_SEED);
	if (!m->between_count && errno)
		return wt_error_errno(errp, errno, "%s", m->path);
	return observed_read(m, errp);
}

static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *fits_json(const struct montecarlo *m)
{
	json_t *list = json_array();

	for (size_t i = 0; i < m->runs.count; i++)
		json_array_append_new(list, json_pack("{s:I, s:f, s:f, s:f, s:f}", "runs", (json_int_t) m->fits[i].count,
						      "mean", m->fits[i].mean, "sd", m->fits[i].sd, "mean_error",
						      m->fits[i].mean_error, "sd_error", m->fits[i].sd_error));
	return list;
}

static json_t *between_json(const struct montecarlo *m)
{
	json_t *list = json_array();

	for (size_t i = 0; i < m->between_count; i++) {
		const struct montecarlo_between *b = &m->between[i];

		json_array_append_new(list, json_pack("{s:I, s:f, s:f, s:f, s:f, s:f, s:f}", "runs", (json_int_t) b->runs,
						      "mean", b->mean, "mean_sd", b->mean_sd, "sd", b->sd, "sd_sd", b->sd_sd,
						      "mean_error", b->mean_error, "sd_error", b->sd_error));
	}
	return list;
}

static json_t *capture_json(const struct montecarlo *m, double sds)
{
	struct montecarlo_capture c = montecarlo_capture_count(&m->fits[m->runs.count - 1], sds, m->observed_values,
							       m->observed_count);

	return json_pack("{s:f, s:f, s:f, s:I, s:I, s:o}", "sds", sds, "low", c.low, "high", c.high, "inside",
			 (json_int_t) c.inside, "observed", (json_int_t) c.count, "rate", number(c.rate));
}

static int json_tell(const struct montecarlo *m, struct wt_error *errp)
{
	struct montecarlo_settled settled = montecarlo_settle(m->fits, m->runs.count, SETTLED_SHARE);
	json_t *root =
		json_pack("{s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:{s:f, s:I, s:I}}", "figure",
			  wt_figure_infos[m->figure].key, "clock", m->runs.clock, "skipped", (json_int_t) m->runs.skipped,
			  "fits", fits_json(m), "between", between_json(m), "interval_95", capture_json(m, MONTECARLO_SD_95),
			  "interval_99", capture_json(m, MONTECARLO_SD_99), "level",
			  m->observed_path ? number(m->level) : json_null(), "settled", "within", SETTLED_SHARE, "mean",
			  (json_int_t) settled.mean, "sd", (json_int_t) settled.sd);
	int rc = root ? wt_json_print(stdout, root, errp) : wt_error_errno(errp, ENOMEM, "montecarlo");

	json_decref(root);
	return rc;
}

static void interval_tell(const struct montecarlo *m, const char *name, double sds)
{
	struct montecarlo_capture c = montecarlo_capture_count(&m->fits[m->runs.count - 1], sds, m->observed_values,
							       m->observed_count);

	printf("  %s interval (%g deviations): %.2f to %.2f", name, sds, c.low, c.high);
	if (c.count)
		printf("; it has %zu of %zu observed runs, %.1f %%", c.inside, c.count, 100 * c.rate);
	putchar('\n');
}

static struct montecarlo_between *between_last(struct montecarlo *m)
{
	return m->between_count ? &m->between[m->between_count - 1] : NULL;
}

static int page_tell(struct montecarlo *m, struct wt_error *errp)
{
	const struct montecarlo_fit *fit = &m->fits[m->runs.count - 1];
	const struct montecarlo_page page = {
		.path = m->path, .clock = m->runs.clock, .figure = m->figure, .kind = m->runs.kinds[m->figure],
		.fits = m->fits, .count = m->runs.count, .skipped = m->runs.skipped, .between = m->between,
		.between_count = m->between_count,
		.captures = { montecarlo_capture_count(fit, MONTECARLO_SD_95, m->observed_values, m->observed_count),
			      montecarlo_capture_count(fit, MONTECARLO_SD_99, m->observed_values, m->observed_count) },
		.observed_path = m->observed_path, .observed_clock = m->observed.clock,
		.level = m->observed_path ? m->level : NAN, .level_jobs = m->level_jobs,
	};

	return m->page_path ? wt_outfile_write(m->page_path, montecarlo_page_write, &page, errp) : 0;
}

static void text_tell(struct montecarlo *m)
{
	const struct montecarlo_between *between = between_last(m);
	const struct montecarlo_fit *fit = &m->fits[m->runs.count - 1];
	struct montecarlo_settled settled = montecarlo_settle(m->fits, m->runs.count, SETTLED_SHARE);

	printf("%s: %zu runs, %s clock; %s\n", m->path, m->runs.count, m->runs.clock, wt_figure_infos[m->figure].key);
	if (m->runs.skipped)
		printf("  %zu runs failed or have not ended, and are left out\n", m->runs.skipped);
	printf("  normal fit: mean %.2f +- %.2f, deviation %.2f +- %.2f (standard errors)\n", fit->mean, fit->mean_error,
	       fit->sd, fit->sd_error);
	printf("  within %g %% of these since run %zu (mean) and %zu (deviation)\n", 100 * SETTLED_SHARE, settled.mean,
	       settled.sd);
	if (between && between->sd > 0)
		printf("  %d simulations of %zu such runs vary by %.3f %% (mean) and %.2f %% (deviation); a fit tells %.3f "
		       "and "
		       "%.2f\n",
		       MONTECARLO_SIMULATIONS, between->runs, 100 * between->mean_sd / fabs(between->mean),
		       100 * between->sd_sd / between->sd, 100 * between->mean_error / fabs(between->mean),
		       100 * between->sd_error / between->sd);
	interval_tell(m, "95 %", MONTECARLO_SD_95);
	interval_tell(m, "99 %", MONTECARLO_SD_99);
	if (m->observed_path && isfinite(m->level))
		printf("  the observed runs, %s clock, vary by P = %.2f %% (equation 4.3, %zu jobs)\n", m->observed.clock,
		       100 * m->level, m->level_jobs);
}

static void montecarlo_clear(struct montecarlo *m)
{
	wt_run_set_clear(&m->runs);
	wt_run_set_clear(&m->observed);
	free(m->values);
	free(m->observed_values);
	free(m->fits);
}

int wt_verb_montecarlo(int argc, char **argv)
{
	static const struct argp argp = {
		options, montecarlo_parse, "RUN",
		"Fit a normal distribution to a figure of runs whose run times were drawn (--perturb), tell how sure it is, "
		"and how many observed runs it catches.  RUN is a folder with the folders 1, 2, ... of repeated runs.",
		NULL, NULL, NULL
	};
	struct montecarlo m = { .figure = WT_FIG_MAKESPAN };
	struct wt_error error = { "" };
	int rc;

	argp_err_exit_status = 2;
	if (wt_options_parse(&argp, argc, argv, 0, &m))
		return 2;
	rc = montecarlo_read(&m, &error);
	if (rc == 0)
		rc = page_tell(&m, &error);
	if (rc == 0 && m.json)
		rc = json_tell(&m, &error);
	else if (rc == 0)
		text_tell(&m);
	if (rc == 0 && (fflush(stdout) != 0 || ferror(stdout)))
		rc = wt_error_set(&error, EIO, "standard output could not be written");
	montecarlo_clear(&m);
	if (rc < 0)
		fprintf(stderr, "windtunnel montecarlo: %s\n", error.text);
	return rc < 0 ? 1 : 0;
}
