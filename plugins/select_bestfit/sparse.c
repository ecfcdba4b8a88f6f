/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select_bestfit/sparse.h"

#include "plugins/select_bestfit/hooks.h"

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
	/* Arrays of another length are of no use: the number of nodes has changed. */
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

static struct {
	bitstr_t **(*build)(void);
	bitstr_t **(*copy)(bitstr_t **);
	void (*and_not)(bitstr_t **, bitstr_t **);
	void (*or)(bitstr_t **, bitstr_t **);
	void (*free)(bitstr_t ***);
	void (*free_avail)(avail_res_t **);
} inner;

bool sparse_attach(void)
{
	inner.build = (bitstr_t **(*)(void)) hooks_next("build_core_array");
	inner.copy = (bitstr_t **(*)(bitstr_t **)) hooks_next("copy_core_array");
	inner.and_not = (void (*)(bitstr_t **, bitstr_t **)) hooks_next("core_array_and_not");
	inner.or = (void (*)(bitstr_t **, bitstr_t **)) hooks_next("core_array_or");
	inner.free = (void (*)(bitstr_t ***)) hooks_next("free_core_array");
	inner.free_avail = (void (*)(avail_res_t **)) hooks_next("_free_avail_res_array");
	return inner.build && inner.copy && inner.and_not && inner.or && inner.free && inner.free_avail;
}

bitstr_t **build_core_array(void)
{
	if (sparse.nodes && pool.count)
		return pool.arrays[--pool.count];
	return inner.build ? inner.build() : NULL;
}

bitstr_t **copy_core_array(bitstr_t **core_array)
{
	bitstr_t **copy;

	if (!sparse.nodes || !core_array)
		return inner.copy ? inner.copy(core_array) : NULL;
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
	if (!sparse.nodes) {
		if (inner.and_not)
			inner.and_not(core_array1, core_array2);
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
	if (!sparse.nodes) {
		if (inner.or)
			inner.or(core_array1, core_array2);
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
	bitstr_t **array = *core_array;

	if (!sparse.nodes) {
		if (inner.free)
			inner.free(core_array);
		return;
	}
	*core_array = NULL;
	if (!array)
		return;
	for (size_t i = 0; i < sparse.count; i++)
		FREE_NULL_BITMAP(array[sparse.nodes[i]]);
	/* It has nothing but NULL in it again: what was set, on the given nodes, has just been freed. */
	if (pool.count < POOL_MAX)
		pool.arrays[pool.count++] = array;
	else
		xfree(array);
}

void _free_avail_res_array(avail_res_t **avail_res_array)
{
	if (!sparse.nodes) {
		if (inner.free_avail)
			inner.free_avail(avail_res_array);
		return;
	}
	for (size_t i = 0; avail_res_array && i < sparse.count; i++)
		common_free_avail_res(avail_res_array[sparse.nodes[i]]);
	xfree(avail_res_array);
}
