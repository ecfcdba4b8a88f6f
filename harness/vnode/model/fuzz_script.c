/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A user's script and its srun lines: read, and what comes of it packed and unpacked. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "harness/vnode/model/script.h"
#include "harness/vnode/model/srunopts.h"
#include "lib/fuzz.h"

static bool srun_take(void *arg, const struct wt_script_srun *line, struct wt_plan_item *item)
{
	struct wt_srun srun;

	(void) arg;
	if (!wt_srun_read(&srun, line->argv, line->sure, line->argc, line->environment, line->environment_count) ||
	    !wt_srun_fill(&srun, 4, srun.nodes ? 1 : 0, 8))
		return false;
	if (srun.command >= line->argc || !srun.tasks || !srun.min_nodes || srun.min_nodes > srun.max_nodes ||
	    srun.max_nodes > 4)
		abort();
	item->run_time_us = srun.tasks;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char *environment[] = { "SLURM_JOB_NUM_NODES=4", "A=x y", "B=2" };
	char *script = malloc(size + 1);
	struct wt_script_conf conf = {
		.script = script, .environment = environment, .count = 3, .cwd = "/", .srun = srun_take,
	};
	struct wt_script_found found;
	struct wt_str bytes = { 0 };
	struct wt_script_plan plan, again;

	if (!script)
		return 0;
	if (size)
		memcpy(script, data, size);
	script[size] = '\0';
	if (wt_script_read(&conf, &plan, &found) == 0) {
		wt_plan_pack(&plan, &bytes);
		if (wt_plan_unpack(&again, (const uint8_t *) bytes.text, bytes.len) < 0 || again.count != plan.count)
			abort();
		wt_script_plan_clear(&again);
		wt_script_plan_clear(&plan);
	}
	if (wt_plan_unpack(&again, data, size) == 0)
		wt_script_plan_clear(&again);
	wt_str_clear(&bytes);
	free(script);
	return 0;
}

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	static const char *const seeds[] = {
		"#!/bin/sh\nsrun -N2 -n4 a & srun -r1 b 2>&1 | cat\nwait $!\nsleep 2m; exit 3\n",
		"for i in 1 2 3; do srun -n$i \"$A\" `x` $(y) || break; done\n"
		"for ((i = 0; i < 4; i++)); do srun -c $B b; done\n",
		"if x; then srun a; fi\ncase $x in a) srun b;; esac\n"
		"f() { srun c; }\nfunction g { :; }\n( srun d ) && srun e || exit\n",
		"cat <<EOF\nsrun a\nEOF\nset -e\nM=(1 2)\n"
		"export C=3 D\ncd $C\nexec srun --mem=2G -t 1-0 'x y' \\\n z\n[[ a < b ]]\n",
	};

	if (index >= sizeof(seeds) / sizeof(seeds[0]) || strlen(seeds[index]) > size)
		return 0;
	memcpy(buf, seeds[index], strlen(seeds[index]));
	return strlen(seeds[index]);
}
