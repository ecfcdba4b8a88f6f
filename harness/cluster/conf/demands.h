/* demands.h - what a user wants of slurm.conf, in the order given, each with the place where it stands: a file's lines, with
 * the files that they include, and --set options.
 *
 * Nothing is judged here, that is confpolicy.h's business; what is no setting at all is refused.  Unless noted: 0, or -1
 * with errno (EINVAL, ENOMEM, or why a file could not be read) and *errp set. */
#ifndef WT_HARNESS_CLUSTER_CONF_DEMANDS_H
#define WT_HARNESS_CLUSTER_CONF_DEMANDS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"

struct wt_demand {
	char *key, *value;	/* without the quotes around the value; an empty value removes the key */
	char *where;		/* "FILE:LINE" or "--set" */
	bool append;		/* KEY+=VALUE */
	bool option;		/* of --set */
};

struct wt_demands {		/* zeroed: empty and valid */
	struct wt_demand *list;
	size_t count;
};

/* Text of slurm.conf: comments, continued lines, several settings on a line, quotes.  'path' names it in errors, and
 * relative paths of Include begin in its folder (slurm.conf(5), "INCLUDE MODIFIERS"; %c is the ClusterName read so far). */
int wt_demands_text(struct wt_demands *demands, const char *text, const char *path, struct wt_error *errp);
/* The same of a text that has to say all itself: Include is refused, and nothing else is read. */
int wt_demands_alone(struct wt_demands *demands, const char *text, const char *path, struct wt_error *errp);
int wt_demands_file(struct wt_demands *demands, const char *path, struct wt_error *errp);
/* The same of a stranger's file: what it includes is opened only if it lies in its folder, or below, where links lead to.
 * Of an absolute path that does not, the file of that name in the folder (or as much of the path's end as is there) is
 * taken: the folder is a copy of the site's. */
int wt_demands_inside(struct wt_demands *demands, const char *path, struct wt_error *errp);

/* Could Slurm's reader of configuration find an Include in this text, if not every reader would?  Joined lines, backslashes
 * and blanks are seen through; a name that has the word in it is taken for one. */
bool wt_demands_may_include(const char *text);

/* One "KEY=VALUE" or "KEY+=VALUE", as a person wrote it behind --set. */
int wt_demands_option(struct wt_demands *demands, const char *setting, struct wt_error *errp);

void wt_demands_clear(struct wt_demands *demands);	/* errno is preserved */

#endif
