/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the nodes did, beside what Slurm believed of them, and what that cost. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "harness/cost/cost_run.h"
#include "harness/page/chart.h"
#include "harness/page/html.h"
#include "harness/page/section.h"

struct power_page {
	const struct section *section;
	struct cost_settings settings;
	struct cost_run run;
	struct cost_sums *sums;		/* by class */
	size_t class_count;
	size_t malformed;		/* lines of power.csv */
};

/* ---- reading ------------------------------------------------------------------------------------------------------ */

/* 0, or -1 with EINVAL: scenario.json was written by somebody else. */
static int settings_read(struct cost_settings *settings, const json_t *scenario, struct wt_error *errp)
{
	const json_t *texts = json_object_get(json_object_get(scenario, "options"), "cost");
	const json_t *text;
	size_t i;

	json_array_foreach(texts, i, text)
		if (cost_settings_add(settings, json_is_string(text) ? json_string_value(text) : "", errp) < 0)
			return wt_error_prefix(errp, "scenario.json: cost");
	return cost_settings_check(settings, errp);
}

static int sums_make(struct power_page *p, struct wt_error *errp)
{
	p->class_count = p->settings.class_count ? p->settings.class_count : 1;
	p->sums = calloc(p->class_count, sizeof(*p->sums));
	if (!p->sums)
		return wt_error_errno(errp, ENOMEM, "costs");
	return cost_run_bill(&p->run, &p->settings, p->sums, errp);
}

/* 1; 0: there is nothing to tell; -1: why. */
static int power_read(struct power_page *p, struct wt_error *errp)
{
	const struct page_run *run = p->section->run;
	struct wt_power_log log = { 0 };
	int rc = run->single_file ? 0 : cost_power_read(run->path, &log, errp);
	bool there = rc == 0 && log.name_count;

	p->malformed = log.malformed;
	if (rc == 0)
		rc = settings_read(&p->settings, run->scenario, errp);
	if (rc == 0 && !there && !p->settings.text_count) {
		wt_power_log_clear(&log);
		return 0;
	}
	if (rc == 0)
		rc = cost_run_make(&p->run, run->record, &p->settings, &log, errp);
	wt_power_log_clear(&log);
	return rc < 0 || sums_make(p, errp) < 0 ? -1 : 1;
}

static void power_clear(struct power_page *p)
{
	cost_run_clear(&p->run);
	cost_settings_clear(&p->settings);
	free(p->sums);
}

/* ---- over time ---------------------------------------------------------------------------------------------------- */

struct state_change {			/* of the number of nodes in a state */
	int64_t time_us;
	enum cost_state state;
	int by;
};

struct state_changes {
	struct state_change *list;
	size_t count, capacity;
	bool failed;
};

static void change_add(struct state_changes *c, int64_t time_us, enum cost_state state, int by)
{
	size_t capacity = c->capacity ? 2 * c->capacity : 256;
	struct state_change *more;

	if (c->count == c->capacity && !c->failed) {
		more = reallocarray(c->list, capacity, sizeof(*more));
		if (more) {
			c->list = more;
			c->capacity = capacity;
		} else {
			c->failed = true;
		}
	}
	if (!c->failed)
		c->list[c->count++] = (struct state_change) { time_us, state, by };
}

static void piece_take(void *arg, const struct cost_piece *piece)
{
	if (piece->to_us == piece->from_us)
		return;
	change_add(arg, piece->from_us, piece->state, 1);
	change_add(arg, piece->to_us, piece->state, -1);
}

static int change_compare(const void *a, const void *b)
{
	const struct state_change *x = a, *y = b;

	return (x->time_us > y->time_us) - (x->time_us < y->time_us);
}

/* Nodes without a name are on and idle from the beginning to the end. */
static void curve_fill(struct chart_curve *curve, const struct power_page *p, const struct state_changes *c,
		       enum cost_state state)
{
	int64_t count = state == COST_IDLE ? p->run.others : 0, drawn = -1, begin_us = p->run.window.from_us;

	if (!c->count)
		chart_curve_add(curve, 0, (double) count);
	for (size_t i = 0; i < c->count; i++) {
		const struct state_change *change = &c->list[i];

		if (i && change->time_us != c->list[i - 1].time_us && count != drawn) {
			chart_curve_add(curve, (double) (c->list[i - 1].time_us - begin_us) / 1e6, (double) count);
			drawn = count;
		}
		if (change->state == state && change->time_us < p->run.window.to_us)
			count += change->by;
	}
	chart_curve_add(curve, (double) (p->run.window.to_us - begin_us) / 1e6, (double) count);
}

