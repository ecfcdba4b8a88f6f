/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/page/gantt_machine.h"
#include "lib/fs.h"
#include "lib/intervals.h"
#include "topology/hostlist.h"
#include "topology/name_index.h"

#define FILE_MAX     (64 << 20)
/* Enough to notice another machine's names; all jobs of a large run would take as long as drawing them. */
#define JOBS_CHECKED 256

static char *file_read(const struct page_run *run, const char *name, size_t *len)
{
	char *path = wt_str_format("%s/%s", run->path, name), *text = NULL;

	if (path && wt_fs_read_regular(path, FILE_MAX, &text, len, NULL) < 0)
		text = NULL;
	free(path);
	return text;
}

/* Add the names of a line "NodeName=n[0-3] CPUs=..." each with its zero byte; returns how many. */
static size_t line_names(struct wt_str *names, const char *line, size_t most)
{
	static const char key[] = "NodeName=";
	size_t count = 0;
	struct wt_hostlist *list;

	line += strspn(line, " \t");
	if (strncasecmp(line, key, strlen(key)) != 0)
		return 0;
	line += strlen(key);
	if (strncasecmp(line, "DEFAULT", 7) == 0)
		return 0;
	list = wt_hostlist_parse(line, strcspn(line, " \t\r\n"), most, NULL);
	for (; count < wt_hostlist_count(list); count++) {
		const char *name = wt_hostlist_name(list, count);

		wt_str_add_bytes(names, name, strlen(name) + 1);
	}
	wt_hostlist_destroy(list);
	return count;
}

/* The names in the order of slurm.conf: true when there are as many as nodes. */
static bool conf_read(struct wt_str *names, const struct page_run *run, uint32_t node_count)
{
	size_t len, count = 0;
	char *text = file_read(run, "slurm.conf", &len), *rest = text, *line;

	while (rest && (line = strsep(&rest, "\n")))
		count += line_names(names, line, node_count);
	free(text);
	return node_count && count == node_count && !names->failed;
}

static bool job_fits(const struct name_index *index, const struct wt_job_record *job, uint32_t node_count)
{
	struct wt_hostlist *list = wt_hostlist_parse(job->node_list, strlen(job->node_list), node_count, NULL);
	size_t count = wt_hostlist_count(list);
	uint32_t *numbers = calloc(count + 1, sizeof(*numbers));
	char *text = NULL;
	bool fits = list && numbers;

	for (size_t i = 0; i < count && fits; i++) {
		numbers[i] = name_index_find(index, wt_hostlist_name(list, i));
		fits = numbers[i] != NAME_INDEX_NONE;
	}
	if (fits)
		text = wt_intervals_format(numbers, count);
	fits = text && strcmp(text, job->node_intervals) == 0;
	free(text);
	free(numbers);
	wt_hostlist_destroy(list);
	return fits;
}

/* Whether jobs have the nodes that these names say, in a sample of them. */
static bool names_fit(const char *const *names, uint32_t node_count, const struct page_run *run)
{
	const struct wt_record *record = run->record;
	size_t checked = 0, step = 1 + record->job_count / JOBS_CHECKED;
	struct name_index index;
	bool fits = name_index_init(&index, node_count) == 0;

	if (!fits)
		return false;
	for (uint32_t i = 0; i < node_count && fits; i++)
		fits = name_index_add(&index, names[i], i) == NAME_INDEX_NONE;
	for (size_t i = 0; i < record->job_count && fits; i += step) {
		const struct wt_job_record *job = &record->jobs[i];

		if (!job->node_list || !*job->node_list || !job->node_intervals)
			continue;
		fits = job_fits(&index, job, node_count);
		checked++;
	}
	name_index_clear(&index);
	return fits && checked;
}

static const char **names_make(uint32_t node_count, struct wt_error *errp)
{
	const char **names = calloc(node_count + 1, sizeof(*names));

	if (!names)
		wt_error_set(errp, ENOMEM, "not enough memory for the names of %u nodes", node_count);
	return names;
}

