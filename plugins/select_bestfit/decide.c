/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat/chooser.h"

#include <pthread.h>
#include <stdlib.h>

#include "plugins/select_bestfit/decide.h"
#include "plugins/select_bestfit/job_rules.h"
#include "plugins/select_bestfit/offer.h"
#include "plugins/select_bestfit/queue.h"
#include "plugins/select_bestfit/switches.h"
#include "plugins/select_bestfit/wait.h"
#include "lib/clock.h"

/* What stock may change in the nodes of our choice before it fails. */
struct saved {
	uint32_t node;		/* Slurm's index */
	uint16_t avail_cpus;
	uint64_t avail_res;
	bitstr_t *cores;
};

/* slurmctld's scheduler, backfill and RPC threads all come here: what follows is this lock's. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct bestfit_settings settings;
static struct bestfit_counters counters;
static struct switches switches;
static struct bestfit_node *candidates;	/* room for all of Slurm's nodes */
static uint32_t *chosen;		/* the same: Slurm's indexes of our choice */
static bool stale = true, broken, configured, attached;
static uint64_t memory;			/* decide_memory () */
/* A choice is not told the mode: it is kept from job_test (), which the same thread is in. */
static _Thread_local uint16_t test_mode;
static _Thread_local bool bypassed;
/* Since decide_watch (): how many choices, and whether the last one was ours and good enough for Slurm. */
static _Thread_local struct {
	unsigned int count;
	bool ours;
} choices;

void decide_mode(uint16_t mode)
{
	test_mode = mode & SELECT_MODE_BASE;
}

void decide_bypass(bool on)
{
	bypassed = on;
}

void decide_watch(void)
{
	choices.count = 0;
	choices.ours = false;
}

bool decide_refused_later(void)
{
	/* A job that does not come so far fits nowhere now. */
	return choices.ours && choices.count >= compat_choices_to_start();
}

void decide_count_again(bool started)
{
	pthread_mutex_lock(&lock);
	counters.again++;
	counters.again_started += started;
	pthread_mutex_unlock(&lock);
}

void decide_settings(struct bestfit_settings *copy)
{
	pthread_mutex_lock(&lock);
	*copy = settings;
	pthread_mutex_unlock(&lock);
}

bool decide_offers(void)
{
	bool wanted;

	pthread_mutex_lock(&lock);
	wanted = settings.mode != BESTFIT_OFF && settings.offers;
	pthread_mutex_unlock(&lock);
	return wanted;
}

static void counters_log(void)
{
	char text[BESTFIT_COUNTERS_SIZE];

	info("windtunnel bestfit: counters: mode=%s %s", bestfit_mode_names[settings.mode],
	     bestfit_counters_format(&counters, text, sizeof(text)));
}

static void memory_free(void)
{
	switches_clear(&switches);
	free(candidates);
	free(chosen);
	candidates = NULL;
	chosen = NULL;
}

/* Nothing here may stop slurmctld: without a tree, or memory, all jobs are Slurm's until the next reconfiguration. */
static void tables_read(void)
{
	struct wt_error err;

	memory_free();
	memory++;
	stale = false;
	/* Until all of it is there: each return below leaves it so. */
	broken = true;
	if (switches_read(&switches, settings.tie, &err) < 0) {
		if (errno == ENOENT)
			info("windtunnel bestfit: all jobs are left to Slurm: %s", err.text);
		else
			error("windtunnel bestfit: all jobs are left to Slurm: %s", err.text);
		return;
	}
	candidates = calloc(switches.slurm_nodes + 1, sizeof(*candidates));
	chosen = calloc(switches.slurm_nodes + 1, sizeof(*chosen));
	if (!candidates || !chosen) {
		error("windtunnel bestfit: all jobs are left to Slurm: no memory");
		return;
	}
	broken = false;
	info("windtunnel bestfit: %u nodes below %u leaf switches, %u levels", wt_tree_nodes(bestfit_tree(switches.bestfit)),
	     wt_tree_switches(bestfit_tree(switches.bestfit), 0), wt_tree_levels(bestfit_tree(switches.bestfit)));
}

