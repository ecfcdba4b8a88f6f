/* SPDX-License-Identifier: GPL-2.0-or-later */
/* imported.h: reading a capture, or single files. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "harness/cluster/conf/conf.h"
#include "harness/cluster/conf/sitenodes.h"
#include "harness/site/imported.h"
#include "harness/site/job_options.h"
#include "harness/site/reasons.h"
#include "harness/site/swf_jobs.h"
#include "lib/fs.h"
#include "lib/str.h"
#include "topology/hostlist.h"

#define FILE_BYTES_MAX ((size_t) 64 << 20)	/* of all files but those with jobs, which are read line by line */
#define PASSWD_FIELDS 7
#define DECAY_DEFAULT_S (7 * 86400.0)	/* slurm.conf(5), PriorityDecayHalfLife */

struct site_reader {
	struct wt_imported *site;
	const struct wt_site_sources *from;
	json_t *gids;		/* names of groups, by the numbers that lines of group(5) give them */
};

/* The file given, else the one of this name in the capture, if it is there; to be freed.  NULL with errno 0: neither. */
static char *source_path(const struct site_reader *r, const char *given, const char *name, struct wt_error *errp)
{
	struct stat st;
	char *path;

	errno = 0;
	if (!given && !r->from->folder)
		return NULL;
	path = given ? strdup(given) : wt_str_format("%s/%s", r->from->folder, name);
	if (!path) {
		wt_error_errno(errp, ENOMEM, "%s", name);
		return NULL;
	}
	errno = 0;
	if (given || (lstat(path, &st) == 0 && !S_ISLNK(st.st_mode)))
		return path;
	if (errno == 0)		/* it may lead to any file of this machine */
		wt_error_set(errp, EINVAL, "%s: a link, which a capture has none of: give that file by an option", path);
	else if (errno == ENOENT)
		errno = 0;
	else
		wt_error_errno(errp, errno, "%s", path);
	free(path);
	return NULL;
}

/* Text without NUL; *text NULL: there is no such file. */
static int source_text(const struct site_reader *r, const char *given, const char *name, char **text, size_t *len,
		       char **where, struct wt_error *errp)
{
	const char *nul;
	int rc;

	*text = NULL;
	*where = source_path(r, given, name, errp);
	if (!*where)
		return errno ? -1 : 0;
	rc = given ? wt_fs_read_regular(*where, FILE_BYTES_MAX, text, len, errp) :
	     wt_fs_read_unlinked(*where, FILE_BYTES_MAX, text, len, errp);
	nul = rc == 0 ? memchr(*text, '\0', *len) : NULL;
	if (nul)
		rc = wt_error_set(errp, EINVAL, "%s: a NUL byte: is it text?", *where);
	if (rc < 0) {
		free(*text);
		free(*where);
		*text = *where = NULL;
	}
	return rc;
}

/* ---- slurm.conf ---- */

static int conf_read(const struct site_reader *r, struct wt_error *errp)
{
	struct wt_imported *site = r->site;
	char *path = source_path(r, r->from->conf, "slurm.conf", errp);
	int rc;

	if (!path)
		return errno ? -1 : wt_error_set(errp, EINVAL, "a slurm.conf is needed: --conf FILE, or a folder of "
						 "'windtunnel site capture'");
	/* A capture is a stranger's: what it includes lies beside it, and is none of this machine's other files. */
	rc = wt_demands_inside(&site->demands, path, errp);
	for (size_t i = 0; rc == 0 && i < site->demands.count; i++)
		if (!strcasecmp(site->demands.list[i].key, "ClusterName")) {
			free(site->cluster);
			site->cluster = strdup(site->demands.list[i].value);
			rc = site->cluster ? 0 : wt_error_errno(errp, ENOMEM, "%s", path);
		}
	free(path);
	return rc;
}

static int conf_sort(const struct site_reader *r, struct wt_error *errp)
{
	const struct wt_site_has has = { .accounts = r->site->has_accounts, .topology = r->site->topology != NULL };

	if (wt_site_conf_sort(&r->site->conf, &r->site->demands, &has, errp) < 0)
		return -1;
	return r->site->anonymised ? wt_imported_mask(r->site, errp) : 0;
}

