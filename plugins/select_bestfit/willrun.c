/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slurm's search of the future takes running jobs away one after the other, and tests the job on a copy of all tables
 * after each batch.  Here counts say no to most of these tests, in O(1) a node that changes, and the few others see only
 * nodes that matter. */
#include "plugins/select_bestfit/willrun.h"

#ifdef WT_HAVE_WILL_RUN_BY_ENDS

#include <stdlib.h>

#include "plugins/select_bestfit/bits.h"
#include "plugins/select_bestfit/cache.h"
#include "plugins/select_bestfit/decide.h"
#include "plugins/select_bestfit/ends.h"
#include "plugins/select_bestfit/future.h"
#include "plugins/select_bestfit/willrun_count.h"
#include "lib/clock.h"

#define ANSWERS_MAX 4096
#define ANSWERS_BYTES (32 << 20)

extern int bf_window_scale;	/* select/cons_tres: bf_window_linear */

/* An answer that is kept, before the words of its map. */
struct willrun_kept {
	int64_t start;		/* 0: now; valid as long as it lies ahead */
	uint32_t cpus;
	int rc, min_gres_cpu, min_job_gres_cpu;
};

/* One question on its way. */
struct inquiry {
	job_test_f inner;
	const struct job_test *call;
	const struct allocs *allocs;
	struct capacity_want want;
	struct capacity_sum sum;
	uint32_t min_nodes, threads;	/* threads: of which want.cpus_per_core speaks */
	uint32_t share;		/* CPUs of each node with which Slurm may take any of them */
	enum willrun_how how;
	enum willrun_left left;
	bool no_memory;
	bool best_fit;		/* it chooses among nodes, not Slurm */
	bool busy_too;		/* Slurm is asked for nodes without free cores, too */
	size_t taken_count;
	time_t now;
	int rc;
};

/* Room for a question, kept from one to the next. */
static struct {
	struct cache *answers;
	struct capacity_node *nodes;	/* as they will be */
	uint32_t *given, *chosen;	/* CPUs that each can give at most; those that can give some */
	size_t *taken, taken_room;
	unsigned char *bytes;		/* a question and its map, then an answer and its map */
	size_t question_size, answer_size;
	int node_count;
} room;

void willrun_clear(void)
{
	cache_destroy(room.answers);
	free(room.nodes);
	free(room.given);
	free(room.chosen);
	free(room.taken);
	free(room.bytes);
	memset(&room, 0, sizeof(room));
	future_clear();
	allocs_clear();
}

void willrun_changed(void)
{
	allocs_changed();
	if (room.answers)
		cache_clear(room.answers);
}

void willrun_log(void)
{
	if (willrun_answers())
		willrun_count_log();
}

static bool room_ready(void)
{
	size_t nodes = (size_t) node_record_count, map = bits_word_count((uint32_t) nodes) * sizeof(uint64_t);

	if (room.node_count != node_record_count) {
		struct cache *answers = room.answers;

		room.answers = NULL;
		cache_destroy(answers);
		free(room.nodes);
		free(room.given);
		free(room.chosen);
		free(room.bytes);
		room.nodes = calloc(nodes + 1, sizeof(*room.nodes));
		room.given = calloc(nodes + 1, sizeof(*room.given));
		room.chosen = calloc(nodes + 1, sizeof(*room.chosen));
		room.question_size = sizeof(struct question) + map;
		room.answer_size = sizeof(struct willrun_kept) + map;
		room.bytes = malloc(room.question_size + room.answer_size);
		room.node_count = node_record_count;
	}
	if (!room.answers)
		room.answers = cache_create(ANSWERS_MAX, ANSWERS_BYTES);
	return room.nodes && room.given && room.chosen && room.bytes && room.answers;
}

static bool room_for_jobs(size_t jobs)
{
	if (room.taken_room < jobs || !room.taken) {
		free(room.taken);
		room.taken = calloc(jobs + 1, sizeof(*room.taken));
		room.taken_room = room.taken ? jobs : 0;
	}
	return room.taken;
}

