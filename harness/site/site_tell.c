/* SPDX-License-Identifier: GPL-2.0-or-later */
/* imported.h: what became of all, for people and as JSON. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/site/imported.h"
#include "lib/json.h"
#include "lib/str.h"
#include "lib/table.h"

#define VALUE_SHOWN 60		/* bytes of a value in a table */

/* ---- JSON ---- */

static size_t lines_count(char *text)
{
	size_t count = 0;

	for (const char *p = text; p && *p; p++)
		count += *p == '\n';
	free(text);
	return count;
}

static json_t *text_or_null(const char *text)
{
	return text ? wt_json_text(text) : json_null();
}

static json_t *accounts_json(const struct wt_imported *site)
{
	json_t *left_out = site->accounts.left_out ? json_incref(site->accounts.left_out) : json_object();

	return json_pack("{s:I, s:I, s:I, s:I, s:o}", "commands", (json_int_t) site->accounts.count, "users",
			 (json_int_t) lines_count(wt_people_passwd(&site->people)), "groups",
			 (json_int_t) lines_count(wt_people_groups(&site->people)), "names_refused",
			 (json_int_t) json_object_size(site->people.refused), "left_out", left_out);
}

static json_t *jobs_json(const struct wt_imported *site)
{
	const struct wt_site_jobs *jobs = &site->jobs;
	json_t *object = json_pack("{s:I, s:I, s:O, s:O, s:O}", "read", (json_int_t) jobs->read, "written",
				   (json_int_t) jobs->count, "left_out", jobs->left_out, "unknown", jobs->unknown,
				   "assumed", jobs->assumed);

	if (object && jobs->count) {
		json_object_set_new(object, "first_submit_s", json_real(jobs->list[0].job.submit_s));
		json_object_set_new(object, "last_submit_s", json_real(jobs->list[jobs->count - 1].job.submit_s));
	}
	return object;
}

static json_t *events_json(const struct wt_imported *site)
{
	const struct wt_site_world *w = &site->world;

	return json_pack("{s:I, s:I, s:O, s:O}", "read", (json_int_t) w->read, "written", (json_int_t) w->world.count,
			 "left_out", w->left_out, "assumed", w->assumed);
}

static json_t *usage_json(const struct wt_imported *site)
{
	const struct wt_site_usage *u = &site->usage;

	return json_pack("{s:I, s:I, s:O, s:O}", "read", (json_int_t) u->read, "written",
			 (json_int_t) (site->has_accounts ? u->count : 0), "left_out", u->left_out, "assumed", u->assumed);
}

static json_t *counts_json(const struct wt_imported *site)
{
	json_t *counts = json_object();

	for (int i = 0; counts && i < WT_SITE_CLASSES; i++)
		json_object_set_new(counts, wt_site_class_name((enum wt_site_class) i),
				    json_integer((json_int_t) site->conf.counts[i]));
	return counts;
}

json_t *wt_imported_json(const struct wt_imported *site)
{
	json_t *object = json_object();
	int rc = object ? 0 : -1;

	if (rc == 0)
		rc = json_object_set_new(object, "windtunnel_site", json_integer(1)) |
		     json_object_set_new(object, "cluster", text_or_null(site->cluster)) |
		     json_object_set_new(object, "slurm_version", text_or_null(site->slurm_version)) |
		     json_object_set_new(object, "captured_s", site->captured_s > 0 ?
					 json_integer((json_int_t) site->captured_s) : json_null()) |
		     json_object_set_new(object, "anonymised", json_boolean(site->anonymised)) |
		     json_object_set_new(object, "conf_counts", counts_json(site)) |
		     json_object_set_new(object, "conf", wt_site_conf_json(&site->conf)) |
		     json_object_set_new(object, "accounts", accounts_json(site)) |
		     json_object_set_new(object, "jobs", jobs_json(site)) |
		     json_object_set_new(object, "events", events_json(site)) |
		     json_object_set_new(object, "usage", usage_json(site));
	if (rc == 0)
		return object;
	json_decref(object);
	errno = ENOMEM;
	return NULL;
}

