/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run says of its virtual clock. */
#include "config.h"

#include <string.h>

#include "harness/run/repeatable.h"
#include "harness/run/run_private.h"

#define BASIS_MAX 512

void wt_run_clock_begin(struct wt_run *run)
{
	run->clock = wt_clock_own();
	run->clock_taken = wt_clock_counts(&run->clock_counts) == 0;
}

void wt_run_clock_end(struct wt_run *run)
{
	const struct wt_clock_counts began = run->clock_counts;
	struct wt_clock_counts *c = &run->clock_counts;

	run->clock_taken = run->clock_taken && wt_clock_counts(c) == 0;
	/* The verdict is on the cluster's whole life: what went wrong before the run may have changed what the run found. */
	run->clock_life = *c;
	c->jumps -= began.jumps;
	c->wakes -= began.wakes;
	c->fallbacks -= began.fallbacks;
	c->outsiders -= began.outsiders;
	c->virtual_s -= began.virtual_s;
	c->wall_s -= began.wall_s;
	c->fallback_s -= began.fallback_s;
	c->unjumped_s -= began.unjumped_s;
	c->races -= began.races;
}

json_t *wt_run_clock_json(const struct wt_run *run)
{
	const struct wt_clock_counts *c = &run->clock_counts;

	if (!run->clock_taken)
		return json_null();
	return json_pack("{s:s, s:f, s:f, s:f, s:I, s:I, s:I, s:f, s:I, s:f, s:I}", "charge", c->charge, "charge_factor",
			 c->charge_factor,
			 "virtual_s", c->virtual_s, "wall_s", c->wall_s, "jumps", (json_int_t) c->jumps,
			 "wakes", (json_int_t) c->wakes, "fallbacks", (json_int_t) c->fallbacks, "fallback_s", c->fallback_s,
			 "outsiders", (json_int_t) c->outsiders, "unjumped_s", c->unjumped_s, "races",
			 (json_int_t) c->races);
}

static enum wt_repeatable judge(const struct wt_run *run, char *basis, size_t size)
{
	return wt_repeatable_judge(run->clock_taken ? &run->clock_life : NULL, basis, size);
}

json_t *wt_run_repeatable_json(const struct wt_run *run)
{
	char basis[BASIS_MAX];
	const char *verdict = wt_repeatable_name(judge(run, basis, sizeof(basis)));

	return json_pack("{s:s, s:s}", "verdict", verdict, "basis", basis);
}

static void repeatable_print(FILE *out, const struct wt_run *run)
{
	char basis[BASIS_MAX];
	enum wt_repeatable verdict = judge(run, basis, sizeof(basis));

	fprintf(out, "  repeats itself: %s (%s)\n", wt_repeatable_name(verdict), basis);
}

void wt_run_clock_print(FILE *out, const struct wt_run *run)
{
	const struct wt_clock_counts *c = &run->clock_counts;

	if (!run->clock_taken) {
		fputc('\n', out);
		repeatable_print(out, run);
		return;
	}
	fprintf(out, "\n  virtual clock, charge %s", c->charge);
	if (!strcmp(c->charge, "cpu"))
		fprintf(out, " x %g", c->charge_factor);
	fprintf(out, ": %.1f virtual s in %.1f s of wall time, %llu jumps\n", c->virtual_s, c->wall_s,
		(unsigned long long) c->jumps);
	if (c->fallbacks)
		fprintf(out, "  it could not jump for %.1f s of that, in %llu parts, and ran at the machine's rate (see "
			     "above)\n",
			c->fallback_s, (unsigned long long) c->fallbacks);
	if (c->outsiders)
		fprintf(out, "  clients that were not in virtual time talked to the cluster %llu times\n",
			(unsigned long long) c->outsiders);
	repeatable_print(out, run);
}