/* ---- what nodes could give ---- */

static const struct capacity_want *want_of(struct inquiry *q, uint32_t n)
{
	if (q->threads != room.nodes[n].threads) {
		q->threads = room.nodes[n].threads;
		q->want.cpus_per_core = common_cpus_per_core(q->call->job->details, (int) n);
	}
	return &q->want;
}

static void node_count_again(struct inquiry *q, uint32_t n)
{
	uint32_t cpus = capacity_cpus(&room.nodes[n], want_of(q, n));

	capacity_add(&q->sum, room.given[n], cpus);
	room.given[n] = cpus;
}

static void nodes_count(struct inquiry *q)
{
	const uint64_t *words = bits_words(q->call->map);

	memcpy(room.nodes, q->allocs->nodes, (size_t) node_record_count * sizeof(*room.nodes));
	memset(room.given, 0, (size_t) node_record_count * sizeof(*room.given));
	for (uint32_t w = 0; w < bits_word_count((uint32_t) node_record_count); w++)
		for (uint64_t left = words[w]; left; left &= left - 1)
			node_count_again(q, w * 64 + (uint32_t) __builtin_ctzll(left));
}

static bool may_fit(const struct inquiry *q)
{
	return capacity_suffices(&q->sum, q->call->job->details->min_cpus, q->min_nodes);
}

/* Slurm tests each job with all cores first, free or not.  Nodes without free cores mostly make no difference to that. */
static bool is_asked_for(struct inquiry *q, uint32_t n, bool busy_too)
{
	const struct capacity_want *want = want_of(q, n);

	return busy_too ? capacity_passes(&room.nodes[n], want) : capacity_offers(&room.nodes[n], want);
}

/* The nodes that Slurm is asked for, in room.chosen; the map is the caller's. */
static bitstr_t *nodes_choose(struct inquiry *q, bool busy_too, size_t *count)
{
	bitstr_t *map = bit_alloc(node_record_count);
	const uint64_t *words = bits_words(q->call->map);

	*count = 0;
	for (uint32_t w = 0; w < bits_word_count((uint32_t) node_record_count); w++)
		for (uint64_t left = words[w]; left; left &= left - 1) {
			uint32_t n = w * 64 + (uint32_t) __builtin_ctzll(left);

			if (!is_asked_for(q, n, busy_too))
				continue;
			room.chosen[(*count)++] = n;
			bit_set(map, n);
		}
	return map;
}

/* In its first test Slurm takes node after node, as many as the job may have, of which those without free cores may give so
 * little that they let it fail; and its further tries without the nodes of least CPUs do not always help.  It does not
 * matter where any nodes suffice, or where enough of those that are asked for, to which these tries come ('found'). */
static bool busy_may_decide(struct inquiry *q, bool found)
{
	const uint64_t *words = bits_words(q->call->map);
	struct capacity_sum enough = { 0 };
	uint32_t small = 0, busy = 0;

	for (uint32_t w = 0; q->share && w < bits_word_count((uint32_t) node_record_count); w++)
		for (uint64_t left = words[w]; left; left &= left - 1) {
			uint32_t n = w * 64 + (uint32_t) __builtin_ctzll(left), least = capacity_least(&room.nodes[n],
				want_of(q, n));

			if (!capacity_passes(&room.nodes[n], &q->want))
				continue;
			busy += !capacity_offers(&room.nodes[n], &q->want);
			small += least < q->share;
			if (room.given[n] && least >= q->share)
				capacity_add(&enough, 0, least);
		}
	if (!small || !busy)
		return false;
	return !found || (enough.nodes < willrun_max_nodes(q->call) &&
			  !capacity_suffices(&enough, q->call->job->details->min_cpus, q->min_nodes));
}

