/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>

#include "esp/esp.h"

/* Table 1 of Georgiou and Hautreux 2012, column "Normal-ESP". */
static const struct wt_esp_class normal_classes[WT_ESP_CLASS_COUNT] = {
	{ 'A', 0.03125, 75, 267 }, { 'B', 0.06250, 9, 322 }, { 'C', 0.50000, 3, 534 }, { 'D', 0.25000, 3, 616 },
	{ 'E', 0.50000, 3, 315 }, { 'F', 0.06250, 9, 1846 }, { 'G', 0.12500, 6, 1334 }, { 'H', 0.15820, 6, 1067 },
	{ 'I', 0.03125, 24, 1432 }, { 'J', 0.06250, 24, 725 }, { 'K', 0.09570, 15, 487 }, { 'L', 0.12500, 36, 366 },
	{ 'M', 0.25000, 15, 187 }, { 'Z', 1.00000, 2, 100 },
};

/* Column "Light-ESP". */
static const struct wt_esp_class light_classes[WT_ESP_CLASS_COUNT] = {
	{ 'A', 0.03125, 75, 22 }, { 'B', 0.06250, 9, 27 }, { 'C', 0.50000, 3, 45 }, { 'D', 0.25000, 3, 51 },
	{ 'E', 0.50000, 3, 26 }, { 'F', 0.06250, 9, 154 }, { 'G', 0.12500, 6, 111 }, { 'H', 0.15820, 6, 89 },
	{ 'I', 0.03125, 24, 119 }, { 'J', 0.06250, 24, 60 }, { 'K', 0.09570, 15, 41 }, { 'L', 0.12500, 36, 30 },
	{ 'M', 0.25000, 15, 15 }, { 'Z', 1.00000, 2, 20 },
};

/* Column "Parallel Light-ESP". */
static const struct wt_esp_class parallel_light_classes[WT_ESP_CLASS_COUNT] = {
	{ 'A', 0.003125, 750, 22 }, { 'B', 0.00625, 90, 27 }, { 'C', 0.05000, 30, 45 }, { 'D', 0.02500, 30, 51 },
	{ 'E', 0.05000, 30, 26 }, { 'F', 0.00625, 90, 154 }, { 'G', 0.01250, 60, 111 }, { 'H', 0.01582, 60, 89 },
	{ 'I', 0.003125, 240, 119 }, { 'J', 0.00625, 240, 60 }, { 'K', 0.00957, 150, 41 }, { 'L', 0.01250, 360, 30 },
	{ 'M', 0.02500, 150, 15 }, { 'Z', 1.00000, 2, 20 },
};

const struct wt_esp_class *wt_esp_classes(enum wt_esp_variant variant)
{
	static const struct wt_esp_class *const columns[] = {
		[WT_ESP_NORMAL] = normal_classes,
		[WT_ESP_LIGHT] = light_classes,
		[WT_ESP_PARALLEL_LIGHT] = parallel_light_classes,
	};

	return columns[variant];
}

double wt_esp_ideal_s(enum wt_esp_variant variant, double time_scale)
{
	const struct wt_esp_class *classes = wt_esp_classes(variant);
	double sum_s = 0;

	for (size_t i = 0; i < WT_ESP_CLASS_COUNT; i++)
		sum_s += classes[i].fraction * classes[i].job_count * classes[i].run_time_s;
	return sum_s * time_scale;
}

uint32_t wt_esp_size(double fraction, uint32_t total, enum wt_esp_unit unit)
{
	double exact = fraction * total;
	/* A product that is a whole number in decimal may lie a hair above it in binary. */
	double size = unit == WT_ESP_NODES ? ceil(exact - 1e-6) : round(exact);

	if (size < 1)
		return 1;
	return size > total ? total : (uint32_t) size;
}
