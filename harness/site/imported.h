/* imported.h - a site's folder (windtunnel-site(5)): read what the site's Slurm has told, and write it as one.
 *
 * Unless noted: 0, or -1 with errno and *errp set, whose text names the file, and the line where it has some.  Nothing that
 * is read is executed, and nothing is written but the output folder, which is there whole or not at all. */
#ifndef WT_HARNESS_SITE_IMPORTED_H
#define WT_HARNESS_SITE_IMPORTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/cluster/conf/demands.h"
#include "harness/site/account_commands.h"
#include "harness/site/aliases.h"
#include "harness/site/conf_sort.h"
#include "harness/site/people.h"
#include "harness/site/site_jobs.h"
#include "harness/site/site_usage.h"
#include "harness/site/site_world.h"

struct wt_site_sources {	/* of the caller; NULL: not given */
	const char *folder;		/* of a capture: files that are not given singly are looked for there */
	const char *conf, *topology, *gres;
	const char *sacct, *events, *swf;	/* jobs: at most one of them */
	const char *map;		/* of 'swf' (swf_jobs.h) */
	const char *users;		/* lines USER:UID:GROUP:GID, as UBCCR's simulator has them */
	const char *groups;		/* lines of group(5) */
	char *const *accounts;		/* for sacctmgr, in this order */
	size_t account_count;
	const char *sshare;		/* what users have used */
	const char *key;		/* names are replaced with this file's key */
	bool skip_bad;			/* leave out, and count, jobs that cannot be read */
};

struct wt_imported {		/* zeroed: empty and valid */
	char *cluster, *slurm_version;	/* NULL: not known */
	double captured_s;		/* 0: not known */
	double from_s, until_s;		/* the period of which jobs were asked for; 0: not known */
	bool anonymised, has_key;	/* by whomever; by 'aliases' */
	struct wt_aliases aliases;
	struct wt_demands demands;	/* of slurm.conf */
	struct wt_site_conf conf;
	uint32_t nodes, cpus;		/* that slurm.conf names; 0: not known */
	char *topology, *gres;		/* texts; NULL: none */
	struct wt_account_commands accounts;
	struct wt_people people;
	struct wt_site_jobs jobs;
	struct wt_site_world world;	/* of a capture with jobs of sacct */
	struct wt_site_usage usage;
	bool has_accounts, has_jobs, has_usage;
};

int wt_imported_read(struct wt_imported *site, const struct wt_site_sources *sources, struct wt_error *errp);
void wt_imported_clear(struct wt_imported *site);	/* errno is preserved */

/* Make the folder.  EEXIST: there is something of that name. */
int wt_imported_write(const struct wt_imported *site, const char *path, struct wt_error *errp);

/* What became of all, as text for people. */
void wt_imported_tell(FILE *out, const struct wt_imported *site);

/* The same as JSON: import.json.  A new reference; NULL with ENOMEM. */
json_t *wt_imported_json(const struct wt_imported *site);

/* conf_text.c: slurm.conf, as it is written, with accounts and groups by their aliases; to be freed.  NULL with ENOMEM. */
char *wt_imported_conf(const struct wt_imported *site);

/* Take from the sorted settings what tells people, hosts and paths: once it is known in which class they are. */
int wt_imported_mask(struct wt_imported *site, struct wt_error *errp);

#endif