/* future: NULL, now. */
static int nodes_test(struct inquiry *q, const struct future *future, bitstr_t *map, size_t count)
{
	if (!future)
		return future_ask_now(q->inner, q->call, map, room.chosen, count);
	return future_ask(q->inner, q->call, map, room.chosen, count, future);
}

static int nodes_ask(struct inquiry *q, const struct future *future)
{
	job_record_t *job = q->call->job;
	time_t start = job->start_time;
	uint32_t cpus = job->total_cpus;
	size_t count;
	bitstr_t *map = nodes_choose(q, q->busy_too, &count);
	int rc = nodes_test(q, future, map, count);

	if (rc != ENOMEM && !q->busy_too && busy_may_decide(q, rc == SLURM_SUCCESS)) {
		willrun_step(WILLRUN_BUSY_ASKED);
		FREE_NULL_BITMAP(map);
		job->start_time = start;
		job->total_cpus = cpus;
		map = nodes_choose(q, true, &count);
		rc = nodes_test(q, future, map, count);
	}
	if (rc == SLURM_SUCCESS)
		bit_copybits(q->call->map, map);
	FREE_NULL_BITMAP(map);
	return rc;
}

/* ---- the search ---- */

static int64_t search_end_s(void *arg, size_t job)
{
	return ((const struct inquiry *) arg)->allocs->jobs[job].end;
}

static bool search_overlaps(void *arg, size_t job)
{
	const struct inquiry *q = arg;
	const struct allocs_job *j = &q->allocs->jobs[job];
	const uint64_t *words = bits_words(q->call->map);

	for (size_t i = j->first; i < j->first + j->count; i++)
		if (bits_test(words, q->allocs->shares[i].node))
			return true;
	return false;
}

static bool search_take(void *arg, size_t job)
{
	struct inquiry *q = arg;
	const struct allocs_job *j = &q->allocs->jobs[job];
	const uint64_t *words = bits_words(q->call->map);

	if (!j->in_row)
		willrun_step(WILLRUN_SUSPENDED);
	for (size_t i = j->first; i < j->first + j->count; i++) {
		const struct allocs_share *s = &q->allocs->shares[i];

		if (!bits_test(words, s->node))
			continue;
		capacity_give(&room.nodes[s->node], &s->taken);
		node_count_again(q, s->node);
	}
	room.taken[q->taken_count++] = job;
	return true;
}

static bool search_test(void *arg)
{
	struct inquiry *q = arg;
	const struct future future = { .allocs = q->allocs, .nodes = room.nodes, .taken = room.taken,
				       .taken_count = q->taken_count };

	if (q->no_memory)
		return false;
	if (!may_fit(q)) {
		willrun_step(WILLRUN_FUTURE_REFUSED);
		q->rc = SLURM_ERROR;
		return false;
	}
	willrun_step(WILLRUN_FUTURE_ASKED);
	q->rc = nodes_ask(q, &future);
	q->no_memory = q->rc == ENOMEM;
	return q->rc == SLURM_SUCCESS;
}

static bool fits_now(struct inquiry *q)
{
	if (!may_fit(q)) {
		willrun_step(WILLRUN_NOW_REFUSED);
		free_job_resources(&q->call->job->job_resrcs);
		q->rc = SLURM_ERROR;
		return false;
	}
	willrun_step(WILLRUN_NOW_ASKED);
	q->rc = nodes_ask(q, NULL);
	return q->rc == SLURM_SUCCESS;
}

