/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz a schedule of another program: the first byte says of which kind the rest is.  What is read gives a page. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/page/page.h"
#include "lib/fs.h"
#include "lib/fuzz.h"
#include "record/jobs_csv.h"

static char place[] = "/tmp/wt-fuzz-schedule-XXXXXX";

static void place_remove(void)
{
	wt_fs_remove_tree(place, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const ends[] = { "swf", "csv" };
	const char *end = ends[size && data[0] & 1];
	struct page_run run;
	struct page_input input = { .runs = &run, .run_count = 1 };
	struct wt_error err = { "" };
	char *path, *text = NULL;
	size_t len = 0;
	FILE *out;

	if (place[sizeof(place) - 2] == 'X') {
		if (!mkdtemp(place))
			abort();
		atexit(place_remove);
	}
	path = wt_str_format("%s/schedule.%s", place, end);
	if (!path || wt_fs_write(path, data + (size > 0), size - (size > 0), 0600, NULL) < 0)
		abort();
	if (page_run_read(&run, path, 1, &err) == 0) {
		out = open_memstream(&text, &len);
		if (!out || page_write(out, &input, &err) < 0 || fclose(out) != 0 || memmem(text, len, "<fuzz", 5) ||
		    !memmem(text, len, "</html>", 7))
			abort();
		free(text);
	} else if (!strstr(err.text, "schedule.")) {
		abort();	/* it says which file */
	}
	page_run_clear(&run);
	free(path);
	return 0;
}

static const char *const seeds[] = {
	"0; MaxProcs: 64\n9 1000 5 20 8 -1 -1 -1 60 -1 1 3 0 2 1 -1 -1 -1\n"
	"10 1010 0 7 4 -1 -1 -1 -1 -1 0 -1 -1 -1 -1 -1 -1 -1\n",
	"1job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,"
	"starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources\n"
	"w0!1,w0,<fuzz,100,4,60,1,COMPLETED_SUCCESSFULLY,110,20,130,10,30,1.5,0-3 9\n"
	"w0!<fuzz,w0,p,101,4,60,1,COMPLETED_KILLED,111,20,131,10,30,1.5,4-7\n"
	"w0!2,w0,p,102,1,60,1,COMPLETED_SUCCESSFULLY,112,20,132,10,30,1.5,-1\n",
	"1" WT_JOBS_CSV_HEADER "\n"
	"101,w,<fuzz,0.0,2,40.0,1,X,1.0,20.0,21.0,1.0,21.0,1.05,0-1,-1,,\"n[0-1],n3\",8,<fuzz>.A.1,COMPLETED,0,0,20.0,"
	"3,8,0.5,22.0,2,1.5,0.02,w0!7,\"2(x2),4\",p,<fuzz,u,q,1,Resources,Resources=0.5\n",
};

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	size_t len;

	if (index >= sizeof(seeds) / sizeof(seeds[0]))
		return 0;
	len = strlen(seeds[index]);
	memcpy(buf, seeds[index], len < size ? len : size);
	return len < size ? len : size;
}
