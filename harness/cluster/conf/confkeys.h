/* confkeys.h - every key of slurm.conf, and what becomes of it when a site's slurm.conf is given to an emulated
 * cluster.
 *
 * Pure.  A key that is not in these tables has no class and is refused: it could do anything.  test_confkeys compares the
 * tables with those in the source of the installed Slurm (common/read_config.c) and with slurm.conf(5). */
#ifndef WT_HARNESS_CLUSTER_CONF_CONFKEYS_H
#define WT_HARNESS_CLUSTER_CONF_CONFKEYS_H

#include <stdbool.h>
#include <stddef.h>

enum wt_confclass {
	WT_CONF_TAKEN,		/* affects scheduling, sizes, times, logs in the cluster's own folder: taken over as it is */
	/* keeps clusters apart from each other and from the machine's Slurm: windtunnel's value, always */
	WT_CONF_OURS,
	WT_CONF_NEUTRAL,	/* reaches out of the emulation: left out, or windtunnel's value, unless --keep names it */
};

struct wt_confkey {
	const char *name;
	enum wt_confclass class;
	/* WT_CONF_NEUTRAL: values that touch nothing and so are taken over, with '|' between them; or NULL */
	const char *values;
	/* of a list with commas those words that are taken over: "word", "word=" (a number follows, K to P behind it); or
	 * NULL */
	const char *words;
	/* of a list with commas those words that are not, with or without ":..." behind them; or NULL */
	const char *not_words;
	/* what to use where Slurm's own default would reach out, or where nothing at all would change more */
	const char *instead;
	const char *why;	/* for people; NULL with WT_CONF_TAKEN */
	bool schedules;		/* doing without it can change the schedule */
};

/* The row of 'name', in any case of letters, NULL: there is none.  'line' NULL: a key of slurm.conf; else an attribute on
 * the line of that key (NodeName, PartitionName, NodeSet, DownNodes, FrontendName). */
const struct wt_confkey *wt_confkey_find(const char *line, const char *name);

/* Why there is no such row although sites have it: other versions of Slurm know it.  NULL: none does. */
const char *wt_confkey_other(const char *line, const char *name);

/* Is this key's value a secret, which is not written anywhere: a password, or an address with one in it, as
 * http://user:password@host?  'value' NULL: by the key alone. */
bool wt_confkey_secret(const char *key, const char *value);

/* A whole table, for tests; *count rows.  NULL: that key has no attributes. */
const struct wt_confkey *wt_confkey_table(const char *line, size_t *count);

#endif
