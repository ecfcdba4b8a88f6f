/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dirent.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/report/identity.h"
#include "lib/json.h"
#include "harness/report/run_set.h"
#include "lib/str.h"

#define RELEASE_MAX 64
#define FIGURE_MAX 1e18	/* no run has more of anything; sums of squares of more would not be numbers any more */

static int kind_parse(const char *name, enum wt_kind *kind)
{
	for (enum wt_kind k = WT_KIND_REAL; k <= WT_KIND_MODELLED; k++)
		if (name && !strcmp(name, wt_kind_name(k))) {
			*kind = k;
			return 0;
		}
	return -1;
}

static int figures_get(struct wt_run_figures *run, enum wt_kind *kinds, const json_t *o, const char *path,
		       struct wt_error *errp)
{
	const json_t *names = json_object_get(o, "kinds");
	const char *clock = json_string_value(json_object_get(o, "clock"));

	for (size_t f = 0; f < WT_FIG_COUNT; f++) {
		const char *key = wt_figure_infos[f].key;
		const json_t *value = json_object_get(o, key);
		bool length = f <= WT_FIG_SLOWDOWN_MAX;	/* or a share of time */

		run->values[f] = json_is_number(value) ? json_number_value(value) : NAN;
		if (value && !json_is_number(value) && !json_is_null(value))
			return wt_error_set(errp, EINVAL, "%s: %s is not a number", path, key);
		/* a latency over two clocks may be less than nothing */
		if (fabs(run->values[f]) > FIGURE_MAX || (length && run->values[f] < 0))
			return wt_error_set(errp, EINVAL, "%s: %s is %g, which no run has", path, key, run->values[f]);
		/* a run of before there was this figure */
		if (!value && json_object_size(names) && !json_object_get(names, key)) {
			kinds[f] = wt_figure_kind((enum wt_figure_id) f, clock);
			continue;
		}
		if (kind_parse(json_string_value(json_object_get(names, key)), &kinds[f]) < 0)
			return wt_error_set(errp, EINVAL, "%s: it does not say what kind of figure %s is", path, key);
	}
	return 0;
}

/* As text, or as a number of runs of before; a run that has none has seed 0. */
static int seed_get(uint64_t *seed, const json_t *value, const char *path, struct wt_error *errp)
{
	const char *text = json_string_value(value);
	char *end = NULL;

	*seed = 0;
	errno = 0;
	if (text && isdigit((unsigned char) *text))
		*seed = strtoull(text, &end, 10);
	else if (json_is_integer(value) && json_integer_value(value) >= 0)
		*seed = (uint64_t) json_integer_value(value);
	else if (value)
		return wt_error_set(errp, EINVAL, "%s: the seed is no number from 0 on", path);
	if (end && (*end || errno))
		return wt_error_set(errp, EINVAL, "%s: the seed is no number from 0 to %llu", path,
				    (unsigned long long) UINT64_MAX);
	return 0;
}

static int head_get(struct wt_run_set *one, struct wt_run_figures *run, const json_t *o, const char *path,
		    struct wt_error *errp)
{
	const char *workload = wt_json_string(o, "workload", path, errp), *backend = workload ? wt_json_string(o, "backend",
		path, errp) : NULL;
	const char *clock = backend ? wt_json_string(o, "clock", path, errp) : NULL;
	int64_t nodes, cpus;

	if (!clock || wt_json_integer(o, "nodes", path, &nodes, errp) < 0 || wt_json_integer(o, "cpus", path, &cpus,
		errp) < 0 ||
	    wt_json_number(o, "time_scale", path, &one->time_scale, errp) < 0)
		return -1;
	if (nodes < 0 || nodes > UINT32_MAX || cpus < 0 || cpus > UINT32_MAX || !(one->time_scale > 0))
		return wt_error_set(errp, EINVAL, "%s: %lld nodes, %lld CPUs and time scale %g are of no run", path,
				    (long long) nodes, (long long) cpus, one->time_scale);
	if (seed_get(&run->seed, json_object_get(o, "seed"), path, errp) < 0)
		return -1;
	one->nodes = (uint32_t) nodes;
	one->cpus = (uint32_t) cpus;
	one->workload = strdup(workload);
	one->backend = strdup(backend);
	one->clock = strdup(clock);
	return one->workload && one->backend && one->clock ? 0 : wt_error_errno(errp, ENOMEM, "%s", path);
}

