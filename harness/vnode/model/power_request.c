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
	const char *verb;
	uint32_t *list, *jobs, count;	/* the nodes, each once, and for which job; owned */
	bool *has;			/* of each node of the cluster: is it in the list? */
};

static const char usage[] = "error on|off|drop|fail|repair|take|state|address NODES [JOBID [NODES JOBID]...] is needed";

static void asked_clear(struct asked *asked)
{
	free(asked->list);
	free(asked->jobs);
	free(asked->has);
}

/* NULL, or the answer that says why not. */
static char *nodes_add(const struct wt_power_names *names, struct asked *asked, const char *text, uint32_t job_id)
{
	struct wt_hostnames list_names = { .text = text };
	uint32_t count = 0;
	int rc;

	while ((rc = wt_hostnames_next(&list_names)) > 0) {
		uint32_t node = names->find(names->arg, list_names.name);

		if (node == WT_POWER_NO_NODE)
			return wt_str_format("error there is no node %s", list_names.name);
		if (count++ == names->count)
			return strdup("error more names than there are nodes");
		/* For the first job that names it. */
		if (asked->has[node])
			continue;
		asked->has[node] = true;
		asked->jobs[asked->count] = job_id;
		asked->list[asked->count++] = node;
	}
	return rc == 0 ? NULL : strdup("error this is no host list");
}

/* The same. */
static char *groups_read(const struct wt_power_names *names, struct asked *asked, char *rest)
{
	char *answer = NULL;

	do {
		const char *nodes = strsep(&rest, " "), *job = strsep(&rest, " ");
		uint64_t number = 0;

		if (!nodes || !*nodes || (job && wt_str_to_u64(job, 0, JOB_ID_MAX, "job", &number, NULL) < 0))
			return strdup(usage);
		answer = nodes_add(names, asked, nodes, (uint32_t) number);
	} while (rest && !answer);
	return answer;
}

static char *states_print(const struct wt_power *power, const struct wt_power_names *names, const struct asked *asked)
{
	char name[WT_HOSTNAME_MAX + 1];
	struct wt_str s = { 0 };

	wt_str_printf(&s, "ok %" PRIu32, asked->count);
	for (uint32_t i = 0; i < asked->count; i++) {
		names->name(names->arg, asked->list[i], name, sizeof(name));
		wt_str_printf(&s, " %s=%s", name, wt_power_state_name(wt_power_state(power, asked->list[i])));
	}
	return wt_str_take(&s);
}

/* Of machines that there are, but for those that a staged failure keeps to itself. */
static char *addresses_print(const struct wt_power *power, const struct wt_power_names *names, const struct asked *asked)
{
	char name[WT_HOSTNAME_MAX + 1], address[64];
	struct wt_str s = { 0 };

	if (!names->address)
		return strdup("error these nodes keep their addresses: there is no --elastic address=new");
	wt_str_printf(&s, "ok %" PRIu32, asked->count);
	for (uint32_t i = 0; i < asked->count; i++) {
		uint32_t node = asked->list[i];

		if (!wt_power_tells_address(power, node))
			continue;
		names->name(names->arg, node, name, sizeof(name));
		names->address(names->address_arg, node, wt_power_boot(power, node), address, sizeof(address));
		wt_str_printf(&s, " %s=%s", name, address);
	}
	return wt_str_take(&s);
}

static const char *const verbs[] = { "on", "off", "drop", "fail", "repair", "take", "state", "address" };
enum { VERB_ON, VERB_OFF, VERB_DROP, VERB_FAIL, VERB_REPAIR, VERB_TAKE, VERB_STATE, VERB_ADDRESS, VERBS };

/* False: the program was to fail at this node. */
static bool node_switch(struct wt_power *power, int verb, int64_t now_us, uint32_t node)
{
	if (verb == VERB_DROP)
		return wt_power_program_drop(power, now_us, node);
	if (verb == VERB_OFF)
		return wt_power_program_off(power, now_us, node);
	if (verb == VERB_FAIL)
		wt_power_fail(power, now_us, node);
	else if (verb == VERB_TAKE)
		wt_power_take(power, now_us, node);
	else
		wt_power_repair(power, now_us, node);
	return true;
}

static char *switched(struct wt_power *power, int verb, int64_t now_us, const struct asked *asked)
{
	static const char *const programs[VERBS] = {
		[VERB_ON] = "resume", [VERB_OFF] = "suspend", [VERB_DROP] = "resume-fail",
	};
	uint32_t failed = 0;

	if (verb == VERB_ON)
		failed = wt_power_program_on(power, now_us, asked->list, asked->jobs, asked->count);
	for (uint32_t i = 0; verb != VERB_ON && i < asked->count; i++)
		failed += !node_switch(power, verb, now_us, asked->list[i]);
	if (!failed)
		return wt_str_format("ok %" PRIu32, asked->count);
	return wt_str_format("error at %" PRIu32 " of %" PRIu32 " nodes the program fails (--elastic fail=%s-program)",
			     failed, asked->count, programs[verb]);
}

char *wt_power_request(struct wt_power *power, const struct wt_power_names *names, int64_t now_us, char *line, bool *asked)
{
	struct asked words = { .verb = strsep(&line, " ") };
	char *answer = NULL;
	int verb = 0;

	*asked = false;
	if (!line || !*line)
		return strdup(usage);
	while (verb < VERBS && strcmp(words.verb, verbs[verb]))
		verb++;
	if (verb == VERBS)
		return wt_str_format("error '%.20s' is not known; there are on, off, drop, fail, repair, take, state and "
				     "address", words.verb);
	words.list = calloc((size_t) names->count + 1, sizeof(*words.list));
	words.jobs = calloc((size_t) names->count + 1, sizeof(*words.jobs));
	words.has = calloc((size_t) names->count + 1, sizeof(*words.has));
	if (!words.list || !words.jobs || !words.has)
		answer = wt_str_format("error %s", strerror(ENOMEM));
	else
		answer = groups_read(names, &words, line);
	if (!answer) {
		*asked = verb != VERB_STATE && verb != VERB_ADDRESS;
		if (*asked)
			answer = switched(power, verb, now_us, &words);
		else
			answer = (verb == VERB_STATE ? states_print : addresses_print)(power, names, &words);
	}
	asked_clear(&words);
	return answer;
}
