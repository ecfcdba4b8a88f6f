/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/run/jobdesc.h"
#include "lib/str.h"
#include "record/event_format.h"
#include "record/job_env.h"

/* A real node runs this; a virtual one does the same from the environment alone.  With a file for events it notes when it
 * starts and ends and what the probe took, with one O_APPEND write for each line; and a signal, of which it dies then. */
static const char job_script[] =
	"#!/bin/sh\n"
	/* Where its host has a folder of its own, the file lies there, beside that host's slurm.conf. */
	"case \"$" WT_JOB_ENV_EVENTS "\" in\n"
	"/*|'') ;;\n"
	"*) " WT_JOB_ENV_EVENTS "=${SLURM_CONF%/*}/$" WT_JOB_ENV_EVENTS " ;;\n"
	"esac\n"
	"note() {\n"
	"	[ -n \"$" WT_JOB_ENV_EVENTS "\" ] || return 0\n"
	"	echo \""
	WT_EVENT_ROW_SH("$(date +%s.%6N)", "$1", "$SLURM_JOB_ID", "$SLURM_ARRAY_JOB_ID", "$SLURM_ARRAY_TASK_ID",
			"$SLURMD_NODENAME", "$2") "\" >>\"$" WT_JOB_ENV_EVENTS "\"\n"
	"}\n"
	"killed() {\n"
	"	trap - $2\n"
	"	note " WT_EVENT_NAME_CANCEL " $1\n"
	"	note " WT_EVENT_NAME_END " $((128 + $1))\n"
	"	kill -$2 $$\n"
	"}\n"
	"probe() {\n"
	"	case \"$" WT_JOB_ENV_PROBE "\" in\n"
	"	" WT_PROBE_NAME_PING ") scontrol ping ;;\n"
	"	" WT_PROBE_NAME_JOB ") scontrol show job \"$SLURM_JOB_ID\" ;;\n"
	"	" WT_PROBE_NAME_STEP ") srun --nodes=1 --ntasks=1 true ;;\n"
	"	esac >/dev/null 2>&1\n"
	"}\n"
	"[ -z \"$SLURM_RESTART_COUNT\" ] || note " WT_EVENT_NAME_REQUEUE "\n"
	"note " WT_EVENT_NAME_START " \"$SLURM_JOB_NUM_NODES\"\n"
	"trap 'killed 15 TERM' TERM\n"
	"trap 'killed 2 INT' INT\n"
	"if [ -z \"$" WT_JOB_ENV_EVENTS "\" ] || [ \"$" WT_JOB_ENV_PROBE "\" = " WT_PROBE_NAME_NONE " ]; then\n"
	"	probe\n"
	"else\n"
	"	begin_us=$(date +%s%6N)\n"
	"	if probe; then\n"
	"		took_us=$(($(date +%s%6N) - begin_us))\n"
	"		note " WT_EVENT_NAME_PROBE " \"$((took_us / 1000000)).$(printf %06d $((took_us % 1000000)))\"\n"
	"	else\n"
	"		note " WT_EVENT_NAME_PROBE " -1\n"
	"	fi\n"
	"fi\n"
	/* Of an array one item for each task, each with what its data take on other nodes than theirs: job_env.h. */
	"set -- $" WT_JOB_ENV_RUN_TIME "\n"
	"[ $# -le 1 ] || shift \"${SLURM_ARRAY_TASK_ID:-0}\"\n"
	"time=${1%%+*} away=0\n"
	"case \"$1\" in\n"
	"*@*)\n"
	"	away=${1#*+}\n"
	"	away=${away%%@*}\n"
	"	case \",${1#*@},\" in *,\"$SLURMD_NODENAME\",*) away=0 ;; esac ;;\n"
	"esac\n"
	"sleep \"$time\" \"$away\" &\n" /* in the background: a trap need not wait for it */
	"wait $!\n"
	"case \"$" WT_JOB_ENV_FAIL "\" in\n"
	WT_JOB_FAIL_SIGNAL "*)\n"
	"	signal=${" WT_JOB_ENV_FAIL "#" WT_JOB_FAIL_SIGNAL "}\n"
	"	trap - TERM INT\n"
	"	note " WT_EVENT_NAME_END " $((128 + signal))\n"
	"	kill -\"$signal\" $$ ;;\n"
	WT_JOB_FAIL_MEMORY ")\n"	/* as the kernel's last resort does */
	"	note " WT_EVENT_NAME_END " 137\n"
	"	kill -9 $$ ;;\n"
	"esac\n"
	"note " WT_EVENT_NAME_END " \"${" WT_JOB_ENV_EXIT_CODE ":-0}\"\n"
	"exit \"${" WT_JOB_ENV_EXIT_CODE ":-0}\"\n";

