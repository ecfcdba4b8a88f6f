/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each call goes through what is cheaper first: the same question again (a hash of its bytes), the same kind of nodes
 * proven before, the few nodes that counts choose, and only then all nodes.  A yes is select/cons_tres' own, now or when
 * it was kept. */
#include "plugins/select_bestfit/quick.h"

#include <stdlib.h>

#include "plugins/select_bestfit/again.h"
#include "plugins/select_bestfit/alike.h"
#include "plugins/select_bestfit/bits.h"
#include "plugins/select_bestfit/cache.h"
#include "plugins/select_bestfit/decide.h"
#include "plugins/select_bestfit/hooks.h"
#include "plugins/select_bestfit/question.h"
#include "plugins/select_bestfit/quick_count.h"
#include "plugins/select_bestfit/small.h"
#include "plugins/select_bestfit/sparse.h"
#include "plugins/select_bestfit/weights.h"
#include "plugins/select_bestfit/willrun.h"

extern bool topo_optional;	/* select/cons_tres: TopologyParam */

#define REFUSALS_CHECKED 16
#define ANSWERS_MAX 1024	/* requests that are asked for at the same time */
#define ANSWERS_BYTES (32 << 20)
#define PROOFS_MAX 4096
#define PROOFS_BYTES (4 << 20)

/* What TEST_ONLY changes besides the map. */
struct proof_answer {
	int rc, min_gres_cpu, min_job_gres_cpu;
	/* then the words of the map */
};

/* What is proven: that 'nodes' of this kind, all needed, satisfy the request. */
struct proof {
	struct question question;
	struct supply_kind kind;
	size_t nodes;
};

/* One call on its way. */
struct attempt {
	const struct job_test *call;
	struct bestfit_settings settings;
	struct small small;
	enum quick_how how;
	int rc;
};

static struct {
	struct cache *answers, *proofs;
	unsigned char *bytes;		/* room for a question with its map */
	size_t bytes_size;
	uint32_t *chosen;
	uint32_t chosen_size;
	uint64_t generation, refusals;
} quick;

bool quick_attach(void)
{
	bool tables = hooks_attach(), arrays = sparse_attach();

	return tables && arrays;
}

void quick_node_changed(void)
{
	quick.generation++;
	supply_clear();
	willrun_changed();
}

void quick_configure(bool report)
{
	alike_attach();
	quick_node_changed();
	sparse_clear();
	if (quick.answers)
		cache_clear(quick.answers);
	if (quick.proofs)
		cache_clear(quick.proofs);
	if (report) {
		quick_count_log();
		willrun_log();
	}
}

void quick_clear(void)
{
	quick_configure(false);
	alike_detach();
	willrun_clear();
	cache_destroy(quick.answers);
	cache_destroy(quick.proofs);
	free(quick.bytes);
	free(quick.chosen);
	memset(&quick, 0, sizeof(quick));
}

static bool memory_ready(void)
{
	uint32_t nodes = (uint32_t) node_record_count;
	size_t size = sizeof(struct question) + bits_word_count(nodes) * sizeof(uint64_t);

	if (!quick.answers)
		quick.answers = cache_create(ANSWERS_MAX, ANSWERS_BYTES);
	if (!quick.proofs)
		quick.proofs = cache_create(PROOFS_MAX, PROOFS_BYTES);
	if (quick.bytes_size != size) {
		free(quick.bytes);
		quick.bytes = malloc(size);
		quick.bytes_size = quick.bytes ? size : 0;
	}
	if (quick.chosen_size != nodes) {
		free(quick.chosen);
		quick.chosen = calloc(nodes + 1, sizeof(*quick.chosen));
		quick.chosen_size = quick.chosen ? nodes : 0;
	}
	return quick.answers && quick.proofs && quick.bytes && quick.chosen;
}

static int inner_ask(job_test_f inner, const struct job_test *c, bitstr_t *map)
{
	struct job_test asked = *c;

	asked.map = map;
	return job_test_call(inner, &asked);
}

/* The inner test with our nodes only.  Its own search for few switches would look at every switch of the cluster: there is
 * nothing left to search. */
static int small_ask(job_test_f inner, struct attempt *a)
{
	job_record_t *job = a->call->job;
	bool topo_before = topo_optional, now_only = job->bit_flags & TEST_NOW_ONLY;
	uint32_t priority = job->priority, reason = job->state_reason;
	int rc;

	job->bit_flags |= TEST_NOW_ONLY;	/* WILL_RUN: no search of the future, which needs all nodes */
	topo_optional = true;
	decide_bypass(true);
	/* From here to sparse_end () select/cons_tres sees only these nodes in its loops. */
	sparse_begin(a->small.chosen, a->small.count);
	alike_begin();
	rc = inner_ask(inner, a->call, a->small.map);
	alike_end();
	sparse_end();
	decide_bypass(false);
	topo_optional = topo_before;
	if (!now_only)
		job->bit_flags &= ~TEST_NOW_ONLY;
	/* Not held for tasks that cannot be spread over the sockets of these nodes. */
	if (rc != SLURM_SUCCESS) {
		job->priority = priority;
		job->state_reason = reason;
	}
	return rc;
}

