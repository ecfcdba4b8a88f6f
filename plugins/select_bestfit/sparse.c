/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sparse.h"

#include <dlfcn.h>

#define EXPORT __attribute__((visibility("default")))	/* the inner plugin finds these before its own */
#define POOL_MAX 16		/* a test holds up to about ten arrays at the same time */

EXPORT bitstr_t **build_core_array(void);
EXPORT bitstr_t **copy_core_array(bitstr_t **core_array);
EXPORT void core_array_and_not(bitstr_t **core_array1, bitstr_t **core_array2);
EXPORT void core_array_or(bitstr_t **core_array1, bitstr_t **core_array2);
EXPORT void free_core_array(bitstr_t ***core_array);
EXPORT void _free_avail_res_array(avail_res_t **avail_res_array);

/* Only one thread tests jobs at a time: slurmctld holds its write lock of jobs. */
static struct {
	bitstr_t **arrays[POOL_MAX];	/* nothing but NULL in them */
	int count, size;
} pool;

static _Thread_local struct {
	const uint32_t *nodes;		/* NULL: not sparse */
	size_t count;
} sparse;

void sparse_begin(const uint32_t *nodes, size_t count)
{
	if (pool.size != core_array_size)
		sparse_clear();
	sparse.nodes = nodes;
	sparse.count = count;
}

void sparse_end(void)
{
	sparse.nodes = NULL;
}

void sparse_clear(void)
{
	while (pool.count)
		xfree(pool.arrays[--pool.count]);
	pool.size = core_array_size;
}

static void *next(const char *name)
{
	void *f = dlsym(RTLD_NEXT, name);

	if (!f)
		fatal("windtunnel bestfit: select/cons_tres has no %s", name);
	return f;
}

bitstr_t **build_core_array(void)
{
	static bitstr_t **(*inner)(void);

	if (sparse.nodes && pool.count)
		return pool.arrays[--pool.count];
	if (!inner)
		inner = (bitstr_t **(*)(void)) next("build_core_array");
	return inner();
}

bitstr_t **copy_core_array(bitstr_t **core_array)
{
	static bitstr_t **(*inner)(bitstr_t **);
	bitstr_t **copy;

	if (!sparse.nodes || !core_array) {
		if (!inner)
			inner = (bitstr_t **(*)(bitstr_t **)) next("copy_core_array");
		return inner(core_array);
	}
	copy = build_core_array();
	for (size_t i = 0; i < sparse.count; i++)
		if (core_array[sparse.nodes[i]])
			copy[sparse.nodes[i]] = bit_copy(core_array[sparse.nodes[i]]);
	return copy;
}

/* Two bitmaps of one node differ in size only while its hardware changes. */
static void sizes_match(bitstr_t **a, bitstr_t **b)
{
	bitoff_t size_a = bit_size(*a), size_b = bit_size(*b);

	if (size_a > size_b)
		bit_realloc(*b, size_a);
	else if (size_a < size_b)
		bit_realloc(*a, size_b);
}

void core_array_and_not(bitstr_t **core_array1, bitstr_t **core_array2)
{
	static void (*inner)(bitstr_t **, bitstr_t **);

	if (!sparse.nodes) {
		if (!inner)
			inner = (void (*)(bitstr_t **, bitstr_t **)) next("core_array_and_not");
		inner(core_array1, core_array2);
		return;
	}
	for (size_t i = 0; i < sparse.count; i++) {
		uint32_t n = sparse.nodes[i];

		if (!core_array1[n] || !core_array2[n])
			continue;
		sizes_match(&core_array1[n], &core_array2[n]);
		bit_and_not(core_array1[n], core_array2[n]);
	}
}

void core_array_or(bitstr_t **core_array1, bitstr_t **core_array2)
{
	static void (*inner)(bitstr_t **, bitstr_t **);

	if (!sparse.nodes) {
		if (!inner)
			inner = (void (*)(bitstr_t **, bitstr_t **)) next("core_array_or");
		inner(core_array1, core_array2);
		return;
	}
	for (size_t i = 0; i < sparse.count; i++) {
		uint32_t n = sparse.nodes[i];

		if (core_array1[n] && core_array2[n]) {
			sizes_match(&core_array1[n], &core_array2[n]);
			bit_or(core_array1[n], core_array2[n]);
		} else if (core_array2[n]) {
			core_array1[n] = bit_copy(core_array2[n]);
		}
	}
}

void free_core_array(bitstr_t ***core_array)
{
	static void (*inner)(bitstr_t ***);
	bitstr_t **array = *core_array;

	if (!sparse.nodes) {
		if (!inner)
			inner = (void (*)(bitstr_t ***)) next("free_core_array");
		inner(core_array);
		return;
	}
	*core_array = NULL;
	if (!array)
		return;
	for (size_t i = 0; i < sparse.count; i++)
		FREE_NULL_BITMAP(array[sparse.nodes[i]]);
	if (pool.count < POOL_MAX)
		pool.arrays[pool.count++] = array;
	else
		xfree(array);
}

void _free_avail_res_array(avail_res_t **avail_res_array)
{
	static void (*inner)(avail_res_t **);

	if (!sparse.nodes) {
		if (!inner)
			inner = (void (*)(avail_res_t **)) next("_free_avail_res_array");
		inner(avail_res_array);
		return;
	}
	for (size_t i = 0; avail_res_array && i < sparse.count; i++)
		common_free_avail_res(avail_res_array[sparse.nodes[i]]);
	xfree(avail_res_array);
}
