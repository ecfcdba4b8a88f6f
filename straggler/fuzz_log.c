/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whatever a heartbeat log holds: it is refused with a text, or every detector takes it without harm. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/fuzz.h"
#include "straggler/trace_log.h"
#include "straggler/trial.h"

#define TASKS_MAX 1000		/* of a job that is run: time, not memory */
#define END_MAX_S 1e5

static void feed(const struct wt_trace *trace, enum wt_straggler_method method)
{
	struct wt_straggler_options options = wt_straggler_defaults(method, trace->tasks);
	struct wt_straggler *s;
	size_t count;

	options.window_s = trace->window_s;
	s = wt_straggler_create(&options, NULL);
	if (!s)
		abort();
	for (size_t i = 0; i < trace->count; i++) {
		wt_straggler_heartbeat(s, &trace->heartbeats[i], NULL);
		wt_straggler_detect(s, trace->heartbeats[i].received_s, &count);
	}
	wt_straggler_destroy(s);
}

static int run(const char *job, const struct wt_trace *trace, void *arg, struct wt_error *errp)
{
	struct wt_trial_result result = { 0 };
	struct wt_tally tally = { 0 };

	(void) arg;
	if (!wt_trace_log_name_ok(job))
		abort();
	if (trace->tasks > TASKS_MAX)
		return 0;
	for (int method = 0; method < WT_STRAGGLER_METHODS; method++) {
		struct wt_trial_options options = wt_trial_defaults(method);

		feed(trace, method);
		if (trace->count && trace->end_s - trace->heartbeats[0].received_s > END_MAX_S)
			continue;
		if (wt_trial_run(trace, &options, &result, errp) == 0)
			wt_tally_add(&tally, trace, &result, errp);
	}
	wt_tally_fini(&tally);
	wt_trial_result_fini(&result);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_error err = { "" };
	FILE *in;

	if (!size)
		return 0;
	in = fmemopen((uint8_t *) data, size, "r");
	if (!in)
		abort();
	if (wt_trace_log_read(in, "fuzz", run, NULL, &err) < 0 && !err.text[0])
		abort();
	fclose(in);
	return 0;
}

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	struct wt_trace_model model = wt_trace_model_defaults();
	struct wt_trace trace = { 0 };
	gsl_rng *rng;
	FILE *out;
	long len;

	if (index >= 4)
		return 0;
	rng = gsl_rng_alloc(gsl_rng_mt19937);
	out = fmemopen(buf, size, "w");
	if (!rng || !out)
		abort();
	gsl_rng_set(rng, index + 1);
	model.tasks = 1 + 3 * index;
	model.hang_share = index / 8.0;
	if (wt_trace_generate(&trace, &model, rng, NULL) < 0)
		abort();
	wt_trace_log_begin(out);
	wt_trace_log_write(out, "a", &trace);
	if (index % 2)
		wt_trace_log_write(out, "b", &trace);
	len = ftell(out);
	fclose(out);
	gsl_rng_free(rng);
	wt_trace_fini(&trace);
	return len < 0 ? 0 : len;
}
