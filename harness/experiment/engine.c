/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/experiment/engine_private.h"
#include "lib/clock.h"
#include "lib/fs.h"
#include "lib/str.h"

static double now_s(void)
{
	return wt_clock_wall_us() / 1e6;
}

/* sysinfo () does not count the page cache as free: rather too few runs at once than one that the kernel kills. */
static unsigned int jobs_here(const struct experiment_plan *plan)
{
	struct sysinfo info;
	double free_mib = 0;

	if (sysinfo(&info) == 0)
		free_mib = ((double) info.freeram + (double) info.bufferram) * info.mem_unit / (1 << 20);
	return engine_jobs(plan, (unsigned int) fmax(1, (double) sysconf(_SC_NPROCESSORS_ONLN)), free_mib);
}

/* In the child: its own process group, so that a terminal's Ctrl-C reaches it through us, once. */
static void child_begin(const struct engine *g, const char *log, char **argv, pid_t parent)
{
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC), out = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigprocmask(SIG_SETMASK, &g->before, NULL);
	/* getppid () after prctl (): a parent that died before it sends no signal. */
	if (in < 0 || out < 0 || dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(out, STDERR_FILENO) < 0 || getppid() != parent)
		_exit(126);
	execv("/proc/self/exe", argv);
	_exit(127);
}

static int run_begin(struct engine *g, struct run_slot *slot, size_t case_index, unsigned int number, struct wt_error *errp)
{
	char **argv = engine_command(g, case_index, number), *log = engine_run_log(g, case_index, number);
	pid_t parent = getpid();
	int rc = 0;

	if (!argv || !log) {
		rc = wt_error_errno(errp, ENOMEM, "%s", g->dir);
		goto out;
	}
	*slot = (struct run_slot){ .case_index = case_index, .number = number, .began_s = now_s() };
	slot->pid = fork();
	if (slot->pid == 0)
		child_begin(g, log, argv, parent);
	if (slot->pid < 0) {
		slot->pid = 0;
		rc = wt_error_errno(errp, errno, "fork");
		goto out;
	}
	/* Here and in the child: whichever of the two comes first, the group is there before a signal is handed on. */
	setpgid(slot->pid, slot->pid);
	g->busy++;
out:
	engine_command_free(argv);
	free(log);
	return rc;
}

static int run_end(struct engine *g, struct run_slot *slot, int status, struct wt_error *errp)
{
	slot->pid = 0;
	g->busy--;
	if (g->signals) /* it was ended by us, or is run again with --resume */
		return 0;
	return engine_run_note(g, slot->case_index, slot->number,
			       WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), now_s() - slot->began_s, errp);
}

