/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stack_functions.c - what stacks say of functions. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/profile/stacks.h"

struct function_list {
	struct stack_function *list;
	size_t count, size;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct stack_function *) a)->name, ((const struct stack_function *) b)->name);
}

static int more_first(const void *a, const void *b)
{
	const struct stack_function *x = a, *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* Does the stack hold this function further out, too? */
static bool is_repeated(const char *stack, const char *name, size_t len)
{
	const char *at = strchr(stack, ';');

	while (at && at + 1 < name) {
		size_t other = strcspn(at + 1, ";");

		if (other == len && !memcmp(at + 1, name, len))
			return true;
		at = strchr(at + 1, ';');
	}
	return false;
}

static int function_add(struct function_list *functions, const char *name, size_t len, uint64_t self, uint64_t total)
{
	char *copy;

	if (functions->count == functions->size) {
		size_t larger = functions->size ? 2 * functions->size : 256;
		struct stack_function *list = realloc(functions->list, larger * sizeof(*list));

		if (!list)
			return -1;
		functions->list = list;
		functions->size = larger;
	}
	copy = strndup(name, len);
	if (!copy)
		return -1;
	functions->list[functions->count++] = (struct stack_function) { copy, self, total };
	return 0;
}

static int stack_add(struct function_list *functions, const struct stack *stack)
{
	for (const char *at = strchr(stack->text, ';'); at; at = strchr(at + 1, ';')) {
		size_t len = strcspn(at + 1, ";");
		uint64_t self = at[1 + len] ? 0 : stack->samples;
		uint64_t total = is_repeated(stack->text, at + 1, len) ? 0 : stack->samples;

		if ((self || total) && function_add(functions, at + 1, len, self, total) < 0)
			return -1;
	}
	return 0;
}

static void functions_merge(struct function_list *functions)
{
	struct stack_function *list = functions->list;
	size_t kept = 0;

	if (functions->count)
		qsort(list, functions->count, sizeof(*list), by_name);
	for (size_t i = 0; i < functions->count; i++)
		if (kept && !strcmp(list[kept - 1].name, list[i].name)) {
			list[kept - 1].self += list[i].self;
			list[kept - 1].total += list[i].total;
			free(list[i].name);
		} else {
			list[kept++] = list[i];
		}
	functions->count = kept;
	if (kept)
		qsort(list, kept, sizeof(*list), more_first);
}

int stacks_functions(const struct stacks *stacks, struct stack_function **functions, size_t *count,
		     struct wt_error *errp)
{
	struct function_list all = { 0 };

	for (size_t i = 0; i < stacks->count; i++)
		if (stack_add(&all, &stacks->list[i]) < 0) {
			stacks_functions_free(all.list, all.count);
			return wt_error_errno(errp, ENOMEM, "functions");
		}
	functions_merge(&all);
	*functions = all.list;
	*count = all.count;
	return 0;
}

void stacks_functions_free(struct stack_function *functions, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(functions[i].name);
	free(functions);
}
