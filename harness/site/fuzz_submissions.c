/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz UBCCR's events, and with them the options of sbatch: the jobs that come of them can be read by a run. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "harness/site/test_written.h"
#include "lib/fuzz.h"

static const char *const seeds[] = {
	"-dt 0 -e submit_batch_job | -J a -sim-walltime 15 --uid=user5 -t 00:07:00 -n 12 --ntasks-per-node=12 -A x -p p "
	"x.job\n"
	"-dt 2 -e submit_batch_job | -jid 1001 -sim-walltime -1 -cancel-in 30 -t 5 -N 2-3 --mem=4G --gres=gpu:2 x.job\n",
	"-dt 1 -e submit_batch_job | -sim-walltime 9 --exclusive=user -C a&b --mem-per-cpu=1.5G --nice=-3 --switches=2@1:0 "
	"-d afterok:1,singleton --time-min=5 -O -H -x n1 --priority=7 --tmp=1G -S 2 --requeue --hint=y -x\n",
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
	FILE *in = size ? fmemopen((void *) data, size, "r") : fopen("/dev/null", "r");
	struct wt_people people = { 0 };
	struct wt_site_jobs jobs = { .people = &people, .skip_bad = true };
	struct wt_error err;

	if (!in || wt_people_init(&people, &err) < 0 || wt_site_jobs_init(&jobs, &err) < 0)
		abort();
	if (wt_site_jobs_events(&jobs, in, "fuzz", &err) == 0 && wt_site_jobs_finish(&jobs, &err) == 0 && jobs.count)
		wt_test_written(&jobs);
	wt_site_jobs_clear(&jobs);
	wt_people_clear(&people);
	fclose(in);
	return 0;
}
