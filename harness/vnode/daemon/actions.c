/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the model wants done: rows of events.csv, heartbeats, messages. */
#include "harness/vnode/daemon/daemon.h"

void wt_actions_run(struct wt_daemon *daemon)
{
	static const uint8_t kinds[] = {
		[WT_ACTION_PROBE] = WT_SEND_PROBE, [WT_ACTION_BATCH_COMPLETE] = WT_SEND_BATCH_COMPLETE,
		[WT_ACTION_EPILOG_COMPLETE] = WT_SEND_EPILOG_COMPLETE, [WT_ACTION_LAUNCH_FAIL] = WT_SEND_LAUNCH_FAIL,
		[WT_ACTION_SCRIPT_ASK] = WT_SEND_SCRIPT_ASK, [WT_ACTION_SCRIPT_LOOK] = WT_SEND_SCRIPT_LOOK,
	};
	struct wt_action action;

	while (wt_model_action(daemon->model, &action)) {
		struct wt_outgoing_request request = {
			.probe = action.probe, .wait_status = action.wait_status, .node = action.node,
			.job_id = action.job_id, .uid = action.uid, .job = action.job, .time_us = action.time_us,
			.first = action.first,
		};

		if (action.kind == WT_ACTION_EVENT) {
			event_log_add(daemon->main->events, action.time_us, wt_event_kind_name(action.event), action.job_id,
				      action.array_job_id, action.array_task_id,
				      wt_nodetable_name(daemon->nodes, action.node), action.value);
			continue;
		}
		if (action.kind == WT_ACTION_BEAT) {
			wt_beats_news(daemon, &action);
			continue;
		}
		/* The kinds of steps stand behind that one in enum wt_action_kind. */
		if (action.kind > WT_ACTION_EVENT) {
			wt_step_action(daemon, &action);
			continue;
		}
		request.kind = kinds[action.kind];
		wt_send_queue(&daemon->send, &request);
	}
}
