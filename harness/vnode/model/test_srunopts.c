/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/test_cmocka.h"

#include <string.h>

#include "harness/vnode/model/srunopts.h"

static char *job[] = { "SLURM_JOB_NUM_NODES=4", "HOME=/root" };
static char *job_tasks[] = { "SLURM_JOB_NUM_NODES=4", "SLURM_NTASKS=8" };

/* Words apart by one blank each; false: srun's line cannot be told, or srun gives up. */
static bool read_line(struct wt_srun *srun, const char *line, char *const *environment, size_t count)
{
	static const bool sure[16] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
	static char text[256];
	char *argv[16], *save;
	size_t argc = 0;

	strcpy(text, line);
	for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	return wt_srun_read(srun, argv, sure, argc, environment, count);
}

static void expect(const char *line, char *const *environment, uint32_t nodes, uint32_t most, uint32_t tasks)
{
	struct wt_srun srun;

	assert_true(read_line(&srun, line, environment, 2));
	assert_true(wt_srun_fill(&srun, 4, 0, 0));
	assert_int_equal(srun.min_nodes, nodes);
	assert_int_equal(srun.max_nodes, most);
	assert_int_equal(srun.tasks, tasks);
}

static void test_counts(void **state)
{
	(void) state;
	expect("srun a", job, 4, 4, 4);
	expect("srun a", job_tasks, 4, 4, 8);
	expect("srun -N2 a", job, 2, 2, 2);
	expect("srun -N2 a", job_tasks, 2, 2, 8);
	expect("srun -n 2 a", job, 2, 2, 2);
	expect("srun --ntasks=1 -N1 a", job_tasks, 1, 1, 1);
	expect("srun --nodes 1-3 a", job, 1, 3, 3);
	expect("srun --ntasks-per-node=2 a", job, 4, 4, 8);
	expect("srun -N2 --ntasks-per-node=3 a", job, 2, 2, 6);
}

static void test_named_nodes(void **state)
{
	struct wt_srun srun;

	(void) state;
	assert_true(read_line(&srun, "srun -N2 -w n1 a", job, 2));
	assert_true(wt_srun_fill(&srun, 4, 1, 0) && srun.min_nodes == 2);
	assert_string_equal(srun.nodes, "n1");
	assert_true(read_line(&srun, "srun -N1 -n1 -r 3 a", job, 2) && wt_srun_fill(&srun, 4, 0, 0));
	assert_true(read_line(&srun, "srun -N1 -n1 -r 4 a", job, 2) && !wt_srun_fill(&srun, 4, 0, 0));
	assert_true(read_line(&srun, "srun -N5 a", job, 2) && !wt_srun_fill(&srun, 4, 0, 0));
	assert_true(read_line(&srun, "srun -N1 -w n[1-2] a", job, 2) && !wt_srun_fill(&srun, 4, 2, 0));
	assert_false(read_line(&srun, "srun -r1 -w n1 a", job, 2));
	assert_true(read_line(&srun, "srun -c2 a", job, 2) && wt_srun_fill(&srun, 4, 0, 8) && srun.tasks == 8);
}

static void test_values(void **state)
{
	struct wt_srun srun;

	(void) state;
	assert_true(read_line(&srun, "srun -lJname --mem=2G --overlap -t 1-2:30 -m block -o x -- -a b", job, 2));
	assert_string_equal(srun.name, "name");
	assert_true(srun.memory_mib == 2048 && srun.cpu_memory_mib == UINT64_MAX && srun.overlap);
	assert_int_equal(srun.time_limit_min, 1440 + 150);
	assert_int_equal(srun.distribution, WT_SRUN_BLOCK);
	assert_int_equal(srun.command, 11);
	assert_true(read_line(&srun, "srun -t 90:01 --mem-per-cpu 10 --exclusive -I a -n 5", job, 2));
	assert_true(srun.time_limit_min == 91 && srun.cpu_memory_mib == 10 && srun.exact && srun.immediate);
	assert_true(srun.tasks == WT_SRUN_NONE);	/* the command's own */
	assert_true(read_line(&srun, "srun -K1 -W 5 -kvv --mpi=none --gres=gpu:2 a", job, 2));
	assert_string_equal(srun.gres, "gpu:2");
	assert_true(read_line(&srun, "srun -t 1000000 a", job, 2) && srun.time_limit_min == 1000000);
	assert_false(read_line(&srun, "srun -t 1000001 a", job, 2));
}

static void test_unknown(void **state)
{
	static const char *const lines[] = {
		"srun", "srun -n2", "srun -n", "srun --frobnicate a", "srun -n x a", "srun -n0 a", "srun -N 3-2 a",
		"srun -Z a",
		"srun --label=3 a", "srun -m plane=2 a", "srun a : b", "srun --het-group=1 a", "srun --jobid=3 a",
		"srun --exclusive --overlap a", "srun -t x a", "srun --mem=3X a", "srun --nod 2 a", "srun -w ./file a",
		"srun --gpus=2 a", "srun --ntasks-per-node=99999999999 a",
	};
	static char *gpus[] = { "SLURM_GPUS=2", "A=" };
	static const bool unsure[] = { true, false, true };
	char *argv[] = { "srun", "-n2", "a" };
	struct wt_srun srun;

	(void) state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_false(read_line(&srun, lines[i], job, 2));
	assert_false(read_line(&srun, "srun a", gpus, 2));
	assert_false(wt_srun_read(&srun, argv, unsure, 3, job, 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts), cmocka_unit_test(test_named_nodes), cmocka_unit_test(test_values),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
