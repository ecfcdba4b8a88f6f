/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the variants are, and the comparison of each with the first. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "harness/page/html.h"
#include "harness/page/side.h"

bool side_wanted(const struct page_input *input)
{
	return input->variant_count > 1 || (input->variant_count == 1 && input->variants[0].run_count > 1);
}

/* Of an experiment of many runs the page has what they have in common; each has a page of its own for the asking. */
size_t page_runs_written(const struct page_input *input)
{
	return input->cases && input->run_count > PAGE_EXPERIMENT_RUNS ? 0 : input->run_count;
}

bool side_run_counts(const struct page_run *run)
{
	const char *failure = json_string_value(json_object_get(run->summary, "failure"));

	return !run->interrupted && failure && !*failure;
}

bool side_drawn(const struct side *side, const struct side_variant *variant)
{
	size_t place = 0;

	for (const struct side_variant *v = side->variants; v != variant; v++)
		place += v == side->variants || v->compared;
	return variant->known && place < SIDE_CHARTS_MAX && (variant == side->variants || variant->compared);
}

const char *side_variant_name(const struct page_variant *variant)
{
	return variant->name ? variant->name : variant->path;
}

static char *label_make(const struct side_variant *v)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, "%s: ", v->letter);
	html_name(out, side_variant_name(v->of));
	/* Both are looked at: fclose () writes the rest, and must be called in any case. */
	if (ferror(out) | fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

static int stats_compute(struct side_variant *v)
{
	double *values = calloc(v->set.count, sizeof(*values));

	for (size_t f = 0; values && f < WT_FIG_COUNT; f++) {
		wt_run_set_figure(&v->set, (enum wt_figure_id) f, values);
		wt_stats_compute(&v->stats[f], values, v->set.count);
	}
	free(values);
	return values ? 0 : -1;
}

static int variant_read(struct side *side, size_t number, struct wt_error *errp)
{
	static const struct wt_compare_options options = { .across_kinds = false };
	struct side_variant *v = &side->variants[number], *first = &side->variants[0];

	v->of = &side->input->variants[number];
	if (number < 26)
		snprintf(v->letter, sizeof(v->letter), "%c", (char) ('A' + number));
	else
		snprintf(v->letter, sizeof(v->letter), "R%zu", (number + 1) % 100000);
	v->label = label_make(v);
	if (!v->label)
		return wt_error_errno(errp, ENOMEM, "%s", v->of->path);
	if (side->input->runs[v->of->first].single_file)
		wt_error_set(&v->why, EINVAL,
			     "%s: a file of another program, with figures of the kind told, is not compared", v->of->path);
	else
		v->known = wt_run_set_read(&v->set, v->of->path, &v->why) == 0;
	if (v->known && stats_compute(v) < 0)
		return wt_error_errno(errp, ENOMEM, "%s", v->of->path);
	if (v->known && number && first->known)
		v->compared = wt_compare(&v->comparison, &first->set, &v->set, &options, &v->why) == 0;
	else if (v->known && number)
		v->why = first->why;
	return 0;
}

void side_clear(struct side *side)
{
	for (size_t i = 0; i < side->count; i++) {
		free(side->variants[i].label);
		wt_run_set_clear(&side->variants[i].set);
	}
	free(side->variants);
}

int side_read(struct side *side, struct wt_error *errp)
{
	int rc = 0;

	side->count = side->input->variant_count;
	side->variants = calloc(side->count, sizeof(*side->variants));
	if (!side->variants)
		return wt_error_errno(errp, ENOMEM, "comparison of %zu runs", side->input->run_count);
	for (size_t i = 0; rc == 0 && i < side->count; i++)
		rc = variant_read(side, i, errp);
	return rc;
}
