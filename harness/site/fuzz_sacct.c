/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz what sacct has printed: whatever it was, the jobs that come of it can be read by a run. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "harness/site/test_written.h"
#include "lib/fuzz.h"

#define HEAD "JobIDRaw\037JobID\037JobName\037User\037Group\037Account\037QOS\037Partition\037Submit\037Eligible\037" \
	"Start\037End\037ElapsedRaw\037State\037ExitCode\037TimelimitRaw\037AllocNodes\037ReqMem\037" \
	"ReqTRES\037SubmitLine\037\n"

static const char *const seeds[] = {
	HEAD "1\037" "1\037" "a\nb\037" "ann\037g\037phys\037high\037p\037" "100\037" "100\037" "110\037" "150\037" "40\037"
	"FAILED\037" "3:0\037" "5\037" "2\037" "1G\037" "cpu=4,mem=1G,node=2,gres/gpu:k80=4\037"
	"sbatch -N 2-3 --dependency=afterok:7 --switches=1@5 x\037\n",
	"JobID|State|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|ReqTRES|SubmitLine\n"
	"1|REQUEUED|100|100|110|150|40|5|cpu=1|\n1|COMPLETED|150|150|200|220|20|5|cpu=1|\n"
	"5_[1-3:2,7%2]|PENDING|100|100|Unknown|Unknown|0|5|cpu=9,node=3,mem=1000|sbatch -a 1-3 -d afterany:1?singleton x\n"
	"7_[1,3,5-...%3]|PENDING|100|100|Unknown|Unknown|0|5|cpu=9,node=3,mem=1000|sbatch -a 1-3 x\n"
	"6|CANCELLED by 0|2026-01-01T00:00:00|2026-01-02T00:00:00||2026-01-03T00:00:00||UNLIMITED|cpu=1|salloc --nice=-5\n",
};

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
	static const struct wt_aliases aliases = { .key = { 7 } };

	for (int skip = 0; skip < 2; skip++) {
		FILE *in = size ? fmemopen((void *) data, size, "r") : fopen("/dev/null", "r");
		struct wt_people people = { 0 };
		struct wt_site_jobs jobs = { .people = &people, .skip_bad = skip, .aliases = skip ? &aliases : NULL };
		struct wt_error err;

		if (!in || wt_people_init(&people, &err) < 0 || wt_site_jobs_init(&jobs, &err) < 0)
			abort();
		if (wt_site_jobs_sacct(&jobs, in, "fuzz", &err) == 0 && wt_site_jobs_finish(&jobs, &err) == 0 && jobs.count)
			wt_test_written(&jobs);
		wt_site_jobs_clear(&jobs);
		wt_people_clear(&people);
		fclose(in);
	}
	return 0;
}