/* ---- text ---- */

static void cell_text(struct wt_table *table, const char *text)
{
	char *line = wt_str_make_line(text, VALUE_SHOWN);

	wt_table_cell(table, "%s", line ? line : "");
	free(line);
}

/* All settings that an emulated cluster has otherwise. */
static void conf_tell(FILE *out, const struct wt_imported *site)
{
	const struct wt_site_conf *conf = &site->conf;
	struct wt_table *table = wt_table_create("llllll");

	fprintf(out, "slurm.conf: %zu settings kept, %zu forced, %zu dropped, %zu unknown to Slurm " WT_SLURM_VERSION "\n",
		conf->counts[WT_SITE_KEPT], conf->counts[WT_SITE_FORCED], conf->counts[WT_SITE_DROPPED],
		conf->counts[WT_SITE_UNKNOWN]);
	for (size_t i = 0; table && i < conf->count; i++) {
		const struct wt_site_setting *s = &conf->list[i];

		if (s->class == WT_SITE_KEPT)
			continue;
		cell_text(table, s->where);
		wt_table_cell(table, "%s", wt_site_class_name(s->class));
		cell_text(table, s->key);
		cell_text(table, *s->value ? s->value : "(nothing)");
		cell_text(table, s->ours ? s->ours : "nothing");
		wt_table_cell(table, "%s%s", s->reason, s->schedules ? " (the schedule can differ)" : "");
	}
	if (table)
		wt_table_print(table, out, "  ");
	wt_table_destroy(table);
}

static void counts_tell(FILE *out, const char *title, json_t *counts)
{
	const char *why;
	json_t *count;

	if (!json_object_size(counts))
		return;
	fprintf(out, "  %s:\n", title);
	json_object_foreach(counts, why, count)
		fprintf(out, "    %8" JSON_INTEGER_FORMAT "  %s\n", json_integer_value(count), why);
}

static void world_tell(FILE *out, const struct wt_site_world *w)
{
	if (!w->read && !json_object_size(w->left_out))
		return;
	fprintf(out, "events of nodes, and reservations: %zu records, %zu events\n", w->read, w->world.count);
	counts_tell(out, "left out", w->left_out);
	counts_tell(out, "concluded from what is known", w->assumed);
}

static void usage_tell(FILE *out, const struct wt_imported *site)
{
	const struct wt_site_usage *u = &site->usage;

	if (!site->has_usage)
		return;
	fprintf(out, "usage: of %zu users in accounts%s\n", u->count,
		site->has_accounts ? "" : ", left out, since there are no accounts");
	counts_tell(out, "left out", u->left_out);
	counts_tell(out, "concluded from what is known", u->assumed);
}

void wt_imported_tell(FILE *out, const struct wt_imported *site)
{
	const struct wt_site_jobs *jobs = &site->jobs;

	conf_tell(out, site);
	fprintf(out, "accounts: %zu commands of sacctmgr; %zu users, %zu groups\n", site->accounts.count,
		lines_count(wt_people_passwd(&site->people)), lines_count(wt_people_groups(&site->people)));
	if (json_object_size(site->people.refused))
		fprintf(out, "  left out: %zu names of users or groups that no cluster can have, as '%s'\n",
			json_object_size(site->people.refused),
			json_object_iter_key(json_object_iter(site->people.refused)));
	counts_tell(out, "left out", site->accounts.left_out);
	usage_tell(out, site);
	if (!site->has_jobs)
		return;
	fprintf(out, "jobs: %zu of %zu records\n", jobs->count, jobs->read);
	counts_tell(out, "left out", jobs->left_out);
	counts_tell(out, "not known, and can change the schedule", jobs->unknown);
	counts_tell(out, "concluded from what is known", jobs->assumed);
	if (*jobs->first_bad)
		fprintf(out, "  the first that cannot be read: %s\n", jobs->first_bad);
	world_tell(out, &site->world);
}
