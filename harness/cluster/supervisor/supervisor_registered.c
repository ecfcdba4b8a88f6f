/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which real nodes have registered since they got power: a slurmd tells nobody that slurmctld has taken its registration,
 * but slurmctld tells when the slurmd began that it has heard of last.
 *
 * An asker looks, and shares with the supervisor what is awaited; it ends when that is nothing. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <slurm/slurm.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/cluster/supervisor/nodestates.h"
#include "harness/cluster/supervisor/supervisor_private.h"
#include "lib/clock.h"

#define PAUSE_FIRST_US 100000
#define PAUSE_MAX_US 1000000

struct registered_awaited {		/* shared memory: the supervisor writes, the asker reads */
	_Atomic uint32_t count;
	_Atomic uint32_t changes;	/* how often a node was added */
	_Atomic int64_t since_s[];	/* of each node; 0: it is not awaited */
};

struct registered_found {			/* a message in the pipe, shorter than PIPE_BUF: it comes whole */
	int64_t since_s;
	uint32_t node;
};

struct sup_registered {
	void (*heard)(struct sup *sup, uint32_t node);
	struct registered_awaited *awaited;
	size_t size;		/* of that */
	struct asker asker;
	bool failed;		/* it could not be started, and that was told */
};

/* ---- the asker ---- */

static void nodes_look(const struct registered_awaited *awaited, uint32_t count, int fd)
{
	node_info_msg_t *msg = NULL;

	if (slurm_load_node(0, &msg, SHOW_ALL) != SLURM_SUCCESS)
		return;
	for (uint32_t i = 0; i < msg->record_count; i++) {
		const node_info_t *node = &msg->node_array[i];
		struct registered_found found = { 0 };

		if (!node->name || sscanf(node->name, "n%" SCNu32, &found.node) != 1 || found.node >= count)
			continue;
		found.since_s = awaited->since_s[found.node];
		/* The supervisor reads while we write: what is more than a pipe holds is waited for. */
		if (found.since_s && node->slurmd_start_time >= found.since_s &&
		    write(fd, &found, sizeof(found)) != sizeof(found))
			_exit(1);
	}
	slurm_free_node_info_msg(msg);
}

static void asker_run(const struct asker *a, int fd)
{
	const struct sup *sup = a->owner;
	const struct registered_awaited *awaited = sup->registered_nodes->awaited;
	const struct wt_clock *clock = wt_clock_own();
	char *conf = wt_clusterinfo_path(&sup->info, "slurm.conf");
	int64_t pause_us = PAUSE_FIRST_US;
	uint32_t changes = awaited->changes;

	if (!conf)
		_exit(1);
	wt_nodestates_init(conf);
	while (awaited->count > 0) {
		wt_clock_sleep_until_us(clock, wt_clock_now_us(clock) + pause_us);
		pause_us = pause_us * 2 < PAUSE_MAX_US ? pause_us * 2 : PAUSE_MAX_US;
		if (changes != awaited->changes) {
			changes = awaited->changes;
			pause_us = PAUSE_FIRST_US;
		}
		nodes_look(awaited, wt_clusterinfo_places(&sup->info), fd);
	}
	_exit(0);
}

/* ---- the supervisor ---- */

static void found_read(struct asker *a)
{
	struct sup *sup = a->owner;
	struct sup_registered *r = sup->registered_nodes;
	struct registered_found found[64];
	ssize_t n;

	while ((n = asker_read(a, found, sizeof(found))) > 0)
		for (size_t i = 0; i < (size_t) n / sizeof(found[0]); i++) {
			/* Switched off meanwhile, or on again, it is not awaited as it was; or it was found twice. */
			if (found[i].node >= wt_clusterinfo_places(&sup->info) || !found[i].since_s ||
			    r->awaited->since_s[found[i].node] != found[i].since_s)
				continue;
			sup_registered_await(sup, found[i].node, 0);
			r->heard(sup, found[i].node);
		}
}

static void asker_ended(struct asker *a, int status)
{
	/* It may have ended for want of nodes, and one come meanwhile.  One that fails is started by the next look: again at
	 * once it would fail again, and again. */
	if (status == 0)
		sup_registered_look(a->owner);
}

int sup_registered_init(struct sup *sup, void (*heard)(struct sup *sup, uint32_t node), struct wt_error *errp)
{
	struct sup_registered *r = calloc(1, sizeof(*r));

	sup->registered_nodes = r;
	if (!r)
		return wt_error_errno(errp, ENOMEM, "supervisor");
	r->heard = heard;
	asker_init(&r->asker, sup->loop, found_read, asker_ended, sup);
	r->size = sizeof(*r->awaited) + wt_clusterinfo_places(&sup->info) * sizeof(r->awaited->since_s[0]);
	r->awaited = mmap(NULL, r->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r->awaited != MAP_FAILED)
		return 0;
	r->awaited = NULL;
	return wt_error_errno(errp, errno, "supervisor");
}

void sup_registered_await(struct sup *sup, uint32_t node, int64_t since_s)
{
	struct registered_awaited *awaited;

	if (!sup->registered_nodes)	/* all ends */
		return;
	awaited = sup->registered_nodes->awaited;
	awaited->count = awaited->count + (since_s != 0) - (awaited->since_s[node] != 0);
	awaited->since_s[node] = since_s;
	awaited->changes += since_s != 0;
}

void sup_registered_look(struct sup *sup)
{
	struct sup_registered *r = sup->registered_nodes;
	struct wt_error err;
	bool failed;

	if (!r || !r->awaited->count || r->asker.pid || sup->stopping)
		return;
	failed = asker_start(&r->asker, asker_run, &err) < 0;
	if (failed && !r->failed)
		sup_log(sup, "who registers is not known: %s", err.text);
	r->failed = failed;
}

void sup_registered_clear(struct sup *sup)
{
	struct sup_registered *r = sup->registered_nodes;

	if (!r)
		return;
	asker_clear(&r->asker);
	if (r->awaited)
		munmap(r->awaited, r->size);
	free(r);
	sup->registered_nodes = NULL;
}
