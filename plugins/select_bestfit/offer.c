/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select_bestfit/offer.h"

#include <stdio.h>
#include <stdlib.h>

static _Thread_local uint32_t *offered;	/* [node_record_count + 1]; NULL: not wanted */
static _Thread_local uint32_t offered_size;

void offer_begin(void)
{
	offer_end();
	offered_size = (uint32_t) node_record_count;
	offered = calloc(offered_size + 1, sizeof(*offered));
}

void offer_end(void)
{
	free(offered);
	offered = NULL;
}

bool offer_wanted(void)
{
	return offered;
}

void offer_forget(void)
{
	if (offered)
		memset(offered, 0, offered_size * sizeof(*offered));
}

void offer_add(uint32_t n, uint32_t cpus)
{
	if (offered && n < offered_size)
		offered[n] = cpus;
}

/* The least number of CPUs above 'above' that a node was offered with; UINT32_MAX: there is none. */
static uint32_t next_count(uint32_t above)
{
	uint32_t next = UINT32_MAX;

	for (uint32_t n = 0; n < offered_size; n++)
		if (offered[n] > above && offered[n] < next)
			next = offered[n];
	return next;
}

static void group_print(FILE *out, uint32_t cpus)
{
	bitstr_t *map = bit_alloc(offered_size);
	char *names;

	for (uint32_t n = 0; n < offered_size; n++)
		if (offered[n] == cpus)
			bit_set(map, n);
	names = bitmap2node_name(map);
	fprintf(out, " %u:%s", cpus, names);
	xfree(names);
	bit_free(map);
}

void offer_log(const job_record_t *job)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = offered && next_count(0) != UINT32_MAX ? open_memstream(&text, &len) : NULL;

	if (!out)
		return;
	/* A look at all nodes for each number of CPUs: there are few, and only measurements log this. */
	for (uint32_t cpus = next_count(0); cpus != UINT32_MAX; cpus = next_count(cpus))
		group_print(out, cpus);
	if (fclose(out) == 0)
		info("windtunnel bestfit: offered: JobId=%u%s", job->job_id, text);
	free(text);
}
