/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scontrol reboot: the node is silent for a while and registers as one that has booted.
 *
 * slurmd runs RebootProgram and answers nothing (Slurm 22.05 req.c, _rpc_reboot ()); slurmctld takes the reboot for done
 * when a registration says that the node booted after the request (node_mgr.c, validate_node_specs ()). */
#include "harness/vnode/slurm/rpc_call.h"

#include <errno.h>
#include <stdlib.h>

#define REBOOT_DEFAULT_US 2000000

int wt_boots_init(struct wt_boots *boots, uint32_t node_count, struct wt_error *errp)
{
	boots->booted_us = calloc(node_count, sizeof(*boots->booted_us));
	boots->until_us = calloc(node_count, sizeof(*boots->until_us));
	return boots->booted_us && boots->until_us ? 0 : wt_error_errno(errp, ENOMEM, "nodes");
}

void wt_boots_fini(struct wt_boots *boots)
{
	free(boots->booted_us);
	free(boots->until_us);
}

static int64_t reboot_time_us(const struct wt_daemon *daemon, uint32_t node)
{
	const struct wt_settings *settings = daemon->options.settings;
	double draw = wt_settings_draw(settings, WT_DRAW_REBOOT, (uint64_t) wt_daemon_now_us(daemon), node);

	return settings->reboot.kind == WT_DELAY_NONE ? REBOOT_DEFAULT_US : wt_delay_us(&settings->reboot, draw);
}

/* False: no memory. */
static bool reboot_begin(struct wt_daemon *daemon, uint32_t node, int64_t until_us)
{
	struct wt_timer timer = { .kind = WT_TIMER_BOOTED, .a = node, .deadline_us = until_us };
	struct wt_boots *boots = &daemon->power.boots;

	if (!wt_timerq_arm(daemon->time.timers, &timer)) {
		error("%s: no memory for its reboot", wt_nodetable_name(daemon->nodes, node));
		return false;
	}
	boots->until_us[node] = until_us;
	boots->rebooted = true;
	return true;
}

void wt_reboot_request(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer)
{
	int64_t now_us = wt_daemon_now_us(daemon), until_us = now_us + reboot_time_us(daemon, node);

	(void) call;
	(void) answer;
	if (!slurm_conf.reboot_program) {
		error("%s: asked to reboot, but slurm.conf has no RebootProgram", wt_nodetable_name(daemon->nodes, node));
		return;
	}
	if (daemon->power.boots.until_us[node] || !reboot_begin(daemon, node, until_us))
		return;
	/* Machines reboot whatever becomes of this process: the next one has to know, or slurmctld waits in vain. */
	wt_power_reboot(daemon->power.power, node, until_us);
	info("%s reboots", wt_nodetable_name(daemon->nodes, node));
	wt_model_crash(daemon->model, now_us, node);
}

void wt_reboot_resume(struct wt_daemon *daemon, uint32_t node)
{
	int64_t booted_us = daemon->power.boots.booted_us[node];

	if (booted_us > wt_daemon_now_us(daemon) && wt_power_is_on(daemon->power.power, node))
		reboot_begin(daemon, node, booted_us);
}

void wt_reboot_end(struct wt_daemon *daemon, uint32_t node)
{
	daemon->power.boots.until_us[node] = 0;
}

void wt_reboot_done(struct wt_daemon *daemon, uint32_t node)
{
	struct wt_boots *boots = &daemon->power.boots;
	int64_t now_us = wt_daemon_now_us(daemon);

	/* Its machine may have been switched off in between, and on again, and reboot once more. */
	if (!boots->until_us[node] || boots->until_us[node] > now_us)
		return;
	boots->until_us[node] = 0;
	boots->booted_us[node] = now_us;
	if (!wt_fault_silent(daemon, node))
		wt_registry_want(daemon->registration.registry, node);
}
