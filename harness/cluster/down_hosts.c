/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of a cluster on its other hosts, when their parts have not said that they ended: they were killed, or cut off. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/cluster/cluster_private.h"
#include "harness/cluster/conf/allocation.h"
#include "harness/cluster/folder/hosts_json.h"
#include "harness/cluster/folder/slurmenv.h"
#include "lib/clock.h"
#include "lib/other_program.h"
#include "lib/str.h"

#define ENGINE_WAIT_US ((int64_t) 60 * 1000000)	/* for all hosts, at the same time */
#define POLL_US 20000
#define ANSWER_BYTES_MAX 4096
#define SAID_BYTES_MAX ((off_t) 1 << 20)	/* by all engines */

struct host_ask {
	const struct wt_host_state *host;
	pid_t pid;		/* of the engine; 0: it has ended, or could not be started */
	bool done;		/* nothing is left there */
};

static char **argv_make(const struct wt_clusterinfo *info, const char *host, const char *program)
{
	const char *const words[] = { host, program, "cluster", "host", "--end", info->name, host, info->uuid };
	/* The first host is this machine: no engine is needed, but what a job has on its nodes are its steps. */
	bool here = !strcmp(host, info->hosts.list[0].name) && !info->allocation_count;
	size_t before = here ? 0 : info->engine_count, n = 0;
	char **argv = calloc(before + sizeof(words) / sizeof(words[0]) + 1, sizeof(*argv));

	for (size_t i = 0; argv && i < before; i++)
		argv[n++] = info->engine[i];
	for (size_t i = here ? 1 : 0; argv && i < sizeof(words) / sizeof(words[0]); i++)
		argv[n++] = (char *) words[i];
	return argv;
}

static void ask_begin(const struct wt_clusterinfo *info, const char *program, const char *log, char *const *env,
		      struct host_ask *ask)
{
	char **argv = argv_make(info, ask->host->name, program);
	posix_spawn_file_actions_t files;

	if (!argv || posix_spawn_file_actions_init(&files) != 0) {
		free(argv);
		return;
	}
	if (posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0) != 0 ||
	    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0644) != 0 ||
	    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO) != 0 ||
	    posix_spawn(&ask->pid, argv[0], &files, NULL, argv, env) != 0)
		ask->pid = 0;
	posix_spawn_file_actions_destroy(&files);
	free(argv);
}

/* Has it ended?  With 'kill' it has. */
static bool ask_look(struct host_ask *ask, bool end)
{
	int status = 0;
	pid_t pid;

	if (ask->pid == 0)
		return true;
	if (end)
		kill(ask->pid, SIGKILL);
	do
		pid = waitpid(ask->pid, &status, end ? 0 : WNOHANG);
	while (pid < 0 && errno == EINTR);
	if (pid == 0)
		return false;
	ask->done = pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
	ask->pid = 0;
	return true;
}

static off_t bytes_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? st.st_size : 0;
}

/* An engine that talks without end must not fill the disk. */
static void asks_wait(struct host_ask *asks, size_t count, const char *log)
{
	const struct wt_clock *clock = wt_clock_real();
	int64_t end_us = wt_clock_now_us(clock) + ENGINE_WAIT_US;
	off_t most = bytes_of(log) + SAID_BYTES_MAX;
	bool all = false;

	while (!all) {
		bool late = wt_clock_now_us(clock) > end_us || bytes_of(log) > most;

		all = true;
		for (size_t i = 0; i < count; i++)
			all = ask_look(&asks[i], late) && all;
		if (!all)
			wt_clock_sleep_until_us(clock, wt_clock_now_us(clock) + POLL_US);
	}
}

static int asks_judge(const struct host_ask *asks, size_t count, const char *name, const char *log, struct wt_error *errp)
{
	struct wt_str hosts = { 0 };
	char *text;

	for (size_t i = 0; i < count; i++)
		if (!asks[i].done)
			wt_str_printf(&hosts, "%s%s", hosts.len ? ", " : "", asks[i].host->name);
	if (!hosts.len)
		return 0;
	text = wt_str_take(&hosts);
	wt_error_set(errp, EHOSTUNREACH,
			   "these hosts could not be asked whether something is left there: %s; a part that lives ends "
		     "by itself within two minutes, and the next cluster '%s' there ends all (%s)", text ? text : "?", name,
		     log);
	free(text);
	errno = EHOSTUNREACH;
	return -1;
}

static int states_end(const struct wt_clusterinfo *info, const struct wt_host_state *states, size_t count, const char *log,
		      struct wt_error *errp)
{
	struct host_ask *asks = calloc(count + 1, sizeof(*asks));
	char **env = wt_slurmenv_clean(), program[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);
	size_t asked = 0;
	int rc;

	if (!asks || !env || len < 0) {
		free(asks);
		free(env);
		return wt_error_errno(errp, len < 0 ? errno : ENOMEM, "hosts");
	}
	program[len] = '\0';
	for (size_t i = 0; i < count; i++) {
		if (states[i].phase == WT_HOST_NONE || states[i].phase == WT_HOST_ENDED)
			continue;
		asks[asked].host = &states[i];
		ask_begin(info, program, log, env, &asks[asked++]);
	}
	asks_wait(asks, asked, log);
	rc = asks_judge(asks, asked, info->name, log, errp);
	free(asks);
	free(env);
	return rc;
}

/* Slurm ends all that its jobs have on their nodes: on those of one that has ended nothing is left to be asked for. */
static bool allocation_has_ended(const struct wt_clusterinfo *info)
{
	char **env = info->allocation_count ? wt_slurmenv_clean() : NULL, *said = NULL;
	int status = env ? wt_program_ask(info->allocation, env, ANSWER_BYTES_MAX, &said, NULL) : -1;
	bool ended = status >= 0 && wt_allocation_has_ended(status, said);

	free(said);
	free(env);
	return ended;
}

int wt_cluster_hosts_end(const char *path, struct wt_error *errp)
{
	struct wt_clusterinfo info;
	struct wt_host_state *states;
	size_t count;
	char *log;
	int rc = 0;

	if (wt_clusterinfo_load(path, &info, NULL) < 0)
		return 0;
	log = info.hosts.count && !info.part ? wt_clusterinfo_path(&info, "hosts.log") : NULL;
	/* Without it nothing was started on any host. */
	if (log && wt_hosts_json_load(path, &states, &count, NULL) == 0) {
		rc = allocation_has_ended(&info) ? 0 : states_end(&info, states, count, log, errp);
		free(states);
	}
	free(log);
	wt_clusterinfo_clear(&info);
	return rc;
}