static int ended_collect(struct engine *g, struct wt_error *errp)
{
	int status, rc = 0;
	pid_t pid;

	while (rc == 0 && g->busy && (pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (unsigned int i = 0; i < g->slot_count; i++)
			if (g->slots[i].pid == pid)
				rc = run_end(g, &g->slots[i], status, errp);
	return rc;
}

/* A run ends its cluster when it is asked once, and hurries when asked again. */
static void signal_hand_on(struct engine *g)
{
	g->signals++;
	g->stop = true;
	g->result->interrupted = true;
	for (unsigned int i = 0; i < g->slot_count; i++)
		if (g->slots[i].pid)
			kill(g->slots[i].pid, SIGTERM);
}

/* Until a run has ended or a second has gone by. */
static int event_wait(struct engine *g, struct wt_error *errp)
{
	struct timespec second = { .tv_sec = 1 };
	int signum = sigtimedwait(&g->waited, NULL, &second);

	if (signum == SIGINT || signum == SIGTERM || signum == SIGHUP)
		signal_hand_on(g);
	engine_progress_show(&g->progress, g->busy);
	return ended_collect(g, errp);
}

static struct run_slot *slot_find(struct engine *g)
{
	for (unsigned int i = 0; i < g->slot_count; i++)
		if (!g->slots[i].pid)
			return &g->slots[i];
	return NULL;
}

/* 1: it has ended well before, and its folder says so, too. */
static int found_before(struct engine *g, size_t case_index, unsigned int number, struct wt_error *errp)
{
	int rc = experiment_index_done(g->index, g->plan->cases[case_index].folder, number, engine_seed(g, number), errp);
	struct wt_run_set set;

	if (rc != 1)
		return rc;
	/* The index may remember a run whose folder somebody has removed, or that was run again and failed: what is told of
	 * a case comes from its folders. */
	engine_figures_read(g, case_index, number, &set);
	rc = set.count > 0;
	wt_run_set_clear(&set);
	return rc;
}

static int case_begin(struct engine *g, size_t case_index, unsigned int number, struct wt_error *errp)
{
	int rc = found_before(g, case_index, number, errp);

	if (rc) {
		g->result->found += rc == 1;
		engine_progress_found(&g->progress);
		return rc < 0 ? -1 : 0;
	}
	if (g->options->on)
		return engine_array_add(g, case_index, number, errp);
	while (rc == 0 && !g->stop && !slot_find(g))
		rc = event_wait(g, errp);
	return rc < 0 || g->stop ? rc : run_begin(g, slot_find(g), case_index, number, errp);
}

static int all_wait(struct engine *g, struct wt_error *errp)
{
	int rc = 0, one, saved_errno = 0;

	if (g->options->on)
		return g->stop ? 0 : engine_array_wait(g, errp);
	while (g->busy) {
		one = event_wait(g, rc < 0 ? NULL : errp);
		if (one < 0 && rc == 0) {
			rc = -1;
			saved_errno = errno;
			signal_hand_on(g); /* what cannot be written down need not be run */
		}
	}
	if (rc < 0)	/* the first failure's, not that of a run which was ended for it */
		errno = saved_errno;
	return rc;
}

/* With a precision to be reached each round that can reach it ends before it is judged: otherwise the fast cases would
 * have more runs than the slow ones. */
static int round_run(struct engine *g, unsigned int number, struct wt_error *errp)
{
	for (size_t c = 0; c < g->plan->count && !g->stop; c++)
		if (g->plan->cases[c].wanted && case_begin(g, c, number, errp) < 0)
			return -1;
	if (!g->options->until || number < PRECISION_RUNS_MIN)
		return 0;
	return all_wait(g, errp);
}

/* The figure over runs 1 to 'rounds' of a case: what an interrupted call had begun of later rounds may not decide, as the
 * call that goes on has to end where an undisturbed one does.  0, also when none has ended well; or -1. */
static int precision_stats(const struct engine *g, size_t case_index, unsigned int rounds, struct wt_stats *stats,
			   struct wt_error *errp)
{
	char *dir = wt_str_format("%s/%s", g->dir, g->plan->cases[case_index].folder);
	struct wt_run_set set = { 0 };
	int rc = dir ? wt_run_set_read(&set, dir, errp) : wt_error_errno(errp, ENOMEM, "%s", g->dir);
	bool none = rc < 0 && errno == ENOENT;
	double *values = calloc(set.count + 1, sizeof(*values));
	size_t count = 0;

	for (size_t i = 0; rc == 0 && values && i < set.count; i++)
		if (set.runs[i].number <= rounds)
			values[count++] = set.runs[i].values[g->options->until->figure];
	rc = none ? 0 : rc;
	if (rc == 0 && values)
		wt_stats_compute(stats, values, count);
	else if (rc == 0)
		rc = wt_error_errno(errp, ENOMEM, "%s", g->dir);
	wt_run_set_clear(&set);
	free(values);
	free(dir);
	return rc;
}

/* Has each wanted case the precision?  Of a figure that a case does not have it never will, nor of a case whose runs all
 * failed. */
static int precision_look(const struct engine *g, unsigned int rounds, struct wt_error *errp)
{
	struct wt_stats stats;
	bool reached = true;

	for (size_t c = 0; c < g->plan->count; c++) {
		if (!g->plan->cases[c].wanted)
			continue;
		if (precision_stats(g, c, rounds, &stats, errp) < 0)
			return -1;
		if (!stats.count)
			g->result->unmeasured = g->plan->cases[c].name;
		reached = reached && precision_reached(g->options->until, &stats);
	}
	g->result->reached = reached;
	return 0;
}

static int rounds_run(struct engine *g, struct wt_error *errp)
{
	int rc = 0, saved_errno;

	for (unsigned int n = 1; rc == 0 && n <= g->options->repeat && !g->stop && !g->result->reached; n++) {
		if (g->result->unmeasured)
			break;
		rc = round_run(g, n, errp);
		if (rc == 0 && !g->stop)
			g->result->rounds = n;
		if (rc == 0 && g->options->until && n >= PRECISION_RUNS_MIN && !g->stop)
			rc = precision_look(g, n, errp);
	}
	if (rc == 0)
		return all_wait(g, errp);
	saved_errno = errno;
	signal_hand_on(g);
	all_wait(g, NULL);
	errno = saved_errno;
	return -1;
}

static int folder_make(const char *dir, const char *name, struct wt_error *errp)
{
	char *path = wt_str_format("%s/%s", dir, name);
	int rc = 0;

	if (!path)
		return wt_error_errno(errp, ENOMEM, "%s", dir);
	if (mkdir(path, 0777) < 0 && errno != EEXIST)
		rc = wt_error_errno(errp, errno, "%s", path);
	free(path);
	return rc;
}

static int folders_make(const struct engine *g, struct wt_error *errp)
{
	int rc = folder_make(g->dir, "logs", errp);

	for (size_t c = 0; rc == 0 && c < g->plan->count; c++)
		if (g->plan->cases[c].wanted)
			rc = folder_make(g->dir, g->plan->cases[c].folder, errp);
	return rc;
}

static void signals_block(struct engine *g)
{
	sigemptyset(&g->waited);
	/* SIGCHLD is blocked from before the first fork on: an end between a look and the wait is still pending, and
	 * wakes sigtimedwait (). */
	sigaddset(&g->waited, SIGCHLD);
	sigaddset(&g->waited, SIGINT);
	sigaddset(&g->waited, SIGTERM);
	sigaddset(&g->waited, SIGHUP);
	sigprocmask(SIG_BLOCK, &g->waited, &g->before);
}

/* Two would write the same folders. */
static int array_refuse(const char *dir, struct wt_error *errp)
{
	struct array_mark mark;
	int left = engine_array_left(dir, &mark, errp);

	if (left == 1)
		return wt_error_set(errp, EBUSY,
				    "%s: job array %s may still be at work on it: go on with --on slurm --resume, "
				    "or end the array and remove %s/array.json",
				    dir, *mark.id ? mark.id : mark.name, dir);
	return left;
}

int engine_run(const char *dir, const struct experiment *e, const struct experiment_plan *plan,
	       struct experiment_index *index, const struct engine_options *options, struct engine_result *result,
	       struct wt_error *errp)
{
	struct engine g = {
		.dir = dir,
		.experiment = e,
		.plan = plan,
		.index = index,
		.options = options,
		.result = result,
		.slot_count = options->jobs ? options->jobs : jobs_here(plan),
	};
	int rc, saved_errno;

	memset(result, 0, sizeof(*result));
	if (!options->on && array_refuse(dir, errp) < 0)
		return -1;
	if (folders_make(&g, errp) < 0)
		return -1;
	g.slots = calloc(g.slot_count, sizeof(*g.slots));
	if (!g.slots || engine_progress_init(&g.progress, plan, e, options, g.slot_count) < 0) {
		free(g.slots);
		return wt_error_errno(errp, ENOMEM, "%s", dir);
	}
	signals_block(&g);
	rc = rounds_run(&g, errp);
	saved_errno = errno;
	engine_progress_finish(&g.progress);
	sigprocmask(SIG_SETMASK, &g.before, NULL);
	free(g.slots);
	free(g.array_runs);
	errno = saved_errno;
	return rc;
}
