/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_options.h: what options mean, as windtunnel-jobs(5) says it. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/site/job_options.h"
#include "harness/site/reasons.h"
#include "lib/str.h"

#define COUNT_DIGITS 12		/* more is no count */

/* Digits at *text, which is moved behind them; NAN: none, or too many. */
static double digits_take(const char **text)
{
	size_t len = strspn(*text, "0123456789");
	double number = len && len <= COUNT_DIGITS ? strtod(*text, NULL) : NAN;

	*text += len;
	return number;
}

double wt_job_option_time(const char *text)
{
	double days = 0, part[3] = { 0, 0, 0 };
	const char *p = text, *dash = strchr(text, '-');
	int count = 0;

	if (!strcasecmp(text, "UNLIMITED") || !strcasecmp(text, "INFINITE") || !strcmp(text, "-1"))
		return INFINITY;
	if (dash) {
		days = digits_take(&p);
		if (p != dash)
			return NAN;
		p++;
	}
	do {
		part[count++] = digits_take(&p);
	} while (*p == ':' && count < 3 && p++);
	if (*p)
		return NAN;
	if (dash)
		return ((days * 24 + part[0]) * 60 + part[1]) * 60 + part[2];
	if (count == 3)
		return (part[0] * 60 + part[1]) * 60 + part[2];
	return part[0] * 60 + part[1];
}

double wt_job_option_memory(const char *text, char *per)
{
	static const char units[] = "KMGTP";
	const char *unit;
	char *end;
	double number;

	if (per)
		*per = '\0';
	if (!isdigit((unsigned char) *text) || text[strspn(text, "0123456789.KMGTPkmgtpBbnc")])
		return NAN;
	number = strtod(text, &end);
	unit = *end ? strchr(units, toupper((unsigned char) *end)) : NULL;
	if (unit) {
		number *= pow(1024, (double) (unit - units) - 1);
		end++;
	}
	if (per && (*end == 'n' || *end == 'c'))
		*per = *end++;
	if (!per && unit && toupper((unsigned char) *end) == 'B')
		end++;
	return *end || !(number < 1e15) ? NAN : ceil(number);
}

/* A field of the ask; what it refuses is counted, not asked for. */
static int field_take(struct wt_job_ask *ask, const char *key, json_t *value, json_t *unknown, const char *why,
		      struct wt_error *errp)
{
	int rc = value ? wt_job_ask_take(ask, key, value, errp) : wt_error_errno(errp, ENOMEM, "job");

	json_decref(value);
	if (rc < 0 && errno != ENOMEM)
		return wt_reason_count(unknown, why, errp);
	return rc < 0 ? -1 : 0;
}

static int option_refused(json_t *unknown, const char *name, struct wt_error *errp)
{
	char *why = wt_str_format(WT_REASON_VALUE " --%s", name);
	int rc = why ? wt_reason_count(unknown, why, errp) : wt_error_errno(errp, ENOMEM, "job");

	free(why);
	return rc;
}

static int text_ask(struct wt_job_ask *ask, const char *key, const char *name, const char *value, json_t *unknown,
		    struct wt_error *errp)
{
	char *why = wt_str_format(WT_REASON_VALUE " --%s", name);
	int rc;

	if (!why)
		return wt_error_errno(errp, ENOMEM, "job");
	rc = field_take(ask, key, *value ? json_string(value) : json_null(), unknown, why, errp);
	free(why);
	return rc;
}

static int number_ask(struct wt_job_ask *ask, const char *key, const char *name, double number, json_t *unknown,
		      struct wt_error *errp)
{
	char *why = wt_str_format(WT_REASON_VALUE " --%s", name);
	int rc;

	if (!why)
		return wt_error_errno(errp, ENOMEM, "job");
	rc = field_take(ask, key, isfinite(number) ? json_real(number) : json_null(), unknown, why, errp);
	free(why);
	return rc;
}

static double count_of(const char *text)
{
	double number = digits_take(&text);

	return *text ? NAN : number;
}

