/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes are written into a ring of node numbers; a room (topology/room.h) of a kind of request takes in what was
 * written since it was last asked for.  So a decision costs what has changed, and a kind that no job asks for costs
 * nothing. */
#include "plugins/select_bestfit/supply.h"

#include <inttypes.h>
#include <stdlib.h>

#include "plugins/select_bestfit/bits.h"
#include "lib/clock.h"

#define SHAPES_MAX 32
#define ROOMS_MAX 24		/* kinds of requests in use at the same time; each room has 4 bytes for a node */
#define LOG_SIZE 65536		/* changes that a room may lag behind before it is filled anew */

/* A node as select/cons_tres sees it. */
struct node_supply {
	uint16_t shape, cores_free, state;
	uint64_t memory_used;
};

struct kept_room {
	struct supply_kind kind;
	struct wt_room *room;
	uint64_t *members;	/* the map that it was last asked for */
	uint64_t seen;		/* changes that it has taken in */
	uint64_t used;		/* time of its last use, in requests */
};

static struct {
	struct switches switches;
	struct node_supply *nodes;	/* by Slurm's index */
	uint64_t *shape_maps[SHAPES_MAX];
	struct supply_shape shapes[SHAPES_MAX];
	int shape_count;
	struct kept_room rooms[ROOMS_MAX];
	uint32_t *log;			/* changed nodes, a ring */
	uint64_t changes, requests, configs;
	enum wt_tie tie;
	bool ready, failed;
} supply;

static void rooms_free(void)
{
	for (int i = 0; i < ROOMS_MAX; i++) {
		wt_room_destroy(supply.rooms[i].room);
		free(supply.rooms[i].members);
	}
	memset(supply.rooms, 0, sizeof(supply.rooms));
}

void supply_clear(void)
{
	rooms_free();
	for (int i = 0; i < SHAPES_MAX; i++)
		free(supply.shape_maps[i]);
	free(supply.nodes);
	free(supply.log);
	switches_clear(&supply.switches);
	memset(&supply, 0, sizeof(supply));
}

static uint32_t cores_usable(const node_record_t *node)
{
	return node->node_spec_bitmap ? (uint32_t) bit_set_count(node->node_spec_bitmap) : node->tot_cores;
}

/* Cores that no job of any partition has. */
static uint32_t cores_free(uint32_t n)
{
	const node_record_t *node = node_record_table_ptr[n];
	uint32_t words = (node->tot_cores + 63u) / 64, taken = 0;

	for (uint32_t w = 0; w < words; w++) {
		uint64_t used = 0;

		for (const part_res_record_t *p = select_part_record; p; p = p->next)
			for (uint32_t r = 0; p->row && r < p->num_rows; r++)
				if (p->row[r].row_bitmap && p->row[r].row_bitmap[n])
					used |= bits_words(p->row[r].row_bitmap[n])[w];
		if (node->node_spec_bitmap)
			/* Cores of the system are none that a job could have taken. */
			used &= bits_words(node->node_spec_bitmap)[w];
		taken += (uint32_t) __builtin_popcountll(used);
	}
	return cores_usable(node) > taken ? cores_usable(node) - taken : 0;
}

static void node_read(uint32_t n)
{
	struct node_supply *s = &supply.nodes[n];

	s->cores_free = (uint16_t) cores_free(n);
	s->state = select_node_usage[n].node_state;
	s->memory_used = select_node_usage[n].alloc_memory;
}

/* But for the sample.  Not by memcmp (): between the fields there are bytes of no meaning. */
static bool shape_same(const struct supply_shape *a, const struct supply_shape *b)
{
	return a->cores == b->cores && a->threads == b->threads && a->cpus == b->cpus && a->sockets == b->sockets &&
	       a->cores_used == b->cores_used && a->memory == b->memory && a->weight == b->weight;
}

