/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Death and restart: a process that is killed leaves its files as the last commit made them, so a second model and store on
 * the same files, while the first are simply left alone, is what a restart sees. */
#include "config.h"

#include "harness/vnode/model/test_world.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/fs.h"
#include "harness/vnode/store/store.h"

static char folder[] = "/tmp/wt-test-store-XXXXXX";

struct store_life {			/* of one process */
	struct node_world *w;
	struct event_log *events;
	struct wt_store *store;
	struct wt_store_found found;
};

static char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void life_begin(struct store_life *life, uint64_t nodes_id, size_t compact_bytes, int64_t now_us)
{
	struct wt_store_conf conf = { .nodes_id = nodes_id, .compact_bytes = compact_bytes };
	struct wt_error err;
	void *state;

	world_open(&state);
	life->w = state;
	life->w->now_us = now_us;
	life->events = event_log_open(path_of("events.csv"), WT_EVENTS_HEADER "\n", &err);
	assert_non_null(life->events);
	conf.path = path_of("journal");
	conf.model = life->w->model;
	conf.events = life->events;
	life->store = wt_store_open(&conf, &life->found, &err);
	assert_non_null(life->store);
	wt_model_resume(life->w->model, life->w->now_us);
}

static bool truncate_fails;

/* libc's, as the code under test calls it. */
int ftruncate(int fd, off_t len)
{
	if (!truncate_fails)
		return (int) syscall(SYS_ftruncate, fd, len);
	errno = EIO;
	return -1;
}

static void life_end(struct store_life *life)
{
	void *state = life->w;

	wt_store_close(life->store);
	event_log_close(life->events, NULL);
	world_close(&state);
}

static void rows_write(struct store_life *life)
{
	struct wt_action action;

	while (wt_model_action(life->w->model, &action)) {
		if (action.kind == WT_ACTION_EVENT)
			event_log_add(life->events, action.time_us, wt_event_kind_name(action.event), action.job_id, 0, 0,
				      "n0", action.value);
	}
}

static void commit(struct store_life *life)
{
	struct wt_error err;

	rows_write(life);
	assert_int_equal(wt_store_commit(life->store, &err), 0);
}

static int rows_count(const char *word)
{
	struct wt_error err;
	char *text, *at;
	int count = 0;

	assert_int_equal(wt_fs_read(path_of("events.csv"), 1 << 20, &text, NULL, &err), 0);
	for (at = text; (at = strstr(at, word)); at++)
		count++;
	free(text);
	return count;
}

static int files_begin(void **state)
{
	(void) state;
	unlink(path_of("journal"));
	unlink(path_of("journal.bad"));
	unlink(path_of("events.csv"));
	return 0;
}

static void test_a_running_job_goes_on(void **state)
{
	struct store_life first, second;

	(void) state;
	life_begin(&first, 1, 0, BEGIN_US);
	assert_int_equal(first.found.images, 0);
	assert_int_equal(launch(first.w, 3), WT_RC_SUCCESS);
	commit(&first);
	life_begin(&second, 1, 0, BEGIN_US + 4 * SECOND_US);
	assert_int_equal(second.found.note.text[0], '\0');
	expect_nothing(second.w);
	expect_counts(second.w, 1, 3, 0);
	assert_int_equal(listed(second.w, 0), 1);
	assert_int_equal(listed(second.w, 1), 0);
	pass(second.w, 5 * SECOND_US);
	expect_nothing(second.w);
	pass(second.w, 2 * SECOND_US);		/* its 10 s count from the launch */
	assert_true(expect_event(second.w, WT_EVENT_END, 0, 3).time_us == BEGIN_US + 10 * SECOND_US);
	assert_int_equal(expect(second.w, WT_ACTION_BATCH_COMPLETE, 0).wait_status, 3 << 8);
	life_end(&second);
	life_end(&first);
}

static void test_a_job_that_ended_meanwhile(void **state)
{
	struct store_life first, second;
	struct wt_action action;

	(void) state;
	life_begin(&first, 1, 0, BEGIN_US);
	launch(first.w, 3);
	commit(&first);
	life_begin(&second, 1, 0, BEGIN_US + 60 * SECOND_US);
	assert_true(expect_event(second.w, WT_EVENT_END, 0, 3).time_us == BEGIN_US + 10 * SECOND_US);
	action = expect(second.w, WT_ACTION_BATCH_COMPLETE, 0);
	assert_int_equal(listed(second.w, 0), 1);
	wt_model_batch_acked(second.w->model, second.w->now_us, action.job);
	assert_int_equal(listed(second.w, 0), 0);
	assert_int_equal(terminate(second.w, 2, 3), WT_RC_SUCCESS);
	expect(second.w, WT_ACTION_EPILOG_COMPLETE, 2);
	life_end(&second);
	life_end(&first);
}

/* The end was not told, or to a controller whose answer was not heard: it is told again, its row is not written
 * again. */
