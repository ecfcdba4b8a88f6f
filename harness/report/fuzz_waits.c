/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz recorded.csv, with a run of two of its jobs: each recorded job is counted once, and what is told is JSON. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/waits.h"
#include "lib/fuzz.h"

static const char *const seeds[] = {
	"id,submit_s,start_s,state,cpus,partition,account,user,qos\n1,0,5,COMPLETED,4,p,a,u,q\n2,3,,CANCELLED,,,,,\n",
	"id,name,submit_s,eligible_s,start_s,end_s,state,nodes\nx,,1e9,,1000000007.5,,FAILED,\"n1,n2\"\n1,a,3,,4,,T,\n",
};

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	size_t len = index < sizeof(seeds) / sizeof(seeds[0]) ? strlen(seeds[index]) : 0;

	if (len > size)
		len = size;
	memcpy(buf, len ? seeds[index] : "", len);
	return len;
}

static void require(bool good)
{
	if (!good)
		abort();
}

static void told_check(struct waits *waits)
{
	json_t *v = wt_waits_json(waits);
	FILE *out = fopen("/dev/null", "w");

	require(v && out && wt_waits_print(out, waits, 3) == 0);
	fclose(out);
	json_decref(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *in = size ? fmemopen((void *) data, size, "r") : fopen("/dev/null", "r");
	struct wt_job_record jobs[] = {
		{ .trace_id = "1", .start_s = 9, .state = WT_JOB_COMPLETED }, { .trace_id = "x", .start_s = 7 },
	};
	struct wt_record run = { .jobs = jobs, .job_count = 2 };
	struct wt_recorded recorded;
	struct waits waits = { 0 };

	require(in != NULL);
	if (wt_recorded_csv_read(&recorded, in, "fuzz", NULL) == 0 && wt_waits_add(&waits, &run, &recorded, NULL) == 0) {
		const struct waits_count *c = &waits.count;

		require(c->compared + c->not_started + c->not_in_run + c->not_started_in_run == recorded.count);
		if (wt_waits_finish(&waits, NULL) == 0)
			told_check(&waits);
	}
	wt_waits_clear(&waits);
	wt_recorded_clear(&recorded);
	fclose(in);
	return 0;
}
