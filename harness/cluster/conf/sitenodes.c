/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/cluster/conf/confattrs.h"
#include "harness/cluster/conf/nodes.h"
#include "harness/cluster/conf/sitenodes.h"
#include "lib/str.h"
#include "topology/hostlist.h"

static bool is_default(const char *name)
{
	return !strcasecmp(name, "DEFAULT");
}

/* The names of a NodeName line; the caller destroys it. */
static struct wt_hostlist *names_parse(const char *value, struct wt_error *errp)
{
	struct wt_hostlist *names = wt_hostlist_parse(value, strcspn(value, " \t"), WT_NODES_MAX, errp);

	if (!names && errno == E2BIG)	/* to people it is the file that is wrong */
		errno = EINVAL;
	return names;
}

static int names_take(json_t *seen, const struct wt_hostlist *names, uint32_t *count, struct wt_error *errp)
{
	for (size_t i = 0; i < wt_hostlist_count(names); i++) {
		const char *name = wt_hostlist_name(names, i);

		if (json_object_get(seen, name))
			return wt_error_set(errp, EINVAL, "node %s stands there twice", name);
		if (json_object_set_new_nocheck(seen, name, json_true()) < 0)
			return wt_error_errno(errp, ENOMEM, "nodes");
		if (++*count > WT_NODES_MAX)
			return wt_error_set(errp, EINVAL, "more than %d nodes", WT_NODES_MAX);
	}
	return 0;
}

int wt_sitenodes_count(const struct wt_demands *demands, uint32_t *count, struct wt_error *errp)
{
	json_t *seen = json_object();
	int rc = seen ? 0 : wt_error_errno(errp, ENOMEM, "nodes");

	*count = 0;
	for (size_t i = 0; i < demands->count && rc == 0; i++) {
		const struct wt_demand *d = &demands->list[i];
		size_t len = strcspn(d->value, " \t");
		struct wt_hostlist *names;

		if (d->option || d->append || strcasecmp(d->key, "NodeName") ||
		    (len == 7 && !strncasecmp(d->value, "DEFAULT", 7)))
			continue;
		names = names_parse(d->value, errp);
		rc = names ? names_take(seen, names, count, errp) : -1;
		if (rc < 0)
			wt_error_prefix(errp, "%s: NodeName", d->where);
		wt_hostlist_destroy(names);
	}
	json_decref(seen);
	if (rc == 0 && !*count)
		return wt_error_set(errp, EINVAL, "slurm.conf names no nodes (NodeName=...)");
	return rc;
}

struct node_facts {		/* of a line, with what DEFAULT lines before it say */
	uint64_t cpus, boards, sockets, per_board, cores, threads, memory_mib;
	char gres[4096];
};

/* What is no number there is Slurm's business. */
static bool number_take(const struct wt_confattr *attr, const char *name, uint64_t *to)
{
	if (strcasecmp(attr->name, name))
		return false;
	wt_str_to_u64(attr->value, 0, (uint64_t) 1 << 40, name, to, NULL);
	return true;
}

static int facts_take(struct node_facts *f, const struct wt_confattrs *attrs, struct wt_error *errp)
{
	for (size_t i = 0; i < attrs->count; i++) {
		const struct wt_confattr *a = &attrs->list[i];

		if (number_take(a, "CPUs", &f->cpus) || number_take(a, "Procs", &f->cpus) ||
		    number_take(a, "Boards", &f->boards) || number_take(a, "Sockets", &f->sockets) ||
		    number_take(a, "SocketsPerBoard", &f->per_board) || number_take(a, "CoresPerSocket", &f->cores) ||
		    number_take(a, "ThreadsPerCore", &f->threads) || number_take(a, "RealMemory", &f->memory_mib))
			continue;
		if (strcasecmp(a->name, "Gres"))
			continue;
		if (strlen(a->value) >= sizeof(f->gres))
			return wt_error_set(errp, EINVAL, "NodeName=%s: its Gres= is too long", attrs->name);
		strcpy(f->gres, a->value);
	}
	return 0;
}

typedef int (*node_line_f)(const char *names, const struct node_facts *facts, void *arg, struct wt_error *errp);

