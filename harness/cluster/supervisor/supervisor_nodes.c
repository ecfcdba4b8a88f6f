/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Real nodes: one slurmd for each, started a few at a time, started again when it ends; but none where a node is off. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "harness/cluster/conf/nodes.h"
#include "harness/cluster/folder/epilog.h"
#include "harness/cluster/folder/hostname.h"
#include "harness/cluster/folder/leftovers.h"
#include "harness/cluster/folder/logtail.h"
#include "harness/cluster/folder/ports.h"
#include "harness/cluster/folder/slurmd_place.h"
#include "lib/str.h"
#include "harness/cluster/supervisor/supervisor_private.h"

#define AT_ONCE_PER_CPU 3	/* slurmds that read slurm.conf at the same time */
#define TICK_S 0.05		/* between looks at slurmds that start */
#define BUSY_PORT_TRIES 3	/* of one slurmd, before the whole cluster takes other ports */
#define VERDICT_S 2.0
#define STOP_GRACE_S 3.0
#define COMMAND_WORDS 11	/* of a slurmd, and the end of the list */
#define OWN_FILES 256		/* descriptors that the supervisor itself may need */
#define REBOOT_S 2.0		/* from the end of its slurmd to the next one: as long as a virtual node's */

struct sup_node {
	struct sup *sup;
	uint32_t index;
	bool starting;		/* it has not written its pid file yet: it does not listen */
	bool reboots;		/* "scontrol reboot" ended it */
	bool off;		/* it has no power (supervisor_power.c), and no slurmd */
	bool boots;		/* it has got power, and slurmctld has not heard of that boot yet */
	bool due;		/* to be started as soon as it has ended, and others have started */
	unsigned int restarts, busy_ports;
	int port_fd;		/* which holds its port; -1: none does */
	struct keeper keeper;
};

struct sup_nodes {
	char *conf, *log;	/* slurm.conf; what all slurmds write to stderr */
	char *hardware;		/* of nodes that join, in words of slurm.conf */
	int (*prepare)(void);	/* NULL: none */
	uint32_t count;		/* of nodes: all, or those of this host's part */
	bool begun;		/* they were started, but for those that are off */
	bool orphans;		/* slurmds of nodes that are off have ended: what they leave is ours, and has to end, too */
	uint32_t due, starting, at_once;
	ev_timer tick, stop_grace;
	struct sup_node nodes[];
};

static char *node_file(const struct sup_node *node, const char *suffix)
{
	return wt_str_format("%s/nodes/n%" PRIu32 "%s", node->sup->info.dir, node->index, suffix);
}

void sup_nodes_clear(struct sup *sup)
{
	if (!sup->nodes)
		return;
	for (uint32_t i = 0; i < sup->nodes->count; i++)
		if (sup->nodes->nodes[i].port_fd >= 0)
			close(sup->nodes->nodes[i].port_fd);
	free(sup->nodes->conf);
	free(sup->nodes->log);
	free(sup->nodes->hardware);
	free(sup->nodes);
	sup->nodes = NULL;
}

const char *sup_nodes_log(const struct sup *sup)
{
	return sup->nodes->log;
}

static void node_start(struct sup_node *node);

/* ---- the end of a slurmd ---- */

static void restart(struct keeper *k)
{
	struct sup_node *node = k->owner;

	if (!node->sup->stopping)
		node_start(node);
}

static void verdict(struct keeper *k)
{
	struct sup_node *node = k->owner;
	char name[32], *log = node_file(node, ".log");

	snprintf(name, sizeof(name), "the slurmd of n%" PRIu32, node->index);
	sup_fail_ended(node->sup, name, node->sup->state.nodes.last_exit, log, node->sup->nodes->log);
	free(log);
}

/* While the cluster starts: a port that was busy may have been another process' connection; anything else is the end, when
 * slurmctld, whose words about a fault in slurm.conf are better, had its time to say them. */
static void start_failed(struct sup_node *node)
{
	char *log = node_file(node, ".log");

	if (log && node->busy_ports++ < BUSY_PORT_TRIES && wt_logtail_address_in_use(log))
		keeper_after(&node->keeper, keeper_pause_s(&node->keeper), 0.0, restart);
	else
		keeper_after(&node->keeper, VERDICT_S, 0.0, verdict);
	free(log);
}

