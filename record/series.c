/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <stddef.h>

#include "record/field.h"
#include "lib/csv.h"
#include "record/series.h"

enum field_type { TIME, SECONDS, U32, U64, COUNT };	/* COUNT: U64, or WT_COUNT_UNKNOWN */

struct series_column {
	size_t offset;
	enum field_type type;
};

/* One line for each column, for its name and its place. */
#define SERIES(X)                                                                                                           \
	X(time_s, TIME)                                                                                                     \
	X(nodes_idle, U32) X(nodes_allocated, U32) X(nodes_completing, U32) X(nodes_down, U32) X(cpus_allocated, U32)       \
		X(jobs_pending, U32) X(jobs_running, U32) X(jobs_completing, U32) X(controller_cpu_s, SECONDS)              \
			X(controller_rss_kib, U64) X(rpc_queue, U32) X(server_threads, U32) X(agent_queue, U32)             \
				X(agent_count, U32) X(rpc_count, U64) X(rpc_time_us, U64) X(schedule_cycle_last_us, U64)    \
					X(backfill_cycle_last_us, U64) X(answer_age_s, SECONDS) X(schedule_cycles, COUNT)   \
						X(schedule_cycle_sum_us, COUNT) X(schedule_depth_sum, COUNT)                \
							X(schedule_queue, COUNT) X(backfill_cycles, COUNT)                  \
								X(backfill_cycle_sum_us, COUNT) X(backfill_depth, COUNT)    \
									X(backfill_queue, COUNT)                    \
	X(pending_resources, COUNT) X(pending_priority, COUNT) X(pending_dependency, COUNT) X(pending_limit, COUNT)         \
		X(pending_other, COUNT)                                                                                     \
	X(nodes_powered_down, COUNT) X(nodes_powering_up, COUNT) X(nodes_powering_down, COUNT)

#define NAME(field, type) #field,
#define PLACE(field, type) { offsetof(struct wt_sample, field), type },
static const char *const names[] = { SERIES(NAME) };
static const struct series_column places[] = { SERIES(PLACE) };
enum { SERIES_COLUMNS = sizeof(names) / sizeof(names[0]), SERIES_REQUIRED = 20 };	/* older series end there */

static void count_write(struct wt_csv *csv, uint64_t count)
{
	if (count == WT_COUNT_UNKNOWN)
		wt_csv_empty(csv);
	else
		wt_csv_uint(csv, count);
}

static void value_write(struct wt_csv *csv, const struct wt_sample *sample, const struct series_column *place,
			double begin_s)
{
	const void *at = (const char *) sample + place->offset;

	switch (place->type) {
	case TIME:
		wt_csv_seconds(csv, *(const double *) at - begin_s);
		break;
	case SECONDS:
		wt_csv_seconds(csv, *(const double *) at);
		break;
	case U32:
		wt_csv_uint(csv, *(const uint32_t *) at);
		break;
	case U64:
		wt_csv_uint(csv, *(const uint64_t *) at);
		break;
	case COUNT:
		count_write(csv, *(const uint64_t *) at);
		break;
	}
}

int wt_series_write(FILE *out, const void *arg, struct wt_error *errp)
{
	const struct wt_record *record = arg;
	struct wt_csv csv = { .out = out };

	(void) errp;
	for (size_t c = 0; c < SERIES_COLUMNS; c++)
		wt_csv_text(&csv, names[c]);
	wt_csv_end(&csv);
	for (size_t i = 0; i < record->sample_count; i++) {
		for (size_t c = 0; c < SERIES_COLUMNS; c++)
			value_write(&csv, &record->samples[i], &places[c], record->begin_s);
		wt_csv_end(&csv);
	}
	return 0;
}

static int count_read(struct field_reader *r, size_t column, uint64_t *count)
{
	*count = WT_COUNT_UNKNOWN;
	return *field_text(r, column) ? field_u64(r, column, UINT64_MAX, count) : 0;
}

static int value_read(struct field_reader *r, struct wt_sample *sample, size_t column, double begin_s)
{
	void *at = (char *) sample + places[column].offset;

	switch (places[column].type) {
	case TIME:
		if (field_number(r, column, at) < 0)
			return -1;
		/* Written relative to the run's begin, as all times of its files. */
		*(double *) at += begin_s;
		return 0;
	case SECONDS:
		return field_number(r, column, at);
	case U32:
		return field_u32(r, column, at);
	case U64:
		return field_u64(r, column, UINT64_MAX, at);
	case COUNT:
		return count_read(r, column, at);
	}
	return -1;
}

static int row_read(struct wt_record *record, struct field_reader *r)
{
	struct wt_sample sample = { 0 };

	for (size_t c = 0; c < SERIES_COLUMNS; c++)
		if (value_read(r, &sample, c, record->begin_s) < 0)
			return -1;
	return wt_record_add_sample(record, &sample, r->errp);
}

int wt_series_read(struct wt_record *record, FILE *in, const char *name, struct wt_error *errp)
{
	struct field_reader r;
	int rc;

	if (field_open(&r, in, name, names, SERIES_REQUIRED, SERIES_COLUMNS, errp) < 0)
		return -1;
	while ((rc = field_next(&r)) > 0) {
		rc = row_read(record, &r);
		if (rc < 0)
			break;
	}
	field_close(&r);
	return rc;
}