static void proof_fill(const struct attempt *a, const struct question *q, struct proof *proof)
{
	/* Also what lies between its fields: proofs are compared byte by byte. */
	memset(proof, 0, sizeof(*proof));
	memcpy(&proof->question, q, sizeof(*q));
	memcpy(&proof->kind, &a->small.kind, sizeof(a->small.kind));
	proof->nodes = a->small.count;
}

static void answer_apply(const struct job_test *c, const struct proof_answer *answer, const void *words)
{
	struct job_details *d = c->job->details;

	free_job_resources(&c->job->job_resrcs);
	if (!(slurm_conf.conf_flags & CTL_CONF_ASRU))
		d->core_spec = NO_VAL16;
	if (!d->mc_ptr) {	/* as the test does for jobs without */
		d->mc_ptr = xmalloc(sizeof(*d->mc_ptr));
		d->mc_ptr->sockets_per_node = d->mc_ptr->cores_per_socket = d->mc_ptr->threads_per_core = NO_VAL16;
	}
	d->min_gres_cpu = answer->min_gres_cpu;
	d->min_job_gres_cpu = answer->min_job_gres_cpu;
	memcpy(c->map + BITSTR_OVERHEAD, words, bits_word_count((uint32_t) node_record_count) * sizeof(uint64_t));
}

static struct proof_answer answer_of(const job_record_t *job, int rc)
{
	return (struct proof_answer) { .rc = rc, .min_gres_cpu = job->details->min_gres_cpu, .min_job_gres_cpu =
				 job->details->min_job_gres_cpu };
}

/* TEST_ONLY, of few nodes: proven before, or asked for. */
static bool small_test(job_test_f inner, struct attempt *a, const struct question *q)
{
	const struct proof_answer *known;
	struct proof_answer answer;
	struct proof proof;
	size_t size;

	proof_fill(a, q, &proof);
	known = cache_find(quick.proofs, &proof, sizeof(proof), &size);
	if (known) {
		a->how = QUICK_PROVEN;
		a->rc = known->rc;
		answer_apply(a->call, known, bits_words(a->small.map));
		return true;
	}
	a->rc = small_ask(inner, a);
	a->how = QUICK_SMALL;
	if (a->rc != SLURM_SUCCESS)
		return false;
	bit_copybits(a->call->map, a->small.map);
	answer = answer_of(a->call->job, a->rc);
	/* The proof will be applied to all nodes of a choice: Slurm must have taken all of these. */
	if ((size_t) bit_set_count(a->small.map) == a->small.count)
		cache_add(quick.proofs, &proof, sizeof(proof), &answer, sizeof(answer));
	return true;
}

/* Into quick.bytes. */
static void bytes_fill(const struct question *q, const bitstr_t *map)
{
	memcpy(quick.bytes, q, sizeof(*q));
	memcpy(quick.bytes + sizeof(*q), bits_words(map), quick.bytes_size - sizeof(*q));
}

static bool cached_test(struct attempt *a)
{
	size_t size;
	const struct proof_answer *known = cache_find(quick.answers, quick.bytes, quick.bytes_size, &size);

	if (!known)
		return false;
	a->how = QUICK_CACHED;
	a->rc = known->rc;
	answer_apply(a->call, known, known + 1);
	return true;
}

static void answer_keep(const struct attempt *a)
{
	size_t map_size = quick.bytes_size - sizeof(struct question);
	struct proof_answer answer = answer_of(a->call->job, a->rc);
	unsigned char *bytes = malloc(sizeof(answer) + map_size);

	if (!bytes)
		return;
	memcpy(bytes, &answer, sizeof(answer));
	memcpy(bytes + sizeof(answer), bits_words(a->call->map), map_size);
	cache_add(quick.answers, quick.bytes, quick.bytes_size, bytes, sizeof(answer) + map_size);
	free(bytes);
}

/* A no without asking; Slurm is asked now and then all the same, so that a wrong count would not hold a job for ever. */
static bool refuse(struct attempt *a)
{
	const struct job_test *c = a->call;
	bool now = c->mode != SELECT_MODE_WILL_RUN || (c->job->bit_flags & TEST_NOW_ONLY);

	if (!a->small.hopeless || !now || ++quick.refusals % REFUSALS_CHECKED == 0)
		return false;
	free_job_resources(&c->job->job_resrcs);
	a->how = QUICK_REFUSED;
	a->rc = SLURM_ERROR;
	return true;
}

