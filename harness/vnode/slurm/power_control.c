/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/vnode/slurm/node_process.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "harness/vnode/model/hostnames.h"
#include "lib/str.h"

#define OTHER_DESCRIPTORS 4096	/* connections, besides a socket for each node */

static void row_add(struct wt_daemon *daemon, const struct wt_power_happened *what)
{
	char row[WT_HOSTNAME_MAX + 128], job[16] = "";

	if (what->job_id)
		snprintf(job, sizeof(job), "%" PRIu32, what->job_id);
	snprintf(row, sizeof(row), "%" PRId64 ".%06d,%s,%s,%" PRIu32 ",%s\n", what->time_us / 1000000,
		 (int) (what->time_us % 1000000), wt_power_event_name(what->event),
		 wt_nodetable_name(daemon->nodes, what->node), what->boot, job);
	event_log_add_row(daemon->power.rows, row);
}

static void node_listen(struct wt_daemon *daemon, uint32_t node, bool listens)
{
	struct wt_error err;

	if (daemon->serving.server && wt_server_listen(daemon->serving.server, node, listens, &err) < 0)
		error("%s: %s", wt_nodetable_name(daemon->nodes, node), err.text);
}

/* Its slurmd begins. */
static void node_up(struct wt_daemon *daemon, const struct wt_power_happened *what)
{
	/* Listening before the registration: slurmctld pings the node as soon as it has read it. */
	daemon->power.boots.booted_us[what->node] = wt_power_booted_us(daemon->power.power, what->node);
	wt_registry_start(daemon->registration.registry, what->node);
	node_listen(daemon, what->node, true);
	wt_registry_want(daemon->registration.registry, what->node);
}

static void happened(void *arg, const struct wt_power_happened *what)
{
	struct wt_daemon *daemon = arg;

	verbose("%s: %s (boot %u)", wt_nodetable_name(daemon->nodes, what->node), wt_power_event_name(what->event),
		what->boot);
	row_add(daemon, what);
	if (what->event == WT_POWER_EVENT_UP) {
		node_up(daemon, what);
	} else if (what->event == WT_POWER_EVENT_STOPPING) {
		/* First the port, so that nothing more arrives; then the jobs, whose slurmstepds die with the node. */
		node_listen(daemon, what->node, false);
		wt_model_crash(daemon->model, what->time_us, what->node);
	}
}

static int rows_open(struct wt_daemon *daemon, struct wt_error *errp)
{
	char *path = xstrdup_printf("%s/" WT_POWER_FILE, daemon->options.dir);

	daemon->power.rows = event_log_open(path, WT_POWER_HEADER "\n", errp);
	xfree(path);
	return daemon->power.rows ? 0 : -1;
}

int wt_power_control_init(struct wt_daemon *daemon, struct wt_error *errp)
{
	const struct wt_power_conf conf = {
		.elastic = daemon->options.elastic, .timers = daemon->time.timers, .timer_kind = WT_TIMER_POWER,
		.happened = happened, .arg = daemon,
	};

	daemon->power.power = wt_power_create(daemon->nodes->count, &conf);
	if (!daemon->power.power)
		return wt_error_errno(errp, ENOMEM, "power of %u nodes", daemon->nodes->count);
	return rows_open(daemon, errp);
}

static bool descriptors_suffice(uint32_t node_count, rlim_t *have)
{
	struct rlimit limit;
	bool known = getrlimit(RLIMIT_NOFILE, &limit) == 0;

	*have = known ? limit.rlim_cur : RLIM_INFINITY;
	return !known || limit.rlim_cur >= (rlim_t) node_count + OTHER_DESCRIPTORS;
}

static bool switched_suffice(uint32_t node_count)
{
	rlim_t have;

	if (descriptors_suffice(node_count, &have))
		return true;
	info("%u nodes with a socket each need more open files than the %ju allowed: nodes that are off let connections "
	     "time out instead of refusing them", node_count, (uintmax_t) have);
	return false;
}