/* How large the machine is: windtunnel-jobs(5) tells it, so that a run knows before it has a cluster. */
static int machine_measure(struct wt_imported *site, struct wt_error *errp)
{
	struct wt_conf *conf = wt_conf_create();
	struct wt_shape largest;
	uint64_t cpus = 0;
	uint32_t nodes = 0;
	int rc = conf ? 0 : wt_error_errno(errp, ENOMEM, "slurm.conf");

	for (size_t i = 0; rc == 0 && i < site->demands.count; i++) {
		const struct wt_demand *d = &site->demands.list[i];

		if (!strcasecmp(d->key, "NodeName") && !d->append)
			rc = strncasecmp(d->value, "DEFAULT ", 8) ? wt_conf_set(conf, "NodeName", d->value, errp) :
			     wt_conf_add_default(conf, "NodeName", d->value, true, errp);
	}
	if (rc == 0)
		rc = wt_sitenodes_count(&site->demands, &nodes, errp);
	if (rc == 0)
		rc = wt_sitenodes_shape(conf, &largest, &cpus, errp);
	wt_conf_destroy(conf);
	if (rc < 0 && errno == EINVAL)	/* a file without nodes may be completed by hand */
		return 0;
	site->nodes = nodes;
	site->cpus = cpus <= UINT32_MAX ? (uint32_t) cpus : 0;
	return rc;
}

/* ---- files that are copied ---- */

/* Lines without comments and blanks at their ends. */
static char *lines_plain(const char *text)
{
	struct wt_str s = { 0 };

	for (const char *p = text; *p;) {
		size_t whole = strcspn(p, "\n"), len = 0;

		while (len < whole && p[len] != '#')
			len++;
		while (len && strchr(" \t\r", p[len - 1]))
			len--;
		if (len) {
			wt_str_add_bytes(&s, p, len);
			wt_str_add(&s, "\n");
		}
		p += whole + (p[whole] == '\n');
	}
	return wt_str_take(&s);
}

static int copy_read(const struct site_reader *r, const char *given, const char *name, char **copy, struct wt_error *errp)
{
	char *text, *where, *plain = NULL;
	size_t len;
	int rc = source_text(r, given, name, &text, &len, &where, errp);

	if (rc == 0 && text) {
		plain = lines_plain(text);
		if (!plain)
			rc = wt_error_errno(errp, ENOMEM, "%s", name);
		if (rc == 0 && wt_demands_may_include(text))
			rc = wt_error_set(errp, EINVAL, "%s: it has an Include: put that file's text there", where);
	}
	free(text);
	free(where);
	if (rc < 0)
		free(plain);
	else
		*copy = plain;
	return rc;
}

/* ---- accounts ---- */

static int accounts_file(const struct site_reader *r, const char *given, const char *name, struct wt_error *errp)
{
	char *text, *where;
	size_t len;
	int rc = source_text(r, given, name, &text, &len, &where, errp);

	if (rc == 0 && text) {
		rc = wt_account_commands_add(&r->site->accounts, where, text, len, errp);
		r->site->has_accounts = true;
	}
	free(text);
	free(where);
	return rc;
}

static int accounts_read(const struct site_reader *r, struct wt_error *errp)
{
	struct wt_account_commands *a = &r->site->accounts;
	int rc = 0;

	a->cluster = r->site->cluster ? r->site->cluster : "site";
	a->aliases = r->from->key ? &r->site->aliases : NULL;
	a->people = &r->site->people;
	for (size_t i = 0; i < r->from->account_count && rc == 0; i++)
		rc = accounts_file(r, r->from->accounts[i], NULL, errp);
	if (rc < 0 || r->from->account_count)
		return rc;
	rc = accounts_file(r, NULL, "qos.txt", errp);
	return rc == 0 ? accounts_file(r, NULL, "accounts.dump", errp) : rc;
}

/* ---- users and groups ---- */

/* The fields of a line, cut at its colons: as many as there are, at most 'max'. */
static size_t fields_cut(char *line, char **fields, size_t max)
{
	size_t count = 0;

	while (line && count < max)
		fields[count++] = strsep(&line, ":");
	return count;
}

static int members_add(const struct site_reader *r, const char *group, char *members, struct wt_error *errp)
{
	const struct wt_aliases *aliases = r->from->key ? &r->site->aliases : NULL;
	char *member;
	int rc = 0;

	while (rc >= 0 && (member = strsep(&members, ","))) {
		char *alias = wt_alias(aliases, WT_ALIAS_USER, member);

		rc = alias ? wt_people_member(&r->site->people, group, alias, errp) :
		     wt_error_errno(errp, ENOMEM, "groups");
		if (rc == 0)
			rc = wt_people_user(&r->site->people, alias, NULL, errp);
		free(alias);
	}
	return rc < 0 ? -1 : 0;
}

