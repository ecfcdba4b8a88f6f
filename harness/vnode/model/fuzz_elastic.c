/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of --elastic, one a line: what is taken has laws that can be drawn from, and what is not has its reason in one
 * line and changes nothing. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "harness/vnode/model/elastic.h"
#include "lib/fuzz.h"

#define NODES 8
#define DRAWN_MAX_US (INT64_MAX / 8)	/* several are added */

static uint32_t find(const void *arg, const char *name)
{
	(void) arg;
	if (name[0] != 'n' || name[1] < '0' || name[1] >= '0' + NODES || name[2])
		return UINT32_MAX;
	return (uint32_t) (name[1] - '0');
}

/* Steps are in order and within the period, and what counts is that of the last one that has begun. */
static void limit_check(const struct wt_limit *limit)
{
	int64_t before_us = -1;

	if (limit->step_count > WT_LIMIT_STEPS_MAX || limit->period_us < 0 || (limit->period_us && !limit->step_count))
		abort();
	for (uint32_t i = 0; i < limit->step_count; i++) {
		const struct wt_limit_step *step = &limit->steps[i];

		if (step->from_us <= before_us || (step->machines > 65536 && step->machines != WT_LIMIT_NONE) ||
		    (limit->period_us && step->from_us >= limit->period_us) ||
		    wt_limit_at(limit, step->from_us) != step->machines ||
		    wt_limit_at(limit, step->from_us + 3 * limit->period_us) != step->machines)
			abort();
		before_us = step->from_us;
	}
	if (wt_limit_at(limit, INT64_MIN) != wt_limit_at(limit, 0))
		abort();
	wt_limit_at(limit, INT64_MAX);
}

static void drawn_check(int64_t us)
{
	if (us < 0 || us > DRAWN_MAX_US)
		abort();
}

static void laws_check(const struct wt_elastic *elastic)
{
	limit_check(&elastic->limit);
	for (uint32_t node = 0; node < NODES; node++) {
		if (wt_elastic_class_of(elastic, node) > elastic->class_count)
			abort();
		limit_check(&wt_elastic_of(elastic, node)->limit);
		drawn_check(wt_elastic_boot_us(elastic, node, 1));
		drawn_check(wt_elastic_stop_us(elastic, node, 1));
		drawn_check(wt_elastic_taken_us(elastic, node, 1));
		drawn_check(wt_elastic_notice_us(elastic, node));
		if (wt_elastic_fate(elastic, node, 1) >= WT_BOOT_FATES || wt_elastic_one_of(elastic, node, 1, NODES) > NODES)
			abort();
	}
}

static void told_check(const struct wt_error *error)
{
	if (!*error->text || strchr(error->text, '\n'))
		abort();
}

static void line_add(struct wt_elastic *elastic, const char *line)
{
	struct wt_elastic before = *elastic;
	struct wt_error error = { "" };

	if (wt_elastic_add(elastic, line, &error) == 0)
		return;
	told_check(&error);
	if (memcmp(&before, elastic, sizeof(before)) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *rest = text;
	struct wt_elastic elastic = { 0 };
	struct wt_error error = { "" };

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	for (char *line; (line = strsep(&rest, "\n"));)
		line_add(&elastic, line);
	wt_elastic_defaults(&elastic);
	if (wt_elastic_nodes(&elastic, NODES, find, NULL, &error) == 0 && wt_elastic_check(&elastic, &error) == 0)
		laws_check(&elastic);
	else
		told_check(&error);
	wt_elastic_clear(&elastic);
	free(text);
	return 0;
}

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	static const char *const seeds[] = {
		"on\nboot=normal:60,5\nstop=10-20\nseed=7\n",
		"limit=100,3600:20,7200.5:all/86400\ntogether=job\non-stock-out=down:300",
		"n[0-3]:limit=2,60:0,90:all/120\nlimit=4\nn[2-5]:boot=lognormal:10,3\nn7:fail=stock-out:5%",
		"fail=late:5%:30\nfail=taken:0.5:exp:100\nnotice=120\non-notice=power-down-force\nfail=never:1%",
		"fail=one-of-job:2%\nfail=resume-slow:5\nfail=suspend-program:1\naddress=new\nfail=no-address:50%",
		"on-resume-fail=resume\nfail=resume-fail-slow:3\nboot=gamma:90,20\nlimit=0,10:all",
	};
	size_t len = index < sizeof(seeds) / sizeof(seeds[0]) ? strlen(seeds[index]) : 0;

	if (len > size)
		return 0;
	if (len)
		memcpy(buf, seeds[index], len);
	return len;
}