static bool reboot_asked(const struct sup_node *node)
{
	char *path = node_file(node, WT_NODE_REBOOT_SUFFIX);
	/* The file is the request, and taking it away its answer: so it counts once. */
	bool asked = path && unlink(path) == 0;

	free(path);
	return asked;
}

static void node_restart_later(struct sup_node *node)
{
	double seconds;

	node->reboots = reboot_asked(node);
	if (node->reboots) {
		sup_log(node->sup, "slurmd n%" PRIu32 ": its node reboots", node->index);
		keeper_after(&node->keeper, REBOOT_S, 0.0, restart);
		return;
	}
	seconds = keeper_pause_s(&node->keeper);
	sup_log(node->sup, "slurmd n%" PRIu32 ": restart in %.1f s", node->index, seconds);
	keeper_after(&node->keeper, seconds, 0.0, restart);
}

/* One of those that are stopped on purpose. */
static void node_stopped(struct sup *sup)
{
	if (sup_nodes_running(sup))
		return;
	ev_timer_stop(sup->loop, &sup->nodes->stop_grace);
	sup_state_save(sup);
	sup->frame->changed(sup);
}

static void node_ended(struct keeper *k, pid_t pid, const char *how)
{
	struct sup_node *node = k->owner;
	struct sup *sup = node->sup;
	struct wt_state_nodes *state = &sup->state.nodes;

	(void) pid;
	/* One of the two counts has it: "starting" until its pid file was seen, "running" from then on. */
	if (node->starting)
		sup->nodes->starting--;
	else
		state->running--;
	node->starting = false;
	if (sup->stopping) {
		sup->frame->ended(sup);
		return;
	}
	if (state->stopped) {
		node_stopped(sup);
		return;
	}
	if (node->off || node->due) {	/* switched off, and perhaps on again */
		sup->nodes->orphans |= node->off;
		ev_timer_again(sup->loop, &sup->nodes->tick);
		sup_state_save(sup);
		return;
	}
	sup_log(sup, "slurmd n%" PRIu32 ": ended: %s", node->index, how);
	snprintf(state->last_exit, sizeof(state->last_exit), "%s", how);
	snprintf(state->last_node, sizeof(state->last_node), "n%" PRIu32, node->index);
	sup_state_save(sup);
	if (sup->step == SUP_STEP_UP)
		node_restart_later(node);
	else
		start_failed(node);
}

/* ---- start ---- */

static void command_fill(const struct sup_node *node, char *name, char *argv[COMMAND_WORDS])
{
	const struct sup *sup = node->sup;
	char *const words[] = { (char *) SLURMD_PATH, (char *) "-D", (char *) "-f", sup->nodes->conf, (char *) "-N", name };
	size_t argc = sizeof(words) / sizeof(words[0]);

	memcpy(argv, words, sizeof(words));
	if (node->reboots || node->boots)
		argv[argc++] = (char *) "-b";
	if (!sup->info.part && node->index >= sup->info.nodes) {	/* it joins, and says what it is */
		argv[argc++] = (char *) "-Z";
		argv[argc++] = (char *) "--conf";
		argv[argc++] = sup->nodes->hardware;
	}
	argv[argc] = NULL;
}

static void node_start(struct sup_node *node)
{
	struct sup *sup = node->sup;
	char name[16], *argv[COMMAND_WORDS], *pid_file = node_file(node, ".pid");
	struct wt_error err;

	snprintf(name, sizeof(name), "n%" PRIu32, node->index);
	command_fill(node, name, argv);
	/* The old one would say that this slurmd has its port already. */
	if (pid_file)
		unlink(pid_file);
	free(pid_file);
	if (keeper_start(&node->keeper, argv, sup->nodes->log,
			 sup_places_wish(sup, node->index) ? wt_slurmd_place_take : sup->nodes->prepare, &err) < 0) {
		sup_log(sup, "slurmd %s: %s", name, err.text);
		if (sup->step == SUP_STEP_UP)
			node_restart_later(node);
		else
			sup_fail(sup, errno, "%s", err.text);
		return;
	}
	node->starting = true;
	sup->nodes->starting++;
	ev_timer_again(sup->loop, &sup->nodes->tick);
	if (sup->step < SUP_STEP_UP)
		return;
	if (node->reboots || node->boots || node->keeper.resumed) {
		sup_log(sup, "slurmd %s: started, pid %ld (%s)", name, (long) node->keeper.pid,
			node->keeper.resumed ? "as asked for" : node->boots ? "boot" : "reboot");
		node->keeper.resumed = false;
		return;
	}
	/* The first restart of a node counts the node, each of them counts the restart. */
	sup->state.nodes.nodes_restarted += node->restarts++ == 0;
	sup->state.nodes.restarts++;
	sup_log(sup, "slurmd %s: started, pid %ld (restart)", name, (long) node->keeper.pid);
	sup_state_save(sup);
}

