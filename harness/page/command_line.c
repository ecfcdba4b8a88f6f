/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "harness/page/section.h"
#include "lib/json.h"

static void option_add(struct wt_str *command, const char *option, const char *value)
{
	char *word = wt_str_format("%s=%s", option, value), *quoted;
	const char *plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=./:,@%+";

	if (word && !word[strspn(word, plain)]) {
		wt_str_printf(command, " %s", word);
	} else if (word) {
		/* The file is foreign text that people paste into a shell. */
		quoted = wt_str_shell_quote(value);
		wt_str_printf(command, " %s=%s", option, quoted ? quoted : "");
		free(quoted);
	}
	free(word);
}

/* Texts as they are, numbers as short as they can be. */
static void json_option_add(struct wt_str *command, const char *option, const json_t *value)
{
	char *number;

	if (json_is_string(value)) {
		option_add(command, option, json_string_value(value));
	} else if (json_is_number(value)) {
		number = wt_json_dump(value, JSON_ENCODE_ANY);
		if (number)
			option_add(command, option, number);
		free(number);
	}
}

struct option {
	const char *key, *option;
	const char *usual;	/* as JSON: left out then; NULL: never */
};

/* Options with their usual value are left out: the command shall be one that a person would have written. */
static int is_usual(const json_t *value, const char *usual)
{
	char *text;
	int same;

	if (!usual)
		return 0;
	if (json_is_number(value))
		return json_number_value(value) == strtod(usual, NULL);
	text = value ? wt_json_dump(value, JSON_ENCODE_ANY) : NULL;
	same = text && !strcmp(text, usual);
	free(text);
	return same;
}

static void options_add(struct wt_str *command, const json_t *object, const struct option *options, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const json_t *value = json_object_get(object, options[i].key);

		if (!is_usual(value, options[i].usual))
			json_option_add(command, options[i].option, value);
	}
}

static void list_add(struct wt_str *command, const char *option, const json_t *list)
{
	size_t i;
	json_t *value;

	json_array_foreach(list, i, value)
		if (json_is_string(value))
			option_add(command, option, json_string_value(value));
}

static void cluster_add(struct wt_str *command, const json_t *own)
{
	static const struct option options[] = {
		{ "nodes", "--nodes", "0" },       { "backend", "--backend", NULL },   { "shape", "--shape", NULL },
		{ "memory_mib", "--memory", "0" }, { "topology", "--topology", NULL }, { "conf", "--conf", NULL },
		{ "plugin", "--plugin", NULL },    { "site", "--site", NULL },         { "passwd", "--passwd", NULL },
		{ "group", "--group", NULL },
	};

	options_add(command, own, options, sizeof(options) / sizeof(options[0]));
	if (json_is_true(json_object_get(own, "accounting")))
		wt_str_add(command, " --accounting");
	list_add(command, "--sacctmgr", json_object_get(own, "sacctmgr"));
	list_add(command, "--file", json_object_get(own, "file"));
	list_add(command, "--set", json_object_get(own, "set"));
	list_add(command, "--node", json_object_get(own, "node"));
	list_add(command, "--elastic", json_object_get(own, "elastic"));
}

static void arrival_add(struct wt_str *command, const json_t *arrival)
{
	const char *model = json_string_value(json_object_get(arrival, "model"));
	const json_t *a = json_object_get(arrival, "min_s"), *b = json_object_get(arrival, "max_s");
	char text[128];

	if (!a || !b) {
		a = json_object_get(arrival, "mean_s");
		b = json_object_get(arrival, "sd_s");
	}
	if (!model || !json_is_number(a) || !json_is_number(b))
		return;
	snprintf(text, sizeof(text), "%.40s:%.15g,%.15g", model, json_number_value(a), json_number_value(b));
	if (strcmp(text, "uniform:1,3"))
		option_add(command, "--arrival", text);
}

static void trace_add(struct wt_str *command, const json_t *workload, const char *name)
{
	static const struct option options[] = {
		{ "duration_s", "--duration", "0" },   { "load", "--load", "0" },
		{ "cpus_scale", "--cpus-scale", "1" }, { "max_run_time_s", "--max-run-time", "0" },
		{ "first_job", "--first-job", "0" },   { "last_job", "--last-job", "0" },
		{ "bandwidth_mb_s", "--bandwidth", "0" },
	};
	const json_t *from = json_object_get(workload, "from_s"), *near = json_object_get(workload, "near_bandwidth_mb_s");
	const char *path = json_string_value(json_object_get(workload, "trace"));
	const char *nodes = json_string_value(json_object_get(workload, "near_bandwidth_nodes"));
	char *text = wt_str_format("%s:%s", name, path);

	option_add(command, "--workload", text ? text : "");
	free(text);
	if (json_is_number(from) && json_number_value(from) != 0) {
		text = wt_str_format("%s%.15g", json_is_true(json_object_get(workload, "from_absolute")) ? "@" : "",
				     json_number_value(from));
		option_add(command, "--from", text ? text : "");
		free(text);
	}
	options_add(command, workload, options, sizeof(options) / sizeof(options[0]));
	if (nodes && json_is_number(near)) {
		text = wt_str_format("%s:%.15g", nodes, json_number_value(near));
		option_add(command, "--near-bandwidth", text ? text : "");
		free(text);
	}
}

