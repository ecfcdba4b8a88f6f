/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The supervisor's frame: set-up, the orderly end. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "compat/client.h"
#include "harness/clock/clock_shm.h"
#include "harness/cluster/folder/allocator.h"
#include "harness/cluster/folder/fenced.h"
#include "harness/cluster/folder/clusterdir.h"
#include "harness/cluster/folder/hostname.h"
#include "harness/cluster/folder/nsswrapper.h"
#include "harness/cluster/folder/slurmenv.h"
#include "lib/str.h"
#include "harness/cluster/supervisor/supervisor_private.h"

#define STAGE_GRACE_S 3.0	/* munged's */
#define DATABASE_GRACE_S 30.0	/* slurmdbd finishes what it does, and MariaDB writes all pages */
#define START_GRACE_S 2.0
#define LOOK_S 1.0
#define LOOK_VIRTUAL_S 10.0	/* each look costs a jump */

/* Nothing that ever descended from us stays: orphans became our children (PR_SET_CHILD_SUBREAPER), and so do theirs. */
static void descendants_end(struct sup *sup)
{
	struct wt_proc *list;
	size_t count = 1;

	for (int round = 0; round < 100 && count > 0; round++) {
		if (wt_proc_find_children(getpid(), &list, &count, NULL) < 0)
			break;
		for (size_t i = 0; i < count; i++) {
			sup_log(sup, "left over: pid %ld", (long) list[i].pid);
			kill(list[i].pid, SIGKILL);
			waitpid(list[i].pid, NULL, 0);
		}
		free(list);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
}

static void grace_cb(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct sup *sup = w->data;

	(void) loop;
	(void) revents;
	sup_log(sup, "not ended in time: SIGKILL");
	sup->killing = true;
	sup_daemons_signal(sup, SIGKILL, SUP_STAGE_MUNGED);
}

static void grace_set(struct sup *sup, double seconds)
{
	ev_timer_stop(sup->loop, &sup->grace);
	ev_timer_init(&sup->grace, grace_cb, seconds, 0.0);
	sup->grace.data = sup;
	ev_timer_start(sup->loop, &sup->grace);
}

static void process_ended(struct sup *sup)
{
	if (sup->services[SUP_SLURMCTLD].keeper.pid == 0 && !sup->killing)
		sup_nodes_hurry(sup);
	if (sup->waiter.pid > 0)
		return;
	/* munged is last: slurmctld needs it until its end, as slurmdbd does. */
	/* A loop: a stage without processes leads on to the next at once, as no end will come that does. */
	while (!sup_daemons_running(sup, sup->stage)) {
		if (sup->stage == SUP_STAGE_MUNGED) {
			ev_break(sup->loop, EVBREAK_ALL);
			return;
		}
		sup->stage++;
		if (!sup->killing) {
			sup_daemons_signal(sup, SIGTERM, sup->stage);
			grace_set(sup, sup->stage == SUP_STAGE_MUNGED ? STAGE_GRACE_S : DATABASE_GRACE_S);
		}
	}
}

static void sup_stop(struct sup *sup, const char *why)
{
	if (sup->stopping) {
		sup_log(sup, "%s again: SIGKILL", why);
		sup->killing = true;
		sup_daemons_signal(sup, SIGKILL, SUP_STAGE_MUNGED);
		return;
	}
	sup_log(sup, "stopping: %s", why);
	sup->stopping = true;
	sup_start_end(sup);
	if (!sup->failed) {
		sup->state.phase = WT_PHASE_STOPPING;
		snprintf(sup->state.message, sizeof(sup->state.message), "%s", why);
	}
	sup_state_save(sup);
	/* First the timers: a restart that is due now would start a daemon that gets no SIGTERM. */
	for (int i = 0; i < SUP_DAEMONS; i++)
		keeper_timer_stop(&sup->services[i].keeper);
	sup_power_stop(sup);
	sup_daemons_signal(sup, SIGTERM, SUP_STAGE_FIRST);
	/* A controller that never was up has nothing to save. */
	grace_set(sup, sup->step == SUP_STEP_UP ? wt_supervisor_stop_ms(sup->info.nodes) / 1e3 : START_GRACE_S);
	/* It may be that nothing runs any more: then no end will come that leads on. */
	process_ended(sup);
}

static void signal_cb(struct ev_loop *loop, ev_signal *w, int revents)
{
	(void) loop;
	(void) revents;
	sup_stop(w->data, strsignal(w->signum));
}

static void owner_cb(struct ev_loop *loop, ev_io *w, int revents)
{
	struct sup *sup = w->data;

	(void) revents;
	/* The descriptor of a process that has ended stays readable: without this the loop would spin. */
	ev_io_stop(loop, w);
	sup->remove_folder = true;
	sup_stop(sup, "its owner has ended");
}

/* "up" never writes: readable means that it closed its end. */
static void up_cb(struct ev_loop *loop, ev_io *w, int revents)
{
	struct sup *sup = w->data;

	(void) revents;
	ev_io_stop(loop, w);
	close(sup->args.up_fd);
	sup->args.up_fd = -1;
	if (sup->step == SUP_STEP_UP || sup->stopping)
		return;
	sup->remove_folder = true;
	sup_stop(sup, "\"up\" has ended before the cluster was up");
}

/* Without its folder no command could find the cluster to end it.  At once: there is nothing to save, and what a daemon
 * still wrote could meet the files of another cluster of that name. */
static void look_cb(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct sup *sup = w->data;
	char *path = wt_clusterinfo_path(&sup->info, "cluster.json");

	(void) revents;
	sup_daemons_trim_logs(sup);
	if (sup->state_unsaved)		/* the disk was full: what stands there is of before */
		sup_state_save(sup);
	sup_power_look(sup);
	if (path && (!sup_folder_is_ours(sup) || (access(path, F_OK) < 0 && errno == ENOENT))) {
		ev_timer_stop(loop, w);
		sup->remove_folder = true;	/* what the daemons write into it again */
		if (sup->step < SUP_STEP_UP)
			sup_fail(sup, ENOENT, "its folder was removed while it started");
		else if (!sup->stopping)
			sup_stop(sup, "its folder was removed");
		sup->killing = true;
		sup_daemons_signal(sup, SIGKILL, SUP_STAGE_MUNGED);
	}
	free(path);
}

/* Of what "up" has handed over, nothing is for the daemons: one that lives longer would hold the folder. */
static void fds_close_others(const struct wt_supervisor_args *keep)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		int fd = atoi(e->d_name);

		if (fd == keep->up_fd || fd == keep->lock_fd || fd == keep->port_fd || fd == keep->part_in ||
		    fd == keep->part_out)
			/* These are ours until our end; the daemons' exec closes them. */
			fcntl(fd, F_SETFD, FD_CLOEXEC);
		else if (fd > 2 && fd != dirfd(dir))
			close(fd);
	}
	if (dir)
		closedir(dir);
}