/* Each NodeName line that is no DEFAULT. */
static int lines_walk(const struct wt_conf *conf, node_line_f take, void *arg, struct wt_error *errp)
{
	struct node_facts *defaults = calloc(1, sizeof(*defaults)), *own = calloc(1, sizeof(*own));
	size_t at = 0;
	const char *line;
	int rc = defaults && own ? 0 : wt_error_errno(errp, ENOMEM, "nodes");

	while (rc == 0 && (line = wt_conf_next(conf, "NodeName", &at))) {
		struct wt_confattrs attrs;

		rc = wt_confattrs_parse(&attrs, line, true, errp);
		if (rc < 0)
			break;
		*own = *defaults;
		rc = facts_take(is_default(attrs.name) ? defaults : own, &attrs, errp);
		if (rc == 0 && !is_default(attrs.name))
			rc = take(attrs.name, own, arg, errp);
		wt_confattrs_clear(&attrs);
	}
	free(defaults);
	free(own);
	return rc;
}

struct shape_look {
	struct wt_shape *largest;
	uint64_t cpus;
};

/* As Slurm does: what is not said is one, and CPUs are the product when they are not said. */
static int shape_look(const char *name, const struct node_facts *f, void *arg, struct wt_error *errp)
{
	struct shape_look *look = arg;
	uint64_t boards = f->boards ? f->boards : 1, cores = f->cores ? f->cores : 1, threads = f->threads ? f->threads : 1;
	uint64_t sockets = f->sockets ? f->sockets : boards * (f->per_board ? f->per_board : 1);
	uint64_t product, cpus;
	struct wt_hostlist *names;

	if (sockets > UINT16_MAX || cores > UINT16_MAX || threads > UINT16_MAX || f->cpus > UINT16_MAX ||
	    sockets * cores * threads > UINT16_MAX)
		return wt_error_set(errp, EINVAL, "NodeName=%s: more than %d CPUs", name, UINT16_MAX);
	product = sockets * cores * threads;
	cpus = f->cpus ? f->cpus : product;
	names = names_parse(name, errp);
	if (!names)
		return -1;
	look->cpus += cpus * wt_hostlist_count(names);
	wt_hostlist_destroy(names);
	if (cpus > look->largest->cpus)
		*look->largest = (struct wt_shape) {
			.cpus = (uint32_t) cpus, .sockets = (uint32_t) (product == 1 ? cpus : sockets),
			.cores_per_socket = (uint32_t) cores, .threads_per_core = (uint32_t) threads,
			.memory_mib = f->memory_mib ? f->memory_mib : 1,
		};
	return 0;
}

int wt_sitenodes_shape(const struct wt_conf *conf, struct wt_shape *largest, uint64_t *cpus, struct wt_error *errp)
{
	struct shape_look look = { .largest = largest };

	*largest = (struct wt_shape) { 0 };
	if (lines_walk(conf, shape_look, &look, errp) < 0)
		return -1;
	*cpus = look.cpus;
	return 0;
}

/* ---- gres.conf ---- */

#define ROW_NAMES_MAX (16 * WT_NODES_MAX)	/* a line for each of 16 GPUs of all nodes: a few ten MiB */

struct gres_row {		/* a line of the site's gres.conf that is about GPUs */
	struct wt_hostlist *nodes;	/* NULL: all */
	char *type, *cores, *links;	/* owned; NULL: not said */
	unsigned int count;
};

struct gres_making {
	struct gres_row *rows;
	size_t row_count, row_names;	/* names of nodes in all rows */
	const char *dir;
	struct wt_str out;
	unsigned int files, unlike;
};

/* Only what is a list of numbers. */
static char *list_copy(const char *value)
{
	return value && value[strspn(value, "0123456789,-")] == '\0' && *value ? strdup(value) : NULL;
}

static const char *attr_get(const struct wt_confattrs *attrs, const char *name)
{
	for (size_t i = 0; i < attrs->count; i++)
		if (!strcasecmp(attrs->list[i].name, name))
			return attrs->list[i].value;
	return NULL;
}