/* Runs of one folder are repetitions: of another workload or machine they have nothing in common. */
static int same_check(const struct wt_run_set *set, const struct wt_run_set *one, const char *path, struct wt_error *errp)
{
	char text[512];

	if (strcmp(set->workload, one->workload) || strcmp(set->backend, one->backend) || set->nodes != one->nodes ||
	    set->cpus != one->cpus || set->time_scale != one->time_scale)
		return wt_error_set(errp, EINVAL,
				    "%s: %s on %u %s nodes with %u CPUs, time scale %g, but the runs before it are %s on %u "
				    "%s nodes with %u CPUs, time scale %g", path, one->workload, one->nodes, one->backend,
				    one->cpus,
				    one->time_scale, set->workload, set->nodes, set->backend, set->cpus, set->time_scale);
	if (set->slurm && one->slurm && strcmp(set->slurm, one->slurm))
		return wt_error_set(errp, EINVAL, "%s: on Slurm %s, but the runs before it are on %s", path, one->slurm,
				    set->slurm);
	if (wt_identity_differs(set->identity, one->identity, text, sizeof(text)))
		return wt_error_set(errp, EINVAL, "%s: not the workload of the runs before it: %s", path, text);
	for (size_t f = 0; f < WT_FIG_COUNT; f++)
		if (set->kinds[f] != one->kinds[f])
			return wt_error_set(errp, EINVAL, "%s: %s is %s, but %s in the runs before it", path,
					    wt_figure_infos[f].key,
					    wt_kind_name(one->kinds[f]), wt_kind_name(set->kinds[f]));
	return 0;
}

static int run_add(struct wt_run_set *set, struct wt_run_set *one, const struct wt_run_figures *run, const char *path,
		   struct wt_error *errp)
{
	struct wt_run_figures *runs = reallocarray(set->runs, set->count + 1, sizeof(*runs));

	if (!runs)
		return wt_error_errno(errp, ENOMEM, "%s", path);
	set->runs = runs;
	if (set->count && same_check(set, one, path, errp) < 0)
		return -1;
	if (!set->count) {
		set->workload = one->workload;
		set->backend = one->backend;
		set->clock = one->clock;
		set->nodes = one->nodes;
		set->cpus = one->cpus;
		set->time_scale = one->time_scale;
		memcpy(set->kinds, one->kinds, sizeof(set->kinds));
		set->identity = one->identity;
		one->workload = one->backend = one->clock = NULL;
		one->identity = NULL;
	}
	if (!set->slurm) {	/* else a third run might be of another release than the second, and nobody would notice */
		set->slurm = one->slurm;
		one->slurm = NULL;
	}
	set->runs[set->count++] = *run;
	return 0;
}

static bool ended_well(const json_t *summary)
{
	const char *failure = json_string_value(json_object_get(summary, "failure"));

	/* A run that failed or was interrupted has figures of a part of its jobs only: a mean with them would be one
	 * of different things. */
	return failure && !*failure && json_is_false(json_object_get(summary, "interrupted"));
}

/* slurmctld's own word in summary.json counts where there is no scenario.json. */
static int release_get(struct wt_run_set *one, const json_t *summary, const json_t *scenario)
{
	const char *version = json_string_value(json_object_get(json_object_get(scenario, "versions"), "slurm"));

	if (!version)
		version = json_string_value(json_object_get(summary, "slurm_version"));
	if (version)
		one->slurm = wt_str_make_line(version, RELEASE_MAX);
	return version && !one->slurm ? -1 : 0;
}

/* A folder without scenario.json: what is not known of the workload is not compared. */
static int identity_get(struct wt_run_set *one, const json_t *summary, const char *dir, struct wt_error *errp)
{
	char *path = wt_str_format("%s/scenario.json", dir);
	json_t *scenario = path ? wt_json_load(path, errp) : NULL;
	int rc = path ? 0 : wt_error_errno(errp, ENOMEM, "%s", dir);

	if (path && !scenario && errno != ENOENT)
		rc = -1;
	if (rc == 0) {
		one->identity = wt_identity_make(summary, scenario);
		rc = one->identity && release_get(one, summary, scenario) == 0 ? 0 : wt_error_errno(errp, ENOMEM, "%s", dir);
	}
	json_decref(scenario);
	free(path);
	return rc;
}