/* "group:x:gid:members" */
static int group_line(const struct site_reader *r, char **fields, struct wt_error *errp)
{
	char *name = wt_alias(r->from->key ? &r->site->aliases : NULL, WT_ALIAS_GROUP, fields[0]);
	int rc = name ? wt_people_group(&r->site->people, name, errp) : wt_error_errno(errp, ENOMEM, "groups");

	if (rc == 0 && *fields[2] && !fields[2][strspn(fields[2], "0123456789")] &&
	    json_object_set_new(r->gids, fields[2], json_string(name)) < 0)
		rc = wt_error_errno(errp, ENOMEM, "groups");
	if (rc == 0)
		rc = members_add(r, name, fields[3], errp);
	free(name);
	return rc < 0 ? -1 : 0;
}

/* "user:uid:group:gid", as UBCCR's simulator has it, or a line of passwd(5) ('numbered'), which has the group's number: a
 * user whose group nobody names gets one of his own. */
static int user_line(const struct site_reader *r, char **fields, bool numbered, struct wt_error *errp)
{
	const struct wt_aliases *aliases = r->from->key ? &r->site->aliases : NULL;
	const char *known = numbered ? json_string_value(json_object_get(r->gids, fields[3])) : NULL;
	char *name = wt_alias(aliases, WT_ALIAS_USER, fields[0]);
	char *group = numbered ? NULL : wt_alias(aliases, WT_ALIAS_GROUP, fields[2]);
	int rc;

	if (!name || (!numbered && !group))
		rc = wt_error_errno(errp, ENOMEM, "users");
	else
		rc = wt_people_user(&r->site->people, name, numbered ? known : group, errp);
	free(name);
	free(group);
	return rc < 0 ? -1 : 0;
}

static int person_line(const struct site_reader *r, char *line, bool is_group, struct wt_error *errp)
{
	char *fields[PASSWD_FIELDS + 1] = { NULL };
	size_t count = fields_cut(line, fields, PASSWD_FIELDS + 1);

	if (is_group)
		return count == 4 ? group_line(r, fields, errp) : wt_error_set(errp, EINVAL, "not GROUP:x:GID:MEMBERS");
	if (count != 4 && count != PASSWD_FIELDS)
		return wt_error_set(errp, EINVAL, "not USER:UID:GROUP:GID, and no line of passwd(5)");
	return user_line(r, fields, count == PASSWD_FIELDS, errp);
}

static int people_file(const struct site_reader *r, const char *given, const char *name, bool is_group,
		       struct wt_error *errp)
{
	char *text, *where, *rest, *line;
	size_t len;
	unsigned int number = 0;
	int rc = source_text(r, given, name, &text, &len, &where, errp);

	for (rest = text; rc == 0 && rest && (line = strsep(&rest, "\n"));) {
		number++;
		line[strcspn(line, "\r")] = '\0';
		if (*line && *line != '#' && person_line(r, line, is_group, errp) < 0)
			rc = wt_error_prefix(errp, "%s:%u", where, number);
	}
	free(text);
	free(where);
	return rc;
}

/* Groups first: users' lines may have their numbers. */
static int people_read(struct site_reader *r, struct wt_error *errp)
{
	int rc;

	r->gids = json_object();
	rc = r->gids ? people_file(r, r->from->groups, "group", true, errp) : wt_error_errno(errp, ENOMEM, "groups");
	if (rc == 0)
		rc = people_file(r, r->from->users, "users", false, errp);
	json_decref(r->gids);
	r->gids = NULL;
	return rc;
}

/* ---- jobs ---- */

static int jobs_file(const struct site_reader *r, const char *given, const char *name,
		     int (*take)(struct wt_site_jobs *, FILE *, const char *, struct wt_error *), struct wt_error *errp)
{
	char *path = source_path(r, given, name, errp);
	FILE *in;
	int rc;

	if (!path)
		return errno ? -1 : 0;
	/* Of a capture: source_path () has seen no link, but whoever may write there may have put one since. */
	in = given ? wt_fs_stream_regular(path, errp) : wt_fs_stream_unlinked(path, errp);
	rc = in ? take(&r->site->jobs, in, path, errp) : -1;
	if (in)
		fclose(in);
	free(path);
	r->site->has_jobs = true;
	return rc;
}

