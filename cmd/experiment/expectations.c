/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/experiment/expectations.h"
#include "lib/json.h"

struct judgement {
	const struct expectation *expectation;
	size_t index; /* of the case */
	enum expectation_verdict verdict;
	double p_holm;
};

/* Of what is not measured, or not compared, more runs would not tell. */
static const char *verdict_text(const struct judgement *j, const struct wt_cases *r)
{
	const struct wt_case *one = &r->items[j->index];

	if (j->verdict != EXPECTATION_OPEN)
		return j->verdict == EXPECTATION_HOLDS ? "holds" : "BROKEN";
	if (!one->compared)
		return *one->refused.text ? "open: not compared" : "open: no run has ended well";
	return isnan(one->with_first.difference[j->expectation->figure].mean) ? "open: not measured in both"
									      : "open: more runs would tell";
}

static const char *verdict_name(enum expectation_verdict verdict)
{
	return verdict == EXPECTATION_HOLDS ? "holds" : verdict == EXPECTATION_BROKEN ? "broken" : "cannot be told";
}

static json_t *number_json(double value)
{
	return isnan(value) ? json_null() : json_real(value);
}

/* In the figure's own unit, as summary.json has it. */
static json_t *judgement_json(const struct judgement *j, const struct wt_cases *r)
{
	const struct wt_case *one = &r->items[j->index];
	const struct expectation *e = j->expectation;
	const struct wt_difference *d = &one->with_first.difference[e->figure];
	double base = one->compared ? one->with_first.a_stats[e->figure].mean : NAN, mean = one->compared ? d->mean : NAN;
	double half = one->compared ? d->ci95 : NAN;

	return json_pack("{s:o, s:s, s:o, s:o, s:s, s:o, s:{s:o, s:o, s:o}, s:o, s:o, s:s}", "expected",
			 wt_json_text(e->text), "figure", wt_figure_infos[e->figure].key, "case", wt_json_text(one->name),
			 "beside", one->compared ? wt_json_text(r->items[one->base].name) : json_null(), "kind",
			 one->set.count ? wt_kind_name(one->set.kinds[e->figure]) : "unknown", "beside_mean",
			 number_json(base), "difference", "mean", number_json(mean), "low", number_json(mean - half), "high",
			 number_json(mean + half), "bound", number_json(e->relative ? e->bound * fabs(base) : e->bound),
			 "p_holm", number_json(j->p_holm), "verdict", verdict_name(j->verdict));
}

static void judgement_make(struct judgement *j, const struct wt_cases *r)
{
	const struct wt_case *one = &r->items[j->index];
	const struct wt_difference *d = &one->with_first.difference[j->expectation->figure];
	double base = one->with_first.a_stats[j->expectation->figure].mean;

	j->verdict = one->compared ? expectation_judge(j->expectation, d, base) : EXPECTATION_OPEN;
	j->p_holm = one->compared ? expectation_p(j->expectation, d, base) : NAN;
}

/* All verdicts are looked at at once. */
static int all_correct(struct judgement *all, size_t count, const struct wt_cases *r)
{
	double *p = calloc(count + 1, sizeof(*p));
	int rc = p ? 0 : -1;

	for (size_t i = 0; rc == 0 && i < count; i++)
		p[i] = all[i].p_holm;
	if (rc == 0)
		rc = wt_stats_holm(p, p, count);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		const struct wt_comparison *c = &r->items[all[i].index].with_first;

		all[i].p_holm = p[i];
		if (r->items[all[i].index].compared)
			all[i].verdict = expectation_correct(all[i].verdict, &c->difference[all[i].expectation->figure],
							     p[i]);
	}
	free(p);
	return rc;
}

static void all_tell(const struct judgement *all, size_t count, const struct wt_cases *r)
{
	for (size_t i = 0; i < count; i++)
		printf("%s: %s: %s\n", r->items[all[i].index].name, all[i].expectation->text, verdict_text(&all[i], r));
	if (count > 1)
		printf("%zu verdicts at once: what is told holds for all of them together (Holm, 5 %%).\n", count);
}

static enum expectation_verdict worst_of(const struct judgement *all, size_t count)
{
	enum expectation_verdict worst = EXPECTATION_HOLDS;

	for (size_t i = 0; i < count; i++)
		if (all[i].verdict == EXPECTATION_BROKEN || worst == EXPECTATION_HOLDS)
			worst = all[i].verdict;
	return worst;
}

int expectations_judge(const struct expectation *list, size_t count, const struct wt_cases *cases, json_t *all,
		       enum expectation_verdict *worst, struct wt_error *errp)
{
	struct judgement *judged = calloc(count * cases->count + 1, sizeof(*judged));
	size_t n = 0;
	int rc = judged ? 0 : -1;

	for (size_t e = 0; judged && e < count; e++)
		for (size_t c = 0; c < cases->count; c++)
			if (c != cases->first) {
				judged[n] = (struct judgement) { .expectation = &list[e], .index = c };
				judgement_make(&judged[n++], cases);
			}
	if (rc == 0)
		rc = all_correct(judged, n, cases);
	if (rc == 0 && !all)
		all_tell(judged, n, cases);
	for (size_t i = 0; rc == 0 && all && i < n; i++)
		rc = json_array_append_new(all, judgement_json(&judged[i], cases));
	if (rc == 0)
		*worst = n || !count ? worst_of(judged, n) : EXPECTATION_OPEN;
	free(judged);
	return rc < 0 ? wt_error_errno(errp, ENOMEM, "expectations") : 0;
}
