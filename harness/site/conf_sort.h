/* conf_sort.h - a site's slurm.conf, setting by setting: what an emulated cluster makes of it.
 *
 * The classes are those of harness/cluster/conf (confkeys.h, confpolicy.h), which decide also when a cluster is started
 * of a site's folder.  Pure. */
#ifndef WT_HARNESS_SITE_CONF_SORT_H
#define WT_HARNESS_SITE_CONF_SORT_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "harness/cluster/conf/demands.h"
#include "lib/error.h"

enum wt_site_class { WT_SITE_KEPT, WT_SITE_FORCED, WT_SITE_DROPPED, WT_SITE_UNKNOWN, WT_SITE_CLASSES };

#define WT_SITE_NOT_TOLD "(not told)"	/* in place of a value that is secret */

struct wt_site_setting {
	char *key, *where, *value;
	char *line;		/* "NodeName n[1-4]" of an attribute; NULL */
	char *ours;		/* what holds instead; NULL: nothing, or the site's own */
	const char *reason;	/* NULL with WT_SITE_KEPT */
	enum wt_site_class class;
	bool schedules;		/* it can change the schedule that this is not as the site has it */
};

struct wt_site_has {		/* what the folder has besides */
	bool accounts, topology;
};

struct wt_site_conf {		/* zeroed: empty and valid */
	struct wt_site_setting *list;
	size_t count;
	size_t counts[WT_SITE_CLASSES];
};

const char *wt_site_class_name(enum wt_site_class class);

/* Sort all settings.  0, or -1 with errno (ENOMEM; EINVAL: a line that Slurm cannot read, with file and line). */
int wt_site_conf_sort(struct wt_site_conf *conf, const struct wt_demands *demands, const struct wt_site_has *has,
		      struct wt_error *errp);
void wt_site_conf_clear(struct wt_site_conf *conf);	/* errno is preserved */

/* A line with attributes ('named': behind a name) without those that are secret: to be freed.  NULL with ENOMEM. */
char *wt_site_conf_line(const char *line, bool named);

/* The list as JSON, for import.json; a new reference.  NULL with ENOMEM. */
json_t *wt_site_conf_json(const struct wt_site_conf *conf);

#endif