static int summary_take(struct wt_run_set *set, const json_t *summary, unsigned long number, const char *dir,
			const char *path, struct wt_error *errp)
{
	struct wt_run_set one = { 0 };
	struct wt_run_figures run = { .number = number };
	int rc;

	if (!ended_well(summary)) {
		set->skipped++;
		return 0;
	}
	rc = head_get(&one, &run, summary, path, errp);
	if (rc == 0)
		rc = figures_get(&run, one.kinds, summary, path, errp);
	if (rc == 0)
		rc = identity_get(&one, summary, dir, errp);
	if (rc == 0)
		rc = run_add(set, &one, &run, path, errp);
	wt_run_set_clear(&one);
	return rc;
}

static int run_read(struct wt_run_set *set, const char *dir, unsigned long number, struct wt_error *errp)
{
	char *path = wt_str_format("%s/summary.json", dir);
	json_t *summary;
	int rc = 0;

	if (!path)
		return wt_error_errno(errp, ENOMEM, "%s", dir);
	summary = wt_json_load(path, errp);
	if (summary)
		rc = summary_take(set, summary, number, dir, path, errp);
	else if (errno == ENOENT)
		set->skipped++;
	else
		rc = -1;
	json_decref(summary);
	free(path);
	return rc;
}

/* "1", "2", ...: 0 for other names. */
static unsigned long run_number(const char *name)
{
	return *name >= '1' && *name <= '9' && !name[strspn(name, "0123456789")] ? strtoul(name, NULL, 10) : 0;
}

static int folder_read(struct wt_run_set *set, const char *path, struct wt_error *errp)
{
	struct dirent **entries;
	/* versionsort: 10 comes behind 9, so that messages name runs in the order in which they were made. */
	int count = scandir(path, &entries, NULL, versionsort), rc = 0;

	if (count < 0)
		return wt_error_errno(errp, errno, "%s", path);
	for (int i = 0; i < count; i++) {
		unsigned long number = run_number(entries[i]->d_name);
		char *dir = rc == 0 && number ? wt_str_format("%s/%s", path, entries[i]->d_name) : NULL;

		if (rc == 0 && number)
			rc = dir ? run_read(set, dir, number, errp) : wt_error_errno(errp, ENOMEM, "%s", path);
		free(dir);
		free(entries[i]);
	}
	free(entries);
	return rc;
}

static int seed_compare(const void *a, const void *b)
{
	const struct wt_run_figures *x = a, *y = b;

	if (x->seed != y->seed)
		return x->seed < y->seed ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static int none_tell(const struct wt_run_set *set, const char *path, struct wt_error *errp)
{
	if (set->skipped)
		return wt_error_set(errp, ENOENT,
				    "%s: no run that ended well: %zu that failed, was interrupted, or has not ended "
				    "(--resume "
				    "runs it again)", path, set->skipped);
	return wt_error_set(errp, ENOENT,
			    "%s: no run that ended well: it is neither a run folder nor has it folders 1, 2, ...", path);
}

int wt_run_set_read(struct wt_run_set *set, const char *path, struct wt_error *errp)
{
	char *scenario = wt_str_format("%s/scenario.json", path);
	int rc;

	memset(set, 0, sizeof(*set));
	set->path = strdup(path);
	if (!set->path || !scenario) {
		free(scenario);
		return wt_error_errno(errp, ENOMEM, "%s", path);
	}
	rc = access(scenario, F_OK) == 0 ? run_read(set, path, 0, errp) : folder_read(set, path, errp);
	free(scenario);
	if (rc == 0 && !set->count)
		return none_tell(set, path, errp);
	if (rc == 0)
		qsort(set->runs, set->count, sizeof(*set->runs), seed_compare);
	return rc;
}

void wt_run_set_clear(struct wt_run_set *set)
{
	int saved_errno = errno;

	free(set->path);
	free(set->workload);
	free(set->backend);
	free(set->clock);
	free(set->slurm);
	free(set->runs);
	json_decref(set->identity);
	memset(set, 0, sizeof(*set));
	errno = saved_errno;
}

void wt_run_set_figure(const struct wt_run_set *set, enum wt_figure_id figure, double *values)
{
	for (size_t i = 0; i < set->count; i++)
		values[i] = set->runs[i].values[figure];
}