static int swf_read(const struct site_reader *r, struct wt_error *errp)
{
	char *text = NULL, *where = NULL;
	json_t *map = NULL;
	size_t len;
	FILE *in;
	int rc = r->from->map ? source_text(r, r->from->map, NULL, &text, &len, &where, errp) : 0;

	if (rc == 0 && text && !(map = wt_swf_map(where, text, errp)))
		rc = -1;
	in = rc == 0 ? wt_fs_stream_regular(r->from->swf, errp) : NULL;
	rc = in ? wt_site_jobs_swf(&r->site->jobs, in, r->from->swf, map, errp) : -1;
	if (in)
		fclose(in);
	json_decref(map);
	free(text);
	free(where);
	r->site->has_jobs = true;
	return rc;
}

/* The last one holds, as in Slurm. */
static void array_max_take(const struct site_reader *r)
{
	const struct wt_demands *demands = &r->site->demands;
	uint64_t max;

	for (size_t i = 0; i < demands->count; i++)
		if (!strcasecmp(demands->list[i].key, "MaxArraySize") &&
		    wt_str_to_u64(demands->list[i].value, 0, UINT32_MAX, "MaxArraySize", &max, NULL) == 0)
			r->site->jobs.array_max = (uint32_t) max;
}

/* sacct also has those that still waited or ran then: the replay is longer for the first of them. */
static int before_count(const struct site_reader *r, struct wt_error *errp)
{
	struct wt_site_jobs *jobs = &r->site->jobs;
	int rc = 0;

	for (size_t i = 0; i < jobs->count && rc == 0 && jobs->list[i].job.submit_s < r->site->from_s; i++)
		rc = wt_reason_count(jobs->assumed, "submitted before the period of the capture, with whose first the "
				     "replay begins", errp);
	return rc;
}

static int jobs_read(const struct site_reader *r, struct wt_error *errp)
{
	struct wt_site_jobs *jobs = &r->site->jobs;
	int rc = 0;

	jobs->aliases = r->from->key ? &r->site->aliases : NULL;
	jobs->people = &r->site->people;
	jobs->skip_bad = r->from->skip_bad;
	array_max_take(r);
	if (r->from->events)
		rc = jobs_file(r, r->from->events, NULL, wt_site_jobs_events, errp);
	else if (r->from->swf)
		rc = swf_read(r, errp);
	else
		rc = jobs_file(r, r->from->sacct, "sacct.txt", wt_site_jobs_sacct, errp);
	if (rc < 0 || !r->site->has_jobs)
		return rc;
	rc = wt_site_jobs_finish(jobs, errp);
	if (rc == 0 && !r->from->events && !r->from->swf && !r->from->sacct)	/* the capture's own */
		rc = before_count(r, errp);
	if (rc == 0 && !jobs->count)
		rc = wt_error_set(errp, EINVAL, "none of %zu records is a job that can be run%s%s", jobs->read,
				  *jobs->first_bad ? "; the first that cannot be read: " : "", jobs->first_bad);
	return rc;
}

/* ---- nodes that failed, and reservations ---- */

static int names_add(json_t *names, const char *value, struct wt_error *errp)
{
	struct wt_hostlist *list = wt_hostlist_parse(value, strcspn(value, " \t"), WT_WORLD_NODES_MAX, errp);
	int rc = 0;

	if (!list)	/* the line was judged with slurm.conf */
		return errno == ENOMEM ? -1 : 0;
	for (size_t i = 0; rc == 0 && i < wt_hostlist_count(list); i++)
		if (json_object_set_new(names, wt_hostlist_name(list, i), json_true()) < 0)
			rc = wt_error_errno(errp, ENOMEM, "NodeName");
	wt_hostlist_destroy(list);
	return rc;
}

static int names_read(const struct site_reader *r, json_t *names, struct wt_error *errp)
{
	const struct wt_demands *demands = &r->site->demands;
	int rc = names ? 0 : wt_error_errno(errp, ENOMEM, "NodeName");

	for (size_t i = 0; rc == 0 && i < demands->count; i++)
		if (!strcasecmp(demands->list[i].key, "NodeName"))
			rc = names_add(names, demands->list[i].value, errp);
	return rc;
}