static void test_an_end_that_is_not_acknowledged(void **state)
{
	struct store_life first, second;

	(void) state;
	life_begin(&first, 1, 0, BEGIN_US);
	launch(first.w, 3);
	pass(first.w, 10 * SECOND_US);
	commit(&first);
	life_begin(&second, 1, 0, BEGIN_US + 11 * SECOND_US);
	assert_int_equal(rows_count(",end,"), 1);	/* it had not reached the file */
	assert_int_equal(rows_count(",start,"), 1);
	expect(second.w, WT_ACTION_BATCH_COMPLETE, 0);
	expect_nothing(second.w);
	life_end(&second);
	life_end(&first);
}

static void test_a_torn_row_is_completed(void **state)
{
	struct store_life first, second;
	struct wt_error err;
	struct stat st;

	(void) state;
	life_begin(&first, 1, 0, BEGIN_US);
	launch(first.w, 3);
	commit(&first);
	assert_int_equal(event_log_flush(first.events, &err), 0);
	assert_int_equal(stat(path_of("events.csv"), &st), 0);
	assert_int_equal(truncate(path_of("events.csv"), st.st_size - 5), 0);
	life_begin(&second, 1, 0, BEGIN_US + SECOND_US);
	assert_int_equal(second.found.rows_bytes, 5);
	assert_int_equal(rows_count(",start,7,,,n0,3\n"), 1);
	assert_int_equal(rows_count("\n"), 2);
	life_end(&second);
	life_end(&first);
	assert_int_equal(rows_count("\n"), 2);
}

static void test_requeue_and_pause_survive(void **state)
{
	struct store_life first, second;

	(void) state;
	life_begin(&first, 1, 0, BEGIN_US);
	launch(first.w, 3);
	pass(first.w, 4 * SECOND_US);
	wt_model_suspend(first.w->model, first.w->now_us, 0, WORLD_JOB, true);
	commit(&first);
	life_begin(&second, 1, 0, BEGIN_US + 100 * SECOND_US);
	expect_nothing(second.w);
	wt_model_suspend(second.w->model, second.w->now_us, 0, WORLD_JOB, false);
	pass(second.w, 6 * SECOND_US - 1);
	expect_nothing(second.w);
	pass(second.w, 1);
	expect_event(second.w, WT_EVENT_END, 0, 3);
	life_end(&second);
	life_end(&first);
}

static void test_what_was_revoked_stays_revoked(void **state)
{
	struct store_life first, second;

	(void) state;
	life_begin(&first, 1, 0, BEGIN_US);
	terminate(first.w, 0, 3);
	commit(&first);
	life_begin(&second, 1, 0, BEGIN_US + SECOND_US);
	assert_true(wt_model_revoked_s(second.w->model, WORLD_JOB) == BEGIN_US / SECOND_US);
	pass(second.w, 300 * SECOND_US);
	assert_true(wt_model_revoked_s(second.w->model, WORLD_JOB) == 0);	/* forgotten in the end */
	life_end(&second);
	life_end(&first);
}

static void test_other_nodes(void **state)
{
	struct store_life first, second;

	(void) state;
	life_begin(&first, 1, 0, BEGIN_US);
	launch(first.w, 3);
	commit(&first);
	life_begin(&second, 2, 0, BEGIN_US + SECOND_US);
	assert_non_null(strstr(second.found.note.text, "other nodes"));
	assert_int_equal(access(path_of("journal.bad"), R_OK), 0);
	expect_counts(second.w, 0, 0, 0);
	life_end(&second);
	life_end(&first);
}

static void test_compaction(void **state)
{
	struct store_life first, second;
	struct stat st;

	(void) state;
	life_begin(&first, 1, 1000, BEGIN_US);
	wt_store_epoch_set(first.store, 77);
	launch(first.w, 3);
	for (int i = 0; i < 1000; i++) {
		wt_model_suspend(first.w->model, first.w->now_us, 0, WORLD_JOB, i % 2 == 0);
		commit(&first);
	}
	assert_int_equal(stat(path_of("journal"), &st), 0);
	assert_true(st.st_size < 3000);
	life_begin(&second, 1, 0, BEGIN_US + SECOND_US);
	expect_counts(second.w, 1, 3, 0);
	assert_true(wt_store_epoch_us(second.store) == 77);
	assert_int_equal(rows_count(",start,"), 1);
	life_end(&second);
	life_end(&first);
}

static void launch_alone(struct node_world *w, uint32_t job_id)
{
	struct wt_launch launch = {
		.job_id = job_id, .uid = UID, .array_task_id = UINT32_MAX, .nodes = nodes_of(0, 1), .nodes_hash = 1,
	};

	assert_int_equal(wt_model_launch(w->model, w->now_us, 0, &launch), WT_RC_SUCCESS);
}

static off_t journal_size(void)
{
	struct stat st;

	assert_int_equal(stat(path_of("journal"), &st), 0);
	return st.st_size;
}

