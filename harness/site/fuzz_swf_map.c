/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz the map of a trace's numbers: the jobs that have its names can be read by a run. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "harness/site/swf_jobs.h"
#include "harness/site/test_written.h"
#include "lib/fuzz.h"

static const char *const seeds[] = {
	"# users\nuser 1 ann\nuser 2 bob\n\ngroup 7 phys\nqueue 0 p,q\n", "queue 3 long\r\ngroup 8 chem\n",
};

static const char trace[] =
	"; MaxProcs: 8\n1 0 5 100 4 -1 -1 4 200 -1 1 1 7 1 3 1 -1 -1\n2 10 0 50 1 -1 -1 1 60 -1 0 2 8 1 0 1 -1 -1\n"
	"3 11 0 50 1 -1 -1 1 -1 -1 5 9 9 1 9 1 -1 -1\n";

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	size_t len = index < sizeof(seeds) / sizeof(seeds[0]) ? strlen(seeds[index]) : 0;

	if (len > size)
		return 0;
	memcpy(buf, len ? seeds[index] : "", len);
	return len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *in = fmemopen((void *) trace, sizeof(trace) - 1, "r");
	struct wt_people people = { 0 };
	struct wt_site_jobs jobs = { .people = &people };
	char *text = calloc(1, size + 1);
	struct wt_error err = { "" };
	json_t *map;

	if (!in || !text || wt_people_init(&people, &err) < 0 || wt_site_jobs_init(&jobs, &err) < 0)
		abort();
	memcpy(text, data, size);
	map = wt_swf_map("fuzz", text, &err);
	if (map && (wt_site_jobs_swf(&jobs, in, "trace", map, &err) < 0 || wt_site_jobs_finish(&jobs, &err) < 0 ||
		    jobs.count != 3))
		abort();
	if (map)
		wt_test_written(&jobs);
	json_decref(map);
	free(text);
	wt_site_jobs_clear(&jobs);
	wt_people_clear(&people);
	fclose(in);
	return 0;
}
