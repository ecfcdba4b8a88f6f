/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state file when it cannot be used, when the disk fails, and when two slurmctlds work with it. */
#define _GNU_SOURCE
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

#include "plugins/straggler/slurmctld/service.h"

#define TASKS 4u
#define FIRST 100u

static struct service a, b, c;
static char dir[] = "/tmp/wt-store.XXXXXX", path[64], path_owner[80], path_broken[80];
static unsigned int errors;
static bool open_fails, read_fails, folder_fails, folder_pending, sync_fails, close_fails, room_fails;
static void (*at_sync)(void);
static unsigned int syncs_before;	/* until at_sync () is called */

/* libc's, as the code under test calls them. */
int open(const char *name, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	if (open_fails && !strcmp(name, path)) {
		errno = EACCES;
		return -1;
	}
	return (int) syscall(SYS_openat, AT_FDCWD, name, flags, mode);
}

ssize_t read(int fd, void *buf, size_t len)
{
	char name[64], target[128] = "";

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	if (read_fails && readlink(name, target, sizeof(target) - 1) > 0 && !strcmp(target, path)) {
		errno = EIO;
		return -1;
	}
	return syscall(SYS_read, fd, buf, len);
}

int rename(const char *from, const char *to)
{
	folder_pending = true;
	return (int) syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}

int fsync(int fd)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		if (folder_fails) {
			errno = EIO;
			return -1;
		}
		folder_pending = false;
	}
	return (int) syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
	void (*then)(void) = syncs_before ? NULL : at_sync;
	int rc = (int) syscall(SYS_fdatasync, fd);

	if (sync_fails) {
		errno = ENOSPC;
		return -1;
	}
	at_sync = then ? NULL : at_sync;
	syncs_before -= syncs_before > 0;
	if (then)
		then();
	return rc;
}

void *reallocarray(void *before, size_t count, size_t size)
{
	if (room_fails) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(before, count * size);
}

/* As of a stream in memory for which there was not enough of it. */
int fclose(FILE *file)
{
	int (*closes)(FILE *) = (int (*)(FILE *)) dlsym(RTLD_NEXT, "fclose");
	int rc = closes(file);

	return close_fails ? EOF : rc;
}

static void say(enum service_level level, const char *text)
{
	(void) text;
	errors += level == SERVICE_ERROR;
}

/* The jobs that its slurmctld finds when it starts: one attempt of each task, and of task 0 a copy, too. */
static void jobs_tell(struct service *s)
{
	for (uint32_t i = 0; i <= TASKS; i++) {
		struct wt_spec_fact fact = { .job_id = FIRST + i, .state = WT_SPEC_RUNNING, .policy = "on", .uid = 1000,
					     .array_job_id = FIRST,
					     .array_task_id = i % TASKS, .tasks = TASKS, .copy_of = i == TASKS ? FIRST : 0,
					     .number = i == TASKS ? 2 : 0,
					     .node = "n1", .seen_s = 1 };

		assert_int_equal(wt_spec_fact(s->spec, &fact, 1, NULL), 0);
	}
	wt_spec_saved(s->spec, 2);
}

static void service_new(struct service *s, uint32_t attempts_max)
{
	struct straggler_conf conf = { .enabled = true, .spec = wt_spec_defaults() };

	conf.spec.attempts_max = attempts_max;
	memset(s, 0, sizeof(*s));
	s->log = say;
	assert_int_equal(service_init(s, &conf, path, NULL), 0);
}

/* A slurmctld starts; what service_open () and service_begin () say. */
static int started(struct service *s, int *doubted)
{
	int lost;

	service_new(s, 1000);
	lost = service_open(s, NULL);
	jobs_tell(s);
	*doubted = service_begin(s, NULL);
	return lost;
}

static enum port_code ask(struct service *s, uint32_t job, enum port_commit operation)
{
	static uint64_t acquisitions[TASKS + 1];
	struct port_message message = { .kind = PORT_COMMIT, .operation = operation, .job_id = FIRST + job,
		.array_job_id = FIRST,
				.array_task_id = job % TASKS,
				.instance = 7 + job };
	enum port_code code;
	char *text;
	size_t len;

	acquisitions[job] += operation == WT_COMMIT_ACQUIRE;
	message.acquisition = acquisitions[job];
	code = service_answer(s, 1000, &message, &text, &len);
	free(text);
	return service_commits_save(s) ? code : PORT_BUSY;
}