static int world_texts(const struct site_reader *r, struct wt_error *errp)
{
	struct wt_site_world *w = &r->site->world;
	char *text, *where;
	size_t len;
	int rc = source_text(r, NULL, "events.txt", &text, &len, &where, errp);

	if (rc == 0 && text)
		rc = wt_site_world_events(w, text, errp);
	free(text);
	free(where);
	if (rc < 0)
		return -1;
	rc = source_text(r, NULL, "reservations.txt", &text, &len, &where, errp);
	if (rc == 0 && text)
		rc = wt_site_world_reservations(w, text, floor(r->site->jobs.list[0].job.submit_s), errp);
	free(text);
	free(where);
	return rc;
}

/* Times of other lists of jobs do not count from the epoch. */
static int world_read(const struct site_reader *r, struct wt_error *errp)
{
	struct wt_site_world *w = &r->site->world;
	int rc;

	if (wt_site_world_init(w, errp) < 0)
		return -1;
	if (!r->from->folder || !r->site->jobs.count || r->from->events || r->from->swf)
		return 0;
	w->aliases = r->from->key ? &r->site->aliases : NULL;
	w->reasons_left_out = r->site->anonymised;
	w->people = &r->site->people;
	w->nodes = json_object();
	rc = names_read(r, w->nodes, errp);
	if (rc == 0)
		rc = world_texts(r, errp);
	if (rc == 0)
		rc = wt_site_world_finish(w, errp);
	json_decref(w->nodes);
	w->nodes = NULL;
	return rc;
}

/* The names of those that are made, as keys: to be released.  NULL with ENOMEM. */
static json_t *reservation_names(const struct wt_world *world)
{
	json_t *names = json_object();

	for (size_t i = 0; names && i < world->count; i++)
		if (world->events[i].kind == WT_WORLD_RESERVE &&
		    json_object_set_new(names, world->events[i].text[WT_WORLD_NAME], json_true()) < 0) {
			json_decref(names);
			names = NULL;
		}
	return names;
}

/* slurmctld refuses a job whose reservation is not there. */
static int reservations_drop(struct wt_imported *site, struct wt_error *errp)
{
	json_t *names = reservation_names(&site->world.world);
	int rc = names ? 0 : wt_error_errno(errp, ENOMEM, "reservations");

	for (size_t i = 0; rc == 0 && i < site->jobs.count; i++) {
		struct wt_job_ask *ask = site->jobs.list[i].job.ask;
		char *name = ask ? ask->text[WT_ASK_RESERVATION] : NULL;

		if (!name || json_object_get(names, name))
			continue;
		ask->text[WT_ASK_RESERVATION] = NULL;
		free(name);
		rc = wt_reason_count(site->jobs.unknown, "jobs of a reservation that is not known, which run without it",
				     errp);
	}
	json_decref(names);
	return rc;
}

/* ---- what users have used ---- */

/* The last one holds, as in Slurm; NULL: slurm.conf does not say it. */
static const char *setting(const struct site_reader *r, const char *key)
{
	const struct wt_demands *demands = &r->site->demands;
	const char *value = NULL;

	for (size_t i = 0; i < demands->count; i++)
		if (!strcasecmp(demands->list[i].key, key))
			value = demands->list[i].value;
	return value;
}

static struct wt_site_usage_times usage_times(const struct site_reader *r)
{
	const char *half_life = setting(r, "PriorityDecayHalfLife"), *reset = setting(r, "PriorityUsageResetPeriod");
	struct wt_site_usage_times t = {
		.captured_s = r->site->captured_s, .from_s = r->site->from_s, .until_s = r->site->until_s,
		.half_life_s = half_life ? wt_job_option_time(half_life) : DECAY_DEFAULT_S,
		.resets = reset && strcasecmp(reset, "NONE"),
	};

	if (t.half_life_s == 0)	/* slurm.conf(5): no decay */
		t.half_life_s = INFINITY;
	return t;
}

/* Times of other lists of jobs do not count from the epoch, so that what was used before them is what is told. */
static int usage_read(const struct site_reader *r, struct wt_error *errp)
{
	struct wt_site_usage *u = &r->site->usage;
	const struct wt_site_usage_times times = usage_times(r);
	char *text, *where;
	size_t len;
	int rc = source_text(r, r->from->sshare, "sshare.txt", &text, &len, &where, errp);

	u->aliases = r->from->key ? &r->site->aliases : NULL;
	if (rc == 0 && text) {
		r->site->has_usage = true;
		rc = wt_site_usage_read(u, where, text, errp);
		if (rc == 0 && !r->from->events && !r->from->swf)
			rc = wt_site_usage_rewind(u, &r->site->jobs, &times, errp);
	}
	free(text);
	free(where);
	return rc;
}

