/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Lambert et al. 2022 leave out, all with skewed starts and latency: jobs of 50 tasks. */
#include "config.h"

#include <math.h>

#include "cmd/straggler/grid.h"

#define HANG "Silent hangs: 4 % of the tasks, speed noise 10 %, 5 % of the heartbeats lost; durations +- 10 %"
#define LOSS "Lost heartbeats: durations 45-55 s, speed noise 10 %"
#define NOISE "Speed noise of 10 % in each window; durations +- 25 %; z = 0.5"
#define OFFSET "Clocks wrong by up to 500 ms; durations +- 25 %"
#define SEPARATED                                                                                                           \
	"Separated stragglers: 10 % take 1.5 to 3 times as long, noise 20 %, clocks wrong by up to 500 ms, 10 % lost"

static struct cell *cell_add(struct cell *cells, size_t *count, const char *table, double duration_s, double spread)
{
	struct cell *c = &cells[(*count)++];

	*c = (struct cell) { .table = table, .model = wt_trace_model_defaults() };
	c->model.starts = WT_STARTS_SKEWED;
	c->model.latency = WT_LATENCY_PARETO;
	c->model.duration_s = duration_s;
	c->model.spread = spread;
	snprintf(c->label, sizeof(c->label), "%g-%g s", duration_s * (1 - spread), duration_s * (1 + spread));
	return c;
}

static struct wt_straggler_options *detector_add(struct cell *c, enum wt_straggler_method method, const char *name)
{
	size_t d = c->detectors++;

	c->options[d] = wt_trial_defaults(method);
	c->names[d] = name ? name : wt_straggler_method_name(method);
	return &c->options[d].detector;
}

static void noise_add(struct cell *cells, size_t *count)
{
	static const double durations_s[] = { 20, 50, 100 };

	for (size_t i = 0; i < 3; i++) {
		struct cell *c = cell_add(cells, count, NOISE, durations_s[i], 0.25);

		c->model.noise = 0.1;
		detector_add(c, WT_STRAGGLER_RATE, NULL);
		detector_add(c, WT_STRAGGLER_R1, NULL);
		detector_add(c, WT_STRAGGLER_FRESH, NULL)->z = 0.5;
	}
}

static void offset_add(struct cell *cells, size_t *count, double duration_s)
{
	struct cell *c = cell_add(cells, count, OFFSET, duration_s, 0.25);

	c->model.offset_s = 0.5;
	detector_add(c, WT_STRAGGLER_RATE, NULL);
	detector_add(c, WT_STRAGGLER_R1, NULL);
	detector_add(c, WT_STRAGGLER_FRESH, NULL);
}

static void separated_add(struct cell *cells, size_t *count, double duration_s)
{
	struct cell *c = cell_add(cells, count, SEPARATED, duration_s, 0.1);

	c->model.slow_share = 0.1;
	c->model.noise = 0.2;
	c->model.offset_s = 0.5;
	c->model.loss = 0.1;
	detector_add(c, WT_STRAGGLER_RATE, NULL);
	detector_add(c, WT_STRAGGLER_FRESH, NULL);
}

static void hang_add(struct cell *cells, size_t *count, double duration_s)
{
	struct cell *c = cell_add(cells, count, HANG, duration_s, 0.1);

	c->model.hang_share = 0.04;
	c->model.noise = 0.1;
	c->model.loss = 0.05;
	detector_add(c, WT_STRAGGLER_RATE, NULL);
	detector_add(c, WT_STRAGGLER_FRESH, NULL);
	detector_add(c, WT_STRAGGLER_FRESH, "fresh without silence rule")->silence_s = INFINITY;
}

static void loss_add(struct cell *cells, size_t *count, double loss)
{
	struct cell *c = cell_add(cells, count, LOSS, 50, 0.1);

	c->model.noise = 0.1;
	c->model.loss = loss;
	snprintf(c->label, sizeof(c->label), "%g %% lost", 100 * loss);
	detector_add(c, WT_STRAGGLER_FRESH, NULL);
	detector_add(c, WT_STRAGGLER_FRESH, "fresh with silence 30 s")->silence_s = 30;
}

void grid_robustness(struct cell cells[ROBUSTNESS_CELLS])
{
	static const double durations_s[] = { 10, 20, 50, 100 }, losses[] = { 0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5 };
	size_t count = 0;

	noise_add(cells, &count);
	for (size_t i = 0; i < 4; i++)
		offset_add(cells, &count, durations_s[i]);
	for (size_t i = 0; i < 4; i++)
		separated_add(cells, &count, durations_s[i]);
	for (size_t i = 0; i < 4; i++)
		hang_add(cells, &count, durations_s[i]);
	for (size_t i = 0; i < 7; i++)
		loss_add(cells, &count, losses[i]);
}
