/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/report/output_names.h"
#include "harness/export/plots.h"
#include "lib/str.h"
#include "record/event_format.h"

/* ---- places: where a name leads to, also where no file is yet ------------------------------------------------------ */

struct output_place {
	bool known;	/* the folder is there */
	dev_t dev;	/* the folder's */
	ino_t ino;
	char name[NAME_MAX + 1];	/* in it */
	char *folder;	/* its canonical path */
};

static void place_clear(struct output_place *place)
{
	free(place->folder);
}

static bool folder_find(struct output_place *place, const char *folder)
{
	struct stat st;

	place->folder = realpath(folder, NULL);
	if (!place->folder || stat(place->folder, &st) < 0)
		return false;
	place->dev = st.st_dev;
	place->ino = st.st_ino;
	return true;
}

/* A link that leads to a file is that file; one that leads nowhere is itself what will be replaced. */
static struct output_place place_find(const char *path)
{
	char *target = realpath(path, NULL);
	char *of_folder = strdup(target ? target : path), *of_name = strdup(target ? target : path);
	struct output_place place = { 0 };

	if (of_folder && of_name) {
		const char *name = basename(of_name);

		place.known = strlen(name) <= NAME_MAX && folder_find(&place, dirname(of_folder));
		if (place.known)
			memcpy(place.name, name, strlen(name) + 1);
	}
	free(target);
	free(of_folder);
	free(of_name);
	return place;
}

static bool places_same(const char *a, const char *b)
{
	struct output_place of_a = place_find(a), of_b = place_find(b);
	bool same = of_a.known && of_b.known && of_a.dev == of_b.dev && of_a.ino == of_b.ino &&
		    !strcmp(of_a.name, of_b.name);

	place_clear(&of_a);
	place_clear(&of_b);
	return same;
}

/* Is it one file, or will it be?  A device or a pipe may have two outputs. */
static bool files_same(const char *a, const char *b)
{
	struct stat of_a, of_b;

	if (stat(a, &of_a) == 0 && stat(b, &of_b) == 0) {
		if (!S_ISREG(of_a.st_mode))
			return false;
		if (of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino)
			return true;
	}
	return !strcmp(a, b) || places_same(a, b);
}

/* Would --plots DIR put a file of its own there? */
static bool plots_write_there(const char *dir, const char *path)
{
	struct output_place plots = { 0 }, place = place_find(path);
	bool there = place.known && plots_name_is(place.name) && folder_find(&plots, dir) && plots.dev == place.dev &&
		     plots.ino == place.ino;

	place_clear(&place);
	place_clear(&plots);
	return there;
}

/* ---- what is read ------------------------------------------------------------------------------------------------- */

static const char *const run_files[] = {
	"summary.json", "scenario.json", "jobs.csv", "jobs.swf", "series.csv", WT_EVENTS_FILE, "slurm.conf", "topology.conf",
	PAGE_HEARTBEATS,
};
static const char *const experiment_files[] = {
	"index.sqlite", "index.sqlite-journal", "index.sqlite-wal", "index.sqlite-shm", "experiment.yaml", "array.json",
};
enum { RUN_FILES = sizeof(run_files) / sizeof(run_files[0]),
       EXPERIMENT_FILES = sizeof(experiment_files) / sizeof(experiment_files[0]) };

struct named_output {
	const char *path;	/* a file; or */
	const char *plots;	/* the folder of --plots */
};

/* Would this output take the file 'input' away? */
static bool output_takes(const struct named_output *output, const char *input)
{
	return output->plots ? plots_write_there(output->plots, input) : files_same(output->path, input);
}

static bool folder_has(const char *folder, const char *const *files, size_t count, const struct named_output *output)
{
	bool found = false;

	for (size_t i = 0; !found && i < count; i++) {
		char *path = wt_str_format("%s/%s", folder, files[i]);

		found = path && output_takes(output, path);
		free(path);
	}
	return found;
}

/* A file of a run anywhere below a folder of runs: also of those that are not reported, because they failed, say. */
static bool tree_has(const char *folder, const struct named_output *output)
{
	struct output_place tree = { 0 }, place = { 0 };
	bool is_file = false, below = false;

	if (output->path)
		place = place_find(output->path);
	for (size_t i = 0; place.known && i < RUN_FILES; i++)
		is_file = is_file || !strcmp(place.name, run_files[i]);
	if (is_file && folder_find(&tree, folder)) {
		size_t len = strlen(tree.folder);

		below = !strncmp(place.folder, tree.folder, len) && strchr("/", place.folder[len]);
	}
	place_clear(&place);
	place_clear(&tree);
	return below;
}

static bool run_has(const struct page_run *run, const struct named_output *output)
{
	return run->single_file ? output_takes(output, run->path) : folder_has(run->path, run_files, RUN_FILES, output);
}

static int taken_set(const struct named_output *output, const char *input, struct wt_error *errp)
{
	return wt_error_set(errp, EINVAL, "%s: is what %s is read from; give another name",
			    output->plots ? output->plots : output->path, input);
}

static int inputs_check(const struct named_output *output, const char *experiment, const struct page_input *input,
			struct wt_error *errp)
{
	if (experiment &&
	    (folder_has(experiment, experiment_files, EXPERIMENT_FILES, output) || tree_has(experiment, output)))
		return taken_set(output, experiment, errp);
	for (size_t i = 0; i < input->variant_count; i++)
		if (folder_has(input->variants[i].path, run_files, RUN_FILES, output) ||
		    tree_has(input->variants[i].path, output))
			return taken_set(output, input->variants[i].path, errp);
	for (size_t i = 0; i < input->run_count; i++)
		if (run_has(&input->runs[i], output))
			return taken_set(output, input->runs[i].path, errp);
	return 0;
}

/* ---- all outputs -------------------------------------------------------------------------------------------------- */

int output_names_check(const char *page, const struct report_outputs *outputs, const char *experiment,
		       const struct page_input *input, struct wt_error *errp)
{
	const struct named_output all[] = {
		{ .path = page }, { .path = outputs->trace }, { .path = outputs->openmetrics }, { .plots = outputs->plots },
	};
	enum { OUTPUTS = sizeof(all) / sizeof(all[0]) };

	for (size_t i = 0; i < OUTPUTS; i++) {
		if ((all[i].path || all[i].plots) && inputs_check(&all[i], experiment, input, errp) < 0)
			return -1;
		for (size_t k = 0; k < i && (all[i].path || all[i].plots); k++)
			if (all[k].path && output_takes(&all[i], all[k].path))
				return wt_error_set(errp, EINVAL, "%s: two outputs cannot be the same file", all[k].path);
	}
	return 0;
}
