/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel advise - which settings the measurements speak for, and how sure that is. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/experiment/advise_run.h"
#include "cmd/experiment/folder_options.h"
#include "cmd/verbs.h"
#include "harness/experiment/experiment_results.h"
#include "harness/report/advice.h"
#include "harness/report/advice_missing.h"
#include "harness/report/identity.h"
#include "lib/json.h"
#include "lib/options.h"
#include "lib/str.h"

#define EXIT_OPEN 3 /* the measurements speak for nothing */

/* ---- settings ------------------------------------------------------------------------------------------------------ */

static bool has_line(const char *text, const char *line, size_t len)
{
	for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
		if (strcspn(text, "\n") == len && !strncmp(text, line, len))
			return true;
	return false;
}

/* Each line of 'of' that 'than' has not, with 'before' in front and a blank between. */
static void lines_add(struct wt_str *s, const char *before, const char *of, const char *than)
{
	for (const char *line = of; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		size_t len = strcspn(line, "\n");

		if (has_line(than, line, len))
			continue;
		wt_str_printf(s, "%s%s", s->len ? ", " : "", before);
		wt_str_add_bytes(s, line, len);
	}
}

/* What is different in a case's command: "--set=EpilogMsgTime=1, without --set=EpilogMsgTime=2000". */
static char *settings_text(const struct wt_cases *cases, size_t c)
{
	const char *now = cases->items[cases->items[c].base].options, *then = cases->items[c].options;
	struct wt_str s = { 0 };

	if (!now || !then)
		return strdup("");
	lines_add(&s, "", then, now);
	lines_add(&s, "without ", now, then);
	return wt_str_take(&s);
}

/* ---- text ---------------------------------------------------------------------------------------------------------- */

static const char *const headings[] = {
	[ADVICE_FOR] = "The measurements speak for:",
	[ADVICE_TRADE] = "Better in one thing and worse in another:",
	[ADVICE_AGAINST] = "The measurements speak against:",
	[ADVICE_OPEN] = "Nothing can be asserted of:",
	[ADVICE_UNKNOWN] = "Not compared:",
};

/* Behind each sentence how sure it is: its p, corrected for all. */
static int figure_print(const struct wt_cases *cases, size_t c, enum wt_figure_id f)
{
	int verdict = advice_of_figure(cases, c, f);
	double p = cases->items[c].with_first.p_holm[f];
	char *text = wt_cases_sentence(cases, c, f);

	if (!text)
		return -1;
	if (*text && verdict)
		/* A p below 0.001 rests on assumptions that nobody has tested that far: it is not told more exactly. */
		printf("    %s %s [%s, p %s%.2g]\n", verdict > 0 ? "+" : "-", text,
		       wt_kind_name(cases->items[c].set.kinds[f]), p < 0.001 ? "< " : "", fmax(p, 0.001));
	else if (*text)
		printf("      %s [%s]\n", text, wt_kind_name(cases->items[c].set.kinds[f]));
	free(text);
	return 0;
}

static int case_print(const struct wt_cases *cases, size_t c)
{
	char *settings = settings_text(cases, c);

	if (!settings)
		return -1;
	printf("  %s%s%s\n", cases->items[c].name, *settings ? ": " : "", settings);
	free(settings);
	if (*cases->items[c].refused.text)
		printf("      %s\n", cases->items[c].refused.text);
	else if (!cases->items[c].compared)
		printf("      no run has ended well\n");
	for (size_t f = 0; cases->items[c].compared && f < cases->figure_count; f++)
		if (figure_print(cases, c, cases->figures[f]) < 0)
			return -1;
	return 0;
}

static int verdict_print(const struct wt_cases *cases, enum advice_verdict verdict)
{
	bool any = false;

	for (size_t c = 0; c < cases->count; c++) {
		if (c == cases->first || advice_judge(cases, c) != verdict)
			continue;
		printf("%s%s%s", any ? "" : "\n", any ? "" : headings[verdict], any ? "" : "\n");
		any = true;
		if (case_print(cases, c) < 0)
			return -1;
	}
	return 0;
}

/* Named, and how to measure them: nothing is said of what they would bring. */
static int missing_print(const struct wt_cases *cases)
{
	char *site = advice_site(cases), *quoted = site ? wt_str_shell_quote(site) : NULL;
	const struct advice_setting *first = NULL;
	int rc = site && !quoted ? -1 : 0;

	for (size_t i = 0; i < advice_setting_count; i++) {
		if (advice_measured(cases, &advice_settings[i]))
			continue;
		printf("%s%s", first ? ", " : "\nNothing was measured for ", advice_settings[i].name);
		first = first ? first : &advice_settings[i];
	}
	if (first && rc == 0)
		printf(".\n  windtunnel try %s --vary '%s' would tell%s\n", quoted ? quoted : "SITE", first->vary,
		       quoted ? "." : ", or a variant more in the experiment's file.");
	free(quoted);
	free(site);
	return rc;
}