/* A slurmd writes its pid file when it has its port. */
static void node_look(struct sup_node *node)
{
	char *path = node_file(node, ".pid");

	if (path && access(path, F_OK) == 0) {
		node->starting = false;
		node->sup->nodes->starting--;
		node->sup->state.nodes.running++;
		if (node->sup->step == SUP_STEP_UP)
			sup_state_save(node->sup);
	}
	free(path);
}

static void due_set(struct sup_node *node, bool due)
{
	struct sup_nodes *s = node->sup->nodes;

	s->due = s->due + due - node->due;
	node->due = due;
}

/* A few at once: thousands that start together would all miss their time limits. */
static void due_start(struct sup *sup)
{
	struct sup_nodes *s = sup->nodes;
	uint32_t left = s->due;

	for (uint32_t i = 0; !sup->stopping && i < s->count && left > 0 && s->starting < s->at_once; i++) {
		if (!s->nodes[i].due)
			continue;
		left--;
		if (s->nodes[i].keeper.pid != 0)
			continue;
		due_set(&s->nodes[i], false);
		node_start(&s->nodes[i]);
	}
}

static bool is_off(void *arg, uint32_t number)
{
	const struct sup_nodes *s = arg;

	return number < s->count && s->nodes[number].off;
}

static void tick_cb(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct sup *sup = w->data;
	struct sup_nodes *s = sup->nodes;

	(void) revents;
	for (uint32_t i = 0; i < s->count && s->starting > 0; i++)
		if (s->nodes[i].starting)
			node_look(&s->nodes[i]);
	if (s->orphans)
		wt_leftovers_orphans_end(is_off, s);
	s->orphans = false;
	due_start(sup);
	if (s->starting == 0 && s->due == 0)	/* in virtual time each look is a jump */
		ev_timer_stop(loop, w);
}

/* The port after those of the nodes in slurm.conf is that of all which join (wt_clusterconf_joining_port ()).  Those of a
 * host's part are no ports of this cluster's blocks.  Without descriptors nodes go without: then their ports are theirs only
 * while their slurmds run. */
static void ports_hold(struct sup *sup)
{
	uint32_t count = sup->info.nodes + (sup->info.dynamic_nodes > 0);
	struct rlimit files;

	if (sup->info.part || getrlimit(RLIMIT_NOFILE, &files) < 0)
		return;
	for (uint32_t i = 0; i < count && i + OWN_FILES < files.rlim_cur; i++)
		sup->nodes->nodes[i].port_fd = wt_ports_hold((uint16_t) (sup->info.nodes_port + i), sup->info.network);
}

int sup_nodes_init(struct sup *sup, struct wt_error *errp)
{
	uint32_t count = sup->info.part ? sup->info.part->count : wt_clusterinfo_places(&sup->info);
	uint32_t first = sup->info.part ? sup->info.part->first : 0;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct sup_nodes *s = calloc(1, sizeof(*s) + count * sizeof(s->nodes[0]));

	sup->nodes = s;
	if (!s || !(s->conf = wt_clusterinfo_path(&sup->info, "slurm.conf")) ||
	    !(s->log = wt_clusterinfo_path(&sup->info, "nodes/slurmd.stderr")) ||
	    !(s->hardware = wt_nodes_hardware(&sup->info.shape)))
		return wt_error_errno(errp, ENOMEM, "supervisor");
	s->count = count;
	/* On the address of the host that the cluster uses, and no other (part_spec.h). */
	s->prepare = sup->info.part && wt_hostname_can_take() ? wt_hostname_take : NULL;
	s->at_once = AT_ONCE_PER_CPU * (cpus > 0 ? (uint32_t) cpus : 1);
	for (uint32_t i = 0; i < count; i++) {
		s->nodes[i] = (struct sup_node) { .sup = sup, .index = first + i, .port_fd = -1 };
		keeper_init(&s->nodes[i].keeper, sup->loop, node_ended, &s->nodes[i]);
	}
	sup->state.nodes.total = count;
	ports_hold(sup);
	return 0;
}

