/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/vnode/model/hostnames.h"
#include "harness/vnode/model/power_request.h"
#include "lib/str.h"

#define JOB_ID_MAX 0xfffffffd	/* above are Slurm's NO_VAL and INFINITE (slurm.h) */

char *wt_power_row(const struct wt_power_happened *what, const char *name)
{
	char job[16] = "";

	if (what->job_id)
		snprintf(job, sizeof(job), "%" PRIu32, what->job_id);
	return wt_str_format("%" PRId64 ".%06d,%s,%s,%" PRIu32 ",%s\n", what->time_us / 1000000,
			     (int) (what->time_us % 1000000), wt_power_event_name(what->event), name, what->boot, job);
}

struct asked {
	char *verb, *nodes;
	uint32_t job_id;
};

static int words_read(char *line, struct asked *asked)
{
	char *rest = line, *job;
	uint64_t number = 0;

	asked->verb = strsep(&rest, " ");
	asked->nodes = strsep(&rest, " ");
	job = strsep(&rest, " ");
	if (!asked->nodes || !*asked->nodes || rest ||
	    (job && wt_str_to_u64(job, 0, JOB_ID_MAX, "job", &number, NULL) < 0))
		return -1;
	asked->job_id = (uint32_t) number;
	return 0;
}

/* The numbers of the nodes, at most all of them; the caller frees them.  NULL: 'answer' says why. */
static uint32_t *nodes_read(const struct wt_power_names *names, const char *text, uint32_t *count, char **answer)
{
	struct wt_hostnames list_names = { .text = text };
	uint32_t *list = malloc(((size_t) names->count + 1) * sizeof(*list));
	int rc = 0;

	*count = 0;
	while (list && (rc = wt_hostnames_next(&list_names)) > 0) {
		uint32_t node = names->find(names->arg, list_names.name);

		if (node == WT_POWER_NO_NODE || *count == names->count) {
			*answer = node == WT_POWER_NO_NODE ? wt_str_format("error there is no node %s", list_names.name) :
				  strdup("error more names than there are nodes");
			free(list);
			return NULL;
		}
		list[(*count)++] = node;
	}
	if (list && rc == 0)
		return list;
	*answer = wt_str_format("error %s", list ? "this is no host list" : strerror(ENOMEM));
	free(list);
	return NULL;
}

static char *states_print(const struct wt_power *power, const struct wt_power_names *names, const uint32_t *list,
			  uint32_t count)
{
	char name[WT_HOSTNAME_MAX + 1];
	struct wt_str s = { 0 };

	wt_str_printf(&s, "ok %" PRIu32, count);
	for (uint32_t i = 0; i < count; i++) {
		names->name(names->arg, list[i], name, sizeof(name));
		wt_str_printf(&s, " %s=%s", name, wt_power_state_name(wt_power_state(power, list[i])));
	}
	return wt_str_take(&s);
}

static const char *const verbs[] = { "on", "off", "fail", "repair", "state" };
enum { VERB_ON, VERB_OFF, VERB_FAIL, VERB_REPAIR, VERB_STATE, VERBS };

/* False: the program was to fail at this node. */
static bool node_switch(struct wt_power *power, int verb, int64_t now_us, uint32_t node, uint32_t job_id)
{
	if (verb == VERB_ON)
		return wt_power_program_on(power, now_us, node, job_id);
	if (verb == VERB_OFF)
		return wt_power_program_off(power, now_us, node);
	if (verb == VERB_FAIL)
		wt_power_fail(power, now_us, node);
	else
		wt_power_repair(power, now_us, node);
	return true;
}

static char *switched(struct wt_power *power, int verb, int64_t now_us, const uint32_t *list, uint32_t count,
		      uint32_t job_id)
{
	uint32_t failed = 0;

	for (uint32_t i = 0; i < count; i++)
		failed += !node_switch(power, verb, now_us, list[i], job_id);
	if (!failed)
		return wt_str_format("ok %" PRIu32, count);
	return wt_str_format("error at %" PRIu32 " of %" PRIu32 " nodes the program fails (--elastic fail=%s-program)",
			     failed, count, verb == VERB_ON ? "resume" : "suspend");
}

char *wt_power_request(struct wt_power *power, const struct wt_power_names *names, int64_t now_us, char *line, bool *asked)
{
	struct asked words;
	uint32_t *list, count;
	char *answer = NULL;
	int verb = 0;

	*asked = false;
	if (words_read(line, &words) < 0)
		return strdup("error on|off|fail|repair|state NODES [JOBID] is needed");
	while (verb < VERBS && strcmp(words.verb, verbs[verb]))
		verb++;
	if (verb == VERBS)
		return wt_str_format("error '%.20s' is not known; there are on, off, fail, repair and state", words.verb);
	list = nodes_read(names, words.nodes, &count, &answer);
	if (!list)
		return answer;
	*asked = verb != VERB_STATE;
	answer = *asked ? switched(power, verb, now_us, list, count, words.job_id) : states_print(power, names, list, count);
	free(list);
	return answer;
}
