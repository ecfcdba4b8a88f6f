/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that waited by Slurm's reason, over time: the samples of series.csv. */
#include "config.h"

#include <math.h>
#include <stddef.h>

#include "harness/page/chart.h"
#include "harness/page/section.h"

static const struct {
	const char *label, *key;
	size_t offset;
} reasons[] = {
	{ "Priority", "priority", offsetof(struct wt_sample, pending_priority) },
	{ "Resources", "resources", offsetof(struct wt_sample, pending_resources) },
	{ "Dependency", "dependency", offsetof(struct wt_sample, pending_dependency) },
	{ "a limit", "limit", offsetof(struct wt_sample, pending_limit) },
	{ "other reasons", "other", offsetof(struct wt_sample, pending_other) },
};
enum { REASON_COUNT = sizeof(reasons) / sizeof(reasons[0]) };

static uint64_t waiting(const struct wt_sample *sample, size_t reason)
{
	return *(const uint64_t *) ((const char *) sample + reasons[reason].offset);
}

/* False: no job ever waited for it. */
static bool curve_fill(struct chart_curve *curve, const struct wt_record *record, size_t reason)
{
	bool any = false;

	*curve = (struct chart_curve) { .label = reasons[reason].label, .key = reasons[reason].key, .step = true };
	for (size_t i = 0; i < record->sample_count && !any; i++)
		any = waiting(&record->samples[i], reason) != WT_COUNT_UNKNOWN && waiting(&record->samples[i], reason);
	for (size_t i = 0; i < record->sample_count && any; i++) {
		const struct wt_sample *sample = &record->samples[i];
		uint64_t count = waiting(sample, reason);

		chart_curve_add(curve, sample->time_s - record->begin_s, count == WT_COUNT_UNKNOWN ? NAN : (double) count);
	}
	return any;
}

int pending_chart_write(const struct section *section)
{
	struct chart_curve curves[REASON_COUNT];
	struct chart chart = {
		.key = "pending-chart", .title = "Jobs that waited, by Slurm's reason, as they were sampled",
		.y_key = "jobs", .y_whole = true, .curves = curves,
	};

	for (size_t i = 0; i < REASON_COUNT; i++)
		chart.curve_count += curve_fill(&curves[chart.curve_count], section->run->record, i);
	return chart.curve_count ? run_chart_write(section, &chart) : 0;
}