static void tree_read(struct gantt_machine *machine, const struct page_run *run, uint32_t node_count)
{
	size_t len;
	char *text = file_read(run, "topology.conf", &len);

	if (text)
		machine->tree = wt_tree_parse(text, len, NULL);
	free(text);
	if (machine->tree && wt_tree_nodes(machine->tree) != node_count) {
		wt_tree_destroy(machine->tree);
		machine->tree = NULL;
	}
}

/* 1: the jobs' numbers are those of the tree's leaves; 0: they are not. */
static int tree_names(struct gantt_machine *machine, const struct page_run *run, uint32_t node_count, struct wt_error *errp)
{
	const char **names = names_make(node_count, errp);

	if (!names)
		return -1;
	for (uint32_t i = 0; i < node_count; i++)
		names[i] = wt_tree_node_name(machine->tree, i);
	if (names_fit(names, node_count, run)) {
		machine->names = names;
		return 1;
	}
	free(names);
	return 0;
}

static int conf_names(struct gantt_machine *machine, const struct page_run *run, uint32_t node_count, struct wt_error *errp)
{
	const char **names, *at;

	if (!conf_read(&machine->text, run, node_count))
		return 0;
	names = names_make(node_count, errp);
	if (!names)
		return -1;
	at = machine->text.text;
	for (uint32_t i = 0; i < node_count; i++, at += strlen(at) + 1)
		names[i] = at;
	if (names_fit(names, node_count, run))
		machine->names = names;
	else
		free(names);
	return 0;
}

/* Numbers in the order of the tree, whose nodes machine->names has, too. */
static int order_make(struct gantt_machine *machine, uint32_t node_count, struct wt_error *errp)
{
	struct name_index index;

	machine->order = calloc(node_count + 1, sizeof(*machine->order));
	if (!machine->order || name_index_init(&index, node_count) < 0)
		return wt_error_set(errp, ENOMEM, "not enough memory for the order of %u nodes", node_count);
	for (uint32_t i = 0; i < node_count; i++)
		name_index_add(&index, machine->names[i], i);
	for (uint32_t i = 0; i < node_count; i++) {
		machine->order[i] = name_index_find(&index, wt_tree_node_name(machine->tree, i));
		if (machine->order[i] != NAME_INDEX_NONE)
			continue;
		free(machine->order); /* another machine's tree */
		machine->order = NULL;
		break;
	}
	name_index_clear(&index);
	return 0;
}

static int levels_make(struct gantt_machine *machine, struct wt_error *errp)
{
	for (uint32_t level = 0; level < wt_tree_levels(machine->tree); level++) {
		uint32_t count = wt_tree_switches(machine->tree, level), *first = calloc(count, sizeof(*first));
		const char **names = calloc(count, sizeof(*names));

		machine->levels[level] = (struct gantt_level){ .count = count, .names = names, .first = first };
		machine->level_count = level + 1;
		if (!first || !names)
			return wt_error_set(errp, ENOMEM, "not enough memory for the switches of the page");
		for (uint32_t sw = 0; sw < count; sw++) {
			first[sw] = wt_tree_switch_nodes(machine->tree, level, sw).first;
			names[sw] = wt_tree_switch_name(machine->tree, level, sw);
		}
	}
	return 0;
}

int gantt_machine_read(struct gantt_machine *machine, const struct page_run *run, uint32_t node_count, struct wt_error *errp)
{
	int rc = 0;

	*machine = (struct gantt_machine){ 0 };
	tree_read(machine, run, node_count);
	if (machine->tree)
		rc = tree_names(machine, run, node_count, errp);
	if (rc == 0)
		rc = conf_names(machine, run, node_count, errp);
	if (rc < 0)
		return -1;
	if (!machine->tree || !machine->names)
		return 0;
	if (order_make(machine, node_count, errp) < 0)
		return -1;
	return machine->order ? levels_make(machine, errp) : 0;
}

void gantt_machine_clear(struct gantt_machine *machine)
{
	for (size_t level = 0; level < machine->level_count; level++) {
		free((void *) machine->levels[level].names);
		free((void *) machine->levels[level].first);
	}
	free(machine->names);
	free(machine->order);
	wt_str_clear(&machine->text);
	wt_tree_destroy(machine->tree);
	*machine = (struct gantt_machine){ 0 };
}