static void test_only(job_test_f inner, struct attempt *a)
{
	const struct job_test *c = a->call;
	struct question q;
	bool asked = question_fill(&q, c->job, c->min_nodes, c->max_nodes, c->req_nodes, quick.generation) &&
		question_weights_plain(c->job, c->map);

	if (asked)
		bytes_fill(&q, c->map);
	if (asked && cached_test(a))
		return;
	if (!asked || !small_choose(a->call, a->settings.tie, quick.chosen, &a->small) || !small_test(inner, a, &q)) {
		if (refuse(a))
			return;
		a->how = QUICK_FULL;
		a->rc = inner_ask(inner, c, c->map);
	}
	if (asked)
		answer_keep(a);
}

static void run(job_test_f inner, struct attempt *a)
{
	if (small_choose(a->call, a->settings.tie, quick.chosen, &a->small)) {
		a->how = QUICK_SMALL;
		a->rc = small_ask(inner, a);
		if (a->rc == SLURM_SUCCESS) {
			bit_copybits(a->call->map, a->small.map);
			return;
		}
		quick_count_failed(a->call->mode);
	} else if (refuse(a)) {
		return;
	}
	a->how = QUICK_FULL;
	a->rc = again_job_test(inner, a->call);
	/* The counts are kept beside Slurm's own: when the two disagree, Slurm's are right. */
	if (a->rc == SLURM_SUCCESS && a->small.hopeless && a->call->mode == SELECT_MODE_RUN_NOW) {
		error("windtunnel bestfit: JobId=%u fits, though the counts say that it cannot: they are read again",
		      a->call->job->job_id);
		supply_clear();
	}
}

static void attempt_run(job_test_f inner, struct attempt *a)
{
	if (a->call->mode == SELECT_MODE_TEST_ONLY)
		test_only(inner, a);
	else
		run(inner, a);
	FREE_NULL_BITMAP(a->small.map);
}

/* Ask both; Slurm's own answer is the one that counts. */
static void verify(job_test_f inner, struct attempt *a)
{
	const struct job_test *c = a->call;
	struct quick_pair pair = { .job = c->job, .mode = c->mode };
	bitstr_t *offered = bit_copy(c->map);
	struct quick_watch began = quick_watch_start();

	attempt_run(inner, a);
	quick_count(c->mode, a->how, &began);
	pair.how = a->how;
	quick_side_fill(&pair.ours, c->job, a->rc, c->map);
	/* Both are asked with the same map: the first answer has changed it. */
	bit_copybits(c->map, offered);
	began = quick_watch_start();
	decide_bypass(true);
	a->rc = inner_ask(inner, c, c->map);
	decide_bypass(false);
	quick_count_stock(c->mode, &began);
	quick_side_fill(&pair.stock, c->job, a->rc, c->map);
	quick_compare(&pair);
	FREE_NULL_BITMAP(offered);
}

/* What best fit remembers of sizes: once for each question. */
static void learn(const struct attempt *a)
{
	if (a->settings.mode != BESTFIT_ON || a->settings.quick == BESTFIT_QUICK_OFF || !a->call->job->details)
		return;
	if (a->call->mode == SELECT_MODE_WILL_RUN)
		small_plan(a->call, a->settings.tie);
	else
		small_plans_learn(a->settings.tie);
}

int quick_job_test(job_test_f inner, const struct job_test *call)
{
	struct attempt a = { .call = call };
	struct quick_watch began = quick_watch_start();

	weights_look();
	decide_settings(&a.settings);
	learn(&a);
	/* Here the answer is that of select/cons_tres to the last node, with best fit's choice in it or without; the counts
	 * below do not promise that. */
	if (willrun_wanted(&a.settings, call) && willrun_job_test(inner, call, &a.settings, &a.rc))
		return a.rc;
	if (a.settings.mode != BESTFIT_ON || a.settings.quick == BESTFIT_QUICK_OFF || !call->job->details ||
	    call->mode > SELECT_MODE_WILL_RUN ||
	    !memory_ready())
		return again_job_test(inner, call);
	/* Jobs that preempt are asked for once: each test adds the jobs that go to a list, and a job that stands there twice
	 * is killed, not requeued. */
	if (a.settings.quick == BESTFIT_QUICK_VERIFY && !call->preemptable) {
		verify(inner, &a);
	} else {
		attempt_run(inner, &a);
		quick_count(call->mode, a.how, &began);
	}
	if (a.settings.report_decisions && quick_count_tests() % a.settings.report_decisions == 0)
		quick_count_log();
	return a.rc;
}
