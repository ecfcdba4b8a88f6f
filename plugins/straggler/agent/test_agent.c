/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names, progress files, and what the agent makes of them. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <signal.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "plugins/straggler/agent/cputime.h"
#include "plugins/straggler/spank/folder.h"
#include "plugins/straggler/agent/gather.h"
#include "straggler/protocol/channel.h"
#include "straggler/protocol/publish_lock.h"
#include "plugins/straggler/spank/stepd.h"
#include "lib/clock.h"
#include "plugins/straggler/task/wt_progress.h"

static char folder[] = "/tmp/wt-files.XXXXXX";

static int proc_looks;	/* at all processes */

DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);

DIR *__wrap_opendir(const char *path)
{
	proc_looks += strcmp(path, "/proc") == 0;
	return __real_opendir(path);
}

/* With 'channel_fake' set: how many reports are lost yet, with an error or, of kept connections, without; and what
 * arrives. */
static struct {
	bool set;
	int fail, lose;
	unsigned int arrived;
	double progress;
} channel_fake;

int __real_channel_report(struct channel *channel, struct port_message *message, int timeout_ms, struct wt_error *errp);
int __wrap_channel_report(struct channel *channel, struct port_message *message, int timeout_ms, struct wt_error *errp);

int __wrap_channel_report(struct channel *channel, struct port_message *message, int timeout_ms, struct wt_error *errp)
{
	if (!channel_fake.set)
		return __real_channel_report(channel, message, timeout_ms, errp);
	if (channel_fake.fail && channel_fake.fail--)
		return wt_error_errno(errp, ECONNREFUSED, "test");
	if (channel_fake.lose) {
		channel->connections += --channel_fake.lose == 0;	/* the next one finds it closed */
		return 0;
	}
	channel_fake.arrived++;
	for (uint32_t i = 0; i < message->count; i++)
		channel_fake.progress = message->records[i].progress;
	return 0;
}

static void test_record(void **state)
{
	struct progress_record record = { .job_id = 7, .restart = 1, .progress = .5, .sequence = 3 }, got;
	char path[64], name[PROGRESS_NAME_MAX];
	uint32_t id, restart;
	int fd;

	(void) state;
	snprintf(path, sizeof(path), "%s/record", folder);
	/* never made by a task: it is slurmstepd's to make */
	assert_int_equal(progress_write(path, &record, NULL), -1);
	fd = open(path, O_CREAT | O_RDWR, 0600);
	assert_int_equal(progress_read(path, &got, NULL), -1);
	assert_int_equal(errno, EPROTO);
	assert_int_equal(progress_write(path, &record, NULL), 0);
	assert_int_equal(progress_read(path, &got, NULL), 0);
	assert_true(got.job_id == 7 && got.progress == .5 && got.sequence == 3);
	assert_int_equal(pwrite(fd, "x", 1, 8), 1);
	assert_int_equal(progress_read(path, &got, NULL), -1);
	close(fd);
	unlink(path);
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_int_equal(progress_read(path, &got, NULL), -1);
	unlink(path);
	progress_name(name, 7, 2);
	assert_true(progress_name_read(name, &id, &restart) && id == 7 && restart == 2);
	assert_false(progress_name_read("7.2.lock", &id, &restart) || progress_name_read("agent", &id, &restart) ||
		     progress_name_read("07.2", &id, &restart) || progress_name_read("", &id, &restart));
}

/* By another name first: an agent that has just been started may read it at any time, and would end if it were cut off. */
static void conf_write(const char *path)
{
	char new[80];
	FILE *out;

	snprintf(new, sizeof(new), "%s.new", path);
	out = fopen(new, "w");
	assert_non_null(out);
	fprintf(out, "Controller=127.0.0.1\nPort=1\nMungeSocket=%s/none\nDirectory=%s/%%n\nWindow=0.1\nSilence=1\n", folder,
		folder);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(rename(new, path), 0);
}