static long size_of(const char *name)
{
	struct stat st;

	return stat(name, &st) < 0 ? -1 : (long) st.st_size;
}

static void file_put(const char *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, text, len), len);
	close(fd);
}

static int begin(void **state)
{
	(void) state;
	errors = 0;
	open_fails = read_fails = folder_fails = sync_fails = close_fails = room_fails = false;
	at_sync = NULL;
	snprintf(path, sizeof(path), "%s/state", dir);
	snprintf(path_owner, sizeof(path_owner), "%s.owner", path);
	snprintf(path_broken, sizeof(path_broken), "%s.broken", path);
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	memset(&c, 0, sizeof(c));
	return 0;
}

static int end(void **state)
{
	char name[96];

	(void) state;
	for (struct service *s = &a; s; s = s == &a ? &b : s == &b ? &c : NULL) {
		if (s->spec)
			service_fini(s);
	}
	unlink(path);
	unlink(path_owner);
	unlink(path_broken);
	snprintf(name, sizeof(name), "%s.2", path_broken);
	unlink(name);
	if (rmdir(dir) < 0)	/* nothing else is left */
		return -1;
	return mkdir(dir, 0700);
}

/* A slurmctld that was stopped goes on after another one has taken over. */
static void test_taken_over(void **state)
{
	int doubted;
	long size;

	(void) state;
	started(&a, &doubted);
	assert_int_equal(ask(&a, 1, WT_COMMIT_ACQUIRE), PORT_OK);
	assert_int_equal(ask(&a, 2, WT_COMMIT_ACQUIRE), PORT_OK);
	assert_int_equal(started(&b, &doubted), 0);
	size = size_of(path);
	for (int i = 0; i < 20; i++) {
		assert_int_equal(ask(&a, 3, WT_COMMIT_ACQUIRE), PORT_BUSY);
		assert_int_equal(ask(&a, 1, WT_COMMIT_DONE), PORT_BUSY);
		assert_int_equal(service_save(&a), -1);
	}
	assert_int_equal(errors, 1);
	assert_int_equal(size_of(path), size);
	assert_int_equal(ask(&b, 1, WT_COMMIT_DONE), PORT_OK);
	assert_int_equal(ask(&b, 3, WT_COMMIT_ACQUIRE), PORT_OK);
	assert_int_equal(errors, 1);
}

/* The copy has ended well: its task's original is completed when that is on the disk, and not before. */
static void test_winner_not_saved(void **state)
{
	struct wt_spec_fact copy = { .job_id = FIRST + TASKS, .state = WT_SPEC_OK, .policy = "on", .uid = 1000,
				     .array_job_id = FIRST, .tasks = TASKS, .copy_of = FIRST, .number = 2, .node = "n1",
				     .seen_s = 3 };
	struct wt_spec_action actions[8];
	int doubted;

	(void) state;
	started(&a, &doubted);
	assert_int_equal(wt_spec_fact(a.spec, &copy, 3, NULL), 0);
	sync_fails = true;
	for (int i = 0; i < 3; i++)
		assert_int_equal(service_decide(&a, actions, 8), 0);
	sync_fails = false;
	for (int i = 0; i < 2; i++) {	/* until slurmctld shows it completed */
		assert_int_equal(service_decide(&a, actions, 8), 1);
		assert_int_equal(actions[0].kind, WT_SPEC_COMPLETE);
		assert_int_equal(actions[0].job_id, FIRST);
		assert_int_equal(actions[0].other_id, FIRST + TASKS);
	}
}

static void b_starts(void)
{
	int doubted;

	assert_int_equal(started(&b, &doubted), 0);
}

/* It was stopped while it wrote, be it behind the file or all of it: of what it wrote last it tells no task. */
static void test_taken_over_while_writing(void **state)
{
	int doubted;

	(void) state;
	for (int whole = 0; whole < 2; whole++) {
		started(&a, &doubted);
		assert_int_equal(ask(&a, 1, WT_COMMIT_ACQUIRE), PORT_OK);
		if (whole)
			wt_spec_mark(a.spec);
		at_sync = b_starts;
		assert_int_equal(ask(&a, 3, WT_COMMIT_ACQUIRE), PORT_BUSY);
		assert_null(at_sync);
		assert_int_equal(ask(&b, 1, WT_COMMIT_DONE), PORT_OK);
		assert_int_equal(ask(&b, 3, WT_COMMIT_ACQUIRE), PORT_OK);
		assert_int_equal(ask(&b, 3, WT_COMMIT_DONE), PORT_OK);
		service_fini(&a);
		service_fini(&b);
		a.spec = b.spec = NULL;
		unlink(path);
		unlink(path_owner);
	}
}

