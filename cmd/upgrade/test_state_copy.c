/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/upgrade/state_copy.h"
#include "lib/fs.h"

static char dir[] = "/tmp/wt-test-state.XXXXXX";

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void file_make(const char *name, const char *text)
{
	assert_int_equal(wt_fs_write(path_of(name), text, strlen(text), 0600, NULL), 0);
}

static int setup(void **state)
{
	(void) state;
	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	assert_non_null(mkdtemp(dir));
	assert_int_equal(mkdir(path_of("from"), 0700), 0);
	assert_int_equal(mkdir(path_of("to"), 0700), 0);
	return 0;
}

static int teardown(void **state)
{
	(void) state;
	return wt_fs_remove_tree(dir, NULL);
}

static int copy(state_leave_f leave, struct wt_error *errp)
{
	char from[256], to[256];

	snprintf(from, sizeof(from), "%s", path_of("from"));
	snprintf(to, sizeof(to), "%s", path_of("to"));
	return state_copy(from, to, leave, errp);
}

static bool same(const char *name, const char *text)
{
	char *copied = NULL;
	bool equal = wt_fs_read(path_of(name), 1000, &copied, NULL, NULL) == 0 && !strcmp(copied, text);

	free(copied);
	return equal;
}

static void files_and_folders(void **state)
{
	struct wt_error error;

	(void) state;
	file_make("from/job_state", "jobs");
	file_make("from/clustername", "upg");
	file_make("from/slurmctld.log", "log");
	assert_int_equal(mkdir(path_of("from/hash.1"), 0700), 0);
	assert_int_equal(mkdir(path_of("from/hash.1/job.1"), 0700), 0);
	file_make("from/hash.1/job.1/script", "#!/bin/sh\n");
	file_make("from/hash.1/clustername", "below the top it is any file");
	assert_int_equal(copy(state_is_log_or_name, &error), 0);
	assert_true(same("to/job_state", "jobs"));
	assert_true(same("to/hash.1/job.1/script", "#!/bin/sh\n"));
	assert_int_equal(access(path_of("to/clustername"), F_OK), -1);
	assert_int_equal(access(path_of("to/slurmctld.log"), F_OK), -1);
	assert_int_equal(access(path_of("to/hash.1/clustername"), F_OK), 0);
	assert_int_equal(copy(NULL, &error), -1); /* nothing is written over */
	assert_int_equal(errno, EEXIST);
	file_make("to/slurmctld.log", "own");
	assert_int_equal(state_clear(path_of("to"), state_is_log, &error), 0);
	assert_true(same("to/slurmctld.log", "own"));
	assert_int_equal(access(path_of("to/hash.1"), F_OK), -1);
}

static void refused(const char *words, int errnum)
{
	struct wt_error error = { "" };

	assert_int_equal(copy(NULL, &error), -1);
	assert_int_equal(errno, errnum);
	assert_non_null(strstr(error.text, words));
}

static void links(void **state)
{
	(void) state;
	assert_int_equal(symlink("/etc/passwd", path_of("from/job_state")), 0);
	refused("job_state is a link", EINVAL);
}

static void folder_links(void **state)
{
	(void) state;
	assert_int_equal(symlink("/etc", path_of("from/hash.1")), 0);
	refused("hash.1 is a link", EINVAL);
}

static void pipes(void **state)
{
	(void) state;
	assert_int_equal(mkfifo(path_of("from/job_state"), 0600), 0);
	refused("neither a file nor a folder", EINVAL);
}

static void too_large(void **state)
{
	(void) state;
	file_make("from/job_state", "");
	assert_int_equal(truncate(path_of("from/job_state"), STATE_BYTES_MAX + 1), 0);
	refused("more than", EFBIG);
}

static void too_deep(void **state)
{
	char name[64] = "from";

	(void) state;
	for (int i = 0; i < STATE_DEPTH_MAX; i++) {
		strcat(name, "/d");
		assert_int_equal(mkdir(path_of(name), 0700), 0);
	}
	refused("as deep", EINVAL);
	assert_int_equal(rmdir(path_of(name)), 0);
	assert_int_equal(state_clear(path_of("to"), state_is_log, NULL), 0);
	assert_int_equal(copy(NULL, NULL), 0);
}

static void is_a_state(void **state)
{
	struct wt_error error;

	(void) state;
	assert_int_equal(state_check(path_of("nowhere"), &error), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(state_check(path_of("from"), &error), -1);
	assert_non_null(strstr(error.text, "is it a copy of a StateSaveLocation?"));
	assert_int_equal(mkdir(path_of("from/job_state"), 0700), 0);
	assert_int_equal(state_check(path_of("from"), &error), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(rmdir(path_of("from/job_state")), 0);
	file_make("from/job_state", "");
	assert_int_equal(state_check(path_of("from"), &error), 0);
}

/* As slurmctld saves: a new file takes the place of the old one, and one that is not needed any more goes, just when they
 * are looked at. */
static int saves_left, looks_at_old;

static bool saving(const char *name)
{
	char written[256];

	if (!strcmp(name, "job_state") && saves_left > 0) {
		saves_left--;
		file_make("from/job_state.new", "newer");
		snprintf(written, sizeof(written), "%s", path_of("from/job_state.new"));
		assert_int_equal(rename(written, path_of("from/job_state")), 0);
	}
	if (!strcmp(name, "job_state.old") && ++looks_at_old == 2)	/* the first is that before the copy */
		assert_int_equal(unlink(path_of("from/job_state.old")), 0);
	return state_is_log(name);
}

static int copy_live(struct wt_error *errp)
{
	char from[256], to[256];

	snprintf(from, sizeof(from), "%s", path_of("from"));
	snprintf(to, sizeof(to), "%s", path_of("to"));
	return state_copy_live(from, to, saving, errp);
}

static void one_that_is_written_to(void **state)
{
	struct wt_error error;

	(void) state;
	file_make("from/job_state", "older");
	file_make("from/slurmctld.log", "log");
	saves_left = 1000;
	assert_int_equal(copy_live(&error), -1);
	assert_int_equal(errno, EBUSY);
	assert_non_null(strstr(error.text, "/from changes all the time: a slurmctld writes to it"));
	assert_int_equal(state_clear(path_of("to"), state_is_log, NULL), 0);
	saves_left = 3;
	assert_int_equal(copy_live(&error), 0);
	assert_int_equal(saves_left, 0);
	assert_true(same("to/job_state", "newer"));
	assert_int_equal(access(path_of("to/slurmctld.log"), F_OK), -1);
}

static void one_that_loses_a_file_meanwhile(void **state)
{
	struct wt_error error;

	(void) state;
	file_make("from/job_state", "jobs");
	file_make("from/job_state.old", "jobs");
	looks_at_old = 0;
	assert_int_equal(copy_live(&error), 0);
	assert_int_equal(looks_at_old, 2);
	assert_true(same("to/job_state", "jobs"));
	assert_int_equal(access(path_of("to/job_state.old"), F_OK), -1);
	assert_int_equal(unlink(path_of("from/job_state")), 0);
	assert_int_equal(state_clear(path_of("to"), state_is_log, NULL), 0);
	assert_int_equal(copy_live(&error), -1);
	assert_int_equal(errno, EBUSY);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(files_and_folders), CASE(links),    CASE(folder_links), CASE(pipes),
		CASE(too_large),         CASE(too_deep), CASE(is_a_state),
		CASE(one_that_is_written_to), CASE(one_that_loses_a_file_meanwhile),
	};

	return cmocka_run_group_tests_name("state_copy", tests, NULL, NULL);
}