/* It is made anew when it has grown by so much since the last time, however much it holds. */
static void test_compaction_of_much(void **state)
{
	struct store_life life;
	struct stat st;
	off_t base, last;
	ino_t inode;

	(void) state;
	life_begin(&life, 1, 2000, BEGIN_US);
	for (uint32_t job = 1; job <= 60; job++)
		launch_alone(life.w, job);
	commit(&life);
	base = last = journal_size();
	assert_true(base > 2000);
	assert_int_equal(stat(path_of("journal"), &st), 0);
	inode = st.st_ino;
	for (int i = 1; i < 1000 && st.st_ino == inode; i++) {
		last = st.st_size;
		wt_store_epoch_set(life.store, i);
		commit(&life);
		assert_int_equal(stat(path_of("journal"), &st), 0);
	}
	assert_int_not_equal(st.st_ino, inode);
	assert_in_range(last, base + 1900, base + 2000);
	life_end(&life);
}

/* A write that fails half way leaves no half of a record, and is made up for later. */
static void test_full_disk(void **state)
{
	struct store_life first, second;
	struct rlimit limit, little;
	struct wt_error error;
	off_t size;

	(void) state;
	signal(SIGXFSZ, SIG_IGN);
	life_begin(&first, 1, 0, BEGIN_US);
	size = journal_size();
	launch(first.w, 3);
	rows_write(&first);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	little = (struct rlimit) { .rlim_cur = (rlim_t) size + 5, .rlim_max = limit.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
	assert_int_equal(wt_store_commit(first.store, &error), -1);
	assert_int_equal(errno, EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_memory_equal(error.text, path_of("journal"), strlen(path_of("journal")));
	assert_int_equal(journal_size(), size);
	commit(&first);
	life_begin(&second, 1, 0, BEGIN_US + SECOND_US);
	assert_int_equal(second.found.lost_bytes, 0);
	expect_counts(second.w, 1, 3, 0);
	life_end(&second);
	life_end(&first);
}

/* Nor can the half be taken away: what comes later is kept all the same. */
static void test_torn_for_good(void **state)
{
	struct store_life first, second;
	struct rlimit limit, little;
	off_t size;

	(void) state;
	signal(SIGXFSZ, SIG_IGN);
	life_begin(&first, 1, 0, BEGIN_US);
	size = journal_size();
	launch(first.w, 3);
	rows_write(&first);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	little = (struct rlimit) { .rlim_cur = (rlim_t) size + 5, .rlim_max = limit.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
	truncate_fails = true;
	assert_int_equal(wt_store_commit(first.store, NULL), -1);
	assert_int_equal(journal_size(), size + 5);
	assert_int_equal(wt_store_commit(first.store, NULL), -1);	/* and is not taken for written */
	truncate_fails = false;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	commit(&first);
	wt_store_epoch_set(first.store, 7);
	commit(&first);
	life_begin(&second, 1, 0, BEGIN_US + SECOND_US);
	assert_int_equal(second.found.lost_bytes, 0);
	expect_counts(second.w, 1, 3, 0);
	assert_int_equal(wt_store_epoch_us(second.store), 7);
	life_end(&second);
	life_end(&first);
}

static void test_full_disk_of_the_log(void **state)
{
	struct wt_error error;

	(void) state;
	assert_null(event_log_open("/dev/full", WT_EVENTS_HEADER "\n", &error));
	assert_int_equal(errno, ENOSPC);
	assert_memory_equal(error.text, "/dev/full: ", 11);
}

/* A disk that becomes full in the middle of the header; the rest comes when there is room. */
static void test_no_room_for_the_header(void **state)
{
	const char *path = path_of("events.csv");
	struct wt_error err = { "" };
	struct event_log *events;
	struct rlimit before;
	size_t len;
	char *text;

	(void) state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit) { 5, before.rlim_max }), 0);
	errno = 0;
	events = event_log_open(path, "time,event\n", &err);
	assert_int_equal(errno, EFBIG);
	assert_null(events);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	events = event_log_open(path, "time,event\n", &err);
	assert_non_null(events);
	assert_int_equal(event_log_close(events, &err), 0);
	assert_int_equal(wt_fs_read(path, 100, &text, &len, &err), 0);
	assert_string_equal(text, "time,event\n");
	free(text);
}

static int folder_make(void **state)
{
	(void) state;
	return mkdtemp(folder) ? 0 : -1;
}

static int folder_remove(void **state)
{
	(void) state;
	return wt_fs_remove_tree(folder, NULL);
}

#define STORE_TEST(f) cmocka_unit_test_setup(f, files_begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(test_a_running_job_goes_on),
		STORE_TEST(test_a_job_that_ended_meanwhile),
		STORE_TEST(test_an_end_that_is_not_acknowledged),
		STORE_TEST(test_a_torn_row_is_completed),
		STORE_TEST(test_requeue_and_pause_survive),
		STORE_TEST(test_what_was_revoked_stays_revoked),
		STORE_TEST(test_other_nodes),
		STORE_TEST(test_compaction),
		STORE_TEST(test_compaction_of_much),
		STORE_TEST(test_full_disk),
		STORE_TEST(test_torn_for_good),
		STORE_TEST(test_full_disk_of_the_log),
		STORE_TEST(test_no_room_for_the_header),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