int wt_power_control_sockets(const struct wt_nodetable *nodes, struct wt_error *errp)
{
	uint32_t count = wt_nodetable_own_count(nodes);
	rlim_t have;

	if (descriptors_suffice(count, &have))
		return 0;
	return wt_error_set(errp, EMFILE, "%" PRIu32 " nodes with a port each need %" PRIu32
			    " open files, and %ju are allowed (ulimit -n)", count, count + OTHER_DESCRIPTORS,
			    (uintmax_t) have);
}

bool wt_power_control_wanted(const struct wt_nodetable *nodes)
{
	bool wanted = slurm_conf.suspend_program || slurm_conf.resume_program;

	for (uint32_t i = 0; i < nodes->class_count; i++)
		wanted = wanted || nodes->classes[i].begins_off;
	return wanted && switched_suffice(nodes->count);
}

static int socket_open(struct wt_daemon *daemon, struct wt_error *errp)
{
	char *path = xstrdup_printf("%s/power", daemon->options.dir);

	daemon->power.lines = wt_lines_create(daemon->time.loop, path, wt_power_control_line, daemon, errp);
	xfree(path);
	if (daemon->power.lines || errno != ENAMETOOLONG)
		return daemon->power.lines ? 0 : -1;
	/* Nodes that are never switched need none, and folders with long names have always been possible. */
	info("nodes cannot be switched on and off: %s", errp->text);
	return 0;
}

int wt_power_control_begin(struct wt_daemon *daemon, struct wt_error *errp)
{
	int64_t now_us = wt_daemon_now_us(daemon);

	for (uint32_t i = 0; i < daemon->nodes->count; i++) {
		if (wt_nodetable_is_own(daemon->nodes, i) && wt_nodetable_class(daemon->nodes, i)->begins_off)
			wt_power_begin_off(daemon->power.power, now_us, i);
		daemon->power.boots.booted_us[i] = wt_power_booted_us(daemon->power.power, i);
	}
	wt_power_resume(daemon->power.power);
	for (uint32_t i = 0; i < daemon->nodes->count; i++) {
		if (!wt_nodetable_is_own(daemon->nodes, i)) {
			;	/* it listens where it is */
		} else if (wt_power_is_on(daemon->power.power, i)) {
			if (wt_server_listen(daemon->serving.server, i, true, errp) < 0)
				return -1;
		} else {
			/* Scripts of nodes without power ended with it. */
			wt_model_crash(daemon->model, now_us, i);
		}
	}
	return socket_open(daemon, errp);
}

void wt_power_control_fini(struct wt_power_control *control)
{
	wt_lines_destroy(control->lines);
	/* What cannot be written now stands in the journal, and the next process writes it. */
	event_log_close(control->rows, NULL);
	wt_power_destroy(control->power);
	wt_boots_fini(&control->boots);
}

bool wt_power_control_all_stopped(const struct wt_daemon *daemon)
{
	uint32_t stopped = wt_registry_stopped_count(daemon->registration.registry);

	/* Asked for each of many nodes: looked at one by one only when it may be so. */
	if (!stopped || stopped < wt_daemon_nodes_on(daemon))
		return false;
	for (uint32_t i = 0; i < daemon->nodes->count; i++)
		if (wt_nodetable_is_own(daemon->nodes, i) && wt_power_is_on(daemon->power.power, i) &&
		    !wt_registry_stopped(daemon->registration.registry, i))
			return false;
	return true;
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
	    (job && wt_str_to_u64(job, 0, NO_VAL - 1, "job", &number, NULL) < 0))
		return -1;
	asked->job_id = (uint32_t) number;
	return 0;
}

