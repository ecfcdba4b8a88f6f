/* conf.h - the text of a slurm.conf as an ordered list of settings (slurm.conf(5)).
 *
 * Pure: no Slurm, no files.  Keys are compared without regard to case, as Slurm does.  Most keys stand once; a few name
 * things of which there are many (NodeName, PartitionName, NodeSet, DownNodes, FrontendName) and stand once for each name.
 * Objects are not locked.  Unless noted: 0, or -1 with errno (EINVAL, ENOMEM) and *errp set. */
#ifndef WT_HARNESS_CLUSTER_CONF_CONF_H
#define WT_HARNESS_CLUSTER_CONF_CONF_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"

struct wt_conf;		/* opaque */

struct wt_conf *wt_conf_create(void);			/* empty; NULL with ENOMEM */
void wt_conf_destroy(struct wt_conf *conf);		/* NULL is ignored; errno is preserved */

/* Set 'key' to exactly 'value'; an empty value removes the key, so that Slurm's own default holds.  A repeatable key's value
 * begins with a name: the line of that name is replaced, or one is added behind the others; the name DEFAULT comes before
 * them, since Slurm applies it to what follows. */
int wt_conf_set(struct wt_conf *conf, const char *key, const char *value, struct wt_error *errp);

/* Add another DEFAULT line of a repeatable key, for what follows it: behind everything ('last'), or before the first line
 * that has a name. */
int wt_conf_add_default(struct wt_conf *conf, const char *key, const char *value, bool last, struct wt_error *errp);

/* Append to a key: "a" becomes "a,value"; a missing key is set.  A word of SchedulerParameters takes the place of an earlier
 * one of its name ("bf_interval=30").  To a repeatable key's lines (all but DEFAULT, at
 * least one) " value" is appended, so "PartitionName" with "MaxTime=60" changes every partition. */
int wt_conf_append(struct wt_conf *conf, const char *key, const char *value, struct wt_error *errp);

/* Is this a key (letters and digits) and a value that slurm.conf(5) can hold?  The two functions above refuse what is
 * not. */
int wt_conf_check(const char *key, const char *value, struct wt_error *errp);

bool wt_conf_key_repeats(const char *key);

/* The value of a key that stands once, or of the first line of a repeatable one; NULL when there is none.  Belongs to
 * *conf. */
const char *wt_conf_get(const struct wt_conf *conf, const char *key);

/* The line of a repeatable key for 'name' (what is before the first blank); NULL when there is none.  Belongs to *conf. */
const char *wt_conf_get_named(const struct wt_conf *conf, const char *key, const char *name);

/* One line of a repeatable key after the other, DEFAULT lines too, in the order in which Slurm reads them: *at is 0 first.
 * NULL: there are no more.  Belongs to *conf. */
const char *wt_conf_next(const struct wt_conf *conf, const char *key, size_t *at);

/* The whole text, one setting on a line; values with blanks are quoted where Slurm wants that.  The caller frees it. */
char *wt_conf_print(const struct wt_conf *conf);

#endif