static void b_takes(void)
{
	service_new(&b, 1000);
	assert_int_equal(service_open(&b, NULL), 0);
}

/* The other one has only begun to: it reads the file now, or has read it. */
static void test_taken(void **state)
{
	int doubted;

	(void) state;
	started(&a, &doubted);
	at_sync = b_takes;
	assert_int_equal(ask(&a, 3, WT_COMMIT_ACQUIRE), PORT_BUSY);
	assert_int_equal(ask(&a, 3, WT_COMMIT_ACQUIRE), PORT_BUSY);
	assert_int_equal(errors, 1);
}

static void c_starts(void)
{
	int doubted;

	assert_int_equal(started(&c, &doubted), 0);
}

/* The primary, the backup, and the primary again, which starts when the backup has only taken the file, while it puts its
 * first one there (at each of the two syncs of that), or when it is ready.  What the first gave is known to the last, and
 * only the last gives anything. */
static void test_three_owners(void **state)
{
	int doubted;

	(void) state;
	for (unsigned int when = 0; when < 4; when++) {
		errors = 0;
		started(&a, &doubted);
		assert_int_equal(ask(&a, 1, WT_COMMIT_ACQUIRE), PORT_OK);
		service_new(&b, 1000);
		assert_int_equal(service_open(&b, NULL), 0);
		jobs_tell(&b);
		at_sync = when == 1 || when == 2 ? c_starts : NULL;
		syncs_before = when == 2;
		if (when)
			assert_int_equal(service_begin(&b, NULL) < 0, when < 3);
		if (!c.spec)
			c_starts();
		for (int i = 0; i < 3; i++) {
			assert_int_equal(ask(&a, 3, WT_COMMIT_ACQUIRE), PORT_BUSY);
			assert_int_equal(ask(&b, 3, WT_COMMIT_ACQUIRE), PORT_BUSY);
			assert_int_equal(service_save(&a), -1);
			assert_int_equal(service_save(&b), -1);
		}
		assert_int_equal(ask(&c, 1, WT_COMMIT_DONE), PORT_OK);
		assert_int_equal(ask(&c, 3, WT_COMMIT_ACQUIRE), PORT_OK);
		assert_int_equal(errors, 2);	/* each of the other two says so once */
		assert_int_equal(end(state), 0);
		begin(state);
	}
}

/* The rename of what a stopped one had ready comes too late. */
static void test_rename_late(void **state)
{
	char fresh[96];
	int doubted;

	(void) state;
	started(&a, &doubted);
	snprintf(fresh, sizeof(fresh), "%s.%016llx", path, (unsigned long long) a.store.id);
	close(open(fresh, O_WRONLY | O_CREAT, 0600));
	started(&b, &doubted);
	assert_int_equal(access(fresh, F_OK), -1);
}

/* Puts a copy of the file into its place: as long, with the same text, but another file. */
static void file_copy(void)
{
	char text[4096], copy[80];
	ssize_t len;
	int fd = open(path, O_RDONLY);

	len = read(fd, text, sizeof(text));
	assert_true(len > 0 && len == size_of(path));
	close(fd);
	snprintf(copy, sizeof(copy), "%s.copy", path);
	fd = open(copy, O_WRONLY | O_CREAT, 0600);
	assert_int_equal(write(fd, text, (size_t) len), len);
	close(fd);
	assert_int_equal(rename(copy, path), 0);
}

/* A program writes into the file, puts another one there or takes it away, without heeding whose it is. */
static void test_changed(void **state)
{
	int doubted, fd;

	(void) state;
	for (int how = 0; how < 3; how++) {
		errors = 0;
		started(&a, &doubted);
		assert_int_equal(ask(&a, 1, WT_COMMIT_ACQUIRE), PORT_OK);
		fd = open(path, O_WRONLY | O_APPEND);
		if (how == 0)
			assert_int_equal(write(fd, "end 0\n", 6), 6);
		else if (how == 1)
			file_copy();
		else
			assert_int_equal(unlink(path), 0);
		close(fd);
		for (int i = 0; i < 5; i++)
			assert_int_equal(ask(&a, 3, WT_COMMIT_ACQUIRE), PORT_BUSY);
		assert_true(a.store.fenced);
		assert_int_equal(errors, 1);
		service_fini(&a);
	}
	file_put("windtunnel-straggler 4\nend 0\n", 29);	/* and is not taken for what was written last */
	assert_int_equal(started(&a, &doubted), 1);
	assert_int_equal(doubted, TASKS);
}

