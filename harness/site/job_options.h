/* job_options.h - the options of an sbatch, salloc or srun line, as a site's accounting has kept it.
 *
 * Foreign text, of which nothing is executed or opened: Slurm's own parser (slurm_process_option) reads files that
 * options name, asks for users of this machine, and ends the process for some values.  The options and whether they take
 * a value: sbatch(1), salloc(1), srun(1) of Slurm 22.05 to 25.05.  Pure. */
#ifndef WT_HARNESS_SITE_JOB_OPTIONS_H
#define WT_HARNESS_SITE_JOB_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "lib/error.h"
#include "workload/job_ask.h"

enum wt_job_option {
	WT_OPTION_ACCOUNT, WT_OPTION_QOS, WT_OPTION_PARTITION, WT_OPTION_NAME, WT_OPTION_CONSTRAINT, WT_OPTION_DEPENDENCY,
	WT_OPTION_LICENSES, WT_OPTION_NODE_LIST, WT_OPTION_EXCLUDE, WT_OPTION_RESERVATION, WT_OPTION_WCKEY,
	WT_OPTION_NODES, WT_OPTION_TASKS, WT_OPTION_CPUS_PER_TASK, WT_OPTION_TASKS_PER_NODE, WT_OPTION_TASKS_PER_SOCKET,
	WT_OPTION_TASKS_PER_CORE, WT_OPTION_SOCKETS, WT_OPTION_CORES, WT_OPTION_THREADS, WT_OPTION_CPUS_MIN,
	WT_OPTION_MEMORY, WT_OPTION_MEMORY_PER_CPU, WT_OPTION_TMP, WT_OPTION_GRES, WT_OPTION_GPUS,
	WT_OPTION_GPUS_PER_NODE, WT_OPTION_GPUS_PER_TASK, WT_OPTION_GPUS_PER_SOCKET, WT_OPTION_EXCLUSIVE,
	WT_OPTION_OVERSUBSCRIBE, WT_OPTION_BEGIN, WT_OPTION_DEADLINE, WT_OPTION_TIME, WT_OPTION_TIME_MIN, WT_OPTION_NICE,
	WT_OPTION_PRIORITY, WT_OPTION_SWITCHES, WT_OPTION_CONTIGUOUS, WT_OPTION_REQUEUE, WT_OPTION_NO_REQUEUE,
	WT_OPTION_OVERCOMMIT, WT_OPTION_SPREAD, WT_OPTION_CORE_SPEC, WT_OPTION_HOLD, WT_OPTION_ARRAY, WT_OPTION_USER,
	WT_OPTION_GROUP,
	WT_JOB_OPTIONS
};

#define WT_JOB_WORDS_MAX 1024

struct wt_job_options {
	char *text;			/* owned: the words that follow point into it */
	char *words[WT_JOB_WORDS_MAX];
	size_t word_count;
	const char *value[WT_JOB_OPTIONS];	/* as it stands last; "" of an option without one; NULL: not given */
	const char *others[8];			/* names of given options that windtunnel-jobs(5) has no word for */
	size_t other_count;
	bool stopped;			/* at an option that is not known: what follows is not */
	bool doubtful;			/* it ends behind a text that may have had blanks, and options follow */
};

/* Read a line whose first word is a command ("sbatch -N 2 job.sh"); of a heterogeneous job ("sbatch -N 1 : -N 4 job.sh") the
 * part of 'component', else 0.  0: it was a line of these commands; 1: another one, or it has no such part; -1 with ENOMEM.
 * wt_job_options_clear () frees. */
int wt_job_options_line(struct wt_job_options *options, const char *line, unsigned int component);

/* Read options without a command before them. */
int wt_job_options_words(struct wt_job_options *options, const char *words);
void wt_job_options_clear(struct wt_job_options *options);	/* errno is preserved */

/* Let 'ask' ask for what the options say, but for account, QOS, partition, name, user, group, times and the size in
 * time; what cannot be said, or is no value, is counted in 'unknown' by a reason.  0, or -1 with ENOMEM. */
int wt_job_options_ask(const struct wt_job_options *options, struct wt_job_ask *ask, json_t *unknown,
		       struct wt_error *errp);

/* The text of sbatch's --time in seconds; INFINITY: unlimited; NAN: none. */
double wt_job_option_time(const char *text);

/* The text of --mem in MiB; NAN: none.  'per' (may be NULL) gets the letter behind it that old releases of sacct write: 'n'
 * (of a node), 'c' (of a CPU), or '\0'. */
double wt_job_option_memory(const char *text, char *per);

#endif
