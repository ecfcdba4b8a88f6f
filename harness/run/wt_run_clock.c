/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run says of its virtual clock. */
#include "config.h"

#include <string.h>

#include "wt_run_private.h"

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
	c->jumps -= began.jumps;
	c->wakes -= began.wakes;
	c->fallbacks -= began.fallbacks;
	c->outsiders -= began.outsiders;
	c->virtual_s -= began.virtual_s;
	c->wall_s -= began.wall_s;
	c->fallback_s -= began.fallback_s;
}

json_t *wt_run_clock_json(const struct wt_run *run)
{
	const struct wt_clock_counts *c = &run->clock_counts;

	if (!run->clock_taken)
		return json_null();
	return json_pack("{s:s, s:f, s:f, s:f, s:I, s:I, s:I, s:f, s:I}", "charge", c->charge, "charge_factor", c->charge_factor,
			 "virtual_s", c->virtual_s, "wall_s", c->wall_s, "jumps", (json_int_t) c->jumps,
			 "wakes", (json_int_t) c->wakes, "fallbacks", (json_int_t) c->fallbacks, "fallback_s", c->fallback_s,
			 "outsiders", (json_int_t) c->outsiders);
}

void wt_run_clock_print(FILE *out, const struct wt_run *run)
{
	const struct wt_clock_counts *c = &run->clock_counts;

	if (!run->clock_taken)
		return;
	fprintf(out, "\n  virtual clock, charge %s", c->charge);
	if (!strcmp(c->charge, "cpu"))
		fprintf(out, " x %g", c->charge_factor);
	fprintf(out, ": %.1f virtual s in %.1f s of wall time, %llu jumps\n", c->virtual_s, c->wall_s, (unsigned long long) c->jumps);
	if (c->fallbacks)
		fprintf(out, "  it could not jump for %.1f s of that, in %llu parts, and ran at the machine's rate (see above)\n",
			c->fallback_s, (unsigned long long) c->fallbacks);
	if (c->outsiders)
		fprintf(out, "  clients that were not in virtual time talked to the cluster %llu times\n",
			(unsigned long long) c->outsiders);
}
