/* experiment.h - an experiment: a run, what is changed in it from case to case, and how often each is run.
 *
 * The file's form is windtunnel-experiment(5).  A case is one variant with one value of each axis of the grid; with neither
 * there is one case.  All text is owned by the struct.  Pure but for reading the file; one thread at a time. */
#ifndef WT_HARNESS_EXPERIMENT_EXPERIMENT_H
#define WT_HARNESS_EXPERIMENT_EXPERIMENT_H

#include <stddef.h>
#include <stdint.h>

#include "harness/report/metrics.h"
#include "lib/error.h"

#define EXPERIMENT_REPEAT_MAX 10000
#define EXPERIMENT_CASES_MAX  1000

struct experiment_setting {
	char *section, *key; /* "cluster", "nodes"; "slurm.conf", "SchedulerParameters.bf_interval" (one word of a list) */
	char *value; /* NULL: taken back, as if it had not been set before */
	unsigned long line; /* of the file */
};

struct experiment_settings { /* in the order of the file; each section and key once */
	struct experiment_setting *items;
	size_t count;
};

struct experiment_variant {
	char *name;
	struct experiment_settings changes;
};

struct experiment_axis { /* of the grid */
	char *section, *key;
	char **values; /* NULL among them: as without the setting */
	size_t value_count;
	unsigned long line;
};

struct experiment {
	char *path, *title; /* title: "" when it has none */
	uint64_t seed; /* of run 1; run N has seed + N - 1 */
	unsigned int repeat; /* runs of each case */
	struct experiment_settings base;
	struct experiment_variant *variants;
	size_t variant_count;
	struct experiment_axis *axes;
	size_t axis_count;
	enum wt_figure_id *figures; /* those that the experiment is about, the first foremost */
	size_t figure_count;
};

/* Fill *e from the YAML of 'path'.  0, or -1 with EINVAL and "PATH:LINE: what is wrong", ENOMEM, or the read error.
 * experiment_clear also after a failure. */
int experiment_read(struct experiment *e, const char *path, struct wt_error *errp);

/* The same from bytes in memory; 'path' is for messages, and files that the text names are looked for beside it. */
int experiment_parse(struct experiment *e, const char *path, const char *text, size_t len, struct wt_error *errp);
void experiment_clear(struct experiment *e);

/* Set, replace or (value NULL) take back one setting; the texts are copied.  0, or -1 with ENOMEM. */
int experiment_settings_put(struct experiment_settings *settings, const struct experiment_setting *setting);
const struct experiment_setting *experiment_settings_find(const struct experiment_settings *settings, const char *section,
							  const char *key);
void experiment_settings_clear(struct experiment_settings *settings);

#endif
