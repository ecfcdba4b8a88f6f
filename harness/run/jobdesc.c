/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/run/jobdesc.h"

/* A real node runs this; a virtual one does the same from the environment alone.  With a file for events it notes when it
 * starts and ends and what the probe took, with one O_APPEND write for each line; and a signal, of which it dies then. */
static const char job_script[] =
	"#!/bin/sh\n"
	"note() {\n"
	"	[ -n \"$WINDTUNNEL_EVENTS\" ] || return 0\n"
	"	echo \"$(date +%s.%6N),$1,$SLURM_JOB_ID,$SLURM_ARRAY_JOB_ID,$SLURM_ARRAY_TASK_ID,$SLURMD_NODENAME,$2\" "
	">>\"$WINDTUNNEL_EVENTS\"\n"
	"}\n"
	"killed() {\n"
	"	trap - $2\n"
	"	note cancel $1\n"
	"	note end $((128 + $1))\n"
	"	kill -$2 $$\n"
	"}\n"
	"probe() {\n"
	"	case \"$WINDTUNNEL_PROBE\" in\n"
	"	ping) scontrol ping ;;\n"
	"	job) scontrol show job \"$SLURM_JOB_ID\" ;;\n"
	"	step) srun --nodes=1 --ntasks=1 true ;;\n"
	"	esac >/dev/null 2>&1\n"
	"}\n"
	"[ -z \"$SLURM_RESTART_COUNT\" ] || note requeue\n"
	"note start \"$SLURM_JOB_NUM_NODES\"\n"
	"trap 'killed 15 TERM' TERM\n"
	"trap 'killed 2 INT' INT\n"
	"if [ -z \"$WINDTUNNEL_EVENTS\" ] || [ \"$WINDTUNNEL_PROBE\" = none ]; then\n"
	"	probe\n"
	"else\n"
	"	begin_us=$(date +%s%6N)\n"
	"	if probe; then\n"
	"		took_us=$(($(date +%s%6N) - begin_us))\n"
	"		note probe \"$((took_us / 1000000)).$(printf %06d $((took_us % 1000000)))\"\n"
	"	else\n"
	"		note probe -1\n"
	"	fi\n"
	"fi\n"
	"sleep \"$WINDTUNNEL_RUN_TIME_S\" &\n" /* in the background: a trap need not wait for it */
	"wait $!\n"
	"case \"$WINDTUNNEL_FAIL\" in\n"
	"signal:*)\n"
	"	signal=${WINDTUNNEL_FAIL#signal:}\n"
	"	trap - TERM INT\n"
	"	note end $((128 + signal))\n"
	"	kill -\"$signal\" $$ ;;\n"
	"esac\n"
	"note end \"${WINDTUNNEL_EXIT_CODE:-0}\"\n"
	"exit \"${WINDTUNNEL_EXIT_CODE:-0}\"\n";

static char path_env[] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
static char exit_env[] = "WINDTUNNEL_EXIT_CODE=0";
static char dev_null[] = "/dev/null";

static void env_fill(struct wt_jobdesc *d, const struct wt_job *job, enum wt_probe probe, const char *events)
{
	uint32_t n = 0;

	snprintf(d->run_time, sizeof(d->run_time), "WINDTUNNEL_RUN_TIME_S=%.6f", job->run_time_s);
	snprintf(d->probe, sizeof(d->probe), "WINDTUNNEL_PROBE=%s", wt_probe_name(probe));
	d->env[n++] = path_env;
	d->env[n++] = d->run_time;
	d->env[n++] = d->probe;
	d->env[n++] = exit_env;
	if (events) {
		snprintf(d->events, sizeof(d->events), "WINDTUNNEL_EVENTS=%s", events);
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
	d->msg.work_dir = (char *) "/";
	d->msg.std_in = d->msg.std_out = d->msg.std_err = dev_null;
	d->msg.time_limit = wt_jobdesc_limit_min(job);
	size_fill(&d->msg, job);
	env_fill(d, job, probe, events);
}