void decide_configure(bool report)
{
	struct bestfit_settings before;
	struct wt_error err;

	pthread_mutex_lock(&lock);
	/* The tables are read by the next job, not here: the nodes may be half configured at this moment. */
	before = settings;
	stale = true;
	if (bestfit_settings_parse(slurm_conf.sched_params, &settings, &err) < 0)
		error("windtunnel bestfit: %s; it is off", err.text);
	if (!attached) {
		settings.mode = BESTFIT_OFF;
		settings.quick_given = false;
	}
	if (before.mode != settings.mode || !configured)
		info("windtunnel bestfit: mode=%s", bestfit_mode_names[settings.mode]);
	configured = true;
	wait_configure(&settings);
	if (report)
		counters_log();
	pthread_mutex_unlock(&lock);
}

bool decide_may_hold(const job_record_t *job)
{
	bool may;

	pthread_mutex_lock(&lock);
	may = bestfit_settings_wait(&settings) && wait_allowed(job);
	pthread_mutex_unlock(&lock);
	return may;
}

bool decide_hold(job_record_t *job, const bitstr_t *offered, uint32_t min_nodes, uint32_t max_nodes, uint32_t req_nodes)
{
	bool held = false;

	pthread_mutex_lock(&lock);
	/* The configuration may have changed since decide_may_hold (), and quick.c has switches of its own. */
	if (stale)
		tables_read();
	if (bestfit_settings_wait(&settings) && !broken && !stale) {
		bool spread = !job_is_whole(job) && min_nodes <= 1 && req_nodes <= 1 && max_nodes != 1;

		held = wait_judge(&switches, &settings, &counters, job, offered, spread);
	}
	pthread_mutex_unlock(&lock);
	return held;
}

/* Nodes that choose_nodes () itself would put aside are none of ours. */
static size_t candidates_read(const struct choice *c)
{
	size_t count = 0;

	offer_forget();
	for (int64_t i = bit_ffs(c->node_map), last = bit_fls(c->node_map); i >= 0 && i <= last; i++) {
		if (!bit_test(c->node_map, i) || !c->avail[i] || !c->avail[i]->avail_cpus)
			continue;
		offer_add((uint32_t) i, c->avail[i]->avail_cpus);
		candidates[count++] = (struct bestfit_node) {
			.node = switches.tree_of[i], .avail_cpus = c->avail[i]->avail_cpus,
			.cpus = node_record_table_ptr[i]->cpus, .weight = node_record_table_ptr[i]->sched_weight,
		};
	}
	return count;
}

/* Nodes may come without a reconfiguration (dynamic nodes): the tables would be too short for their indexes. */
static void tables_ready(void)
{
	if (stale || (!broken && switches.slurm_nodes != (uint32_t) node_record_count))
		tables_read();
}

void decide_note(const struct bestfit_want *want)
{
	pthread_mutex_lock(&lock);
	if (settings.mode != BESTFIT_OFF && settings.tie != WT_TIE_TOUCH) {
		tables_ready();
		memory++;
		if (!broken)
			bestfit_note(switches.bestfit, want);
	}
	pthread_mutex_unlock(&lock);
}

uint64_t decide_memory(void)
{
	uint64_t copy;

	pthread_mutex_lock(&lock);
	copy = memory;
	pthread_mutex_unlock(&lock);
	return copy;
}