static int advice_print(const struct wt_cases *cases)
{
	const struct wt_run_set *set = &cases->items[cases->first].set;
	char workload[256];

	wt_identity_label(set->identity, workload, sizeof(workload));
	printf("%s%sOn this workload (%s, %u %s nodes, %s clock), beside %s:\n", cases->title, *cases->title ? "\n" : "",
	       workload, set->nodes, set->backend, set->clock, cases->items[cases->first].name);
	if (wt_cases_all_same(cases)) {
		printf("\nAll cases gave the same: each run has exactly the figures of its counterpart.\n");
		return missing_print(cases);
	}
	for (int v = ADVICE_FOR; v <= ADVICE_UNKNOWN; v++)
		if (verdict_print(cases, (enum advice_verdict) v) < 0)
			return -1;
	printf("\n%zu differences were looked at at once; p is corrected for that (Holm). Nothing is said of other "
	       "settings, workloads or machines.\n",
	       cases->comparisons);
	return missing_print(cases);
}

/* ---- JSON ---------------------------------------------------------------------------------------------------------- */

static json_t *figures_json(const struct wt_cases *cases, size_t c)
{
	json_t *figures = json_object();

	for (size_t i = 0; cases->items[c].compared && i < cases->figure_count; i++) {
		enum wt_figure_id f = cases->figures[i];
		double p = cases->items[c].with_first.p_holm[f];
		char *text = wt_cases_sentence(cases, c, f);
		json_t *one = text ? json_pack("{s:i, s:o, s:s, s:o}", "better", advice_of_figure(cases, c, f), "sentence",
					       wt_json_text(text), "kind", wt_kind_name(cases->items[c].set.kinds[f]),
					       "p_holm", p == p ? json_real(p) : json_null())
				   : NULL;

		free(text);
		if (json_object_set_new(figures, wt_figure_infos[f].key, one) < 0) {
			json_decref(figures);
			return NULL;
		}
	}
	return figures;
}

static json_t *advice_json(const struct wt_cases *cases)
{
	json_t *all = json_array(), *missing = json_array();

	for (size_t i = 0; i < advice_setting_count; i++)
		if (!advice_measured(cases, &advice_settings[i]))
			json_array_append_new(missing, json_string(advice_settings[i].name));
	for (size_t c = 0; c < cases->count; c++) {
		char *settings = c == cases->first ? NULL : settings_text(cases, c);

		if (settings)
			json_array_append_new(all,
					      json_pack("{s:o, s:o, s:s, s:o}", "case", wt_json_text(cases->items[c].name),
							"settings", wt_json_text(settings), "verdict",
							advice_verdict_name(advice_judge(cases, c)), "figures",
							figures_json(cases, c)));
		free(settings);
	}
	return json_pack("{s:o, s:o, s:I, s:o, s:o}", "title", wt_json_text(cases->title), "beside",
			 wt_json_text(cases->items[cases->first].name), "comparisons", (json_int_t) cases->comparisons,
			 "advice", all, "not_measured", missing);
}

/* ---- the verb ------------------------------------------------------------------------------------------------------ */

static int advice_show(const struct folder_options *cmd, const struct wt_cases *cases, struct wt_error *errp)
{
	bool any = false;
	int rc;

	if (cases->first == cases->count)
		return wt_error_set(errp, ENOENT, "%s: no run of this experiment has ended well", cmd->dir);
	if (cmd->json) {
		json_t *json = advice_json(cases);

		rc = json ? wt_json_print(stdout, json, errp) : wt_error_errno(errp, ENOMEM, "%s", cmd->dir);
		json_decref(json);
	} else {
		rc = advice_print(cases) < 0 ? wt_error_errno(errp, ENOMEM, "%s", cmd->dir) : 0;
	}
	for (size_t c = 0; c < cases->count; c++)
		any = any || (c != cases->first && advice_judge(cases, c) == ADVICE_FOR);
	return rc < 0 ? -1 : any ? 0 : EXIT_OPEN;
}

/* A run alone has nothing beside it, but may say something of itself. */
static int run_advise(const struct folder_options *cmd, struct wt_error *errp)
{
	int count;

	if (cmd->against)
		return wt_error_set(errp, EINVAL, "%s is no experiment: --against is for the cases of one", cmd->dir);
	count = advise_run(cmd->dir, cmd->json, errp);
	return count < 0 ? -1 : count ? 0 : EXIT_OPEN;
}

static int advise(const struct folder_options *cmd, struct wt_error *errp)
{
	struct wt_cases cases;
	int rc;

	if (!experiment_folder(cmd->dir))
		return run_advise(cmd, errp);
	rc = experiment_results_read(&cases, cmd->dir, cmd->against, errp);
	if (rc == 0)
		rc = advice_show(cmd, &cases, errp);
	wt_cases_clear(&cases);
	return rc;
}

int wt_verb_advise(int argc, char **argv)
{
	static const struct argp argp = {
		.options = folder_options_all,
		.parser = folder_options_parse,
		.args_doc = "EXPERIMENT|RUN",
		.doc = "Say which settings the measurements of an experiment speak for on its workload, and how sure that "
		       "is, each with the comparison behind it; or what a run alone says of its settings.",
	};
	struct folder_options cmd = { 0 };
	struct wt_error error = { "" };
	int status;

	argp_err_exit_status = 2;
	if (wt_options_parse(&argp, argc, argv, 0, &cmd))
		return 2;
	status = advise(&cmd, &error);
	if (status < 0) {
		fprintf(stderr, "windtunnel advise: %s\n", error.text);
		return 1;
	}
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fputs("windtunnel advise: standard output could not be written\n", stderr);
		return 1;
	}
	return status;
}