static int texts_ask(const struct wt_job_options *o, struct wt_job_ask *ask, json_t *unknown, struct wt_error *errp)
{
	static const struct { enum wt_job_option which; const char *key, *name; } texts[] = {
		{ WT_OPTION_CONSTRAINT, "constraint", "constraint" }, { WT_OPTION_DEPENDENCY, "dependency", "dependency" },
		{ WT_OPTION_LICENSES, "licenses", "licenses" }, { WT_OPTION_NODE_LIST, "node_list", "nodelist" },
		{ WT_OPTION_EXCLUDE, "exclude", "exclude" }, { WT_OPTION_RESERVATION, "reservation", "reservation" },
		{ WT_OPTION_WCKEY, "wckey", "wckey" }, { WT_OPTION_GRES, "gres", "gres" },
		{ WT_OPTION_GPUS, "gpus", "gpus" }, { WT_OPTION_GPUS_PER_NODE, "gpus_per_node", "gpus-per-node" },
		{ WT_OPTION_GPUS_PER_TASK, "gpus_per_task", "gpus-per-task" },
		{ WT_OPTION_GPUS_PER_SOCKET, "gpus_per_socket", "gpus-per-socket" },
	};
	int rc = 0;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && rc == 0; i++) {
		const char *value = o->value[texts[i].which];

		/* A name with a slash is a file of the site with a list of nodes. */
		if (value && strchr(value, '/') && (texts[i].which == WT_OPTION_NODE_LIST ||
						     texts[i].which == WT_OPTION_EXCLUDE))
			rc = option_refused(unknown, texts[i].name, errp);
		else if (value)
			rc = text_ask(ask, texts[i].key, texts[i].name, value, unknown, errp);
	}
	return rc;
}

static int counts_ask(const struct wt_job_options *o, struct wt_job_ask *ask, json_t *unknown, struct wt_error *errp)
{
	static const struct { enum wt_job_option which; const char *key, *name; } counts[] = {
		{ WT_OPTION_TASKS, "tasks", "ntasks" }, { WT_OPTION_CPUS_PER_TASK, "cpus_per_task", "cpus-per-task" },
		{ WT_OPTION_TASKS_PER_NODE, "tasks_per_node", "ntasks-per-node" },
		{ WT_OPTION_TASKS_PER_SOCKET, "tasks_per_socket", "ntasks-per-socket" },
		{ WT_OPTION_TASKS_PER_CORE, "tasks_per_core", "ntasks-per-core" },
		{ WT_OPTION_SOCKETS, "sockets_per_node", "sockets-per-node" },
		{ WT_OPTION_CORES, "cores_per_socket", "cores-per-socket" },
		{ WT_OPTION_THREADS, "threads_per_core", "threads-per-core" },
		{ WT_OPTION_CPUS_MIN, "cpus_per_node_min", "mincpus" }, { WT_OPTION_PRIORITY, "priority", "priority" },
		{ WT_OPTION_CORE_SPEC, "core_spec", "core-spec" },
	};
	int rc = 0;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]) && rc == 0; i++)
		if (o->value[counts[i].which])
			rc = number_ask(ask, counts[i].key, counts[i].name, count_of(o->value[counts[i].which]), unknown,
					errp);
	return rc;
}

static int memory_ask(const struct wt_job_options *o, struct wt_job_ask *ask, json_t *unknown, struct wt_error *errp)
{
	const char *node = o->value[WT_OPTION_MEMORY], *cpu = o->value[WT_OPTION_MEMORY_PER_CPU];
	const char *tmp = o->value[WT_OPTION_TMP];
	int rc = 0;

	if (cpu)	/* sbatch takes the one that stands last; both are rare, and refused by slurmctld */
		rc = number_ask(ask, "memory_per_cpu_mib", "mem-per-cpu", wt_job_option_memory(cpu, NULL), unknown, errp);
	else if (node)
		rc = number_ask(ask, "memory_per_node_mib", "mem", wt_job_option_memory(node, NULL), unknown, errp);
	if (rc == 0 && tmp)
		rc = number_ask(ask, "tmp_disk_mib", "tmp", wt_job_option_memory(tmp, NULL), unknown, errp);
	return rc;
}

/* "4", "2-4"; what other forms there are (a list, "1k") is rare. */
static int nodes_ask(const struct wt_job_options *o, struct wt_job_ask *ask, json_t *unknown, struct wt_error *errp)
{
	const char *p = o->value[WT_OPTION_NODES];
	double min, max = NAN;

	if (!p)
		return 0;
	min = digits_take(&p);
	if (*p == '-') {
		p++;
		max = digits_take(&p);
	}
	if (*p || !(min >= 1) || max < min)
		return option_refused(unknown, "nodes", errp);
	if (number_ask(ask, "nodes", "nodes", min, unknown, errp) < 0)
		return -1;
	return isnan(max) ? 0 : number_ask(ask, "nodes_max", "nodes", max, unknown, errp);
}

