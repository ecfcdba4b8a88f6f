/* page.h - a run folder as one HTML file: what its parts get to see, and which files write it.
 *
 * Times are seconds after the first submission was sent, NAN where unknown.  Texts come from files that others wrote: they
 * reach the page through html.h only.  A run is read once, by page_run_read, and then not changed: any number of readers. */
#ifndef WT_HARNESS_PAGE_PAGE_H
#define WT_HARNESS_PAGE_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "lib/error.h"
#include "lib/str.h"
#include "harness/report/metrics.h"
#include "record/record.h"

/* A job's share of the machine's CPUs.  A whole-machine job asks for 90 % or more: nothing runs beside it for long. */
enum page_size {
	PAGE_SIZE_THOUSANDTH,	/* at most 1/1000 */
	PAGE_SIZE_HUNDREDTH,	/* at most 1/100 */
	PAGE_SIZE_32TH,
	PAGE_SIZE_EIGHTH,
	PAGE_SIZE_HALF,
	PAGE_SIZE_LARGE,	/* less than 90 % */
	PAGE_SIZE_WHOLE,
	PAGE_SIZE_COUNT,
	PAGE_SIZE_UNKNOWN = PAGE_SIZE_COUNT	/* the machine's size is not known */
};
const char *page_size_name(enum page_size size);	/* "at most 1/32 of the CPUs", "the whole machine" */
enum page_size page_size_of(uint32_t cpus, uint32_t machine_cpus);

/* What jobs are grouped by besides their size; the words are those of jobs.csv. */
enum page_group { PAGE_GROUP_CLASS, PAGE_GROUP_PARTITION, PAGE_GROUP_ACCOUNT, PAGE_GROUP_USER, PAGE_GROUP_QOS,
		  PAGE_GROUP_REASON, PAGE_GROUP_COUNT };
const char *page_group_name(enum page_group group);	/* "class", "partition", ... */
#define PAGE_NO_GROUP UINT32_MAX

struct page_job {
	uint32_t id;			/* Slurm's; 0: refused, or not known */
	const struct wt_job_record *record;	/* name, state, node_list, node_intervals ("0-17 40"), node_cpus, ... */
	double sent_s, submit_s;	/* submission sent; its reply */
	double start_s, end_s, release_s;
	uint32_t cpus;			/* given, or where it never ran asked for */
	enum page_size size;
	uint32_t group[PAGE_GROUP_COUNT];	/* index into the run's words, or PAGE_NO_GROUP */
};

#define PAGE_HEARTBEATS "heartbeats.jsonl"	/* in a run folder: what windtunnel straggler record has written */

struct page_words {		/* the values of one column, each once, in the order in which they first occur */
	char **words;
	size_t count;
};

struct page_event {		/* of the cluster, that was tried or has happened: a line of world.csv or hosts.csv */
	double time_s;
	char *what, *outcome;	/* foreign: "down n[0-1]"; "refused: Invalid node name" */
};

struct page_run {
	char *path;		/* as it was given */
	char *name;		/* the folder's own, for headings and file names */
	char *id;		/* "run1": the beginning of each id attribute of this run, for pages of several */
	struct wt_record *record;	/* never NULL; nodes and cpus are 0 and texts NULL where summary.json is missing */
	size_t job_count;
	struct page_job *jobs;	/* in the order of jobs.csv */
	struct page_words groups[PAGE_GROUP_COUNT];	/* count 0: jobs.csv does not have the column, or nothing in it */
	struct page_event *events;	/* by time */
	size_t event_count;
	double period_s;	/* the time axis: from 0 to the last thing that happened, at least 1 */
	char *scheduler, *select;	/* SchedulerType and SelectType of slurm.conf; NULL: not known */
	json_t *summary, *scenario;	/* objects, or NULL: missing or not JSON */
	struct wt_metrics metrics;	/* those of summary.json; computed anew without it */
	bool metrics_recomputed;
	bool single_file;	/* no folder, but a file of another program: SWF, jobs.csv */
	bool heartbeats_only;	/* that file is a log of heartbeats, and has no jobs */
	bool jobs_cut;		/* jobs.csv has fewer jobs than completed by summary.json */
	bool interrupted;	/* a signal ended it, or it left no summary.json */
	struct wt_str notes;	/* what is missing or damaged, a line each */
};

struct page_variant {		/* what one argument names: a run, or the runs of a folder with 1, 2, ... */
	const char *path;	/* as it was given; not owned */
	size_t first, run_count;	/* of the input's runs */
	const char *name;	/* what the page calls it, as the case of an experiment; NULL: its path; not owned */
};

struct wt_cases;
struct page_input {
	struct page_run *runs;
	size_t run_count;	/* at least 1 */
	const struct page_variant *variants;	/* one behind the other all runs */
	size_t variant_count;	/* 0: runs that have nothing to do with each other */
	const struct wt_cases *cases;	/* the experiment that the variants are the cases of; NULL: none */
};

/* Read a run folder, or a file (read_file.h).  Whatever is missing or damaged costs its part of the page, and is in
 * run->notes.  0, or -1 with ENOENT (nothing of a run is there), EINVAL (a file that cannot be reported) or ENOMEM.
 * page_run_clear also after a failure. */
int page_run_read(struct page_run *run, const char *path, size_t number, struct wt_error *errp);
void page_run_clear(struct page_run *run);

/* events_read.c: of world.csv, hosts.csv; what was read before a failure stays.  0, or -1 with EINVAL, ENOMEM or the read
 * error. */
int page_events_read(struct page_run *run, FILE *in, const char *name, struct wt_error *errp);
void page_events_clear(struct page_run *run);

#define PAGE_EXPERIMENT_RUNS 12
/* How many of the runs have a part of their own: all, or, in an experiment of more than PAGE_EXPERIMENT_RUNS, none. */
size_t page_runs_written(const struct page_input *input);

/* For wt_outfile_write: 'input' is a struct page_input *.  One HTML file that refers to nothing outside itself.  0, or -1
 * with ENOMEM (of the stream: look at ferror). */
int page_write(FILE *out, const void *input, struct wt_error *errp);

#endif
