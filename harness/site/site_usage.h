/* site_usage.h - what the users of a site have used so far, by which fair share ranks them: from sshare, as usage.csv of
 * windtunnel-site(5).
 *
 * sshare(1) tells the usage of the moment of the capture; a replay begins with the first job of the capture's period.
 * So what the jobs of the period have used is taken off, and the rest is reckoned back.  Slurm's model (slurm.conf(5),
 * PriorityDecayHalfLife; "RawUsage" in sshare(1)): each second of a job adds its billable TRES to the usage of its
 * association, and usage halves in each half-life.
 *
 * Pure; foreign text; plain values.  Unless noted: 0, or -1 with ENOMEM. */
#ifndef WT_HARNESS_SITE_SITE_USAGE_H
#define WT_HARNESS_SITE_SITE_USAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "harness/site/aliases.h"
#include "harness/site/site_jobs.h"
#include "lib/error.h"

struct wt_site_usage_row {
	char *account, *user;
	double raw;		/* billed TRES times seconds, decayed: not negative, finite */
};

struct wt_site_usage {		/* zeroed, with what is the caller's, and wt_site_usage_init () */
	struct wt_site_usage_row *list;		/* each user of each account once, in the file's order */
	size_t count, capacity;
	size_t read;		/* records of users */
	json_t *left_out, *assumed;	/* counts by reason (reasons.h) */
	const struct wt_aliases *aliases;	/* of the caller; NULL */
	json_t *places;		/* private: where each stands in 'list' */
};

struct wt_site_usage_times {
	double captured_s;	/* when sshare was asked; 0: not known */
	double from_s;		/* the beginning of the period whose jobs are known; 0: the first job */
	double until_s;		/* the end of the period whose jobs are known; 0: not known */
	double half_life_s;	/* INFINITY: usage does not decay; NAN: not known */
	bool resets;		/* PriorityUsageResetPeriod */
};

int wt_site_usage_init(struct wt_site_usage *usage, struct wt_error *errp);
void wt_site_usage_clear(struct wt_site_usage *usage);	/* errno is preserved */

/* Add what "sshare -a -P -o Account,User,RawUsage" (and more columns) has printed.  EINVAL: no header with these three, with
 * the line.  Records that are none are left out. */
int wt_site_usage_read(struct wt_site_usage *usage, const char *where, const char *text, struct wt_error *errp);

/* Reckon back to the first of the jobs, which are in order.  What cannot be reckoned back is emptied, and counted. */
int wt_site_usage_rewind(struct wt_site_usage *usage, const struct wt_site_jobs *jobs,
			 const struct wt_site_usage_times *times, struct wt_error *errp);

/* usage.csv, for wt_outfile_write (): 'usage' is a struct wt_site_usage. */
int wt_site_usage_write(FILE *out, const void *usage, struct wt_error *errp);

#endif
