/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wt-clockd - the coordinator of one virtual clock: a process of its own, in real time. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "harness/clock/coordinator.h"
#include "lib/str.h"

#define WATCH_MAX 16
#define EXACT_EPOCH_S 1767225600	/* 2026-01-01T00:00:00Z */
#define STATS_ENV "WINDTUNNEL_CLOCK_STATS"	/* for a clock that "windtunnel" starts: as --stats */

struct clockd_options {
	struct coordinator_options c;
	const char *shm;
	pid_t watch[WATCH_MAX];
	int watch_count;
	bool watch_kernel;
	int64_t epoch_s;	/* 0: now */
	int64_t slack_ns;	/* clock_shm.h */
};

static volatile sig_atomic_t ending, closing;

static void end_soon(int sig)
{
	(void) sig;
	ending = 1;
}

static void close_soon(int sig)
{
	(void) sig;
	closing = 1;
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* The lock tells participants that we live; the kernel drops it when we do not.  The file that is returned holds it. */
static int make_file(const char *path, size_t size, mode_t mode, struct wt_error *errp)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return wt_error_errno(errp, errno, "cannot make the clock's memory %s", path);
	if (fchmod(fd, mode) < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0 || ftruncate(fd, (off_t) size) < 0) {
		wt_error_errno(errp, errno, "cannot make the clock's memory %s", path);
		unlink(path);
		close(fd);
		return -1;
	}
	return fd;
}

static void *map(int fd, size_t size, struct wt_error *errp)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (memory != MAP_FAILED)
		return memory;
	wt_error_errno(errp, errno, "cannot map the clock's memory");
	return NULL;
}

/* A whole second: what slurmctld truncates must not depend on when a run was begun.  Where runs repeat themselves it is the
 * same second in all of them: Slurm's backfill plans in whole minutes of the calendar (bf_resolution), slurmd spreads epilog
 * messages by the time modulo 1000 s, and reservations and fair shares know days and weeks. */
static int64_t begin_s(const struct clockd_options *o)
{
	if (o->epoch_s)
		return o->epoch_s;
	return o->c.advance.charge == WT_CHARGE_NONE ? EXACT_EPOCH_S : clock_ns(CLOCK_REALTIME) / 1000000000LL;
}

static struct wt_shm *map_file(int fd, const struct clockd_options *o, struct wt_error *errp)
{
	struct wt_shm *shm;

	shm = map(fd, sizeof(*shm), errp);
	if (!shm)
		return NULL;
	wt_shm_init(shm, o->c.advance.charge, o->c.charge_permille, begin_s(o) * 1000000000LL, clock_ns(CLOCK_MONOTONIC),
		    clock_ns(CLOCK_BOOTTIME));
	shm->slack_ns = o->slack_ns;
	shm->coordinator_pid = getpid();
	shm->wake_signal = SIGRTMAX - 1;
	return shm;
}

static error_t parse_charge(const char *arg, struct clockd_options *o, struct argp_state *state)
{
	char *end;
	double factor = 1;

	if (strcmp(arg, "none") == 0) {
		o->c.advance.charge = WT_CHARGE_NONE;
	} else if (strcmp(arg, "real") == 0) {
		o->c.advance.charge = WT_CHARGE_REAL;
	} else if (strncmp(arg, "cpu", 3) == 0 && (arg[3] == '\0' || arg[3] == ':')) {
		o->c.advance.charge = WT_CHARGE_CPU;
		if (arg[3] == ':')
			factor = strtod(arg + 4, &end);
		if (arg[3] == ':' && (end == arg + 4 || *end || !(factor > 0.001 && factor < 1000)))
			argp_error(state, "--charge cpu:FACTOR wants a number between 0.001 and 1000, not '%s'", arg + 4);
		o->c.charge_permille = factor * 1000 + 0.5;
	} else {
		argp_error(state, "--charge is none, real or cpu[:FACTOR], not '%s'", arg);
	}
	return 0;
}

static error_t parse_idle(const char *arg, struct clockd_options *o, struct argp_state *state)
{
	static const char *const names[] = { [WT_IDLE_REAL] = "real", [WT_IDLE_STAND] = "stand", [WT_IDLE_RUN] = "run" };

	for (int i = 0; i < 3; i++) {
		if (strcmp(arg, names[i]) == 0) {
			o->c.advance.idle = i;
			return 0;
		}
	}
	argp_error(state, "--idle is real, stand or run, not '%s'", arg);
	return EINVAL;
}

