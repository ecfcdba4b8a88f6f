/* SPDX-License-Identifier: GPL-2.0-or-later */
/* On a clock that jumps only when all is quiet, and stands until then: messages in a fixed order (in_order.h). */
#include "harness/vnode/daemon/daemon.h"

#define TURN_US 1

void wt_turns_arm(void *arg)
{
	struct wt_daemon *daemon = arg;
	/* A microsecond ahead: the clock gets there only when every thread of every process waits, and so all is quiet. */
	struct wt_timer timer = { .kind = WT_TIMER_TURN, .deadline_us = wt_daemon_now_us(daemon) + TURN_US };

	if (!daemon->main->turn_armed)
		daemon->main->turn_armed = wt_timerq_arm(daemon->time.timers, &timer) != 0;
}

/* One message is heard or, when there is none, one is sent. */
void wt_turns_take(struct wt_daemon *daemon)
{
	daemon->main->turn_armed = false;
	if (!wt_server_turn(daemon->serving.server))
		wt_send_turn(&daemon->send);
	if (wt_server_waits(daemon->serving.server) || wt_send_waits(daemon))
		wt_turns_arm(daemon);
}