/* ---- what the capture says of itself ---- */

static int text_keep(char **to, const char *value)
{
	free(*to);
	*to = wt_str_make_line(value, 200);
	return *to ? 0 : -1;
}

static int capture_line(struct wt_imported *site, char *line, struct wt_error *errp)
{
	char *eq = strchr(line, '=');
	uint64_t number;
	int rc = 0;

	if (!eq)
		return wt_error_set(errp, EINVAL, "not KEY=VALUE");
	*eq++ = '\0';
	if (!strcmp(line, "format") && strcmp(eq, "1"))
		return wt_error_set(errp, ENOTSUP, "another version of the format than 1");
	if (!strcmp(line, "slurm_version"))
		rc = text_keep(&site->slurm_version, eq);
	if (!strcmp(line, "cluster") && !site->cluster)
		rc = text_keep(&site->cluster, eq);
	if (!strcmp(line, "captured_s") && wt_str_to_u64(eq, 1, 10000000000, "captured_s", &number, NULL) == 0)
		site->captured_s = (double) number;
	if (!strcmp(line, "from") && wt_str_to_u64(eq, 1, 10000000000, "from", &number, NULL) == 0)
		site->from_s = (double) number;
	if (!strcmp(line, "until") && wt_str_to_u64(eq, 1, 10000000000, "until", &number, NULL) == 0)
		site->until_s = (double) number;
	if (!strcmp(line, "anonymised"))
		site->anonymised |= !strcmp(eq, "yes");
	return rc < 0 ? wt_error_errno(errp, ENOMEM, "capture.txt") : 0;
}

static int capture_read(const struct site_reader *r, struct wt_error *errp)
{
	char *text, *where, *rest, *line;
	size_t len;
	unsigned int number = 0;
	int rc = source_text(r, NULL, "capture.txt", &text, &len, &where, errp);

	for (rest = text; rc == 0 && rest && (line = strsep(&rest, "\n"));) {
		number++;
		if (*line && *line != '#' && capture_line(r->site, line, errp) < 0)
			rc = wt_error_prefix(errp, "%s:%u", where, number);
	}
	free(text);
	free(where);
	return rc;
}

int wt_imported_read(struct wt_imported *site, const struct wt_site_sources *sources, struct wt_error *errp)
{
	struct site_reader r = { .site = site, .from = sources };
	int rc = 0;

	if (sources->key)
		rc = wt_aliases_open(&site->aliases, sources->key, errp);
	if (rc == 0)
		rc = wt_people_init(&site->people, errp);
	if (rc == 0)
		rc = wt_site_jobs_init(&site->jobs, errp);
	if (rc == 0)
		rc = wt_site_usage_init(&site->usage, errp);
	if (rc < 0 || conf_read(&r, errp) < 0 || capture_read(&r, errp) < 0)
		return -1;
	site->has_key = sources->key != NULL;
	site->anonymised |= site->has_key;
	if (copy_read(&r, sources->topology, "topology.conf", &site->topology, errp) < 0 ||
	    copy_read(&r, sources->gres, "gres.conf", &site->gres, errp) < 0 || accounts_read(&r, errp) < 0)
		return -1;
	if (conf_sort(&r, errp) < 0 || machine_measure(site, errp) < 0 || people_read(&r, errp) < 0)
		return -1;
	if (jobs_read(&r, errp) < 0 || world_read(&r, errp) < 0 || usage_read(&r, errp) < 0)
		return -1;
	return reservations_drop(site, errp);
}

void wt_imported_clear(struct wt_imported *site)
{
	int saved_errno = errno;

	free(site->cluster);
	free(site->slurm_version);
	wt_demands_clear(&site->demands);
	wt_site_conf_clear(&site->conf);
	free(site->topology);
	free(site->gres);
	wt_account_commands_clear(&site->accounts);
	wt_people_clear(&site->people);
	wt_site_jobs_clear(&site->jobs);
	wt_site_world_clear(&site->world);
	wt_site_usage_clear(&site->usage);
	memset(site, 0, sizeof(*site));
	errno = saved_errno;
}