static void later_find(struct inquiry *q)
{
	const struct ends_asked asked = { .end_s = search_end_s, .overlaps = search_overlaps, .take = search_take,
					  .test = search_test, .arg = q };
	job_record_t *job = q->call->job;
	const struct allocs_job *ends;
	enum ends_answer found;
	size_t last;

	q->how = WILLRUN_STOCK;
	q->left = WILLRUN_MEMORY;
	if (!allocs_read_jobs(q->now) || !room_for_jobs(q->allocs->job_count))
		return;
	q->left = q->allocs->refused ? WILLRUN_TABLES : WILLRUN_SEARCH;
	if (q->allocs->refused)
		return;
	found = ends_search(&asked, q->allocs->job_count, bf_window_scale, &last);
	if (q->no_memory)
		q->left = WILLRUN_MEMORY;
	if (found == ENDS_UNKNOWN || q->no_memory)
		return;
	q->how = WILLRUN_NEVER;
	if (found != ENDS_FOUND)
		return;
	ends = &q->allocs->jobs[last];
	q->how = ends->end <= q->now ? WILLRUN_OVERDUE : WILLRUN_LATER;
	job->start_time = q->how == WILLRUN_OVERDUE ? willrun_overdue_end(ends->job, q->now) : ends->end;
}

/* What select/cons_tres does to each job that it tests, found or not. */
static void job_prepare(job_record_t *job)
{
	struct job_details *d = job->details;

	if (!(slurm_conf.conf_flags & CTL_CONF_ASRU))
		d->core_spec = NO_VAL16;
	if (d->mc_ptr)
		return;
	d->mc_ptr = xmalloc(sizeof(*d->mc_ptr));
	d->mc_ptr->sockets_per_node = d->mc_ptr->cores_per_socket = d->mc_ptr->threads_per_core = NO_VAL16;
}

static void search(struct inquiry *q)
{
	q->threads = UINT32_MAX;
	q->want = willrun_want(q->call);
	q->min_nodes = willrun_min_nodes(q->call);
	q->share = willrun_share(q->call);
	q->busy_too = willrun_heeds_busy_nodes(q->call);
	nodes_count(q);
	decide_bypass(!q->best_fit);
	if (fits_now(q))
		q->how = WILLRUN_NOW;
	else if (q->call->job->bit_flags & TEST_NOW_ONLY)
		q->how = WILLRUN_NOT_NOW;
	else
		later_find(q);
	decide_bypass(false);
}

/* ---- answers that are kept ---- */

static bool cached_answer(struct inquiry *q)
{
	job_record_t *job = q->call->job;
	const struct willrun_kept *known;
	size_t size;

	known = cache_find(room.answers, room.bytes, room.question_size, &size);
	/* What was to start later may start now: the search has to be made again. */
	if (!known || (known->start && known->start <= q->now))
		return false;
	q->how = WILLRUN_CACHED;
	q->rc = known->rc;
	free_job_resources(&job->job_resrcs);
	if (q->rc != SLURM_SUCCESS)
		return true;
	job->start_time = known->start ? known->start : q->now;
	job->total_cpus = known->cpus;
	job->details->min_gres_cpu = known->min_gres_cpu;
	job->details->min_job_gres_cpu = known->min_job_gres_cpu;
	memcpy(q->call->map + BITSTR_OVERHEAD, known + 1, size - sizeof(*known));
	return true;
}

static void answer_keep(const struct inquiry *q)
{
	const job_record_t *job = q->call->job;
	const struct willrun_kept answer = {
		.rc = q->rc, .start = q->how == WILLRUN_LATER ? job->start_time : 0, .cpus = job->total_cpus,
		.min_gres_cpu = job->details->min_gres_cpu, .min_job_gres_cpu = job->details->min_job_gres_cpu,
	};
	unsigned char *bytes = room.bytes + room.question_size;

	/* The guess of an overdue job's end moves with the clock; and what Slurm has searched may depend on more than the
	 * question. */
	if (q->how == WILLRUN_OVERDUE || q->how == WILLRUN_STOCK)
		return;
	memcpy(bytes, &answer, sizeof(answer));
	memcpy(bytes + sizeof(answer), bits_words(q->call->map), room.answer_size - sizeof(answer));
	cache_add(room.answers, room.bytes, room.question_size, bytes, room.answer_size);
}