static void task_reports(const char *path)
{
	struct progress_record record;

	assert_int_equal(wt_progress(.25), 0);
	assert_int_equal(wt_progress_of(1, 2), 0);
	assert_int_equal(wt_progress(.3), 0);			/* not back */
	assert_int_equal(progress_read(path, &record, NULL), 0);
	assert_true(record.progress == .5 && record.sequence == 3 && record.cpu_s == 10 &&
		    record.pid == (uint32_t) getpid());
	assert_int_equal(wt_progress(1.5), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(wt_progress_of(1, 0), -1);
}

/* Nothing is told before it is known which start of the job that is. */
static void start_becomes_known(struct spank_stepd *stepd, struct gather *gather)
{
	struct progress_record record;
	struct wt_error err;
	int rc = -1;

	assert_int_equal(progress_read(stepd->path, &record, NULL), 0);
	assert_true(record.restart == PROGRESS_NO_RESTART);
	assert_int_equal(gather_look(gather, &err), GATHER_OK);
	stepd_restart(stepd, 2);
	assert_int_equal(progress_read(stepd->path, &record, NULL), 0);
	assert_true(record.restart == 2 && record.progress == .5 && stepd->start.restart == 2);
	for (int i = 0; i < 200 && (rc = gather_look(gather, &err)) == GATHER_OK; i++)	/* until a window is over */
		wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + 10000);
	assert_int_equal(rc, GATHER_SAID);	/* once */
}

/* slurmstepd makes the file, the task reports, the agent finds no controller and cleans up after slurmstepd. */
static void test_life(void **state)
{
	struct spank_stepd stepd = { .job_id = 9, .lock_fd = -1 };
	char conf_path[64], directory[64];
	struct straggler_conf conf;
	struct gather *gather;
	struct wt_error err;

	(void) state;
	snprintf(conf_path, sizeof(conf_path), "%s/straggler.conf", folder);
	snprintf(directory, sizeof(directory), "%s/n1", folder);
	conf_write(conf_path);
	assert_int_equal(stepd_open(&stepd, conf_path, "/bin/true", "n1", getuid(), "cpu=10", &err), 0);
	stepd_started(&stepd, getpid());
	setenv("WT_PROGRESS_FILE", stepd.path, 1);
	task_reports(stepd.path);
	assert_int_equal(straggler_conf_read(&conf, conf_path, NULL), 0);
	gather = gather_create(&conf, directory, "n1", NULL);
	start_becomes_known(&stepd, gather);
	assert_int_equal(gather_look(gather, &err), GATHER_OK);
	stepd_ended(&stepd);
	assert_int_equal(access(stepd.path, F_OK), 0);
	stepd_close(&stepd);
	/* the agent's process may still hold what it was born with */
	for (int i = 0; i < 200 && access(stepd.path, F_OK) == 0; i++) {
		gather_look(gather, &err);
		wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + 50000);
	}
	assert_int_equal(access(stepd.path, F_OK), -1);
	assert_int_equal(access(stepd.lock_path, F_OK), -1);
	gather_destroy(gather);
	unsetenv("WT_PROGRESS_FILE");
	assert_int_equal(wt_progress(.5), 0);			/* not in such a job: nothing happens */
	assert_int_equal(wt_commit_begin(0), 0);
}

/* A folder of its own for each test, and what slurmstepd does for job 'id' in it. */
static int stepd_begin(struct spank_stepd *s, const char *node, uint32_t id, const char *agent, const char *policy,
		       struct wt_error *errp)
{
	char conf_path[64];

	snprintf(conf_path, sizeof(conf_path), "%s/straggler.conf", folder);
	conf_write(conf_path);
	*s = (struct spank_stepd) { .job_id = id, .lock_fd = -1 };
	if (stepd_open(s, conf_path, agent, node, getuid(), policy, errp) < 0)
		return -1;
	stepd_restart(s, 0);
	return 0;
}

/* A job that is requeued may begin again while slurmstepd still has its earlier start. */
static void test_two_starts(void **state)
{
	struct spank_stepd first, second;
	struct wt_error err;

	(void) state;
	assert_int_equal(stepd_begin(&first, "n3", 9, "/bin/true", "on", &err), 0);
	assert_int_equal(stepd_begin(&second, "n3", 9, "/bin/true", "on", &err), 0);
	assert_string_not_equal(first.path, second.path);
	assert_int_equal(access(first.path, F_OK), 0);
	stepd_close(&first);
	stepd_close(&second);
}

/* A copy, or a later start, that its node does not follow cannot ask: it does not publish. */
static void test_not_followed(void **state)
{
	(void) state;
	unsetenv("WT_PROGRESS_FILE");
	setenv("WT_ATTEMPT", "2", 1);
	assert_int_equal(wt_commit_begin(0), -1);
	assert_int_equal(errno, ENOTCONN);
	unsetenv("WT_ATTEMPT");
	assert_int_equal(wt_commit_begin(0), 0);
}