static void lost_check(int i)
{
	long size = size_of(path);
	int doubted;

	assert_int_equal(started(&a, &doubted), 1);
	open_fails = read_fails = false;
	assert_int_equal(doubted, TASKS);
	assert_int_equal(ask(&a, 0, WT_COMMIT_ACQUIRE), PORT_WAIT);	/* it had been given to the copy */
	assert_int_equal(ask(&a, TASKS, WT_COMMIT_ACQUIRE), PORT_WAIT);
	assert_int_equal(ask(&a, 1, WT_COMMIT_ACQUIRE), PORT_OK);
	assert_int_equal(size_of(path_broken), size);
	assert_true(size < 0 || i >= 0);
	service_fini(&a);
	assert_int_equal(started(&a, &doubted), 0);	/* and it stays in doubt */
	assert_int_equal(ask(&a, 0, WT_COMMIT_ACQUIRE), PORT_WAIT);
	service_fini(&a);
	unlink(path_broken);
	unlink(path);
	unlink(path_owner);
}

static void right_given(void)
{
	int doubted;

	started(&a, &doubted);
	wt_spec_mark(a.spec);
	assert_int_equal(ask(&a, TASKS, WT_COMMIT_ACQUIRE), PORT_WAIT);	/* there never was a file: the same */
	service_fini(&a);
	unlink(path);
	unlink(path_owner);
	service_new(&a, 1000);
	service_open(&a, NULL);
	assert_int_equal(service_begin(&a, NULL), 0);
	jobs_tell(&a);
	assert_int_equal(ask(&a, TASKS, WT_COMMIT_ACQUIRE), PORT_OK);
	service_fini(&a);
}

/* Whatever is wrong with it: it is put aside whole, and no task's right is given to another one. */
static void test_unusable(void **state)
{
	struct stat st;
	int fd;

	(void) state;
	for (int i = 0; i < 7; i++) {
		right_given();
		fd = open(path, O_RDWR);
		assert_int_equal(fstat(fd, &st), 0);
		if (i == 0)
			assert_int_equal(pwrite(fd, "X", 1, 0), 1);
		else if (i == 1)
			assert_int_equal(pwrite(fd, "X", 1, 45), 1);
		else if (i == 2)
			assert_int_equal(ftruncate(fd, STORE_MAX + 1), 0);
		else if (i == 3)
			read_fails = true;
		else if (i == 4)
			assert_int_equal(ftruncate(fd, 0), 0);
		else if (i == 5)
			open_fails = true;
		else
			unlink(path);
		close(fd);
		lost_check(i);
	}
	a.spec = NULL;
}

