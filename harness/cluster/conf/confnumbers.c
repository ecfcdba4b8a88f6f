/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/cluster/conf/confnumbers.h"

const struct wt_confnumber wt_confnumbers[] = {
	{ "AccountingStoragePort", 16 }, { "AcctGatherNodeFreq", 16 }, { "BatchStartTimeout", 16 },
	{ "CompleteWait", 16 }, { "DefCPUPerGPU", 64 }, { "DefMemPerCPU", 64 }, { "DefMemPerGPU", 64 },
	{ "DefMemPerNode", 64 }, { "EioTimeout", 16 }, { "EpilogMsgTime", 32 }, { "ExtSensorsFreq", 16 },
	{ "FairShareDampeningFactor", 16 }, { "FastSchedule", 16 }, { "FirstJobId", 32 }, { "GetEnvTimeout", 16 },
	{ "GroupUpdateForce", 16 }, { "GroupUpdateTime", 16 }, { "HealthCheckInterval", 16 },
	{ "InactiveLimit", 16 }, { "JobCompPort", 32 }, { "JobFileAppend", 16 }, { "JobRequeue", 16 },
	{ "KeepAliveTime", 32 }, { "KillOnBadExit", 16 }, { "KillWait", 16 }, { "MaxArraySize", 32 },
	{ "MaxDBDMsgs", 32 }, { "MaxJobCount", 32 }, { "MaxJobId", 32 }, { "MaxMemPerCPU", 64 },
	{ "MaxMemPerNode", 64 }, { "MaxNodeCount", 32 }, { "MaxStepCount", 32 }, { "MaxTasksPerNode", 16 },
	{ "MessageTimeout", 16 }, { "MinJobAge", 32 }, { "OverTimeLimit", 16 }, { "PriorityWeightAge", 32 },
	{ "PriorityWeightAssoc", 32 }, { "PriorityWeightFairshare", 32 }, { "PriorityWeightJobSize", 32 },
	{ "PriorityWeightPartition", 32 }, { "PriorityWeightQOS", 32 }, { "PrologEpilogTimeout", 16 },
	{ "PropagatePrioProcess", 16 }, { "ResumeRate", 16 }, { "ResumeTimeout", 16 }, { "ResvOverRun", 16 },
	{ "ReturnToService", 16 }, { "SchedulerTimeSlice", 16 }, { "SlurmctldTimeout", 16 }, { "SlurmdPort", 32 },
	{ "SlurmdTimeout", 16 }, { "SlurmSchedLogLevel", 16 }, { "SuspendRate", 16 }, { "SuspendTimeout", 16 },
	{ "TCPTimeout", 16 }, { "TreeWidth", 16 }, { "UnkillableStepTimeout", 16 }, { "VSizeFactor", 16 },
	{ "WaitTime", 16 },
};
const size_t wt_confnumber_count = sizeof(wt_confnumbers) / sizeof(wt_confnumbers[0]);

/* Whole numbers from 0 on in every release: slurm.conf(5). */
static const char *const scheduler_words[] = {
	"batch_sched_delay", "bf_interval", "bf_job_part_count_reserve", "bf_max_job_array_resv", "bf_max_job_assoc",
	"bf_max_job_part", "bf_max_job_start", "bf_max_job_test", "bf_max_job_user", "bf_max_job_user_part",
	"bf_max_time", "bf_min_age_reserve", "bf_min_prio_reserve", "bf_node_space_size", "bf_resolution",
	"bf_window", "bf_window_linear", "bf_yield_interval", "bf_yield_sleep", "build_queue_timeout",
	"default_queue_depth", "max_array_tasks", "max_rpc_cnt", "max_sched_time", "partition_job_depth",
	"sched_interval", "sched_max_job_start", "sched_min_interval",
};

const struct wt_confnumber *wt_confnumber_find(const char *key)
{
	for (size_t i = 0; i < wt_confnumber_count; i++)
		if (!strcasecmp(wt_confnumbers[i].key, key))
			return &wt_confnumbers[i];
	return NULL;
}

static uint64_t value_max(unsigned int bits)
{
	return bits == 16 ? UINT16_MAX : bits == 32 ? UINT32_MAX : UINT64_MAX;
}

static bool number_is(const char *value, unsigned int bits)
{
	unsigned long long number;
	char *end;

	if (!strcasecmp(value, "UNLIMITED") || !strcasecmp(value, "INFINITE"))
		return true;
	if (!isdigit((unsigned char) *value))	/* what strtoull () takes besides: blanks and signs */
		return false;
	errno = 0;
	number = strtoull(value, &end, 0);
	if (errno || end == value)
		return false;
	if (bits > 16 && (*end == 'k' || *end == 'K')) {
		if (number > value_max(bits) / 1024)
			return false;
		end++;
	}
	return !*end && number <= value_max(bits);
}

/* "bf_interval=30": the word that has a number, or NULL. */
static const char *scheduler_word(const char *word, size_t len)
{
	for (size_t i = 0; i < sizeof(scheduler_words) / sizeof(scheduler_words[0]); i++)
		if (strlen(scheduler_words[i]) == len && !strncasecmp(scheduler_words[i], word, len))
			return scheduler_words[i];
	return NULL;
}

/* "bf_interval=-1" and "sched_interval=-1" switch the scheduler off. */
static bool word_number_is(const char *word, const char *text, size_t len)
{
	if (len == 2 && !strncmp(text, "-1", 2) && (!strcmp(word, "bf_interval") || !strcmp(word, "sched_interval")))
		return true;
	return len > 0 && len <= 10 && strspn(text, "0123456789") >= len;
}

static int words_check(const char *key, const char *value, struct wt_error *errp)
{
	for (const char *at = value; *at; at += strcspn(at, ","), at += *at == ',') {
		const char *word;
		size_t len;

		at += strspn(at, " ");
		len = strcspn(at, "=, ");
		word = scheduler_word(at, len);
		if (!word)
			continue;
		if (at[len] != '=' || !word_number_is(word, at + len + 1, strcspn(at + len + 1, ", ")))
			return wt_error_set(errp, EINVAL, "%s: %.*s: give a whole number from 0 on behind %s=", key,
					    (int) strcspn(at, ","), at, word);
	}
	return 0;
}

int wt_confnumber_check(const char *key, const char *value, struct wt_error *errp)
{
	const struct wt_confnumber *number = wt_confnumber_find(key);

	if (!strcasecmp(key, "SchedulerParameters"))
		return words_check(key, value, errp);
	if (!number || !*value || number_is(value, number->bits))
		return 0;
	return wt_error_set(errp, EINVAL, "%s=%s: give a whole number from 0 to %llu", number->key, value,
			    (unsigned long long) value_max(number->bits));
}
