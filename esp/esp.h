/* esp.h - the ESP family of workloads: ESP, Light-ESP and Parallel Light-ESP.
 *
 * Source of every number: Georgiou and Hautreux, "Evaluating scalability and efficiency of the Resource and Job
 * Management System on large HPC clusters", 2012, section 3.1 and Table 1 (doc/sources.md).
 * Pure; plain values; any number of threads. */
#ifndef WT_ESP_ESP_H
#define WT_ESP_ESP_H

#include <stddef.h>
#include <stdint.h>

#include "workload/arrival.h"
#include "lib/error.h"
#include "workload/workload.h"
#include "workload/workload_options.h"

enum wt_esp_variant { WT_ESP_NORMAL, WT_ESP_LIGHT, WT_ESP_PARALLEL_LIGHT };	/* "esp", "light", "parallel-light" */

enum wt_esp_unit {
	WT_ESP_CPUS,	/* "cpus": round (fraction x CPUs) tasks of one CPU, nodes shared: the paper's */
	WT_ESP_NODES,	/* "nodes": ceil (fraction x nodes) whole nodes */
};

struct wt_esp_class {	/* a line of Table 1 */
	char name;		/* 'A' to 'M', 'Z' */
	double fraction;	/* of the machine */
	uint32_t job_count;
	double run_time_s;	/* unscaled */
};

#define WT_ESP_CLASS_COUNT 14

/* The column of Table 1: 14 lines, Z last.  Never fails. */
const struct wt_esp_class *wt_esp_classes(enum wt_esp_variant variant);

struct wt_esp_options {
	struct workload_options shared;	/* each seed gives its own order and its own waits */
	enum wt_esp_variant variant;
	enum wt_esp_unit unit;
	uint32_t cpus, nodes;	/* of the partition */
	/* Jobs in a row at the start, out of the 230 (0 to 230; default 50).  In Parallel Light-ESP every lane starts with
	 * the same share of its own jobs, rounded (22 %: class A with 163 of 750, C with 7 of 30). */
	uint32_t burst_jobs;
	/* Between two submissions of ESP and Light-ESP.  "In Parallel Light-ESP case each class of jobs is launched
	 * independently with similarly adapted parameters": the paper does not print them.  Here each lane stretches or
	 * shrinks these waits so that its mean wait times its waits is again (230 - burst) times the mean: 360 s with the
	 * defaults.  So each class' submissions last as long as Light-ESP's, the machine fills as fast, and
	 * each class is spread over the run as the shuffled order spreads it.  Lane Z keeps the waits as they are. */
	struct wt_arrival arrival;
};

/* Light-ESP by CPUs, seed 1, time_scale 1, the paper's burst and waits; cpus and nodes are 0: to be filled in. */
void wt_esp_options_init(struct wt_esp_options *options);

/* Everything above.  0, or -1 with EINVAL and what is wrong with which option. */
int wt_esp_options_check(const struct wt_esp_options *options, struct wt_error *errp);

/* Lanes: ESP and Light-ESP "main" (stage 0: A to M, shuffled) and "Z" (stage 1); Parallel Light-ESP "A" to "M" (all stage 0)
 * and "Z" (stage 1).  A job is named VARIANT.CLASS.N, N from 1 in order of submission.  The order depends on the seed and
 * the variant only, never on machine, waits or scale.  In unit "nodes" a job's cpus are its nodes times cpus / nodes,
 * rounded down. Caller frees with wt_workload_destroy.  NULL with EINVAL or ENOMEM. */
struct wt_workload *wt_esp_create(const struct wt_esp_options *options, struct wt_error *errp);

/* Sum over all jobs of fraction x run time, scaled: Table 1's "Theoretic Run Time".  It gives 935.2 s for both light
 * variants, as the paper prints, but 11002.9 s for ESP, where the paper prints 10773 s: its ESP column does not add up. */
double wt_esp_ideal_s(enum wt_esp_variant variant, double time_scale);

/* A class' size on a machine: see enum wt_esp_unit.  At least 1. */
uint32_t wt_esp_size(double fraction, uint32_t total, enum wt_esp_unit unit);

const char *wt_esp_variant_name(enum wt_esp_variant variant);
const char *wt_esp_workload_name(enum wt_esp_variant variant);	/* "esp", "light-esp", "parallel-light-esp" */
const char *wt_esp_unit_name(enum wt_esp_unit unit);
/* 0, or -1 with EINVAL and the known names. */
int wt_esp_variant_parse(const char *name, enum wt_esp_variant *variant, struct wt_error *errp);
int wt_esp_unit_parse(const char *name, enum wt_esp_unit *unit, struct wt_error *errp);

#endif