/* Our nodes in chosen[] and their number, or 0: Slurm shall choose. */
static size_t choose(const struct choice *c)
{
	struct bestfit_job job, next[WT_SELECT_NEXT_MAX];
	struct select_choice choice = { 0 };
	enum bestfit_reason reason = BESTFIT_NO_TREE;
	size_t count = 0;

	job_read(c->job, &job);
	job.refused = job_refusal(c->job, c->cr_type, c->prefer_alloc_nodes, c->req_nodes);
	job.min_nodes = c->min_nodes;
	job.max_nodes = c->max_nodes ? c->max_nodes : UINT32_MAX;
	job.req_nodes = c->req_nodes;
	job.most_leaves = c->job->req_switch;
	job.next = next;
	job.next_count = queue_next(c->job, test_mode, next);
	/* Backfill tests a job several times for one question; and plans are not to depend on how many tests that took. */
	job.imagined = test_mode == SELECT_MODE_WILL_RUN;
	tables_ready();
	memory += !job.imagined && settings.tie != WT_TIE_TOUCH;
	if (!broken) {
		size_t usable = job.refused == BESTFIT_CHOSEN ? candidates_read(c) : 0;

		reason = bestfit_choose(switches.bestfit, &job, candidates, usable, &choice);
	}
	counters.reasons[reason]++;
	if (reason == BESTFIT_CHOSEN)
		for (; count < choice.count; count++)
			chosen[count] = switches.slurm_of[choice.picks[count].node];
	return count;
}

static struct saved *nodes_save(const struct choice *c, size_t count)
{
	struct saved *saved = calloc(count, sizeof(*saved));

	for (size_t i = 0; saved && i < count; i++) {
		uint32_t n = chosen[i];

		saved[i] = (struct saved) {
			.node = n, .avail_cpus = c->avail[n]->avail_cpus, .avail_res = compat_avail_res(c->avail[n]),
			.cores = c->avail_core[n] ? bit_copy(c->avail_core[n]) : NULL,
		};
	}
	return saved;
}

/* Put back what was saved (when 'restore'), and free it. */
static void nodes_restore(const struct choice *c, struct saved *saved, size_t count, bool restore)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t n = saved[i].node;

		if (restore) {
			c->avail[n]->avail_cpus = saved[i].avail_cpus;
			compat_avail_res(c->avail[n]) = saved[i].avail_res;
			FREE_NULL_BITMAP(c->avail_core[n]);
			c->avail_core[n] = saved[i].cores;
		} else {
			FREE_NULL_BITMAP(saved[i].cores);
		}
	}
	free(saved);
}

/* Stock with our nodes; with all of them when it cannot. */
static int place(const struct choice *c, struct saved *saved, size_t count, bool *placed)
{
	bitstr_t *all = bit_copy(c->node_map);
	int rc;

	bit_clear_all(c->node_map);
	for (size_t i = 0; i < count; i++)
		bit_set(c->node_map, saved[i].node);
	/* Only nodes of our choice are in the map; cores, GRES and memory on them are still select/cons_tres' work. */
	rc = choice_stock(c);
	*placed = rc == SLURM_SUCCESS;
	/* Stock subtracts from what is available as it tries; with those remains the second call would find less than
	 * there is. */
	nodes_restore(c, saved, count, !*placed);
	if (!*placed) {
		bit_clear_all(c->node_map);
		bit_or(c->node_map, all);
		rc = choice_stock(c);
	}
	bit_free(all);
	return rc;
}

static int index_compare(const void *a, const void *b)
{
	const uint32_t *one = a, *two = b;

	return *one < *two ? -1 : *one > *two;
}

/* Shadow: 'ours' (the tree's nodes, ascending) beside the nodes that Slurm has left in the map. */
static void shadow_count(const struct choice *c, const uint32_t *ours, size_t count)
{
	const struct wt_tree *t = bestfit_tree(switches.bestfit);
	uint32_t mine[WT_TREE_LEVELS_MAX + 1], theirs[WT_TREE_LEVELS_MAX + 1];
	size_t taken = 0;
	int order;

	for (int64_t i = bit_ffs(c->node_map), last = bit_fls(c->node_map); i >= 0 && i <= last; i++)
		if (bit_test(c->node_map, i) && switches.tree_of[i] != WT_TREE_NONE)
			chosen[taken++] = switches.tree_of[i];
	qsort(chosen, taken, sizeof(*chosen), index_compare);
	if (taken == count && !memcmp(chosen, ours, count * sizeof(*ours))) {
		counters.same++;
		return;
	}
	bestfit_touched(t, ours, count, mine);
	bestfit_touched(t, chosen, taken, theirs);
	order = bestfit_compare(t, mine, theirs);
	if (order < 0)
		counters.fewer++;
	else if (order > 0)
		counters.more++;
	else
		counters.other++;
	info("windtunnel bestfit: shadow: JobId=%u nodes=%zu switches by level from the leaves: ours %u %u, Slurm's %u %u: "
	     "%s",
	     c->job->job_id, taken, mine[0], wt_tree_levels(t) > 1 ? mine[1] : 1, theirs[0],
	     wt_tree_levels(t) > 1 ? theirs[1] : 1, order < 0 ? "fewer" : order > 0 ? "more" : "other nodes, as many");
}

