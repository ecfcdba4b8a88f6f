/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "harness/upgrade/upgrade_arrays.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/upgrade/upgrade_fields.h"

static const char *array_of(const struct upgrade_record *job)
{
	return upgrade_record_get(job, "ArrayJobId");
}

/* A form that is not known is one task: it is there, at least. */
static unsigned long long tasks_of(const struct upgrade_record *job)
{
	const char *tasks = upgrade_record_get(job, "ArrayTaskId");
	unsigned long long count = upgrade_tasks_count(tasks);

	return count ? count : 1;
}

static int array_compare(const void *a, const void *b)
{
	return strcmp(array_of(((const struct upgrade_array *) a)->record),
		      array_of(((const struct upgrade_array *) b)->record));
}

/* One for each array: those of the same array stand together. */
static size_t arrays_join(struct upgrade_array *arrays, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (kept && array_compare(&arrays[kept - 1], &arrays[i]) == 0)
			arrays[kept - 1].before += arrays[i].before;
		else
			arrays[kept++] = arrays[i];
	}
	return kept;
}

static struct upgrade_array *array_find(struct upgrade_array *arrays, size_t count, const struct upgrade_record *job)
{
	const struct upgrade_array wanted = { .record = job };

	return array_of(job) && count ? bsearch(&wanted, arrays, count, sizeof(wanted), array_compare) : NULL;
}

int upgrade_arrays_count(struct upgrade_array **arrays, size_t *count, const struct upgrade_records *before,
			 const struct upgrade_records *control, const struct upgrade_records *after)
{
	struct upgrade_array *list = calloc(before->count + 1, sizeof(*list)), *array;
	size_t n = 0;

	*arrays = list;
	*count = 0;
	if (!list)
		return -1;
	for (size_t i = 0; i < before->count; i++)
		if (array_of(&before->items[i]) && !upgrade_job_ended(&before->items[i]))
			list[n++] =
				(struct upgrade_array){ .record = &before->items[i], .before = tasks_of(&before->items[i]) };
	if (n)
		qsort(list, n, sizeof(*list), array_compare);
	n = arrays_join(list, n);
	for (size_t i = 0; i < after->count; i++)
		if ((array = array_find(list, n, &after->items[i])))
			array->after += tasks_of(&after->items[i]);
	for (size_t i = 0; control && i < control->count; i++)
		if ((array = array_find(list, n, &control->items[i])))
			array->control += tasks_of(&control->items[i]);
	*count = n;
	return 0;
}