static int64_t parse_s(const char *arg, const char *what, struct argp_state *state)
{
	char *end;
	double s = strtod(arg, &end);

	if (end == arg || *end || !(s > 0 && s < 1e6))
		argp_error(state, "%s wants seconds, not '%s'", what, arg);
	return s * 1e9;
}

enum { KEY_SHM = 256, KEY_CHARGE, KEY_WATCH, KEY_KERNEL, KEY_STATS, KEY_IDLE, KEY_EPOCH, KEY_PATIENCE, KEY_JUMP_MAX,
       KEY_WHILE_USED, KEY_LOG, KEY_TIMER_SLACK };

static uint64_t parse_number(const char *arg, uint64_t max, const char *what, struct argp_state *state)
{
	struct wt_error err;
	uint64_t number = 0;

	if (wt_str_to_u64(arg, 1, max, what, &number, &err) < 0)
		argp_error(state, "%s", err.text);
	return number;
}

static error_t parse_watch(const char *arg, struct clockd_options *o, struct argp_state *state)
{
	if (o->watch_count == WATCH_MAX)
		argp_error(state, "--watch: no more than %d processes", WATCH_MAX);
	o->watch[o->watch_count++] = parse_number(arg, INT_MAX, "--watch", state);
	return 0;
}

/* What cannot be wrong. */
static error_t parse_plain(int key, char *arg, struct clockd_options *o)
{
	switch (key) {
	case KEY_SHM:
		o->shm = arg;
		break;
	case KEY_KERNEL:
		o->watch_kernel = true;
		break;
	case KEY_STATS:
		o->c.stats = arg;
		break;
	case KEY_LOG:
		o->c.log = arg;
		break;
	case KEY_WHILE_USED:
		o->c.while_used = true;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct clockd_options *o = state->input;

	switch (key) {
	case KEY_CHARGE:
		return parse_charge(arg, o, state);
	case KEY_WATCH:
		return parse_watch(arg, o, state);
	case KEY_IDLE:
		return parse_idle(arg, o, state);
	case KEY_EPOCH:
		o->epoch_s = parse_number(arg, UINT32_MAX, "--epoch", state);
		break;
	case KEY_PATIENCE:
		o->c.advance.patience_ns = parse_s(arg, "--patience", state);
		break;
	case KEY_TIMER_SLACK:
		o->slack_ns = parse_s(arg, "--timer-slack", state);
		break;
	case KEY_JUMP_MAX:
		o->c.advance.jump_max_ns = parse_s(arg, "--jump-max", state);
		break;
	case ARGP_KEY_END:
		if (!o->shm)
			argp_error(state, "--shm FILE is missing");
		if (o->slack_ns && o->c.advance.charge == WT_CHARGE_NONE)
			argp_error(state, "--timer-slack is not for --charge none: what happens would not repeat itself");
		break;
	default:
		return parse_plain(key, arg, o);
	}
	return 0;
}

static const struct argp_option argp_options[] = {
	{ "shm", KEY_SHM, "FILE", 0, "The clock's memory: made here, in /dev/shm for instance, and removed at the end", 0 },
	{ "charge", KEY_CHARGE, "none|real|cpu[:FACTOR]", 0, "What a busy controller costs in virtual time (default real)",
	  0 },
	{ "watch", KEY_WATCH, "PID", 0, "No jump while this process works (munged); may be repeated", 0 },
	{ "watch-kernel", KEY_KERNEL, NULL, 0, "Nor while the kernel's ksoftirqd threads work", 0 },
	{ "stats", KEY_STATS, "FILE", 0, "Write what was done, as JSON, once a second and at the end", 0 },
	{ "log", KEY_LOG, "FILE", 0,
	  "From the beginning on, messages go there as soon as its folder is there; standard output and error "
	  "are let go", 0 },
	{ "idle", KEY_IDLE, "real|stand|run", 0,
	  "What the clock does while no driver of an experiment takes part: run at the "
	  "machine's rate (default), stand, or jump all the same", 0 },
	{ "epoch", KEY_EPOCH, "S", 0, "Begin so many seconds after 1970 (default: the current whole second; "
		"with --charge none 1767225600, the first of 2026)", 0 },
	{ "patience", KEY_PATIENCE, "S", 0, "Go on at the machine's rate when the clock has stood for so long (default 0.5)",
	  0 },
	{ "timer-slack", KEY_TIMER_SLACK, "S", 0,
	  "Waits may end so much later than asked for, but no later than twice their length: many end at one jump", 0 },
	{ "jump-max", KEY_JUMP_MAX, "S", 0, "No single jump is longer", 0 },
	{ "while-used", KEY_WHILE_USED, NULL, 0,
	  "End a second after the last participant (or when none has come for a minute)", 0 },
	{ 0 }
};

static void raise_files(void)
{
	struct rlimit limit;

	/* One file is held for each thread. */
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static struct wt_surveyor *make_surveyor(struct wt_shm *shm, const struct clockd_options *o, struct wt_error *errp)
{
	struct wt_surveyor *v = wt_surveyor_create(shm, errp);

	for (int i = 0; v && i < o->watch_count; i++) {
		if (wt_surveyor_watch(v, o->watch[i], errp) < 0) {
			wt_surveyor_destroy(v);
			v = NULL;
		}
	}
	if (v && o->watch_kernel)
		wt_surveyor_watch_kernel(v);
	return v;
}

/* The file gets its name when all is ready: a process that can open it can use it. */
static int run_ready(const char *made, struct wt_shm *shm, struct wt_surveyor *v, const struct clockd_options *o,
		     struct wt_error *errp)
{
	int rc;

	atomic_store(&shm->state, WT_SHM_READY);
	if (link(made, o->shm) < 0)
		return wt_error_errno(errp, errno, "cannot make the clock's memory %s", o->shm);
	unlink(made);
	if (o->c.log && (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
		return wt_error_errno(errp, errno, "/dev/null");
	rc = coordinate(shm, v, &o->c, &ending, &closing, errp);
	atomic_store(&shm->state, WT_SHM_ENDED);
	unlink(o->shm);
	return rc;
}

static int run_shown(const char *made, const char *shown, struct clockd_options *o, struct wt_error *errp)
{
	int fd = make_file(made, sizeof(struct wt_shm), 0600, errp), view_fd = -1, rc = -1;
	struct wt_surveyor *v = NULL;
	struct wt_shm *shm = fd >= 0 ? map_file(fd, o, errp) : NULL;

	/* What one with this name has left that was killed. */
	if (shm && (unlink(shown) == 0 || errno == ENOENT))
		view_fd = make_file(shown, sizeof(struct wt_view), 0644, errp);
	else if (shm)
		wt_error_errno(errp, errno, "cannot make the clock's memory %s", shown);
	if (view_fd >= 0)
		o->c.view = map(view_fd, sizeof(struct wt_view), errp);
	if (o->c.view) {
		wt_view_init(o->c.view, shm, clock_ns(CLOCK_MONOTONIC));
		v = make_surveyor(shm, o, errp);
	}
	if (v) {
		wt_surveyor_watch_guests(v, view_fd);
		rc = run_ready(made, shm, v, o, errp);
	}
	wt_surveyor_destroy(v);
	if (view_fd >= 0)
		unlink(shown);
	if (fd >= 0)
		unlink(made);
	return rc;
}

static int run(struct clockd_options *o, struct wt_error *errp)
{
	char *made = wt_str_format("%s.%d", o->shm, (int) getpid()), *shown = wt_str_format("%s%s", o->shm, WT_VIEW_SUFFIX);
	int rc = made && shown ? run_shown(made, shown, o, errp) : wt_error_errno(errp, ENOMEM, "wt-clockd");

	free(made);
	free(shown);
	return rc;
}

int main(int argc, char **argv)
{
	const struct argp argp = { argp_options, parse, NULL,
		"Coordinates a virtual clock: while a participant is busy time passes normally (or is charged), and when "
		"all "
		"are blocked it jumps to the next deadline.\vSIGUSR1: the experiment is over; from now on the clock runs "
		"at the "
		"machine's rate, so that daemons can end in good order.  SIGTERM: end, and with it every participant that "
		"still "
		"waits.", NULL, NULL, NULL };
	struct clockd_options o = {
		.c = { .charge_permille = 1000,
		       .advance = { .charge = WT_CHARGE_REAL, .patience_ns = 500000000,
				    .controller_patience_ns = 30000000000, .computing_patience_ns = 3600000000000 } },
	};
	struct sigaction end = { .sa_handler = end_soon }, close = { .sa_handler = close_soon };
	struct wt_error err;

	o.c.stats = getenv(STATS_ENV);
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	sigaction(SIGTERM, &end, NULL);
	sigaction(SIGINT, &end, NULL);
	sigaction(SIGUSR1, &close, NULL);
	/* The kernel lets a sleep last up to 50 us longer (prctl(2)): that would be more than many pauses of the
	 * coordinator. */
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	raise_files();
	if (run(&o, &err) < 0) {
		fprintf(stderr, "wt-clockd: %s\n", err.text);
		return 1;
	}
	return 0;
}