static int states_chart_write(const struct power_page *p)
{
	struct chart_curve curves[COST_STATES];
	struct chart chart = {
		.run_id = p->section->run->id, .key = "power", .title = "Nodes by what they did", .x_key = "time_s",
		.y_key = "nodes", .axis = CHART_TIME, .x_to = p->section->run->period_s, .curves = curves, .tall = true,
		.y_whole = true, .kind = wt_kind_name(WT_KIND_MODELLED),
	};
	struct state_changes c = { 0 };
	int rc = 0;

	for (uint32_t n = 0; n < p->run.power.name_count; n++) {
		struct cost_node node = cost_run_node(&p->run, n);

		cost_walk(&node, &p->run.window, piece_take, &c);
	}
	if (c.count)
		qsort(c.list, c.count, sizeof(*c.list), change_compare);
	for (int s = 0; s < COST_STATES && !c.failed; s++) {
		double all = 0;

		for (size_t i = 0; i < p->class_count; i++)
			all += p->sums[i].node_s[s];
		if (all <= 0)
			continue;
		curves[chart.curve_count] = (struct chart_curve) {
			.label = cost_state_name((enum cost_state) s), .key = cost_state_name((enum cost_state) s),
			.step = true,
		};
		curve_fill(&curves[chart.curve_count++], p, &c, (enum cost_state) s);
	}
	free(c.list);
	if (!c.failed && chart.curve_count)
		rc = chart_write(p->section->out, &chart);
	for (size_t i = 0; i < chart.curve_count; i++)
		chart_curve_clear(&curves[i]);
	return c.failed ? -1 : rc;
}

/* ---- what Slurm believes ------------------------------------------------------------------------------------------ */

static const struct {
	const char *label, *key;
	size_t offset;
	enum cost_state state;	/* of the machine that it is about */
} beliefs[] = {
	{ "powered down", "powered_down", offsetof(struct wt_sample, nodes_powered_down), COST_OFF },
	{ "powering up", "powering_up", offsetof(struct wt_sample, nodes_powering_up), COST_BOOTING },
	{ "powering down", "powering_down", offsetof(struct wt_sample, nodes_powering_down), COST_STOPPING },
};
enum { BELIEFS = sizeof(beliefs) / sizeof(beliefs[0]) };

static double believed(const struct wt_sample *sample, size_t belief)
{
	uint64_t count = *(const uint64_t *) ((const char *) sample + beliefs[belief].offset);

	return count == WT_COUNT_UNKNOWN ? NAN : (double) count;
}

/* Node seconds within the run's time; a sample holds until the next.  NAN: it was not looked at. */
static double belief_node_s(const struct power_page *p, size_t belief)
{
	const struct wt_record *record = p->section->run->record;
	double end_s = (double) p->run.window.to_us / 1e6, sum = NAN;

	for (size_t i = 0; i < record->sample_count; i++) {
		const struct wt_sample *sample = &record->samples[i];
		double until_s = i + 1 < record->sample_count ? fmin(sample[1].time_s, end_s) : end_s;
		double count = believed(sample, belief);

		if (isnan(count))
			continue;
		sum = (isnan(sum) ? 0 : sum) + (until_s > sample->time_s ? count * (until_s - sample->time_s) : 0);
	}
	return sum;
}

static int beliefs_chart_write(const struct power_page *p)
{
	const struct wt_record *record = p->section->run->record;
	struct chart_curve curves[BELIEFS];
	struct chart chart = {
		.key = "power-slurm", .title = "Nodes by what Slurm believed of their power, as they were sampled",
		.y_key = "nodes", .y_whole = true, .curves = curves,
	};

	for (size_t b = 0; b < BELIEFS; b++) {
		struct chart_curve *curve = &curves[chart.curve_count];

		if (!(belief_node_s(p, b) > 0))
			continue;
		*curve = (struct chart_curve) { .label = beliefs[b].label, .key = beliefs[b].key, .step = true };
		for (size_t i = 0; i < record->sample_count; i++)
			chart_curve_add(curve, record->samples[i].time_s - record->begin_s,
					believed(&record->samples[i], b));
		chart.curve_count++;
	}
	return chart.curve_count ? run_chart_write(p->section, &chart) : 0;
}

static void hours_cell(FILE *out, const char *key, double node_s)
{
	fputs("<td>", out);
	digits_write(out, key, node_s, 1 / 3600.0, "");
	fputs("</td>", out);
}

static void beliefs_table_write(const struct power_page *p)
{
	static const char *const columns[] = { "nodes that were", "by their machines, node h", "by Slurm, node h", NULL };
	FILE *out = p->section->out;

	table_begin(p->section, "class=\"beliefs\"", "What ran, and what Slurm believed", columns);
	for (size_t b = 0; b < BELIEFS; b++) {
		double node_s = 0;

		for (size_t i = 0; i < p->class_count; i++)
			node_s += p->sums[i].node_s[beliefs[b].state];
		fprintf(out, "<tr><th scope=\"row\">%s, %s</th>", cost_state_name(beliefs[b].state), beliefs[b].label);
		hours_cell(out, "machines", node_s);
		hours_cell(out, "slurm", belief_node_s(p, b));
		fputs("</tr>\n", out);
	}
	table_end(p->section);
}