/* A probe asks by the clients of the release that runs the job. */
#define PATH_USUAL "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
static char path_usual[] = "PATH=" PATH_USUAL, path_slurm[] = "PATH=" SLURM_BINDIR ":" PATH_USUAL;
static char dev_null[] = "/dev/null";

/* Longer than any limit that makes sense, and what a virtual node takes at most (job_behaviour.h). */
#define ENDLESS_S (366 * 86400.0)

static void end_fill(struct wt_jobdesc *d, const struct wt_job *job)
{
	const struct wt_job_ask *ask = job->ask;
	bool ended = ask && (wt_job_ask_endless(ask) || ask->end == WT_END_NODE_FAILURE);	/* by somebody else */
	double run_time_s = ended ? ENDLESS_S : job->run_time_s, code = 0;

	if (ask && ask->end == WT_END_FAILED)
		code = isnan(ask->number[WT_ASK_SIGNAL]) ? wt_job_ask_number(ask, WT_ASK_EXIT_CODE, 1) : 0;
	snprintf(d->run_time, sizeof(d->run_time), WT_JOB_ENV_RUN_TIME "=%.6f", run_time_s);
	if (job->near && !ended && !job->array_tasks)	/* of an array: jobdesc_array.c */
		d->run_times = wt_str_format("%s+%.6f@%s", d->run_time, job->away_s, job->near);
	snprintf(d->exit_code, sizeof(d->exit_code), WT_JOB_ENV_EXIT_CODE "=%.0f", code);
	if (ask && ask->end == WT_END_FAILED && !isnan(ask->number[WT_ASK_SIGNAL]))
		snprintf(d->fail, sizeof(d->fail), WT_JOB_ENV_FAIL "=" WT_JOB_FAIL_SIGNAL "%.0f",
			 ask->number[WT_ASK_SIGNAL]);
	else if (ask && ask->end == WT_END_OUT_OF_MEMORY)
		snprintf(d->fail, sizeof(d->fail), WT_JOB_ENV_FAIL "=" WT_JOB_FAIL_MEMORY);
}

static void env_fill(struct wt_jobdesc *d, const struct wt_job *job, enum wt_probe probe, const char *events)
{
	uint32_t n = 0;

	end_fill(d, job);
	snprintf(d->probe, sizeof(d->probe), WT_JOB_ENV_PROBE "=%s", wt_probe_name(probe));
	d->env[n++] = *SLURM_BINDIR ? path_slurm : path_usual;
	d->env[n++] = d->run_times ? d->run_times : d->run_time;
	d->env[n++] = d->probe;
	d->env[n++] = d->exit_code;
	if (*d->fail)
		d->env[n++] = d->fail;
	if (events) {
		snprintf(d->events, sizeof(d->events), WT_JOB_ENV_EVENTS "=%s", events);
		d->env[n++] = d->events;
	}
	d->env[n] = NULL;
	d->msg.environment = d->env;
	d->msg.env_size = n;
}

static void size_fill(job_desc_msg_t *msg, const struct wt_job *job)
{
	msg->num_tasks = job->cpus;
	msg->cpus_per_task = 1;
	msg->min_cpus = job->cpus;
	if (!job->nodes)
		return;
	msg->min_nodes = msg->max_nodes = job->nodes;
	msg->shared = 0;	/* exclusive: slurm.h, struct job_descriptor */
}

uint32_t wt_jobdesc_limit_min(const struct wt_job *job)
{
	double minutes = ceil(job->time_limit_s / 60);

	if (minutes >= NO_VAL)	/* more than Slurm can count: 8,000 years */
		return INFINITE;
	return minutes < 1 ? 1 : (uint32_t) minutes;
}

void wt_jobdesc_fill(struct wt_jobdesc *d, const struct wt_job *job, enum wt_probe probe, const char *tag,
		     const char *partition, const char *host, const char *events)
{
	memset(d, 0, sizeof(*d));
	slurm_init_job_desc_msg(&d->msg);
	d->msg.name = job->name;
	d->msg.comment = (char *) tag;
	d->msg.partition = (char *) partition;
	d->msg.alloc_node = (char *) host;
	d->msg.user_id = getuid();
	d->msg.group_id = getgid();
	d->msg.script = (char *) job_script;
	/* The one folder that is on every node. */
	d->msg.work_dir = (char *) "/";
	d->msg.std_in = d->msg.std_out = d->msg.std_err = dev_null;
	d->msg.time_limit = wt_jobdesc_limit_min(job);
	size_fill(&d->msg, job);
	env_fill(d, job, probe, events);
}

void wt_jobdesc_put(struct wt_jobdesc *d, const struct wt_jobdesc_place *place)
{
	d->msg.reservation = (char *) place->reservation;
	d->msg.account = (char *) place->account;
	d->msg.qos = (char *) place->qos;
	d->msg.exc_nodes = (char *) place->exclude;
}