static void test_foreign_folder(void **state)
{
	char directory[64];
	struct spank_stepd stepd;
	struct wt_error err;

	(void) state;
	snprintf(directory, sizeof(directory), "%s/n2", folder);
	assert_int_equal(mkdir(directory, 0700), 0);
	assert_int_equal(chmod(directory, 0777), 0);		/* anybody could put files there */
	assert_int_equal(stepd_begin(&stepd, "n2", 9, "/bin/true", "on", &err), -1);
	assert_non_null(strstr(err.text, "n2"));
	assert_int_equal(stepd.lock_fd, -1);
}

static int folder_at(const char *below, struct wt_error *errp)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, below);
	return folder_make(path, geteuid(), errp);
}

static void put(const char *below, mode_t mode, uid_t owner)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, below);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(chmod(path, mode), 0);
	if (owner != geteuid())
		assert_int_equal(chown(path, owner, (gid_t) -1), 0);
}

static void put_link(const char *below, const char *target, uid_t owner)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, below);
	assert_int_equal(symlink(target, path), 0);
	if (owner != geteuid())
		assert_int_equal(lchown(path, owner, (gid_t) -1), 0);
}

/* A user who may change a folder or a link on the way decides where root's files go. */
static void test_folders_on_the_way(void **state)
{
	struct wt_error err;

	(void) state;
	assert_int_equal(folder_at("a/b//c", &err), 0);
	assert_int_equal(folder_at("a/b/c/", &err), 0);
	put("open", 0777, geteuid());
	assert_int_equal(folder_at("open/x", &err), -1);
	assert_int_equal(errno, EPERM);
	assert_non_null(strstr(err.text, "open can be changed by others"));
	put("sticky", 01777, geteuid());
	assert_int_equal(folder_at("sticky/x", &err), 0);
	assert_int_equal(folder_at("sticky", &err), -1);	/* as the last one it is not ours alone */
	put_link("link", "a/b", geteuid());
	assert_int_equal(folder_at("link/../b/d", &err), 0);
	assert_int_equal(folder_at("a/b/d", &err), 0);
	put_link("round", "round", geteuid());
	assert_int_equal(folder_at("round/x", &err), -1);
	assert_int_equal(errno, ELOOP);
	assert_int_equal(folder_at("straggler.conf/x", &err), -1);
	assert_int_equal(errno, ENOTDIR);
	assert_int_equal(folder_make("relative", geteuid(), &err), -1);
	if (geteuid() != 0)
		return;
	put("theirs", 0755, 4711);
	assert_int_equal(folder_at("theirs/x", &err), -1);
	assert_int_equal(errno, EPERM);
	put_link("sticky/bait", "/etc", 4711);
	assert_int_equal(folder_at("sticky/bait/wt-test", &err), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(access("/etc/wt-test", F_OK), -1);
}

static void nap(void)
{
	wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + 50000);
}

/* The node's agents, by what they were started with. */
static int agents_count(const char *node)
{
	DIR *dir = __real_opendir("/proc");
	struct dirent *entry;
	int count = 0;

	while ((entry = readdir(dir))) {
		char path[300], text[512] = "";
		ssize_t len;
		int fd;

		snprintf(path, sizeof(path), "/proc/%s/cmdline", entry->d_name);
		fd = open(path, O_RDONLY);
		len = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
		if (fd >= 0)
			close(fd);
		for (ssize_t i = 0; i < len; i++)
			text[i] = text[i] ? text[i] : ' ';
		if (!strstr(text, "wt-agentd") || !strstr(text, folder) || !strstr(text, node))
			continue;
		count++;
	}
	closedir(dir);
	return count;
}

static bool agents_become(const char *node, int want)
{
	for (int i = 0; i < 2400; i++) {
		if (agents_count(node) == want)
			return true;
		nap();
	}
	return false;
}

/* The process that holds the lock of the one that works: proc (5), locks. */
static pid_t agent_at_work(const char *node)
{
	char path[PATH_MAX], line[256], inode[32];
	struct stat st;
	pid_t found = 0;
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s/agent", folder, node);
	if (stat(path, &st) < 0)
		return 0;
	snprintf(inode, sizeof(inode), ":%lu ", (unsigned long) st.st_ino);
	in = fopen("/proc/locks", "r");
	while (in && !found && fgets(line, sizeof(line), in)) {
		if (strstr(line, "FLOCK") && strstr(line, inode) && !strstr(line, "->"))
			sscanf(line, "%*d: %*s %*s %*s %d", &found);
	}
	if (in)
		fclose(in);
	return found;
}

