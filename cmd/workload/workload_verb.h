/* workload_verb.h - the sub-verbs of "windtunnel workload", and what they share.
 *
 * Each gets its own argv (argv[0] is "windtunnel workload SUBVERB") and returns the process's exit status. */
#ifndef WT_CMD_WORKLOAD_WORKLOAD_VERB_H
#define WT_CMD_WORKLOAD_WORKLOAD_VERB_H

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

#include "lib/error.h"
#include "workload/slice.h"
#include "workload/swf_trace.h"

int workload_show(int argc, char **argv);
int workload_convert(int argc, char **argv);
int workload_slice(int argc, char **argv);
int workload_generate(int argc, char **argv);

/* FORM_DAX, FORM_WFCOMMONS: workflows, and FORM_RUN: a run folder, are read only. */
enum workload_form { FORM_SWF, FORM_BATSIM, FORM_CSV, FORM_JOBS, FORM_DAX, FORM_WFCOMMONS, FORM_RUN, FORM_COUNT };

struct workload_file {
	const char *path;
	enum workload_form form;
	struct wt_swf_trace trace;
};

/* Read a trace of any form, packed by gzip or not; what it is shows in its first byte, but jobs, and perhaps a jobs.csv, in
 * their name's end.
 * 'skip_bad' leaves out, and counts,
 * lines and entries that cannot be read, or run, of SWF, Batsim and jobs; of a workflow nothing is left out.  0, or -1
 * ("PATH:LINE: ..."); workload_file_clear frees. */
int workload_file_read(struct workload_file *file, const char *path, bool skip_bad, struct wt_error *errp);
void workload_file_clear(struct workload_file *file);

const char *workload_form_name(enum workload_form form);	/* "swf", "batsim", "csv", "jobs", "dax", "wfcommons",
								 * "run folder" */
int workload_form_parse(const char *name, enum workload_form *form);	/* of those that are written: 0, -1 */
/* By a name's end: .swf, .json, .csv or .jsonl, perhaps with .gz behind it.  0, or -1. */
int workload_form_of_name(const char *name, enum workload_form *form);

/* How many jobs there are, what was left out and why, and what else is to be known: lines behind 'indent'. */
void workload_file_tell(FILE *out, const char *indent, const struct workload_file *file);

/* Write the file's jobs to 'output' (NULL: standard output), packed if its name ends in .gz; an SWF as SWF line by line.
 * 0, or -1. */
int workload_file_write(const struct workload_file *file, enum workload_form form, const char *output, bool as_lines,
			struct wt_error *errp);

/* Print "NAME: text" and return 1. */
int workload_fail(const char *name, const struct wt_error *error);

#endif
