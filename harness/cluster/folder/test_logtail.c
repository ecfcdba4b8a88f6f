/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wt_logtail, and wt_slurmenv: what is said to people, and what to programs. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/fs.h"
#include "harness/cluster/folder/logtail.h"
#include "harness/cluster/folder/slurmenv.h"

static void expect(const char *text, unsigned int max, const char *want)
{
	char *got = wt_logtail_complaints(text, max);

	if (want)
		assert_string_equal(got, want);
	else
		assert_null(got);
	free(got);
}

static void test_complaints(void **state)
{
	(void) state;
	expect("", 3, NULL);
	expect("\n\n", 3, NULL);
	expect("one\ntwo\n", 3, "two");
	expect("slurmctld: error: a\nslurmctld: fine\nslurmctld: fatal: b\n", 3, "error: a; fatal: b");
	expect("[2024-01-01T00:00:00.000] error: a\n[2024-01-01T00:00:00.000] error: a\n[x] fatal: c", 3,
	       "error: a; fatal: c");
	expect("error: 1\nerror: 2\nerror: 3\nerror: 4\n", 2, "error: 3; error: 4");
	expect("fatal: why\nerror: 2\nerror: 3\nerror: 4\n", 2, "fatal: why; error: 4");
	expect("error: 1\nfatal: why\nerror: 2\nfatal: too\n", 2, "error: 2; fatal: too");
	expect("fatal: why\nerror: 2\n", 1, "fatal: why");
	expect("munged: Error: Failed to check keyfile\n", 3, "Error: Failed to check keyfile");
	expect("error: why\n[x] \n", 3, "error: why");
	expect("one\n[x] \n", 3, "one");		/* a time without words is no line */
	expect("[", 3, "[");
	expect("[]\n", 1, "[]");
	expect("error: 1\nerror: 2\nerror: 3\nerror: 4\nerror: 5\nerror: 6\nerror: 7\nerror: 8\nerror: 9\n", 1000,
	       "error: 2; error: 3; error: 4; error: 5; error: 6; error: 7; error: 8; error: 9");
}

static void test_file(void **state)
{
	char path[] = "/tmp/wt-logtail.XXXXXX", *got;
	int fd = mkstemp(path);

	(void) state;
	assert_true(fd >= 0);
	close(fd);
	assert_null(wt_logtail_file(path, 3));
	assert_false(wt_logtail_address_in_use(path));
	assert_int_equal(wt_fs_write(path, "fatal: bind: Address already in use\n", 36, 0600, NULL), 0);
	assert_true(wt_logtail_address_in_use(path));
	got = wt_logtail_file(path, 3);
	assert_string_equal(got, "fatal: bind: Address already in use");
	free(got);
	unlink(path);
	assert_null(wt_logtail_file(path, 3));
	assert_false(wt_logtail_address_in_use(path));
}

static void test_slurm_environment(void **state)
{
	(void) state;
	setenv("SLURM_JOB_ID", "1", 1);
	setenv("SLURM_CLUSTERS", "x", 1);
	setenv("SBATCH_PARTITION", "x", 1);
	setenv("SLURMDBD_CONF", "/old/slurmdbd.conf", 1);
	setenv("_SLURM_SPANK_OPTION_x_y", "x", 1);
	setenv("SLURM_TIME_FORMAT", "x", 1);
	setenv("SLURMY", "x", 1);
	setenv("SLURM_CONF", "/old", 1);
	assert_int_equal(wt_slurmenv_set("/new"), 0);
	assert_null(getenv("SLURM_JOB_ID"));
	assert_null(getenv("SLURM_CLUSTERS"));
	assert_null(getenv("SBATCH_PARTITION"));
	assert_null(getenv("SLURMDBD_CONF"));
	assert_null(getenv("_SLURM_SPANK_OPTION_x_y"));
	assert_string_equal(getenv("SLURM_TIME_FORMAT"), "x");
	assert_string_equal(getenv("SLURMY"), "x");
	assert_string_equal(getenv("SLURM_CONF"), "/new");
}

static char scratch[64];

/* A file in scratch/FOLDER, which is made, too. */
static void file_put(const char *folder, const char *name, const char *bytes, mode_t mode)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", scratch, folder);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s", scratch, folder, name);
	assert_int_equal(wt_fs_write(path, bytes, strlen(bytes), mode, NULL), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static const char *value_of(const char *fmt)
{
	static char value[512];

	snprintf(value, sizeof(value), fmt, scratch, scratch);
	return value;
}

/* Another Slurm that comes first in PATH: its programs do not understand this release's daemons. */
static void test_slurm_path(void **state)
{
	const char *own = *SLURM_BINDIR ? SLURM_BINDIR : SLURM_CLIENTDIR;

	(void) state;
	if (access(value_of(SLURM_CLIENTDIR "/scontrol"), X_OK) < 0)
		skip();
	file_put("wrapper", "scontrol", "#!/bin/sh\n", 0700);
	file_put("other", "scontrol", "\177ELF", 0700);
	file_put("data", "scontrol", "\177ELF", 0600);
	if (!*SLURM_BINDIR) {
		setenv("PATH", value_of("%s/wrapper:%s/other:" SLURM_CLIENTDIR), 1);
		assert_string_equal(wt_slurmenv_bindir(), "");
		setenv("PATH", value_of("::%s/nowhere:" SLURM_CLIENTDIR ":%s/other"), 1);
		assert_string_equal(wt_slurmenv_bindir(), "");
	}
	setenv("PATH", value_of("%s/other:/x"), 1);
	assert_string_equal(wt_slurmenv_bindir(), own);
	assert_int_equal(wt_slurmenv_set("/new"), 0);
	assert_int_equal(strncmp(getenv("PATH"), own, strlen(own)), 0);
	assert_string_equal(getenv("PATH") + strlen(own) + 1, value_of("%s/other:/x"));
}

static void test_slurm_libraries(void **state)
{
	(void) state;
	file_put("lib", "libslurmfull.so", "x", 0600);
	setenv("LD_LIBRARY_PATH", value_of("/a:%s/lib::%s/data:/b"), 1);
	assert_int_equal(wt_slurmenv_set("/new"), 0);
	assert_string_equal(getenv("LD_LIBRARY_PATH"), value_of("/a:%s/data:/b"));
	setenv("LD_LIBRARY_PATH", value_of("%s/lib"), 1);
	assert_int_equal(wt_slurmenv_set("/new"), 0);
	assert_null(getenv("LD_LIBRARY_PATH"));
	assert_int_equal(wt_slurmenv_set("/new"), 0);
	assert_null(getenv("LD_LIBRARY_PATH"));
}

static int scratch_make(void **state)
{
	(void) state;
	snprintf(scratch, sizeof(scratch), "/tmp/wt-slurmenv.XXXXXX");
	return mkdtemp(scratch) ? 0 : -1;
}

static int scratch_remove(void **state)
{
	(void) state;
	return wt_fs_remove_tree(scratch, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_complaints),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_slurm_environment),
		cmocka_unit_test_setup_teardown(test_slurm_path, scratch_make, scratch_remove),
		cmocka_unit_test_setup_teardown(test_slurm_libraries, scratch_make, scratch_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
