/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plugins/straggler/spank/agent_locks.h"
#include "straggler/protocol/ask.h"
#include "straggler/protocol/publish_lock.h"
#include "straggler/protocol/straggler_conf_watch.h"
#include "plugins/straggler/spank/folder.h"
#include "plugins/straggler/spank/stepd.h"
#include "lib/clock.h"

#define CONF_WAIT_MS 2000	/* for a file that is being replaced */
#define ASK_MS 2000
#define AGAIN_US 1000000
#define OVER_US 8000000		/* for slurmctld's word on whether it has ended the job; part of SILENT_US */
#define LOOK_US 10000
/* without an answer until a failed task ends nevertheless: no further question is put then */
#define SILENT_US 10000000
#define PUBLISH_US 60000000	/* for what still publishes when its script has failed */

static int files_make(struct spank_stepd *s, uid_t uid, double cpu_s, struct wt_error *errp)
{
	struct progress_record record = { .job_id = s->job_id, .restart = PROGRESS_NO_RESTART,
					  .start_us = wt_clock_monotonic_us(), .cpu_s = cpu_s };
	int fd;

	/* A file of this name can only be left of a slurmstepd that was killed, and drew the same number. */
	unlink(s->path);
	s->lock_fd = open(s->lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	/* Before the file is there: an agent that found it without a lock would take it for one that was left behind. */
	if (s->lock_fd < 0 || flock(s->lock_fd, LOCK_EX | LOCK_NB) < 0)
		return wt_error_errno(errp, errno, "%s", s->lock_path);
	fd = open(s->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return wt_error_errno(errp, errno, "%s", s->path);
	if (uid != geteuid() && fchown(fd, uid, (gid_t) -1) < 0) {
		close(fd);
		return wt_error_errno(errp, errno, "%s", s->path);
	}
	close(fd);
	return progress_write(s->path, &record, errp);
}

static void agent_exec(const struct spank_stepd *s, const char *agent, const char *directory, const char *node)
{
	char log[PATH_MAX + 16];
	sigset_t none;
	int fd;

	/* slurmstepd blocks SIGTERM and others from its start on, and a blocked signal stays so in a new program: the agent
	 * could only be killed, and would hold up the node's shutdown. */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	snprintf(log, sizeof(log), "%s/agent.log", directory);
	fd = open("/dev/null", O_RDWR);
	dup2(fd, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0644);
	dup2(fd, STDERR_FILENO);
	/* slurmstepd's sockets and the job's pipes: a process that waits for their end would wait for the agent's. */
	close_range(3, ~0U, 0);
	execl(agent, agent, "--conf", s->conf_path, "--node", node, (char *) NULL);
	_exit(127);
}

/* Unless the node has its two.  Twice forked, so that it is no process' child here and outlives this job if there are
 * others. */
static int agent_start(const struct spank_stepd *s, const char *agent, const char *directory, const char *node,
		       struct wt_error *errp)
{
	int status = 0;
	pid_t pid;

	if (access(agent, X_OK) < 0)
		return wt_error_errno(errp, errno, "%s", agent);
	/* After the job's file was made: an agent that ends now looks at the folder once more (agent_locks.h). */
	if (agent_locks_held(directory))
		return 0;
	pid = fork();
	if (pid < 0)
		return wt_error_errno(errp, errno, "fork");
	if (pid == 0) {
		setsid();
		if (fork() == 0)
			agent_exec(s, agent, directory, node);
		_exit(0);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return 0;
}

int stepd_open(struct spank_stepd *s, const char *conf, const char *agent, const char *node, uid_t uid,
	       const char *policy_text, struct wt_error *errp)
{
	struct wt_spec_policy policy = wt_spec_defaults().policy;
	char directory[PATH_MAX], name[PROGRESS_NAME_MAX], host[256];

	if (getrandom(&s->start.instance, sizeof(s->start.instance), 0) != sizeof(s->start.instance))
		return wt_error_errno(errp, errno, "getrandom");
	if (gethostname(host, sizeof(host)) < 0)
		return wt_error_errno(errp, errno, "gethostname");
	host[strcspn(host, ".")] = '\0';
	node = *node ? node : host;
	straggler_conf_path(getenv("SLURM_CONF"), s->conf_path);
	if (conf)
		snprintf(s->conf_path, sizeof(s->conf_path), "%s", conf);
	if (straggler_conf_read_patiently(&s->conf, s->conf_path, CONF_WAIT_MS, errp) < 0 ||
	    wt_spec_policy_parse(policy_text, &policy, errp) < 0 ||
	    straggler_conf_directory(&s->conf, node, directory, sizeof(directory) - PROGRESS_NAME_MAX - 8, errp) < 0 ||
	    folder_make(directory, s->conf.owner, errp) < 0)
		return -1;
	s->uid = uid;
	s->start.restart = PROGRESS_NO_RESTART;
	progress_name(name, s->job_id, (uint32_t) s->start.instance);
	if (snprintf(s->path, sizeof(s->path), "%s/%s", directory, name) >= (int) sizeof(s->path) ||
	    snprintf(s->lock_path, sizeof(s->lock_path), "%s/%s.lock", directory, name) >= (int) sizeof(s->lock_path))
		return wt_error_errno(errp, ENAMETOOLONG, "%s", directory);
	if (files_make(s, uid, policy.cpu_s, errp) == 0 &&
	    agent_start(s, agent ? agent : WT_AGENT, directory, node, errp) == 0)
		return 0;
	stepd_close(s);
	return -1;
}

void stepd_started(struct spank_stepd *s, pid_t pid)
{
	struct progress_record record;

	if (progress_read(s->path, &record, NULL) < 0)
		return;
	record.pid = (uint32_t) pid;
	/* From here on, not from slurmstepd's own start: prologs and the like are no part of the task. */
	record.start_us = wt_clock_monotonic_us();
	progress_write(s->path, &record, NULL);
}

void stepd_restart(struct spank_stepd *s, uint32_t restart)
{
	struct progress_record record;

	s->start.restart = restart;
	if (progress_read(s->path, &record, NULL) < 0 || record.restart == restart)
		return;
	record.restart = restart;
	progress_write(s->path, &record, NULL);
}

void stepd_ended(struct spank_stepd *s)
{
	struct progress_record record;

	if (progress_read(s->path, &record, NULL) < 0)
		return;
	record.elapsed_us = wt_clock_monotonic_us() - record.start_us;
	record.ended = 1;
	progress_write(s->path, &record, NULL);
}

/* What the thread that asks slurmctld shares with the one that waits for it; the last of the two frees it. */
struct over {
	bool (*is_over)(uint32_t job_id);
	uint32_t job_id;
	atomic_int said;	/* -1: nothing yet */
	atomic_int users;
};

static void over_leave(struct over *over)
{
	if (atomic_fetch_sub(&over->users, 1) == 1)
		free(over);
}

static void *over_ask(void *arg)
{
	struct over *over = arg;

	atomic_store(&over->said, over->is_over(over->job_id));
	over_leave(over);
	return NULL;
}

/* A slurmctld that does not answer is not waited for: then nothing is known. */
static bool over_find(const struct spank_stepd *s)
{
	int64_t until_us = wt_clock_monotonic_us() + OVER_US;
	struct over *over = s->is_over ? malloc(sizeof(*over)) : NULL;
	pthread_t thread;
	bool said;

	if (!over)
		return false;
	*over = (struct over) { .is_over = s->is_over, .job_id = s->job_id, .said = -1, .users = 2 };
	if (pthread_create(&thread, NULL, over_ask, over) != 0) {
		free(over);
		return false;
	}
	pthread_detach(thread);
	while (atomic_load(&over->said) < 0 && wt_clock_monotonic_us() < until_us)
		wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + LOOK_US);
	said = atomic_load(&over->said) > 0;
	over_leave(over);
	return said;
}

/* A job that is cancelled, preempted or out of time is sent SIGTERM first: nothing is to make up for that.  Its script may
 * catch that, and fail, or live on until SIGKILL, which otherwise may be the kernel's, for want of memory: then
 * slurmctld knows. */
static bool is_cancelled(const struct spank_stepd *s, int status)
{
	return (WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) || over_find(s);
}

/* Silent since 'heard_us'. */
static void death_tell(struct spank_stepd *s, int status, int64_t heard_us)
{
	static struct port_message message;
	struct ask a = { .conf = &s->conf, .fd = -1 };

	message = (struct port_message) { .kind = PORT_EXIT, .job_id = s->job_id, .status = status };
	start_put(&s->start, &message);
	do {
		struct port_reply reply;
		ssize_t got = getrandom(&message.nonce, sizeof(message.nonce), 0);
		int rc;

		(void) got;
		rc = ask(&a, &message, ASK_MS, &reply, NULL);
		/* Only silence has an end: as long as slurmctld says that a copy is to decide, the job is held. */
		if (rc == 0 && reply.code == PORT_WAIT)
			heard_us = wt_clock_monotonic_us();
		else if (rc == 0 && reply.code != PORT_BUSY)
			break;
		wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + AGAIN_US);
	} while (wt_clock_monotonic_us() - heard_us < SILENT_US);
	ask_end(&a);
}

/* A command that asks for the right while slurmctld is told waits for the lock, and then asks for a dead start. */
void stepd_failed(struct spank_stepd *s, int status)
{
	int64_t began_us = wt_clock_monotonic_us(), took_us;
	int fd;

	if (is_cancelled(s, status))
		return;
	took_us = wt_clock_monotonic_us() - began_us;
	fd = publish_end(s->path, s->uid, wt_clock_monotonic_us() + PUBLISH_US);
	/* With the lock still ours: nothing of this start can begin to publish after slurmctld has heard that it is
	 * dead. */
	death_tell(s, status, wt_clock_monotonic_us() - took_us);
	if (fd >= 0)
		close(fd);
}

void stepd_close(struct spank_stepd *s)
{
	int saved_errno = errno, fd;

	if (s->lock_fd >= 0) {
		fd = publish_end(s->path, s->uid, 0);
		close(s->lock_fd);	/* the agent sees it, tells the end and removes the files */
		if (fd >= 0)
			close(fd);
	}
	s->lock_fd = -1;
	errno = saved_errno;
}