static int sharing_ask(const struct wt_job_options *o, struct wt_job_ask *ask, json_t *unknown, struct wt_error *errp)
{
	const char *exclusive = o->value[WT_OPTION_EXCLUSIVE], *sharing = NULL;

	if (o->value[WT_OPTION_OVERSUBSCRIBE])
		sharing = "oversubscribe";
	if (exclusive)
		sharing = !*exclusive || !strcasecmp(exclusive, "exclusive") ? "exclusive" :
			  !strcasecmp(exclusive, "user") ? "user" : !strcasecmp(exclusive, "mcs") ? "mcs" : "?";
	if (!sharing)
		return 0;
	return *sharing == '?' ? option_refused(unknown, "exclusive", errp) :
	       text_ask(ask, "sharing", "exclusive", sharing, unknown, errp);
}

/* --nice alone is 100, as in sbatch(1). */
static int nice_ask(const struct wt_job_options *o, struct wt_job_ask *ask, json_t *unknown, struct wt_error *errp)
{
	const char *p = o->value[WT_OPTION_NICE];
	double nice = 100;

	if (!p)
		return 0;
	if (*p) {
		bool minus = *p == '-';

		p += minus;
		nice = count_of(p) * (minus ? -1 : 1);
	}
	return number_ask(ask, "nice", "nice", nice, unknown, errp);
}

/* COUNT[@TIME] */
static int switches_ask(const struct wt_job_options *o, struct wt_job_ask *ask, json_t *unknown, struct wt_error *errp)
{
	const char *p = o->value[WT_OPTION_SWITCHES];
	double count, wait_s;

	if (!p)
		return 0;
	count = digits_take(&p);
	wait_s = *p == '@' ? wt_job_option_time(p + 1) : NAN;
	if ((*p && *p != '@') || !(count >= 1))
		return option_refused(unknown, "switches", errp);
	if (number_ask(ask, "switches", "switches", count, unknown, errp) < 0)
		return -1;
	return isfinite(wait_s) ? number_ask(ask, "switches_wait_s", "switches", wait_s, unknown, errp) : 0;
}

static int flags_ask(const struct wt_job_options *o, struct wt_job_ask *ask, json_t *unknown, struct wt_error *errp)
{
	const struct { enum wt_job_option which; const char *key; bool value; } flags[] = {
		{ WT_OPTION_CONTIGUOUS, "contiguous", true }, { WT_OPTION_REQUEUE, "requeue", true },
		{ WT_OPTION_NO_REQUEUE, "requeue", false }, { WT_OPTION_OVERCOMMIT, "overcommit", true },
		{ WT_OPTION_SPREAD, "spread", true },
	};
	int rc = 0;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]) && rc == 0; i++)
		if (o->value[flags[i].which])
			rc = field_take(ask, flags[i].key, json_boolean(flags[i].value), unknown, WT_REASON_VALUE, errp);
	return rc;
}

/* Options that the format has no word for, each by its name. */
static int others_count(const struct wt_job_options *o, json_t *unknown, struct wt_error *errp)
{
	int rc = o->stopped ? wt_reason_count(unknown, WT_REASON_STOPPED, errp) :
		 o->doubtful ? wt_reason_count(unknown, WT_REASON_DOUBT, errp) : 0;

	for (size_t i = 0; i < o->other_count && rc == 0; i++) {
		char *why = wt_str_format(WT_REASON_NO_WORD " --%s", o->others[i]);

		rc = why ? wt_reason_count(unknown, why, errp) : wt_error_errno(errp, ENOMEM, "job");
		free(why);
	}
	return rc;
}

static int times_ask(const struct wt_job_options *o, struct wt_job_ask *ask, json_t *unknown, struct wt_error *errp)
{
	const char *min = o->value[WT_OPTION_TIME_MIN];

	if (min && number_ask(ask, "time_min_s", "time-min", wt_job_option_time(min), unknown, errp) < 0)
		return -1;
	/* A time of day, of which it is not known on which day and in which zone. */
	return o->value[WT_OPTION_DEADLINE] ? option_refused(unknown, "deadline", errp) : 0;
}

int wt_job_options_ask(const struct wt_job_options *options, struct wt_job_ask *ask, json_t *unknown,
		       struct wt_error *errp)
{
	int (*const parts[])(const struct wt_job_options *, struct wt_job_ask *, json_t *, struct wt_error *) = {
		texts_ask, counts_ask, memory_ask, nodes_ask, sharing_ask, nice_ask, switches_ask, flags_ask, times_ask,
	};
	int rc = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && rc == 0; i++)
		rc = parts[i](options, ask, unknown, errp);
	return rc == 0 ? others_count(options, unknown, errp) : rc;
}
