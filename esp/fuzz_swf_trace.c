/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz the readers of SWF traces and of Batsim's workloads, and what is cut out of them: what can be read must give a valid workload or a clear no. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "wt_batsim.h"
#include "wt_fuzz.h"
#include "wt_slice.h"

static const char *const seeds[] = {
	"; MaxProcs: 240\n; MaxNodes: 120\n;\n 1 0 30 3140 30 3140 -1 30 3798 -1 1 1 1 -1 -1 1 -1 -1\n"
	" 2 8 30 -1 30 3140 -1 30 3798 -1 -1 1 1 -1 -1 1 -1 -1\n 3 9 0 0 -1 -1 -1 4 -1 -1 5 1 1 -1 -1 1 -1 -1\n",
	"1 0 0 10 1 10.5 -1 1 -1 -1 1 1 1 -1 -1 1 -1 -1 n[1-3]\n2 5 0 1e2 240 9 -1 1 90 -1 1 1 1 -1 -1 1 -1 -1\r\n\n",
	"{\"nb_res\": 4, \"jobs\": [{\"id\": 1, \"subtime\": 1, \"walltime\": 9, \"res\": 2, \"profile\": \"d\"},"
	"{\"id\": 2, \"subtime\": 2.5, \"res\": 4, \"profile\": \"d\"}], \"profiles\": {\"d\": {\"type\": \"delay\", \"delay\": 3}}}",
	"1 0 0 10 1 10 -1 1 5 -1 2 1 1 -1 -1 1 -1 -1\n1 0 0 10 1 10 -1 1 5 -1 1 1 1 -1 -1 1 -1 -1\n",
};

static void slice_try(const struct wt_swf_trace *trace, double cpus_scale, double load, double duration_s)
{
	struct wt_slice_options options;
	struct wt_slice_info info;
	struct wt_workload *w;
	struct wt_error err;

	wt_slice_options_init(&options);
	options.machine_cpus = 240;
	options.cpus_scale = cpus_scale;
	options.load = load;
	options.duration_s = duration_s;
	w = wt_slice_create(trace, &options, &info, &err);
	if (w && wt_workload_check(w, &err) < 0)
		abort();
	wt_workload_destroy(w);
}

typedef int (*read_fn)(struct wt_swf_trace *trace, FILE *in, const char *name, struct wt_error *errp);

static void file_try(const uint8_t *data, size_t size, read_fn fn)
{
	FILE *in = size ? fmemopen((void *) data, size, "r") : fopen("/dev/null", "r");
	struct wt_swf_trace trace;
	struct wt_error err;

	if (!in)
		abort();
	if (fn(&trace, in, "fuzz", &err) == 0) {
		slice_try(&trace, 1, 0, 0);
		slice_try(&trace, 0, 0.8, 0);
		slice_try(&trace, 0.001, 0.8, 100);
		wt_swf_trace_clear(&trace);
	}
	fclose(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	file_try(data, size, wt_swf_trace_read);
	file_try(data, size, wt_batsim_read);
	return 0;
}

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	size_t len;

	if (index >= sizeof(seeds) / sizeof(seeds[0]))
		return 0;
	len = strlen(seeds[index]);
	if (len > size)
		return 0;
	memcpy(buf, seeds[index], len);
	return len;
}