/* The numbers of the nodes, at most all of them; the caller frees them.  NULL: 'answer' says why. */
static uint32_t *nodes_read(const struct wt_daemon *daemon, const char *text, uint32_t *count, char **answer)
{
	struct wt_hostnames names = { .text = text };
	uint32_t *list = malloc(((size_t) daemon->nodes->count + 1) * sizeof(*list));
	int rc = 0;

	*count = 0;
	while (list && (rc = wt_hostnames_next(&names)) > 0) {
		uint32_t node = wt_nodetable_by_name(daemon->nodes, names.name);

		if (node != WT_NODE_NONE && !wt_nodetable_is_own(daemon->nodes, node))
			node = WT_NODE_NONE;
		if (node == WT_NODE_NONE || *count == daemon->nodes->count) {
			*answer = node == WT_NODE_NONE ? wt_str_format("error there is no node %s", names.name) :
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

static char *states_print(const struct wt_daemon *daemon, const uint32_t *list, uint32_t count)
{
	struct wt_str s = { 0 };

	wt_str_printf(&s, "ok %" PRIu32, count);
	for (uint32_t i = 0; i < count; i++)
		wt_str_printf(&s, " %s=%s", wt_nodetable_name(daemon->nodes, list[i]),
			      wt_power_state_name(wt_power_state(daemon->power.power, list[i])));
	return wt_str_take(&s);
}

static char *committed(struct wt_daemon *daemon, uint32_t count)
{
	struct wt_error err;

	/* A program that has its answer ends, and slurmctld does not call it again. */
	if (wt_store_commit(daemon->store, &err) < 0)
		return wt_str_format("error %s", err.text);
	return wt_str_format("ok %" PRIu32, count);
}

static const struct {
	const char *name, *done;
} verbs[] = {
	{ "on", "are switched on" }, { "off", "are switched off" }, { "fail", "fail" }, { "repair", "are repaired" },
	{ "state", NULL },
};
enum { VERB_ON, VERB_OFF, VERB_FAIL, VERB_REPAIR, VERB_STATE, VERBS };

/* False: the program was to fail at this node. */
static bool node_switch(struct wt_daemon *daemon, int verb, int64_t now_us, uint32_t node, uint32_t job_id)
{
	struct wt_power *power = daemon->power.power;

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

/* How many of them could not be switched, because the program was to fail at them. */
static uint32_t nodes_switch(struct wt_daemon *daemon, int verb, const uint32_t *list, uint32_t count, uint32_t job_id)
{
	int64_t now_us = wt_daemon_now_us(daemon);
	uint32_t failed = 0;

	for (uint32_t i = 0; i < count; i++)
		failed += !node_switch(daemon, verb, now_us, list[i], job_id);
	info("%u nodes %s", count - failed, verbs[verb].done);
	return failed;
}

static char *switched(struct wt_daemon *daemon, int verb, const uint32_t *list, uint32_t count, uint32_t job_id)
{
	uint32_t failed = nodes_switch(daemon, verb, list, count, job_id);
	char *answer = committed(daemon, count);

	if (!failed || strncmp(answer ? answer : "", "ok", 2))
		return answer;
	free(answer);
	return wt_str_format("error at %" PRIu32 " of %" PRIu32 " nodes the program fails (--elastic fail=%s-program)",
			     failed, count, verb == VERB_ON ? "resume" : "suspend");
}

char *wt_power_control_line(void *arg, char *line)
{
	struct wt_daemon *daemon = arg;
	struct asked asked;
	uint32_t *list, count;
	char *answer = NULL;
	int verb = 0;

	if (words_read(line, &asked) < 0)
		return strdup("error on|off|fail|repair|state NODES [JOBID] is needed");
	while (verb < VERBS && strcmp(asked.verb, verbs[verb].name))
		verb++;
	if (verb == VERBS)
		return wt_str_format("error '%.20s' is not known; there are on, off, fail, repair and state", asked.verb);
	list = nodes_read(daemon, asked.nodes, &count, &answer);
	if (!list)
		return answer;
	answer = verb == VERB_STATE ? states_print(daemon, list, count) :
		 switched(daemon, verb, list, count, asked.job_id);
	free(list);
	return answer;
}
