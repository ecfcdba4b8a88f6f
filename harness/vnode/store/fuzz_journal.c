/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A foreign journal: first the input as it is, then the input as the contents of a record whose checksum is right, so that
 * the items themselves are reached; all of it is given to a model, which must stay sound. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/fuzz.h"
#include "harness/vnode/store/journal.h"

enum { NODES = 100 };

static struct wt_model *model;
static struct wt_power *machines;

static int job(void *arg, const struct wt_job_image *image)
{
	(void) arg;
	return wt_model_restore(model, image);
}

static int rows(void *arg, enum wt_journal_log log, uint64_t offset, const char *text, size_t len)
{
	(void) log;
	volatile char last = len ? text[len - 1] : 0;

	(void) arg;
	(void) last;
	return offset > INT64_MAX ? -1 : 0;
}

static int step(void *arg, const struct wt_step_image *image, const void *client, size_t client_len)
{
	volatile uint8_t last = client_len ? ((const uint8_t *) client)[client_len - 1] : 0;
	wt_step_ref ref;

	(void) arg;
	(void) last;
	return wt_model_step_restore(model, image, &ref);
}

static int stepd(void *arg, const struct wt_stepd_image *image)
{
	(void) arg;
	return wt_model_stepd_restore(model, image);
}

static int power(void *arg, const struct wt_power_image *image)
{
	(void) arg;
	wt_power_restore(machines, image);
	return 0;
}

static int epoch(void *arg, int64_t epoch_us)
{
	(void) arg;
	(void) epoch_us;
	return 0;
}

static void steps_use(void)
{
	struct wt_step_image image;
	struct wt_stepd_image one;

	for (uint32_t at = 0; wt_model_step_image(model, &at, &image); free(image.nodes))
		for (uint32_t rank = 0; rank < image.count; rank++)
			if (wt_model_stepd_image(model, image.ref, rank, &one) && one.holder >= image.count)
				abort();
	while (wt_model_stepd_changed(model, &image, &one)) {
		if (one.rank >= image.count)
			abort();
		free(image.nodes);
	}
}

static void step_answer(const struct wt_action *action, int64_t now_us)
{
	switch (action->kind) {
	case WT_ACTION_STEP_CONNECT: wt_model_step_connected(model, now_us, action->step, action->rank, true); break;
	case WT_ACTION_STEP_CLOSE: wt_model_step_closed(model, now_us, action->step, action->rank); break;
	case WT_ACTION_STEP_STARTED:
	case WT_ACTION_STEP_EXIT:
		wt_model_step_sent(model, now_us, action->step, action->rank, true);
		break;
	case WT_ACTION_STEP_COMPLETE: wt_model_step_acked(model, now_us, action->step, action->rank); break;
	}
}

static void happened(void *arg, const struct wt_power_happened *what)
{
	(void) arg;
	if (what->node >= NODES || !wt_power_event_name(what->event))
		abort();
}

static void model_use(struct wt_timerq *timers, int64_t now_us)
{
	struct wt_job_image image;
	struct wt_action action;
	struct wt_timer timer;
	uint32_t at = 0;

	wt_model_resume(model, now_us);
	while (wt_model_action(model, &action))
		if (action.kind == WT_ACTION_BATCH_COMPLETE)
			wt_model_batch_acked(model, now_us, action.job);
		else
			step_answer(&action, now_us);
	for (int i = 0; i < 1000 && wt_timerq_pop(timers, INT64_MAX, &timer); i++)
		if (timer.kind == WT_MODEL_TIMERS)
			wt_power_timer(machines, timer.deadline_us, timer.a);
		else
			wt_model_timer(model, timer.deadline_us, &timer);
	while (wt_model_image(model, &at, &image))
		if (image.job_id == 0)
			abort();
	while (wt_model_changed(model, &image))
		if (image.job_id == 0)
			abort();
	steps_use();
}

static void journal_try(const uint8_t *data, size_t size)
{
	const struct wt_journal_calls calls = {
		.job = job, .rows = rows, .step = step, .stepd = stepd, .power = power, .epoch = epoch,
	};
	const struct wt_model_conf conf = { .epilog = true, .epilog_msg_time_us = 2000, .forget_s = 120 };
	static const struct wt_elastic elastic = { .boot_fails = 0.5 };
	struct wt_timerq *timers = wt_timerq_create();
	const struct wt_power_conf power_conf = {
		.elastic = &elastic, .timers = timers, .timer_kind = WT_MODEL_TIMERS, .happened = happened,
	};
	struct wt_error err;

	model = wt_model_create(NODES, &conf, timers);
	machines = wt_power_create(NODES, &power_conf);
	if (wt_journal_read(data, size, 1, &calls, &err) > size)
		abort();
	wt_power_resume(machines);
	model_use(timers, (int64_t) 1 << 50);
	wt_power_destroy(machines);
	wt_model_destroy(model);
	wt_timerq_destroy(timers);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_str s = { 0 };
	size_t begin;

	journal_try(data, size);
	wt_journal_head(&s, 1);
	begin = wt_journal_begin(&s);
	wt_str_add_bytes(&s, (const char *) data, size);
	wt_journal_end(&s, begin);
	if (!s.failed)
		journal_try((const uint8_t *) s.text, s.len);
	wt_str_clear(&s);
	return 0;
}

/* The contents of a record: a running job, an ended one, a paused one, rows, an epoch. */
size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	struct wt_node_range ranges[] = { { 0, 3, 0 }, { 10, 90, 3 } };
	struct wt_job_image image = {
		.job_id = 1, .batch_node = 0, .script = 2, .array_task_id = UINT32_MAX, .nodes_given = true, .nodes_hash = 5,
		.run_until_us = (int64_t) 1 << 49, .touched_us = (int64_t) 1 << 49,
		.nodes = { .ranges = ranges, .range_count = 2, .count = 93 },
	};
	uint32_t nodes[] = { 0, 1, 2, 9, 8, 7, 6, 5 };
	const struct wt_step_image step_image = { .job_id = 7, .count = 8, .nodes = nodes, .touched_us = (int64_t) 1 << 49 };
	struct wt_stepd_image stepd_image = { .job_id = 7, .rank = 3, .holder = 3, .run_us = (int64_t) 1 << 49 };
	const struct wt_power_image power_image = {
		.node = 3, .boot = 1, .state = WT_POWER_BOOTING, .until_us = (int64_t) 1 << 49,
	};
	struct wt_str s = { 0 };
	size_t len;

	if (index > 2)
		return 0;
	wt_journal_job(&s, &image);
	image.script = (uint8_t) (1 + index);
	image.pause = (uint8_t) index;
	image.nodes_given = index != 1;
	wt_journal_job(&s, &image);
	wt_journal_rows(&s, WT_JOURNAL_EVENTS, 57, "row\n", 4);
	wt_journal_power(&s, &power_image);
	wt_journal_step(&s, &step_image, "srun", 4);
	stepd_image.state = (uint8_t) (1 + 3 * index);
	wt_journal_stepd(&s, &stepd_image);
	wt_journal_epoch(&s, 1);
	len = s.len <= size ? s.len : 0;
	memcpy(buf, s.text, len);
	wt_str_clear(&s);
	return len;
}