static int args_read(int argc, char **argv, struct wt_supervisor_args *args, struct wt_error *errp)
{
	uint64_t n[5];

	if (argc != 7)
		return wt_error_set(errp, EINVAL, "'supervise' is for 'windtunnel cluster up' only");
	for (int i = 0; i < 5; i++)
		if (wt_str_to_u64(argv[2 + i], 0, i == 4 ? UINT64_MAX : INT32_MAX, "supervise", &n[i], errp) < 0)
			return -1;
	args->up_fd = (int) n[0];
	args->lock_fd = (int) n[1];
	args->port_fd = (int) n[2];
	args->owner.pid = (pid_t) n[3];
	args->owner.start_time = n[4];
	return 0;
}

static void signals_watch(struct sup *sup)
{
	ev_signal *const watchers[] = { &sup->sigterm, &sup->sigint, &sup->sighup };
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		ev_signal_init(watchers[i], signal_cb, signals[i]);
		watchers[i]->data = sup;
		ev_signal_start(sup->loop, watchers[i]);
	}
	/* "up" may be killed while we write to it: the cluster ends by up_cb () then, in order. */
	signal(SIGPIPE, SIG_IGN);
}

static void descriptors_watch(struct sup *sup)
{
	ev_io_init(&sup->up_io, up_cb, sup->args.up_fd, EV_READ);
	sup->up_io.data = sup;
	ev_io_start(sup->loop, &sup->up_io);
	if (sup->args.owner.pid == 0)
		return;
	sup->owner_fd = wt_proc_open(&sup->args.owner, NULL);
	if (sup->owner_fd < 0) {
		sup->remove_folder = true;
		sup_fail(sup, ESRCH, "the cluster's owner (pid %ld) has ended", (long) sup->args.owner.pid);
		return;
	}
	ev_io_init(&sup->owner_io, owner_cb, sup->owner_fd, EV_READ);
	sup->owner_io.data = sup;
	ev_io_start(sup->loop, &sup->owner_io);
}

/* For slurmctld: harness/clock/pace.h. */
static int save_interval_set(uint32_t interval_s)
{
	char text[16];

	snprintf(text, sizeof(text), "%" PRIu32, interval_s);
	return interval_s ? setenv(WT_SAVE_INTERVAL_ENV, text, 1) : unsetenv(WT_SAVE_INTERVAL_ENV);
}

