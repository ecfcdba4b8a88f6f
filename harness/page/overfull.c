/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record in which jobs have more CPUs than its machine is said to have: its figures stay, and are said to contradict. */
#include "config.h"

#include "harness/page/html.h"
#include "harness/page/section.h"

static void count_of_cpus(FILE *out, const char *key, double cpus)
{
	number_write(out, key, cpus, 1, 0, cpus == 1 ? " CPU" : " CPUs");
}

void overfull_write(const struct section *section, const char *before, const char *behind)
{
	const struct losses *losses = &section->losses;
	FILE *out = section->out;

	if (!losses_overfull(losses))
		return;
	fprintf(out, "%s%s contradicts itself: the machine is said to have ", before,
		section->run->single_file ? "The file" : "The record");
	count_of_cpus(out, NULL, section->run->record->cpus);
	if (losses->most_cpus > 0) {
		fputs(", but from ", out);
		duration_write(out, NULL, losses->most_s);
		fputs(" on jobs had ", out);
		count_of_cpus(out, "most_cpus", losses->most_cpus);
		fputs(" at once", out);
	}
	if (losses->larger_jobs) {
		fputs("; ", out);
		number_write(out, "larger_jobs", (double) losses->larger_jobs, 1, 0,
			     losses->larger_jobs == 1 ? " job alone had more" : " jobs alone had more");
	}
	fprintf(out,
		". Utilisation, efficiency and idle time cannot be trusted: busy and idle time "
		"do not add up to 100 %%.%s",
		behind);
}
