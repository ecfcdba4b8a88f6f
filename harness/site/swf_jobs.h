/* swf_jobs.h - a site's jobs from a trace in the Standard Workload Format, whose users, groups and queues are numbers.
 *
 * A map says what they are: lines "user NUMBER NAME", "group NUMBER ACCOUNT", "queue NUMBER PARTITION"; empty lines and
 * those that begin with # say nothing.  A user that no line names is "user" and the number, an account and a partition that
 * none names are not asked for.  Pure but for the stream. */
#ifndef WT_HARNESS_SITE_SWF_JOBS_H
#define WT_HARNESS_SITE_SWF_JOBS_H

#include <stdio.h>

#include <jansson.h>

#include "harness/site/site_jobs.h"

/* The map's text ("KIND NUMBER" are keys of what is returned, a new reference); NULL with EINVAL (with the line) or
 * ENOMEM. */
json_t *wt_swf_map(const char *where, const char *text, struct wt_error *errp);

/* Add the trace's jobs; 'map' may be NULL.  0, or -1 with errno and *errp. */
int wt_site_jobs_swf(struct wt_site_jobs *jobs, FILE *in, const char *name, json_t *map, struct wt_error *errp);

#endif