/* Those that run are passed over. */
static void all_due(struct sup *sup)
{
	struct sup_nodes *s = sup->nodes;

	for (uint32_t i = 0; i < s->count; i++)
		due_set(&s->nodes[i], !s->nodes[i].off && s->nodes[i].keeper.pid == 0);
	ev_timer_init(&s->tick, tick_cb, 0.0, TICK_S);
	s->tick.data = sup;
	ev_timer_start(sup->loop, &s->tick);
}

void sup_nodes_begin(struct sup *sup)
{
	all_due(sup);
	sup->nodes->begun = true;
}

/* ---- power ---- */

static void off_set(struct sup_node *node, bool off)
{
	struct wt_state_nodes *state = &node->sup->state.nodes;

	state->off = state->off + off - node->off;
	node->off = off;
}

void sup_nodes_power_on(struct sup *sup, uint32_t index, bool boots)
{
	struct sup_node *node = &sup->nodes->nodes[index];

	off_set(node, false);
	node->reboots = false;
	node->boots = boots;
	/* Otherwise it comes with all the others. */
	if (!sup->nodes->begun || sup->stopping || sup->state.nodes.stopped)
		return;
	due_set(node, true);
	due_start(sup);
	if (node->due)
		ev_timer_again(sup->loop, &sup->nodes->tick);
}

void sup_nodes_power_off(struct sup *sup, uint32_t index)
{
	struct sup_node *node = &sup->nodes->nodes[index];

	off_set(node, true);
	due_set(node, false);
	keeper_timer_stop(&node->keeper);	/* a restart would be due */
	/* As when the plug is pulled: neither slurmd nor a task has a say. */
	keeper_signal(&node->keeper, SIGKILL);
	wt_leftovers_node_end(&sup->info, index);
	(void) reboot_asked(node);	/* in vain: a slurmd of its next boot ends for other reasons */
}

void sup_nodes_registered(struct sup *sup, uint32_t index)
{
	sup->nodes->nodes[index].boots = false;
}

/* ---- stop ---- */

bool sup_nodes_running(const struct sup *sup)
{
	return sup->nodes && sup->nodes->starting + sup->state.nodes.running > 0;
}

void sup_nodes_signal(struct sup *sup, int sig)
{
	for (uint32_t i = 0; sup->nodes && i < sup->nodes->count; i++) {
		due_set(&sup->nodes->nodes[i], false);
		keeper_timer_stop(&sup->nodes->nodes[i].keeper);
		keeper_signal(&sup->nodes->nodes[i].keeper, sig);
	}
	if (sup->nodes)
		ev_timer_stop(sup->loop, &sup->nodes->tick);
}

static void stop_grace_cb(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct sup *sup = w->data;

	(void) loop;
	(void) revents;
	sup_log(sup, "slurmds that have not ended: SIGKILL");
	sup_nodes_signal(sup, SIGKILL);
}

static void stop_grace_start(struct sup *sup, double seconds)
{
	ev_timer *w = &sup->nodes->stop_grace;

	ev_timer_stop(sup->loop, w);
	ev_timer_init(w, stop_grace_cb, seconds, 0.0);
	w->data = sup;
	ev_timer_start(sup->loop, w);
}

void sup_nodes_stop(struct sup *sup, int sig)
{
	sup->state.nodes.stopped = true;
	sup_log(sup, "slurmds: are stopped, as asked for");
	sup_nodes_signal(sup, sig);
	if (sup_nodes_running(sup))
		stop_grace_start(sup, wt_supervisor_stop_ms(sup->info.nodes) / 1e3);
	sup_state_save(sup);
}

/* Those that are just ending are started after that, as others that end. */
void sup_nodes_resume(struct sup *sup)
{
	struct sup_nodes *s = sup->nodes;

	if (!sup->state.nodes.stopped)
		return;
	sup->state.nodes.stopped = false;
	ev_timer_stop(sup->loop, &s->stop_grace);
	for (uint32_t i = 0; i < s->count; i++)
		keeper_resume(&s->nodes[i].keeper);
	all_due(sup);
	sup_state_save(sup);
}

void sup_nodes_hurry(struct sup *sup)
{
	if (sup_nodes_running(sup) && !ev_is_active(&sup->nodes->stop_grace))
		stop_grace_start(sup, STOP_GRACE_S);
}