/* Without a free descriptor nothing can be said of the file: it stays where it is, and another try reads it. */
static void test_shortage(void **state)
{
	struct rlimit before, none;
	struct store store;
	char *text;
	size_t len;

	(void) state;
	right_given();
	store_init(&store, path);
	assert_int_equal(store_take(&store, NULL), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(store_read(&store, &text, &len, NULL), -1);
	assert_int_equal(errno, EMFILE);
	assert_null(text);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(store_read(&store, &text, &len, NULL), 0);
	free(text);
	store_fini(&store);
	a.spec = NULL;
}

/* Nor without the memory for what it says. */
static void test_no_memory_to_load(void **state)
{
	struct wt_error err = { .text = "" };

	(void) state;
	right_given();
	service_new(&a, 1000);
	room_fails = true;
	assert_int_equal(service_open(&a, &err), -1);
	assert_int_equal(errno, ENOMEM);
	assert_memory_equal(err.text, path, strlen(path));
	room_fails = false;
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(access(path_broken, F_OK), -1);
	assert_int_equal(service_open(&a, NULL), 0);
}

/* What cannot be told for want of memory is no text of some length. */
static void test_no_memory_to_tell(void **state)
{
	struct port_message message = { .kind = PORT_STATUS };
	int doubted;
	char *text;
	size_t len;

	(void) state;
	assert_int_equal(started(&a, &doubted), 1);
	close_fails = true;
	assert_int_equal(service_answer(&a, 0, &message, &text, &len), PORT_OK);
	close_fails = false;
	assert_null(text);
	assert_int_equal(len, 0);
}

/* Nothing is kept of a service that could not be made: it is not freed. */
static void test_settings_refused(void **state)
{
	struct straggler_conf conf = { .enabled = true, .spec = wt_spec_defaults() };

	(void) state;
	conf.spec.window_s = -1;
	memset(&a, 0, sizeof(a));
	assert_int_equal(service_init(&a, &conf, path, NULL), -1);
	assert_null(a.spec);
	assert_null(a.ring);
}

/* One that is there is never written over: the second has a name of its own. */
static void test_aside_twice(void **state)
{
	char second[96];
	int doubted;

	(void) state;
	for (int i = 0; i < 2; i++) {
		file_put("nonsense", 8 - (size_t) i);
		assert_int_equal(started(&a, &doubted), 1);
		service_fini(&a);
	}
	a.spec = NULL;
	snprintf(second, sizeof(second), "%s.2", path_broken);
	assert_int_equal(size_of(path_broken), 8);
	assert_int_equal(size_of(second), 7);
}

/* More than 64 MiB of it are read, and fewer attempts than it has may be followed from now on: nothing is forgotten. */
static void test_large(void **state)
{
	FILE *out;
	int doubted;
	uint32_t lines = 1400000;

	(void) state;
	out = fopen(path, "w");
	fputs("windtunnel-straggler 3\n", out);
	for (uint32_t i = 0; i < lines; i++)
		fprintf(out, "task 5000000 %u 1000 0 4000000000 0 ffffffffffffffff 0 0\n", i % 8);
	fprintf(out, "task %u 0 1000 1 %u 0 %x 0 0\nattempt %u 1 0\nattempt %u 2 0\nend %u\n", FIRST, FIRST + TASKS,
		7 + TASKS, FIRST, FIRST + TASKS, lines + 3);
	fclose(out);
	assert_true(size_of(path) > 66 << 20);
	service_new(&a, 1);
	assert_int_equal(service_open(&a, NULL), 0);
	for (uint32_t i = 0; i <= TASKS; i += TASKS) {
		struct wt_spec_fact fact = { .job_id = FIRST + i, .state = WT_SPEC_RUNNING, .seen_s = 1 };

		assert_int_equal(wt_spec_fact(a.spec, &fact, 1, NULL), 0);
	}
	wt_spec_saved(a.spec, 2);
	doubted = service_begin(&a, NULL);
	assert_int_equal(doubted, 0);
	assert_int_equal(ask(&a, 0, WT_COMMIT_ACQUIRE), PORT_WAIT);
	assert_int_equal(ask(&a, TASKS, WT_COMMIT_ACQUIRE), PORT_OK);
}

/* What loses power now still has the file that it told of. */
static void test_folder(void **state)
{
	int doubted;

	(void) state;
	started(&a, &doubted);
	assert_false(folder_pending);
	wt_spec_mark(a.spec);
	assert_int_equal(ask(&a, 1, WT_COMMIT_ACQUIRE), PORT_OK);
	assert_false(folder_pending);
	wt_spec_mark(a.spec);
	folder_fails = true;
	assert_int_equal(ask(&a, 3, WT_COMMIT_ACQUIRE), PORT_BUSY);
	folder_fails = false;
	assert_int_equal(ask(&a, 3, WT_COMMIT_ACQUIRE), PORT_OK);
	assert_false(folder_pending);
}

#define STORE(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE(test_taken_over), STORE(test_taken_over_while_writing), STORE(test_taken), STORE(test_three_owners),
		STORE(test_rename_late), STORE(test_changed), STORE(test_unusable),
		STORE(test_shortage), STORE(test_no_memory_to_load), STORE(test_no_memory_to_tell),
		STORE(test_settings_refused), STORE(test_aside_twice), STORE(test_large), STORE(test_folder),
		STORE(test_winner_not_saved),
	};
	int rc;

	if (!mkdtemp(dir))
		return 1;
	rc = cmocka_run_group_tests_name("store", tests, NULL, NULL);
	rmdir(dir);
	return rc;
}
