/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <malloc.h>
#include <stdlib.h>

#include <jansson.h>

#include "workload/json_memory.h"

/* Of one reading, on its thread. */
static _Thread_local struct {
	size_t used, max;
	bool over;
	json_malloc_t take;	/* as they were */
	json_free_t give;
} memory;

static void *memory_take(size_t size)
{
	void *taken = size <= memory.max - memory.used ? malloc(size) : NULL;
	size_t got = malloc_usable_size(taken);

	memory.over |= !taken;
	memory.used += got < memory.max - memory.used ? got : memory.max - memory.used;
	return taken;
}

static void memory_give(void *taken)
{
	size_t got = malloc_usable_size(taken);

	memory.used -= got < memory.used ? got : memory.used;
	free(taken);
}

void wt_json_memory_begin(size_t max)
{
	memory.max = max;
	memory.used = 0;
	memory.over = false;
	json_get_alloc_funcs(&memory.take, &memory.give);
	json_set_alloc_funcs(memory_take, memory_give);
}

bool wt_json_memory_end(void)
{
	json_set_alloc_funcs(memory.take, memory.give);
	return memory.over;
}