/* The tree's nodes of our choice, ascending; the caller frees them.  NULL: none, or no memory: not compared. */
static uint32_t *shadow_take(size_t count)
{
	uint32_t *ours = count ? calloc(count, sizeof(*ours)) : NULL;

	for (size_t i = 0; ours && i < count; i++)
		ours[i] = switches.tree_of[chosen[i]];
	if (ours)
		qsort(ours, count, sizeof(*ours), index_compare);
	return ours;
}

static void decision_count(int64_t spent_us)
{
	spent_us = spent_us > 0 ? spent_us : 0;		/* the clock may have been set */
	counters.decisions++;
	if (test_mode < sizeof(counters.tests) / sizeof(counters.tests[0]))
		counters.tests[test_mode]++;
	counters.time_sum_us += (uint64_t) spent_us;
	if ((uint64_t) spent_us > counters.time_max_us)
		counters.time_max_us = (uint64_t) spent_us;
	if (settings.report_decisions && counters.decisions % settings.report_decisions == 0)
		counters_log();
}

void decide_count_chosen(int64_t spent_us)
{
	pthread_mutex_lock(&lock);
	counters.reasons[BESTFIT_CHOSEN]++;
	decision_count(spent_us);
	pthread_mutex_unlock(&lock);
}

/* In shadow mode only RUN_NOW is compared: other modes ask for states that may never be. */
static int decide(const struct choice *c)
{
	int64_t began_us = wt_clock_now_us(wt_clock_real());
	bool shadow = settings.mode == BESTFIT_SHADOW, placed = true, ours_given;
	size_t count = choose(c);
	struct saved *saved = count && !shadow ? nodes_save(c, count) : NULL;
	uint32_t *ours = shadow && test_mode == SELECT_MODE_RUN_NOW ? shadow_take(count) : NULL;
	int rc;

	decision_count(wt_clock_now_us(wt_clock_real()) - began_us);
	/* Without memory to put back what stock changes, stock chooses from all nodes at once. */
	ours_given = saved;
	rc = ours_given ? place(c, saved, count, &placed) : choice_stock(c);
	counters.unplaced += !placed;
	choices.count++;
	choices.ours = ours_given && placed && rc == SLURM_SUCCESS;
	if (ours && rc == SLURM_SUCCESS)
		shadow_count(c, ours, count);
	free(ours);
	return rc;
}

/* In place of Slurm's own choice. */
static int chooser(const struct choice *c)
{
	int rc;

	/* A test on our own nodes (quick.c): there is nothing left to choose, and 'lock' need not be waited for. */
	if (bypassed)
		return choice_stock(c);
	pthread_mutex_lock(&lock);
	if (settings.mode != BESTFIT_OFF) {
		rc = decide(c);
		pthread_mutex_unlock(&lock);
		return rc;
	}
	pthread_mutex_unlock(&lock);
	return choice_stock(c);
}

void decide_attach(void)
{
	attached = choice_attach(chooser);
}

void decide_detach(void)
{
	/* Before the lock: its thread takes it, too, and is joined there. */
	wait_stop();
	pthread_mutex_lock(&lock);
	if (counters.decisions)
		counters_log();
	memory_free();
	stale = true;
	if (attached)
		choice_detach();
	attached = false;
	pthread_mutex_unlock(&lock);
}