/* A new one as needed; -1: there are too many. */
static int shape_of(uint32_t n)
{
	const node_record_t *node = node_record_table_ptr[n];
	const struct supply_shape shape = {
		.cores = node->tot_cores, .threads = node->tpc, .cpus = node->cpus, .sockets = node->tot_sockets,
		.cores_used = cores_usable(node), .memory = node->real_memory - node->mem_spec_limit,
		.weight = node->config_ptr ? node->config_ptr->weight : 0, .sample = n,
	};
	int i = 0;

	for (; i < supply.shape_count; i++) {
		if (shape_same(&supply.shapes[i], &shape))
			return i;
	}
	if (i == SHAPES_MAX)
		return -1;
	supply.shape_maps[i] = calloc(bits_word_count((uint32_t) node_record_count), sizeof(uint64_t));
	if (!supply.shape_maps[i])
		return -1;
	supply.shapes[i] = shape;
	return supply.shape_count++;
}

static bool nodes_read(void)
{
	supply.nodes = calloc((size_t) node_record_count + 1, sizeof(*supply.nodes));
	supply.log = calloc(LOG_SIZE, sizeof(*supply.log));
	if (!supply.nodes || !supply.log)
		return false;
	for (uint32_t n = 0; n < (uint32_t) node_record_count; n++) {
		int shape;

		if (!node_record_table_ptr[n] || supply.switches.tree_of[n] == WT_TREE_NONE)
			continue;
		shape = shape_of(n);
		if (shape < 0)
			return false;
		supply.nodes[n].shape = (uint16_t) shape;
		bits_set(supply.shape_maps[shape], n);
		node_read(n);
	}
	return true;
}

static int64_t now_us(void)
{
	return wt_clock_now_us(wt_clock_real());
}

static bool tables_read(enum wt_tie tie)
{
	int64_t began_us = now_us(), tree_us;
	struct wt_error err;

	/* decide.c says why there is no tree */
	if (!select_node_usage || switches_read(&supply.switches, tie, &err) < 0)
		return false;
	tree_us = now_us();
	if (!nodes_read())
		return false;
	info("windtunnel bestfit: counts of %d nodes below %u leaf switches: tree built in %" PRId64 " us, nodes read in %"
	     PRId64 " us",
	     node_record_count, wt_tree_switches(bestfit_tree(supply.switches.bestfit), 0), tree_us - began_us,
	     now_us() - tree_us);
	return true;
}

bool supply_ready(enum wt_tie tie, uint64_t configs)
{
	if (supply.ready && supply.tie == tie && supply.configs == configs &&
	    supply.switches.slurm_nodes == (uint32_t) node_record_count)
		return true;
	/* It would fail again, at each job, until the configuration is another one. */
	if (supply.failed && supply.configs == configs)
		return false;
	supply_clear();
	supply.tie = tie;
	supply.configs = configs;
	supply.ready = tables_read(tie);
	supply.failed = !supply.ready;
	return supply.ready;
}

struct bestfit *supply_bestfit(void)
{
	return supply.switches.bestfit;
}

const struct switches *supply_switches(void)
{
	return &supply.switches;
}

void supply_job_changed(const bitstr_t *nodes)
{
	uint32_t words;

	if (!supply.ready)
		return;
	words = bits_word_count((uint32_t) node_record_count);
	for (uint32_t w = 0; w < words; w++) {
		for (uint64_t left = bits_words(nodes)[w]; left; left &= left - 1) {
			uint32_t n = w * 64 + (uint32_t) __builtin_ctzll(left);

			if (n >= supply.switches.slurm_nodes || supply.switches.tree_of[n] == WT_TREE_NONE)
				continue;
			node_read(n);
			supply.log[supply.changes++ % LOG_SIZE] = n;
		}
	}
}

int supply_shape_find(const bitstr_t *map)
{
	const uint64_t *words = bits_words(map);
	uint32_t count = bits_word_count((uint32_t) node_record_count), first = 0;
	int shape;

	while (first < count && !words[first])
		first++;
	if (first == count)
		return -1;
	first = first * 64 + (uint32_t) __builtin_ctzll(words[first]);
	if (first >= supply.switches.slurm_nodes || supply.switches.tree_of[first] == WT_TREE_NONE)
		return -1;
	shape = supply.nodes[first].shape;
	for (uint32_t w = 0; w < count; w++)
		if (words[w] & ~supply.shape_maps[shape][w])
			return -1;
	return shape;
}