/* A line with File= names as many GPUs as files. */
static unsigned int row_count(const struct wt_confattrs *attrs)
{
	const char *file = attr_get(attrs, "File"), *count = attr_get(attrs, "Count");
	struct wt_hostlist *files;
	uint64_t n = 1;

	if (count)
		return wt_str_to_u64(count, 1, WT_GPU_FILES_MAX, "Count", &n, NULL) == 0 ? (unsigned int) n : 0;
	if (!file)
		return 1;
	/* Slashes are none of a host's name: only the last part has brackets. */
	file = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
	files = wt_hostlist_parse(file, strlen(file), WT_GPU_FILES_MAX, NULL);
	n = wt_hostlist_count(files);
	wt_hostlist_destroy(files);
	return (unsigned int) n;
}

static void row_clear(struct gres_row *row)
{
	wt_hostlist_destroy(row->nodes);
	free(row->type);
	free(row->cores);
	free(row->links);
}

static int row_add(struct gres_making *m, const struct wt_confattrs *attrs, struct wt_error *errp)
{
	struct gres_row *longer = realloc(m->rows, (m->row_count + 1) * sizeof(*longer)), row = { 0 };
	const char *nodes = attr_get(attrs, "NodeName"), *type = attr_get(attrs, "Type");
	const char *cores = attr_get(attrs, "Cores");

	if (!longer)
		return wt_error_errno(errp, ENOMEM, "gres.conf");
	m->rows = longer;
	if (nodes && !(row.nodes = wt_hostlist_parse(nodes, strlen(nodes), WT_NODES_MAX, errp)))
		return -1;
	m->row_names += row.nodes ? wt_hostlist_count(row.nodes) : 0;
	if (m->row_names > ROW_NAMES_MAX) {
		wt_hostlist_destroy(row.nodes);
		return wt_error_set(errp, EINVAL, "more than %d names of nodes in lines about GPUs", ROW_NAMES_MAX);
	}
	row.type = type ? strdup(type) : NULL;
	row.cores = list_copy(cores ? cores : attr_get(attrs, "CPUs"));
	row.links = list_copy(attr_get(attrs, "Links"));
	row.count = row_count(attrs);
	m->rows[m->row_count++] = row;
	return 0;
}

static int row_line(struct gres_making *m, char *line, struct wt_error *errp)
{
	struct wt_confattrs attrs;
	const char *name;
	int rc = 0;

	line[strcspn(line, "#\r")] = '\0';
	if (!line[strspn(line, " \t")])
		return 0;
	if (wt_confattrs_parse(&attrs, line, false, errp) < 0)
		return -1;
	name = attr_get(&attrs, "Name");
	if (name && !strcasecmp(name, "gpu"))
		rc = row_add(m, &attrs, errp);
	wt_confattrs_clear(&attrs);
	return rc;
}

static int rows_read(struct gres_making *m, const char *site, struct wt_error *errp)
{
	char *copy = strdup(site), *rest = copy, *line;
	unsigned int number = 0;
	int rc = 0;

	if (!copy)
		return wt_error_errno(errp, ENOMEM, "gres.conf");
	while (rc == 0 && (line = strsep(&rest, "\n"))) {
		number++;
		rc = row_line(m, line, errp);
	}
	free(copy);
	return rc < 0 ? wt_error_prefix(errp, "gres.conf:%u", number) : 0;
}

static bool row_fits(const struct gres_row *row, const char *node, const char *type)
{
	bool named = !row->nodes;

	for (size_t i = 0; !named && i < wt_hostlist_count(row->nodes); i++)
		named = !strcmp(wt_hostlist_name(row->nodes, i), node);
	/* A type may be said in one of the two files only. */
	return named && (!row->type || !*type || !strcasecmp(row->type, type));
}

static void line_add(struct gres_making *m, const char *names, const char *type, unsigned int first, unsigned int count,
		     const struct gres_row *row)
{
	wt_str_printf(&m->out, "NodeName=%s Name=gpu", names);
	if (*type)
		wt_str_printf(&m->out, " Type=%s", type);
	if (count == 1)
		wt_str_printf(&m->out, " File=%s/" WT_GPU_FILES "%u", m->dir, first);
	else
		wt_str_printf(&m->out, " File=%s/" WT_GPU_FILES "[%u-%u]", m->dir, first, first + count - 1);
	if (row && row->cores)
		wt_str_printf(&m->out, " Cores=%s", row->cores);
	if (row && row->links)
		wt_str_printf(&m->out, " Links=%s", row->links);
	wt_str_add(&m->out, "\n");
}