static int sup_init(struct sup *sup, const char *dir, struct wt_error *errp)
{
	char *conf;

	if (wt_clusterinfo_load(dir, &sup->info, errp) < 0)
		return -1;
	if (sup->info.hosts.count)
		wt_hostname_wish(sup->info.part ? sup->info.part->address : sup->info.controller_addr);
	wt_allocator_wish(sup->info.allocator);
	if (wt_fence_wish(&sup->info, errp) < 0)
		return -1;
	fds_close_others(&sup->args);
	/* A subreaper: what daemons leave behind becomes our child, so that it can be ended with the cluster. */
	conf = wt_clusterinfo_path(&sup->info, "slurm.conf");
	if (!conf || wt_slurmenv_set(conf) < 0 || compat_names_local() < 0 ||
	    save_interval_set(sup->info.save_interval_s) < 0 ||
	    prctl(PR_SET_CHILD_SUBREAPER, 1) < 0 ||
	    wt_proc_identify(getpid(), &sup->state.supervisor, errp) < 0) {
		free(conf);
		return wt_error_errno(errp, errno, "supervisor");
	}
	free(conf);
	if (sup->info.nss_wrapper && wt_nsswrapper_environment(sup->info.nss_wrapper, sup->info.dir, errp) < 0)
		return -1;
	sup->loop = ev_default_loop(EVFLAG_NOENV);
	return sup->loop ? 0 : wt_error_set(errp, EIO, "libev cannot start");
}

static void sup_begin(struct sup *sup, ev_timer *look)
{
	double look_s = wt_clock_own() == wt_clock_real() ? LOOK_S : LOOK_VIRTUAL_S;
	struct wt_error err = { "" };

	sup->began_us = wt_clock_now_us(wt_clock_own());
	signals_watch(sup);
	ev_timer_init(look, look_cb, look_s, look_s);
	look->data = sup;
	ev_timer_start(sup->loop, look);
	sup_log(sup, "supervisor: started, pid %ld", (long) getpid());
	sup_tell(sup, "S %ld %" PRIu64 "\n", (long) sup->state.supervisor.pid, sup->state.supervisor.start_time);
	if (sup_part_init(sup, &err) < 0 || sup_daemons_init(sup, &err) < 0 || sup_power_init(sup, &err) < 0 ||
	    sup_hosts_init(sup, &err) < 0 ||
	    sup_allocation_init(sup, &err) < 0 || sup_accounting_init(sup, &err) < 0 || sup_control_init(sup, &err) < 0)
		sup_fail(sup, errno, "%s", err.text);
	/* Before anything starts: the owner may have ended between "up" and here. */
	if (!sup->part)
		descriptors_watch(sup);
	if (!sup->stopping)
		sup_start_begin(sup);
}

/* All its life.  The exit status. */
static int sup_live(struct sup *sup)
{
	struct wt_error err = { "" };
	bool removed = false;
	ev_timer look;

	sup_begin(sup, &look);
	if (!sup->stopping || sup_daemons_running(sup, SUP_STAGE_MUNGED))
		ev_run(sup->loop, 0);
	sup_power_clear(sup);
	/* After the loop, in which only known daemons end: now what they have left behind. */
	descendants_end(sup);
	sup_part_ended(sup);
	sup_control_clear(sup);
	sup_log(sup, "supervisor: ended");
	/* Another cluster may have taken the name meanwhile: its folder is not ours to remove. */
	if (sup->remove_folder && sup_folder_is_ours(sup)) {
		removed = wt_clusterdir_remove(sup->info.dir, &err) == 0;
		if (!removed)
			sup_log(sup, "%s", err.text);
	}
	sup_part_clear(sup, removed);
	sup_accounting_clear(sup);
	sup_hosts_clear(sup);
	sup_allocation_clear(sup);
	sup_daemons_clear(sup);
	wt_clusterinfo_clear(&sup->info);
	return sup->failed ? 1 : 0;
}

/* Of a host's part the cluster's supervisor is told. */
static void sup_failed(struct sup *sup, int errnum, const char *text)
{
	sup_part_tell(sup, "E %d %s\n", errnum, text);
}

static const struct sup_frame frame = { sup_failed, sup_stop, process_ended, sup_control_look };

int wt_supervisor_main(int argc, char **argv)
{
	struct sup sup = { .frame = &frame, .owner_fd = -1, .waiter = { .fd = -1 },
			   .args = { .up_fd = -1, .part_in = -1, .part_out = -1 } };
	struct wt_error err = { "" };

	if (args_read(argc, argv, &sup.args, &err) < 0 || sup_init(&sup, argv[1], &err) < 0) {
		dprintf(STDERR_FILENO, "windtunnel cluster supervise: %s\n", err.text);
		return 1;
	}
	return sup_live(&sup);
}

int wt_supervisor_part(const char *dir, int lock_fd, int in, int out)
{
	struct sup sup = { .frame = &frame, .owner_fd = -1, .waiter = { .fd = -1 }, .remove_folder = true,
			   .args = { .up_fd = -1, .port_fd = -1, .lock_fd = lock_fd, .part_in = in, .part_out = out } };
	struct wt_error err = { "" };

	if (sup_init(&sup, dir, &err) < 0) {
		dprintf(out, "E %d %s\n", errno, err.text);
		return 1;
	}
	return sup_live(&sup);
}