/* ---- what it cost ------------------------------------------------------------------------------------------------- */

static void number_cell(FILE *out, const char *key, double value)
{
	fputs("<td>", out);
	digits_write(out, key, value, 1, "");
	fputs("</td>", out);
}

static void hours_table_write(const struct power_page *p)
{
	static const char *const columns[] = { "nodes", "how many", "busy, node h", "on and idle", "booting", "stopping",
					       "off", "boots", "that came to nothing", "stock-outs", "taken back", NULL };
	FILE *out = p->section->out;

	table_begin(p->section, "class=\"node-hours\"", "What nodes did, modelled", columns);
	for (size_t i = 0; i < p->class_count; i++) {
		const struct cost_sums *s = &p->sums[i];
		const char *nodes = p->settings.class_count ? p->settings.classes[i].nodes : NULL;

		fputs("<tr><th scope=\"row\">", out);
		html_name(out, nodes ? nodes : i + 1 < p->class_count ? "all others" : "all");
		fputs("</th>", out);
		number_cell(out, "nodes", (double) s->nodes);
		for (int state = 0; state < COST_STATES; state++)
			hours_cell(out, cost_state_name((enum cost_state) state), s->node_s[state]);
		number_cell(out, "boots", (double) s->boots);
		number_cell(out, "boots_lost", (double) s->boots_lost);
		number_cell(out, "stock_outs", (double) s->stock_outs);
		number_cell(out, "taken", (double) s->taken);
		fputs("</tr>\n", out);
	}
	table_end(p->section);
}

static void money_table_write(const struct power_page *p)
{
	static const char *const columns[] = { "nodes", "units", "node h billed", "cost", "kWh", "always on: units",
					       "node h billed", "cost", "kWh", NULL };
	FILE *out = p->section->out;

	table_begin(p->section, "class=\"money\"",
		    "What is billed, and what the same jobs at the same times would cost with all nodes on, modelled",
		    columns);
	for (size_t i = 0; i < p->class_count; i++) {
		const struct cost_sums *s = &p->sums[i];
		const char *nodes = p->settings.class_count ? p->settings.classes[i].nodes : NULL;

		fputs("<tr><th scope=\"row\">", out);
		html_name(out, nodes ? nodes : i + 1 < p->class_count ? "all others" : "all");
		fputs("</th>", out);
		number_cell(out, "units", s->units);
		hours_cell(out, "billed", s->billed_node_s);
		number_cell(out, "cost", s->cost);
		number_cell(out, "energy", s->energy_kwh);
		number_cell(out, "always_units", s->always_units);
		hours_cell(out, "always_billed", s->always_billed_node_s);
		number_cell(out, "always_cost", s->always_cost);
		number_cell(out, "always_energy", s->always_energy_kwh);
		fputs("</tr>\n", out);
	}
	table_end(p->section);
}

static void tariffs_write(const struct power_page *p)
{
	FILE *out = p->section->out;

	fputs("<p class=\"none\">From power.csv and jobs.csv, from the first submission to the last end of a job. A node is "
	      "busy from a job's start to its release. A machine is paid for from its boot", out);
	for (size_t i = 0; i < p->settings.text_count; i++) {
		fputs(i ? ", " : " until it is off, by these tariffs: ", out);
		html_name(out, p->settings.texts[i]);
	}
	fputs(p->settings.text_count ? ".</p>\n" : " until it is off; no price was given (--cost).</p>\n", out);
	if (p->malformed)
		fprintf(out, "<p class=\"warn\">%zu lines of power.csv could not be read.</p>\n", p->malformed);
}

static int parts_write(const struct power_page *p)
{
	bool switched = false;

	for (uint32_t n = 0; n < p->run.power.name_count && !switched; n++)
		switched = cost_run_node(&p->run, n).row_count > 0;
	if (states_chart_write(p) < 0 || beliefs_chart_write(p) < 0)
		return -1;
	hours_table_write(p);
	if (switched)
		beliefs_table_write(p);
	money_table_write(p);
	tariffs_write(p);
	return 0;
}

int power_section_write(const struct section *section)
{
	struct power_page p = { .section = section };
	struct wt_error error = { "" };
	int rc = power_read(&p, &error);

	if (rc) {
		fprintf(section->out, "<section aria-labelledby=\"%s-power\">\n", section->run->id);
		heading_write(section, 1, "power", "What did the nodes do, and what did that cost?");
		if (rc < 0) {
			fputs("<p class=\"none\">Not known: ", section->out);
			html_text(section->out, error.text);
			fputs("</p>\n", section->out);
		}
		rc = rc > 0 ? parts_write(&p) : 0;
		fputs("</section>\n", section->out);
	}
	power_clear(&p);
	return rc;
}