/* As many as the site's rows for that node and type name, or all in one line. */
static void item_add(struct gres_making *m, const char *names, const char *node, const char *type, unsigned int first,
		     unsigned int count)
{
	unsigned int named = 0, at = first;
	bool says = false;

	for (size_t i = 0; i < m->row_count; i++)
		if (row_fits(&m->rows[i], node, type)) {
			named += m->rows[i].count;
			says = says || m->rows[i].cores || m->rows[i].links;
		}
	if (named != count) {
		m->unlike += says;
		line_add(m, names, type, first, count, NULL);
		return;
	}
	for (size_t i = 0; i < m->row_count; i++)
		if (row_fits(&m->rows[i], node, type) && m->rows[i].count) {
			line_add(m, names, type, at, m->rows[i].count, &m->rows[i]);
			at += m->rows[i].count;
		}
}

/* It is written into gres.conf: what Slurm would read there as something else is none. */
static bool is_type(const char *type)
{
	for (; *type; type++)
		if ((unsigned char) *type <= ' ' || *type == 0x7f || strchr("=\"'#\\", *type))
			return false;
	return true;
}

/* "gpu", "gpu:2", "gpu:a100:2", each with ":no_consume" or "(S:0-1)": *type points into 'item' or is ""; the number of
 * GPUs, 0 for other resources. */
static unsigned int item_read(char *item, const char **type)
{
	char *field, *rest = item;
	uint64_t count = 1;

	*type = "";
	item[strcspn(item, "(")] = '\0';
	field = strsep(&rest, ":");
	if (!field || strcasecmp(field, "gpu"))
		return 0;
	while ((field = strsep(&rest, ":")))
		if (wt_str_to_u64(field, 0, UINT32_MAX, "Gres", &count, NULL) < 0 && strcasecmp(field, "no_consume"))
			*type = field;
	return count > WT_GPU_FILES_MAX ? WT_GPU_FILES_MAX + 1 : (unsigned int) count;
}

static int gres_look(const char *name, const struct node_facts *f, void *arg, struct wt_error *errp)
{
	struct gres_making *m = arg;
	struct wt_hostlist *names = names_parse(name, errp);
	char *copy = strdup(f->gres), *rest = copy, *item;
	unsigned int first = 0;
	bool bad = false;

	while (copy && names && (item = strsep(&rest, ","))) {
		const char *type;
		unsigned int count = item_read(item, &type);

		bad |= !is_type(type);
		if (count && !bad && first + count <= WT_GPU_FILES_MAX)
			item_add(m, name, wt_hostlist_name(names, 0), type, first, count);
		first += count;
		if (first > WT_GPU_FILES_MAX)
			break;
	}
	free(copy);
	wt_hostlist_destroy(names);
	if (!names)
		return -1;
	if (!copy)
		return wt_error_errno(errp, ENOMEM, "gres.conf");
	if (bad)
		return wt_error_set(errp, EINVAL, "NodeName=%s: a type of GPUs has no blanks, quotes, '=' or '#'", name);
	if (first > WT_GPU_FILES_MAX)
		return wt_error_set(errp, EINVAL, "NodeName=%s: more than %d GPUs", name, WT_GPU_FILES_MAX);
	m->files = first > m->files ? first : m->files;
	return 0;
}

char *wt_sitenodes_gres(const struct wt_conf *conf, const char *site, const char *dir, unsigned int *files,
			unsigned int *unlike, struct wt_error *errp)
{
	struct gres_making m = { .dir = dir };
	char *text = NULL;
	int rc = site ? rows_read(&m, site, errp) : 0;

	wt_str_add(&m.out, "AutoDetect=off\n");
	if (rc == 0)
		rc = lines_walk(conf, gres_look, &m, errp);
	text = wt_str_take(&m.out);
	if (!text && rc == 0)
		rc = wt_error_errno(errp, ENOMEM, "gres.conf");
	for (size_t i = 0; i < m.row_count; i++)
		row_clear(&m.rows[i]);
	free(m.rows);
	*files = m.files;
	*unlike = m.unlike;
	if (rc == 0)
		return text;
	free(text);
	return NULL;
}
