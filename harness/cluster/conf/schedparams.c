/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/cluster/conf/schedparams.h"
#include "lib/str.h"
#include "lib/suggest.h"

const char *const wt_schedparams_words[] = {
	"allow_zero_lic", "assoc_limit_stop", "batch_sched_delay", "bb_array_stage_cnt", "bf_busy_nodes",
	"bf_continue", "bf_hetjob_immediate", "bf_hetjob_prio", "bf_interval", "bf_job_part_count_reserve",
	"bf_licenses", "bf_max_job_array_resv", "bf_max_job_assoc", "bf_max_job_part", "bf_max_job_start",
	"bf_max_job_test", "bf_max_job_user", "bf_max_job_user_part", "bf_max_time", "bf_min_age_reserve",
	"bf_min_prio_reserve", "bf_node_space_size", "bf_one_resv_per_job", "bf_resolution", "bf_running_job_reserve",
	"bf_window", "bf_window_linear", "bf_yield_interval", "bf_yield_sleep", "build_queue_timeout",
	"correspond_after_task_cnt", "default_queue_depth", "defer", "delay_boot", "disable_hetero_steps",
	"disable_hetjob_steps", "disable_job_shrink", "enable_hetjob_steps", "enable_user_top", "Ignore_NUMA",
	"ignore_prefer_validation", "max_array_tasks", "max_job_bf", "max_rpc_cnt", "max_rpc_count", "max_sched_time",
	"max_script_size", "max_switch_wait", "no_backup_scheduling", "no_env_cache", "nohold_on_prolog_fail",
	"pack_serial_at_end", "partition_job_depth", "preempt_reorder_count", "preempt_strict_order",
	"preempt_youngest_first", "reduce_completing_frag", "requeue_setup_env_fail", "salloc_wait_nodes",
	"sbatch_wait_nodes", "sched_interval", "sched_max_job_start", "sched_min_interval", "spec_cores_first",
	"step_retry_count", "step_retry_time", "whole_hetjob", "whole_pack",
};
const size_t wt_schedparams_count = sizeof(wt_schedparams_words) / sizeof(wt_schedparams_words[0]);

/* Slurm looks for each word wherever it stands in the whole text, with its value behind "=". */
static void word_check(const char *word, size_t len, struct wt_str *said)
{
	char name[64];
	const char *near;

	if (!len || !strncasecmp(word, "bestfit", strlen("bestfit")))	/* that plugin says itself what it does not know */
		return;
	snprintf(name, sizeof(name), "%.*s", (int) len, word);
	for (size_t i = 0; i < wt_schedparams_count; i++)
		if (!strcasecmp(wt_schedparams_words[i], name))
			return;
	near = wt_suggest(name, wt_schedparams_words, wt_schedparams_count, sizeof(wt_schedparams_words[0]));
	wt_str_printf(said, "SchedulerParameters: '%s' is not a word of slurm.conf(5), and slurmctld passes over it", name);
	if (near)
		wt_str_printf(said, "; did you mean '%s'?", near);
	wt_str_add(said, "\n");
}

char *wt_schedparams_unknown(const char *value)
{
	struct wt_str said = { 0 };

	for (const char *at = value; at && *at; at += strspn(at, ",")) {
		word_check(at, strcspn(at, "=,"), &said);
		at += strcspn(at, ",");
	}
	return said.len ? wt_str_take(&said) : NULL;
}