static void test_two_agents_for_a_node(void **state)
{
	struct spank_stepd stepds[6];
	struct wt_error err;
	pid_t first, now;

	(void) state;
	for (int i = 0; i < 6; i++) {
		assert_int_equal(stepd_begin(&stepds[i], "n4", 20 + i, AGENT, "on", &err), 0);
		assert_true(agents_become("n4", i == 0 ? 1 : 2));
	}
	first = agent_at_work("n4");
	assert_true(first > 0);
	assert_int_equal(kill(first, SIGKILL), 0);		/* the other one goes on, with one more beside it */
	for (int i = 0; i < 600 && ((now = agent_at_work("n4")) == first || now == 0); i++)
		nap();
	assert_true(now > 0 && now != first);
	assert_true(agents_become("n4", 2));
	for (int i = 0; i < 6; i++)
		stepd_close(&stepds[i]);
	assert_true(agents_become("n4", 0));
	for (int i = 0; i < 6; i++)
		assert_int_equal(access(stepds[i].path, F_OK), -1);
}

static void test_an_agent_inherits_no_files(void **state)
{
	char agent[PATH_MAX], list[PATH_MAX], text[256];
	struct rlimit limit;
	struct spank_stepd stepd;
	struct wt_error err;
	struct stat st;
	FILE *file;

	(void) state;
	snprintf(agent, sizeof(agent), "%s/agent", folder);
	snprintf(list, sizeof(list), "%s/list", folder);
	file = fopen(agent, "w");
	fprintf(file, "#!/bin/sh\nls /proc/$$/fd >%s.new && mv %s.new %s\n", list, list, list);
	fclose(file);
	assert_int_equal(chmod(agent, 0755), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = limit.rlim_max < 4096 ? limit.rlim_max : 4096;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(dup2(0, (int) limit.rlim_cur - 1), (int) limit.rlim_cur - 1);
	assert_int_equal(stepd_begin(&stepd, "n5", 9, agent, "on", &err), 0);
	close((int) limit.rlim_cur - 1);
	for (int i = 0; i < 600 && stat(list, &st) < 0; i++)
		nap();
	file = fopen(list, "r");
	assert_non_null(file);
	while (fgets(text, sizeof(text), file))		/* a shell keeps its script open, as 10 or 255 */
		assert_true(atoi(text) < 256);
	fclose(file);
	stepd_close(&stepd);
}

static double seconds_until_given_up(struct spank_stepd *s, int status)
{
	int64_t began_us = wt_clock_monotonic_us();

	stepd_failed(s, status);
	return (double) (wt_clock_monotonic_us() - began_us) / 1e6;
}

/* No process listens at the port, and there is no munged. */
static void test_nobody_answers(void **state)
{
	struct spank_stepd stepd;
	struct wt_error err;
	double seconds;

	(void) state;
	assert_int_equal(stepd_begin(&stepd, "n6", 9, "/bin/true", "on", &err), 0);
	assert_true(seconds_until_given_up(&stepd, SIGTERM) < 10);	/* it is cancelled: there is no question */
	seconds = seconds_until_given_up(&stepd, 1 << 8);
	assert_true(seconds >= 10 && seconds < 60);
	stepd_close(&stepd);
}

static int asked_about_job;

static bool over_yes(uint32_t job_id)
{
	asked_about_job += job_id == 9;
	return true;
}

static bool over_no(uint32_t job_id)
{
	asked_about_job += job_id == 9;
	return false;
}

/* A slurmctld that does not answer. */
static sem_t over_go;

static bool over_hangs(uint32_t job_id)
{
	(void) job_id;
	while (sem_wait(&over_go) < 0)
		;
	return true;
}

/* slurmctld has ended the job, and its script has caught that, or was killed: neither is a question put, which here
 * nobody answers, nor is a command waited for that publishes. */
static void test_no_question_after_a_cancel(void **state)
{
	static const int statuses[] = { 3 << 8, SIGKILL };
	struct spank_stepd stepd;
	struct wt_error err;
	int publishes;

	(void) state;
	assert_int_equal(stepd_begin(&stepd, "n13", 9, "/bin/true", "on", &err), 0);
	publishes = publish_lock(stepd.path, 0);
	assert_true(publishes >= 0);
	stepd.is_over = over_yes;
	for (int i = 0; i < 2; i++)
		assert_true(seconds_until_given_up(&stepd, statuses[i]) < 50);	/* what publishes may take 60 */
	assert_int_equal(asked_about_job, 2);
	publish_unlock(publishes);
	stepd.is_over = over_no;
	assert_true(seconds_until_given_up(&stepd, statuses[1]) >= 10);
	assert_int_equal(asked_about_job, 3);
	stepd_close(&stepd);
}

static void test_slurmctld_hangs(void **state)
{
	struct spank_stepd stepd;
	struct wt_error err;
	double seconds;

	(void) state;
	assert_int_equal(sem_init(&over_go, 0, 0), 0);
	assert_int_equal(stepd_begin(&stepd, "n14", 9, "/bin/true", "on", &err), 0);
	stepd.is_over = over_hangs;
	seconds = seconds_until_given_up(&stepd, 3 << 8);
	assert_true(seconds >= 10 && seconds < 60);
	sem_post(&over_go);
	stepd_close(&stepd);
}

/* False when the machine stalled in between. */
static bool two_looks_within_a_window(struct gather *gather)
{
	int64_t began_us;
	struct wt_error err;

	for (int i = 0; i < 4; i++)			/* a window is 0.1 s: the next one has begun */
		nap();
	began_us = wt_clock_monotonic_us();
	proc_looks = 0;
	gather_look(gather, &err);
	gather_look(gather, &err);
	return wt_clock_monotonic_us() - began_us < 100000;
}

static void test_one_look_at_all_processes_a_window(void **state)
{
	struct spank_stepd stepds[5];
	char conf_path[64], directory[64];
	struct straggler_conf conf;
	struct gather *gather;
	struct wt_error err;

	(void) state;
	for (int i = 0; i < 5; i++) {
		assert_int_equal(stepd_begin(&stepds[i], "n7", 30 + i, "/bin/true", "cpu=10", &err), 0);
		stepd_started(&stepds[i], getpid());
	}
	snprintf(conf_path, sizeof(conf_path), "%s/straggler.conf", folder);
	snprintf(directory, sizeof(directory), "%s/n7", folder);
	assert_int_equal(straggler_conf_read(&conf, conf_path, NULL), 0);
	gather = gather_create(&conf, directory, "n7", NULL);
	gather_look(gather, &err);			/* announces them */
	for (int i = 0; i < 100 && !two_looks_within_a_window(gather); i++)
		;
	assert_int_equal(proc_looks, 1);
	gather_destroy(gather);
	for (int i = 0; i < 5; i++)
		stepd_close(&stepds[i]);
}

/* A task's only report is lost, with slurmctld's answer or without any: it is sent again. */
static void test_reports_what_was_lost_again(void **state)
{
	for (int silent = 0; silent < 2; silent++) {
		struct spank_stepd stepd;
		char conf_path[64], directory[64];
		struct straggler_conf conf;
		struct gather *gather;
		struct wt_error err;

		(void) state;
		assert_int_equal(stepd_begin(&stepd, "n10", 9, "/bin/true", "on", &err), 0);
		snprintf(conf_path, sizeof(conf_path), "%s/straggler.conf", folder);
		snprintf(directory, sizeof(directory), "%s/n10", folder);
		assert_int_equal(straggler_conf_read(&conf, conf_path, NULL), 0);
		gather = gather_create(&conf, directory, "n10", NULL);
		setenv("WT_PROGRESS_FILE", stepd.path, 1);
		assert_int_equal(wt_progress(.25), 0);
		memset(&channel_fake, 0, sizeof(channel_fake));
		channel_fake.set = true;
		*(silent ? &channel_fake.lose : &channel_fake.fail) = 1;
		for (int i = 0; i < 100 && channel_fake.progress != .25; i++) {
			gather_look(gather, &err);
			nap();
		}
		assert_true(channel_fake.progress == .25);
		for (int i = 0; i < 8; i++) {	/* and not once more */
			unsigned int arrived = channel_fake.arrived;

			nap();
			gather_look(gather, &err);
			assert_true(channel_fake.arrived == arrived);
		}
		channel_fake.set = false;
		unsetenv("WT_PROGRESS_FILE");
		gather_destroy(gather);
		stepd_close(&stepd);
	}
}

static void burn_s(double seconds)
{
	volatile double x = 1;
	clock_t end = clock() + (clock_t) (seconds * CLOCKS_PER_SEC);

	while (clock() < end)
		x *= 1.0000001;
}

/* Uses its share of CPU time, says so, and waits until no process can write into 'go' any more. */
static void burner(int ready, int go)
{
	char byte = 0;

	setpgid(0, 0);
	burn_s(.1);
	_exit(write(ready, &byte, 1) != 1 || read(go, &byte, 1) != 0);
}

/* As slurmstepd does: the script is in its session, but in a process group of its own, which a child of the script's may
 * leave. */
static int script_measure(void)
{
	int ready[2], go[2];
	double used_s;
	char byte;
	struct cputimes *times;
	pid_t script;

	setsid();
	if (pipe(ready) < 0 || pipe(go) < 0)
		return 1;
	script = fork();
	if (script == 0) {
		close(go[1]);
		if (fork() == 0)
			burner(ready[1], go[0]);
		burner(ready[1], go[0]);
	}
	burn_s(.4);		/* slurmstepd's own is not the task's */
	if (read(ready[0], &byte, 1) != 1 || read(ready[0], &byte, 1) != 1)
		return 2;
	times = cputimes_read();
	used_s = cputime_s(times, script);
	cputimes_free(times);
	close(go[1]);
	times = waitpid(script, NULL, 0) == script ? cputimes_read() : NULL;
	if (!times || cputime_s(times, script) != 0 || cputime_s(NULL, getpid()) != 0)
		return 3;
	cputimes_free(times);
	return used_s > .15 && used_s < .35 ? 0 : 4;
}

static void test_cputime(void **state)
{
	pid_t stepd = fork();
	int status;

	(void) state;
	if (stepd == 0)
		_exit(script_measure());
	assert_int_equal(waitpid(stepd, &status, 0), stepd);
	assert_int_equal(status, 0);
}

/* This program as an agent: whether it may be ended by SIGTERM is a byte of a file beside its configuration. */
static int agent_play(const char *conf_path)
{
	char fresh[PATH_MAX], path[PATH_MAX];
	sigset_t blocked;
	int fd;

	snprintf(fresh, sizeof(fresh), "%s.fresh", conf_path);
	snprintf(path, sizeof(path), "%s.blocked", conf_path);
	fd = open(fresh, O_WRONLY | O_CREAT, 0600);
	if (fd < 0 || sigprocmask(SIG_SETMASK, NULL, &blocked) < 0 ||
	    write(fd, sigismember(&blocked, SIGTERM) ? "y" : "n", 1) != 1)
		return 1;
	return close(fd) < 0 || rename(fresh, path) < 0;
}

/* slurmstepd blocks nearly all signals; its agent is to end when the node is shut down. */
static void test_an_agent_can_be_ended(void **state)
{
	char self[PATH_MAX] = "", path[96], word = 0;
	struct spank_stepd stepd;
	sigset_t term, before;
	struct wt_error err;
	int fd = -1;

	(void) state;
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	snprintf(path, sizeof(path), "%s/straggler.conf.blocked", folder);
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	assert_int_equal(sigprocmask(SIG_BLOCK, &term, &before), 0);
	assert_int_equal(stepd_begin(&stepd, "n12", 9, self, "on", &err), 0);
	assert_int_equal(sigprocmask(SIG_SETMASK, &before, NULL), 0);
	for (int i = 0; i < 6000 && (fd = open(path, O_RDONLY)) < 0; i++)
		wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + 20000);
	assert_int_equal(read(fd, &word, 1), 1);
	close(fd);
	assert_int_equal(word, 'n');
	stepd_close(&stepd);
}

static int top_make(void **state)
{
	(void) state;
	return mkdtemp(folder) ? 0 : -1;
}

static int top_remove(void **state)
{
	char command[64];

	(void) state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record),
		cmocka_unit_test(test_life), cmocka_unit_test(test_two_starts), cmocka_unit_test(test_not_followed),
		cmocka_unit_test(test_foreign_folder), cmocka_unit_test(test_cputime),
		cmocka_unit_test(test_folders_on_the_way), cmocka_unit_test(test_two_agents_for_a_node),
		cmocka_unit_test(test_an_agent_inherits_no_files), cmocka_unit_test(test_nobody_answers),
		cmocka_unit_test(test_no_question_after_a_cancel), cmocka_unit_test(test_slurmctld_hangs),
		cmocka_unit_test(test_an_agent_can_be_ended),
		cmocka_unit_test(test_one_look_at_all_processes_a_window),
		cmocka_unit_test(test_reports_what_was_lost_again),
	};

	if (argc > 2 && !strcmp(argv[1], "--conf"))
		return agent_play(argv[2]);
	return cmocka_run_group_tests_name("files", tests, top_make, top_remove);
}