const struct supply_shape *supply_shape_at(int shape)
{
	return &supply.shapes[shape];
}

/* CPUs that the memory suffices for; UINT64_MAX: it does not matter. */
static uint64_t memory_limit(const struct supply_kind *kind, const struct node_supply *s)
{
	uint64_t all = supply.shapes[kind->shape].memory, used = kind->empty ? 0 : s->memory_used, left = all > used ? all -
		used : 0;

	if (!kind->memory_counts)
		return UINT64_MAX;
	if (!kind->memory)
		return used ? 0 : UINT64_MAX;
	if (kind->memory_per_cpu)
		return left / kind->memory;
	return left >= kind->memory ? UINT64_MAX : 0;
}

static uint32_t units_of(const struct supply_kind *kind, uint32_t n)
{
	const struct node_supply *s = &supply.nodes[n];
	const struct supply_shape *shape = &supply.shapes[kind->shape];
	uint64_t cpus = (uint64_t) (kind->empty ? shape->cores_used : s->cores_free) * kind->cpus_per_core;
	uint64_t limit = memory_limit(kind, s);

	if (!kind->empty && s->state >= NODE_CR_RESERVED)
		return 0;
	if (!kind->empty && (kind->whole || kind->reserved) && s->cores_free < shape->cores_used)
		return 0;
	if (!kind->empty && kind->reserved && s->state)
		return 0;
	if (cpus > limit && kind->memory_of_all)
		return 0;
	cpus = cpus < limit ? cpus : limit;
	cpus = cpus < shape->cpus ? cpus : shape->cpus;
	return (uint32_t) (kind->by_cpus ? cpus - cpus % kind->each : cpus >= kind->each);
}

/* The room of that kind, or the one that has not been used for longest, emptied. */
static struct kept_room *room_find(const struct supply_kind *kind)
{
	struct kept_room *oldest = &supply.rooms[0];

	for (int i = 0; i < ROOMS_MAX; i++) {
		struct kept_room *k = &supply.rooms[i];

		if (k->room && !memcmp(&k->kind, kind, sizeof(*kind)))
			return k;
		if (k->used < oldest->used)
			oldest = k;
	}
	wt_room_destroy(oldest->room);
	free(oldest->members);
	*oldest = (struct kept_room) {
		.room = wt_room_create(bestfit_tree(supply.switches.bestfit)), .seen = supply.changes,
		.members = calloc(bits_word_count(supply.switches.slurm_nodes), sizeof(uint64_t)),
	};
	memcpy(&oldest->kind, kind, sizeof(*kind));
	return oldest;
}

static void members_sync(struct kept_room *k, const uint64_t *map, bool all)
{
	for (uint32_t w = 0; w < bits_word_count(supply.switches.slurm_nodes); w++) {
		uint64_t now = map[w], differ = all ? now | k->members[w] : now ^ k->members[w];

		k->members[w] = now;
		for (; differ; differ &= differ - 1) {
			uint32_t n = w * 64 + (uint32_t) __builtin_ctzll(differ);
			bool member = now & (differ & -differ);

			wt_room_set(k->room, supply.switches.tree_of[n], member ? units_of(&k->kind, n) : 0);
		}
	}
}

const struct wt_room *supply_room(const struct supply_kind *kind, const bitstr_t *map)
{
	struct kept_room *k = room_find(kind);
	/* The ring has overwritten changes that this room has not taken in: all of its nodes are read anew. */
	bool lost = supply.changes - k->seen > LOG_SIZE;

	if (!k->room || !k->members) {
		k->used = 0;	/* the first to be given up */
		return NULL;
	}
	k->used = ++supply.requests;
	/* What jobs take does not change a room in which nothing runs. */
	for (; !lost && !kind->empty && k->seen < supply.changes; k->seen++) {
		uint32_t n = supply.log[k->seen % LOG_SIZE];

		if (bits_test(k->members, n))
			wt_room_set(k->room, supply.switches.tree_of[n], units_of(kind, n));
	}
	k->seen = supply.changes;
	members_sync(k, bits_words(map), lost && !kind->empty);
	return k->room;
}