static bool is_followed(struct inquiry *q)
{
	q->left = willrun_job_left(q->call);
	if (q->left != WILLRUN_OURS)
		return false;
	q->allocs = allocs_read(q->now);
	if (!q->allocs || !room_ready()) {
		q->left = WILLRUN_MEMORY;
		return false;
	}
	/* A bit beyond the last node would be counted beyond the end of the tables. */
	q->left = bits_clean(q->call->map) ? willrun_tables_left(q->call, q->allocs) : WILLRUN_NODES;
	return q->left == WILLRUN_OURS;
}

static void answer(struct inquiry *q)
{
	struct question question;
	bool kept;

	q->how = WILLRUN_STOCK;
	if (!is_followed(q))
		return;
	job_prepare(q->call->job);
	kept = willrun_question(q->call, q->allocs->serial, &question);
	if (kept) {
		question.choice = question_weights(q->call->map) ^ (q->best_fit ? decide_memory() + 1 : 0);
		memcpy(room.bytes, &question, sizeof(question));
		memcpy(room.bytes + sizeof(question), bits_words(q->call->map), room.question_size - sizeof(question));
	}
	if (kept && cached_answer(q))
		return;
	search(q);
	if (kept)
		answer_keep(q);
}

/* ---- the call ---- */

bool willrun_wanted(const struct bestfit_settings *s, const struct job_test *c)
{
	bool mode = s->mode == BESTFIT_ON || (s->mode == BESTFIT_OFF && s->quick_given);

	return mode && s->will_run && s->quick != BESTFIT_QUICK_OFF && c->mode == SELECT_MODE_WILL_RUN && c->job->details;
}

static void answer_fill(struct willrun_answer *a, const struct job_test *c, int rc, const struct quick_watch *began)
{
	a->rc = rc;
	a->start = c->job->start_time;
	a->cpus = c->job->total_cpus;
	a->map = bit_copy(c->map);
	a->answered = (time_t) wt_clock_time_s();
	a->spent_us = quick_watch_start().wall_us - began->wall_us;
}

/* Slurm's own answer, with the job and the map as they were before ours. */
static int verify(struct inquiry *q, const struct willrun_answer *before, const struct quick_watch *began)
{
	const struct job_test *c = q->call;
	struct willrun_answer ours = { .how = q->how, .asked = q->now }, stock = { .how = q->how };
	struct quick_watch stock_began;

	answer_fill(&ours, c, q->rc, began);
	/* Slurm is to find the question as we found it. */
	bit_copybits(c->map, before->map);
	c->job->start_time = before->start;
	c->job->total_cpus = before->cpus;
	stock_began = quick_watch_start();
	stock.rc = job_test_call(q->inner, c);
	willrun_count_stock(&stock_began);
	answer_fill(&stock, c, stock.rc, &stock_began);
	willrun_compare(c, &ours, &stock);
	FREE_NULL_BITMAP(ours.map);
	FREE_NULL_BITMAP(stock.map);
	return stock.rc;
}

bool willrun_job_test(job_test_f inner, const struct job_test *c, const struct bestfit_settings *settings, int *rc)
{
	struct inquiry q = { .inner = inner, .call = c, .now = (time_t) wt_clock_time_s(),
			     .best_fit = settings->mode == BESTFIT_ON };
	struct quick_watch began = quick_watch_start();
	struct willrun_answer before = { .start = c->job->start_time, .cpus = c->job->total_cpus };
	bool compare = settings->quick == BESTFIT_QUICK_VERIFY;

	if (compare)
		before.map = bit_copy(c->map);
	answer(&q);
	willrun_count(q.how, q.left, &began);
	if (compare && q.how != WILLRUN_STOCK)
		q.rc = verify(&q, &before, &began);
	FREE_NULL_BITMAP(before.map);
	if (settings->report_decisions && willrun_answers() % settings->report_decisions == 0)
		willrun_count_log();
	*rc = q.rc;
	return q.how != WILLRUN_STOCK;
}

#endif