static void leave_out_add(struct wt_str *command, const json_t *list)
{
	struct wt_str all = { 0 };
	size_t i;
	json_t *value;

	json_array_foreach(list, i, value)
		if (json_is_string(value))
			wt_str_printf(&all, "%s%s", i ? "," : "", json_string_value(value));
	if (all.text && *all.text)
		option_add(command, "--leave-out", all.text);
	wt_str_clear(&all);
}

static void workload_add(struct wt_str *command, const json_t *workload)
{
	static const struct option options[] = {
		{ "jobs", "--jobs", NULL },
		{ "job_cpus", "--job-cpus", "1" },
		{ "run_time_s", "--run-time", NULL },
		{ "interval_s", "--interval", "0" },
		{ "load", "--load", "0" },
	};
	const char *name = json_string_value(json_object_get(workload, "name"));

	if (name && json_is_string(json_object_get(workload, "trace"))) {
		trace_add(command, workload, name);
		leave_out_add(command, json_object_get(workload, "leave_out"));
		return;
	}
	if (name)
		option_add(command, "--workload", name);
	options_add(command, workload, options, sizeof(options) / sizeof(options[0]));
}

static void gaps_find(const json_t *options, struct wt_str *gaps)
{
	const json_t *own = json_object_get(options, "own_cluster");

	if (!json_is_object(own) && !json_is_string(json_object_get(options, "cluster")))
		wt_str_add(gaps, "The cluster was not made for the run: SLURM_CONF must name the same one. ");
	if (json_is_string(json_object_get(options, "cluster")))
		wt_str_add(gaps, "The cluster ran already: how it was made is not in the run folder. ");
	if (json_is_string(json_object_get(own, "conf")) || json_is_string(json_object_get(own, "topology")) ||
	    json_is_array(json_object_get(own, "sacctmgr")) || json_is_array(json_object_get(own, "file")) ||
	    json_is_string(json_object_get(own, "site")) || json_is_string(json_object_get(own, "passwd")) ||
	    json_is_string(json_object_get(json_object_get(options, "workload"), "trace")))
		wt_str_add(gaps, "The files that it names must be the same, and paths are as they were given. ");
}

void command_line_make(const json_t *scenario, struct wt_str *command, struct wt_str *gaps)
{
	static const struct option common[] = {
		{ "variant", "--variant", NULL },  { "unit", "--unit", "\"cpus\"" },
		{ "seed", "--seed", NULL },        { "time_scale", "--time-scale", "1" },
		{ "burst", "--burst", "50" },      { "limit_factor", "--limit-factor", "2" },
		{ "probe", "--probe", "\"job\"" }, { "submitters", "--submitters", NULL },
		{ "cluster", "--cluster", NULL },  { "partition", "--partition", NULL },
		{ "perturb", "--perturb", NULL },  { "workload_seed", "--workload-seed", NULL },
		{ "repeat", "--repeat", "0" },     { "timeout_s", "--timeout", "0" },
		{ "cancel_after_s", "--cancel-after", NULL },
		{ "provision", "--provision", NULL }, { "provision_quota", "--provision-quota", NULL },
		{ "provision_full", "--provision-full", NULL }, { "provision_margin", "--provision-margin", NULL },
		{ "provision_boot", "--provision-boot", NULL }, { "reservation", "--reservation", NULL },
		{ "account", "--account", NULL }, { "qos", "--qos", NULL }, { "max_jobs", "--max-jobs", NULL },
		{ "max_nodes", "--max-nodes", NULL }, { "max_node_hours", "--max-node-hours", NULL },
	};
	static const struct option sampling[] = { { "charge", "--charge", "\"real\"" },
						  { "sample_interval_s", "--sample-interval", NULL } };
	const json_t *options = json_object_get(scenario, "options");
	const char *slurm = json_string_value(json_object_get(json_object_get(scenario, "versions"), "slurm"));
	int esp = json_is_string(json_object_get(options, "variant"));

	if (!json_is_object(options))
		return;
	wt_str_add(command, esp ? "windtunnel esp" : "windtunnel run");
	if (slurm && strcmp(slurm, WT_SLURM_VERSION))
		option_add(command, "--slurm", slurm);
	if (!esp)
		workload_add(command, json_object_get(options, "workload"));
	cluster_add(command, json_object_get(options, "own_cluster"));
	json_option_add(command, "--clock", json_object_get(scenario, "clock"));
	options_add(command, options, common, sizeof(common) / sizeof(common[0]));
	arrival_add(command, json_object_get(options, "arrival"));
	options_add(command, options, sampling, sizeof(sampling) / sizeof(sampling[0]));
	if (json_is_null(json_object_get(options, "own_cluster")) && !json_is_string(json_object_get(options, "cluster")))
		wt_str_add(command, json_is_true(json_object_get(options, "shared")) ? " --real --shared" : " --real");
	list_add(command, "--cost", json_object_get(options, "cost"));
	if (json_is_true(json_object_get(options, "keep_going")))
		wt_str_add(command, " --keep-going");
	gaps_find(options, gaps);
}
