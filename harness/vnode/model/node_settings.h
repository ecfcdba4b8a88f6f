/* node_settings.h - the node settings: how nodes differ from perfect ones.  Delays, slow nodes, and faults: failures,
 * losses, scripts that hang.  All are off unless said.
 *
 * Pure: text in, decisions out; randomness comes from 'seed' and from what is decided about, so that the same question
 * always has the same answer, in whatever order and however often it is asked.  Written "KEY=VALUE":
 *   launch-delay=DELAY     from the launch to the script's beginning
 *   end-delay=DELAY        from the script's end until slurmctld is told: slurmstepd's end
 *   epilog-time=DELAY      run time of the Epilog on each node
 *   reboot-time=DELAY      how long a node is silent after "scontrol reboot" (default, and for 0: 2 s)
 *   hop-delay=DELAY        of each level of the forwarding tree, there and back
 *   fail=NODES@T+D         T seconds after all nodes had registered they lose power; D seconds later they have booted
 *   loss=SHARE             share of messages that are lost, 0 to 1
 *   slow=NODES:FACTOR      everything takes FACTOR times as long there
 *   noise=SHARE            scripts are unevenly fast: see speed.h
 *   hang=SHARE             share of the scripts that get stuck at a random point, and stay there until they are killed
 *   beat-loss=SHARE        share of the reports of heartbeats (sbatch --speculate) that are lost
 *   beat-delay=DELAY       of a report of heartbeats, on its way
 *   prolog-fail=NODES[:SHARE]  the Prolog fails there, for this share of the jobs (default 1)
 *   launch-fail=NODES[:SHARE]  slurmd cannot start a slurmstepd there
 *   seed=N                 of all random choices (default 1)
 * DELAY is written as delay.h says, with a standard deviation of 0.01 to 3 times the mean; NODES is a Slurm host list or a
 * share of all nodes ("5%", chosen at random).  fail, slow, prolog-fail and launch-fail may be given more than
 * once.  One writer, or many readers. */
#ifndef WT_HARNESS_VNODE_MODEL_NODE_SETTINGS_H
#define WT_HARNESS_VNODE_MODEL_NODE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "harness/vnode/model/delay.h"
#include "harness/vnode/model/nodeset.h"

struct wt_fail {
	char *nodes;			/* as written */
	int64_t at_us, for_us;
};

struct wt_slow {
	char *nodes;
	double factor;
};

struct wt_refuse {
	char *nodes;
	double share;			/* of the jobs */
	bool prolog;			/* else the launch */
};

struct wt_settings {			/* zeroed: nothing is set */
	uint64_t seed;			/* 0: not given */
	struct wt_delay launch, end, epilog, hop, reboot, beat;
	double loss, noise, hang, beat_loss;
	struct wt_fail *fails;
	struct wt_slow *slows;
	struct wt_refuse *refuses;
	size_t fail_count, slow_count, refuse_count;
};

enum wt_draw { WT_DRAW_LAUNCH, WT_DRAW_EPILOG, WT_DRAW_HOP, WT_DRAW_LOSS, WT_DRAW_FAIL, WT_DRAW_SLOW, WT_DRAW_END,
	       WT_DRAW_REBOOT,
	/* what is decided */
	WT_DRAW_SPEED, WT_DRAW_HANG, WT_DRAW_BEAT_LOSS, WT_DRAW_BEAT_DELAY, WT_DRAW_REFUSE, WT_DRAW_PROLOG,
	WT_DRAW_LAUNCH_FAIL };

/* Take one "KEY=VALUE".  0, or -1 with EINVAL (what is wrong, in one line) or ENOMEM; then *settings is as before. */
int wt_settings_add(struct wt_settings *settings, const char *text, struct wt_error *errp);
void wt_settings_clear(struct wt_settings *settings);	/* errno is preserved */

/* A number in [0, 1) that depends on nothing but the arguments (splitmix64: Steele, Lea, Flood, OOPSLA 2014). */
double wt_settings_draw(const struct wt_settings *settings, enum wt_draw what, uint64_t a, uint64_t b);

/* True when 'nodes' is a share; then *set becomes that many of 'node_count' nodes (at least one), chosen by seed, 'what' and
 * 'number'.  -1: ENOMEM; 0: 'nodes' is a host list. */
int wt_settings_share(const struct wt_settings *settings, const char *nodes, enum wt_draw what, uint32_t number,
		      uint32_t node_count, struct wt_nodeset *set);

/* How many levels of the forwarding tree lie below a node that is to forward to 'count' others, with Slurm's TreeWidth. */
uint32_t wt_settings_levels(uint32_t count, uint32_t tree_width);

/* ---- the nodes that they hit: those without power, and when; how slow each is; whose launches fail ----
 *
 * Times are microseconds since the epoch of the settings: when all nodes had registered for the first time.  One thread at a
 * time. */
struct wt_faults;	/* opaque */

/* The nodes of a host list; -1 with errno and *errp when it is none, or names other nodes. */
typedef int (*wt_faults_nodes_f)(void *arg, const char *text, struct wt_nodeset *set, struct wt_error *errp);

/* 'settings' must outlive it.  NULL: EINVAL (which setting, and why) or ENOMEM. */
struct wt_faults *wt_faults_create(const struct wt_settings *settings, uint32_t node_count, wt_faults_nodes_f nodes,
				   void *arg, struct wt_error *errp);
void wt_faults_destroy(struct wt_faults *faults);	/* NULL is ignored; errno is preserved */

const float *wt_faults_factors(const struct wt_faults *faults);	/* by node; NULL: no node is slow */
/* Does the Prolog (else: the start of slurmstepd) of this job fail on this node?  The same for each launch of the job
 * there. */
bool wt_faults_refuse(const struct wt_faults *faults, bool prolog, uint32_t job_id, uint32_t node);
bool wt_faults_down(const struct wt_faults *faults, uint32_t node);

/* when the next nodes fail or return; false: never */
bool wt_faults_next(const struct wt_faults *faults, int64_t *at_us);

/* Go to this time.  'changed' hears of each node that has failed ('down') or returned, in the order of time. */
typedef void (*wt_faults_changed_f)(void *arg, uint32_t node, bool down);
void wt_faults_advance(struct wt_faults *faults, int64_t now_us, wt_faults_changed_f changed, void *arg);

#endif
