/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz what reads power.csv and what reads settings of --cost; all time of a node is in one of its states. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cost/cost_run.h"
#include "lib/fuzz.h"

static void settings_check(const char *text)
{
	struct cost_settings settings = { 0 };
	struct cost_tariff tariff;
	struct wt_error err;

	if (cost_settings_add(&settings, text, &err) == 0) {
		(void) cost_settings_check(&settings, &err);
		(void) cost_settings_nodes_check(&settings, 100, &err);
		for (size_t c = 0; c < settings.class_count; c++) {
			cost_tariff_make(&settings, c, &tariff);
			if (tariff.unit_us <= 0 || tariff.minimum_us < 0)
				abort();
		}
	}
	cost_settings_clear(&settings);
}

/* Two jobs on n0 and n1, from 1700000000 on for an hour. */
static struct wt_record *record_make(void)
{
	struct wt_record *record = wt_record_create(NULL, NULL);

	if (!record || !(record->jobs = calloc(2, sizeof(*record->jobs))))
		abort();
	record->begin_s = 1700000000;
	record->nodes = 4;
	record->job_count = 2;
	for (size_t i = 0; i < 2; i++) {
		wt_job_record_init(&record->jobs[i]);
		record->jobs[i].node_list = strdup(i ? "n[0-1]" : "n0");
		record->jobs[i].start_s = record->begin_s + 100;
		record->jobs[i].end_s = record->begin_s + 3600 - 1000 * (double) i;
	}
	return record;
}

static void sums_check(const struct cost_run *run, const struct cost_settings *settings)
{
	struct cost_sums sums;
	double all_s = 0;

	if (cost_run_bill(run, settings, &sums, NULL) < 0)
		abort();
	for (int s = 0; s < COST_STATES; s++)
		all_s += sums.node_s[s];
	if (fabs(all_s - 3600 * (double) sums.nodes) > 1e-3 * (double) sums.nodes || sums.units < 0)
		abort();
}

static void log_check(const uint8_t *data, size_t size)
{
	FILE *in = size ? fmemopen((void *) data, size, "r") : fopen("/dev/null", "r");
	struct wt_record *record = record_make();
	struct cost_settings settings = { 0 };
	struct wt_power_log log;
	struct cost_run run;
	struct wt_error err;

	if (!in)
		abort();
	if (wt_power_log_read(&log, in, "fuzz", &err) == 0) {
		wt_power_log_cut(&log, 1700000000000000, 1700003600000000);
		if (cost_run_make(&run, record, &settings, &log, &err) < 0)
			abort();
		sums_check(&run, &settings);
		cost_run_clear(&run);
	}
	wt_power_log_clear(&log);
	wt_record_destroy(record);
	fclose(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[512];
	size_t len = size < sizeof(text) ? size : sizeof(text) - 1;

	memcpy(text, data, len);
	text[len] = '\0';
	settings_check(text);
	log_check(data, size);
	return 0;
}

static const char *const seeds[] = {
	WT_POWER_HEADER "\n1699999000.000000,off,n0,0,\n1700000010.000000,asked-on,n0,0,7\n"
	"1700000010.000000,booting,n0,1,7\n"
	"1700000070.000000,up,n0,1,7\n1700000071.000000,registered,n0,1,7\n1700002000.000000,asked-off,n0,1,\n"
	"1700002000.000000,stopping,n0,1,\n1700002010.000000,off,n0,1,\n1700002010.000000,booting,n0,2,\n",
	WT_POWER_HEADER "\n1700000010.000000,booting,n2,1,\n1700000070.000000,failed,n2,1,\n"
	"1700000080.000000,stock-out,n2,2,",
	"n[0-3,7]:price=1.5", "boot=free", "unit=3600", "idle-watts=1e3",
};

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	size_t len;

	if (index >= sizeof(seeds) / sizeof(seeds[0]))
		return 0;
	len = strlen(seeds[index]);
	if (len > size)
		len = size;
	memcpy(buf, seeds[index], len);
	return len;
}
