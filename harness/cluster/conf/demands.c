/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/cluster/conf/conf.h"
#include "harness/cluster/conf/demands.h"
#include "lib/fs.h"
#include "lib/str.h"

#define BYTES_MAX ((size_t) 16 << 20)	/* of a file with all that it includes */
#define BYTE_ORDER_MARK "\xef\xbb\xbf"	/* that some editors put before UTF-8 */
#define INCLUDE_DEPTH_MAX 16
#define SETTINGS_MAX 100000	/* 65,536 nodes, a line each, with all else; applying them takes their square */
#define FILES_MAX 1024			/* in all: two files that include each other twice would else be read 2^16 times */

struct budget {			/* of one wt_demands_file() or wt_demands_text() */
	size_t files, bytes;
	bool alone;		/* nothing may be included */
	const char *folder;	/* with its slash: outside of it nothing may be; NULL */
};

struct source {			/* a text that is being read */
	const char *path;
	const struct source *from;	/* which has included it; NULL */
	dev_t device;
	ino_t inode;
	struct budget *left;
	unsigned int line;
	unsigned int depth;
};

static void text_trim(char *text)
{
	size_t len = strlen(text), lead = strspn(text, " \t\r");

	while (len > lead && strchr(" \t\r", text[len - 1]))
		len--;
	memmove(text, text + lead, len - lead);
	text[len - lead] = '\0';
}

static void demand_clear(struct wt_demand *d)
{
	free(d->key);
	free(d->value);
	free(d->where);
}

/* Room for one more: twice as much where it is full, which it is at 0, 1, 2, 4 ... */
static bool room_make(struct wt_demands *demands)
{
	size_t count = demands->count;
	struct wt_demand *longer = demands->list;

	if ((count & (count - 1)) == 0)
		longer = realloc(demands->list, (count ? 2 * count : 1) * sizeof(*longer));
	if (longer)
		demands->list = longer;
	return longer;
}

/* Takes 'where' over. */
static int demand_add(struct wt_demands *demands, const char *key, const char *value, char *where, bool append,
		      struct wt_error *errp)
{
	struct wt_demand d = { .key = strdup(key), .value = strdup(value), .where = where, .append = append };
	size_t len = strlen(value);

	if (demands->count >= SETTINGS_MAX) {
		demand_clear(&d);
		return wt_error_set(errp, EINVAL, "more than %d settings", SETTINGS_MAX);
	}
	if (!room_make(demands) || !d.key || !d.value || !where) {
		demand_clear(&d);
		return wt_error_errno(errp, ENOMEM, "slurm.conf");
	}
	if (wt_conf_check(key, value, errp) < 0) {
		demand_clear(&d);
		return -1;
	}
	if (len >= 2 && value[0] == '"' && strchr(value + 1, '"') == value + len - 1) {
		d.value[len - 1] = '\0';
		memmove(d.value, d.value + 1, len - 1);
	}
	demands->list[demands->count++] = d;
	return 0;
}

/* Copies one physical line without its comment; a backslash makes what follows plain.  Returns whether it is continued. */
static bool line_add(struct wt_str *s, const char *text, size_t len)
{
	bool continued;

	while (len && strchr(" \t\r", text[len - 1]))
		len--;
	continued = len && text[len - 1] == '\\';
	for (size_t i = 0; i < len - continued; i++) {
		if (text[i] == '#')
			return false;
		if (text[i] == '\\' && i + 1 < len - continued)
			i++;
		wt_str_add_bytes(s, text + i, 1);
	}
	return continued;
}

/* The end of the value at 'p': in quotes, up to a blank, or the rest for keys with attributes. */
static char *value_end(const char *key, char *p)
{
	char *quote = *p == '"' ? strchr(p + 1, '"') : NULL;

	if (wt_conf_key_repeats(key))
		return p + strlen(p);
	return quote ? quote + 1 : p + strcspn(p, " \t");
}

/* KEY=VALUE at *p, which is moved behind it. */
static int setting_take(struct wt_demands *demands, char **p, const struct source *src, struct wt_error *errp)
{
	char *eq = strchr(*p, '='), *value, *end, saved;
	bool append = eq && eq > *p && eq[-1] == '+';
	int rc;

	if (!eq)
		return wt_error_set(errp, EINVAL, "'%s' is not KEY=VALUE", *p);
	eq[append ? -1 : 0] = '\0';
	text_trim(*p);
	value = eq + 1 + strspn(eq + 1, " \t");
	end = value_end(*p, value);
	saved = *end;
	*end = '\0';
	rc = demand_add(demands, *p, value, wt_str_format("%s:%u", src->path, src->line), append, errp);
	*end = saved;
	*p = end + strspn(end, " \t");
	return rc;
}

static const char *cluster_name(const struct wt_demands *demands)
{
	for (size_t i = demands->count; i-- > 0;)
		if (!strcasecmp(demands->list[i].key, "ClusterName"))
			return demands->list[i].value;
	return NULL;
}

/* The path that an Include names: the caller frees it. */
static char *include_path(const struct wt_demands *demands, const char *name, const char *from, struct wt_error *errp)
{
	const char *slash = strrchr(from, '/'), *cluster = cluster_name(demands), *modifier;
	struct wt_str s = { 0 };
	char *path;

	if (*name != '/' && slash)
		wt_str_add_bytes(&s, from, (size_t) (slash - from) + 1);
	while ((modifier = strstr(name, "%c"))) {
		if (!cluster) {
			wt_str_clear(&s);
			wt_error_set(errp, EINVAL, "Include %s: there is no ClusterName before it for %%c", name);
			return NULL;
		}
		wt_str_add_bytes(&s, name, (size_t) (modifier - name));
		for (const char *p = cluster; *p; p++) {
			char lower = (char) tolower((unsigned char) *p);

			wt_str_add_bytes(&s, &lower, 1);
		}
		name = modifier + 2;
	}
	wt_str_add(&s, name);
	path = wt_str_take(&s);
	if (!path)
		wt_error_errno(errp, ENOMEM, "Include");
	return path;
}

static int file_read(struct wt_demands *demands, const struct source *src, struct wt_error *errp);

static bool is_being_read(const struct source *src, const struct stat *st)
{
	for (; src; src = src->from)
		if (src->inode && src->inode == st->st_ino && src->device == st->st_dev)
			return true;
	return false;
}

/* Before it is opened: what cannot be read as settings stands in messages. */
static int inside_check(const char *path, const char *folder, struct wt_error *errp)
{
	char real[PATH_MAX];

	if (!folder)
		return 0;
	if (!realpath(path, real))
		return wt_error_errno(errp, errno, "Include %s", path);
	if (strncmp(real, folder, strlen(folder)))
		return wt_error_set(errp, EINVAL, "Include %s: it is outside of its folder: copy it there", path);
	return 0;
}

/* What "/etc/slurm/a.conf" is in a copy of that folder: as much of its end as is there.  The caller frees it; 'path' itself
 * if it is no such; NULL with ENOMEM. */
static char *copied_path(char *path, const char *folder, struct wt_error *errp)
{
	char *found = NULL;

	if (!folder || *path != '/' || inside_check(path, folder, NULL) == 0)
		return path;
	for (const char *end = path; !found && (end = strchr(end, '/'));) {
		end += strspn(end, "/");
		found = *end ? wt_str_format("%s%s", folder, end) : NULL;
		if (!found && *end) {
			free(path);
			wt_error_errno(errp, ENOMEM, "Include");
			return NULL;
		}
		if (found && access(found, F_OK) < 0) {
			free(found);
			found = NULL;
		}
	}
	if (!found)
		return path;
	free(path);
	return found;
}

static int include_take(struct wt_demands *demands, char *name, const struct source *from, struct wt_error *errp)
{
	struct source src = { .depth = from->depth + 1, .left = from->left, .from = from };
	struct stat st;
	char *path;
	int rc;

	text_trim(name);
	if (from->left->alone)
		return wt_error_set(errp, EINVAL, "Include %s: a site's folder has one slurm.conf, with all that it "
				    "includes in it", name);
	if (name[strcspn(name, " \t")])
		return wt_error_set(errp, EINVAL, "Include %s: one path, without blanks", name);
	if (src.depth > INCLUDE_DEPTH_MAX)
		return wt_error_set(errp, EINVAL, "Include %s: files include each other more than %d deep", name,
				    INCLUDE_DEPTH_MAX);
	path = include_path(demands, name, from->path, errp);
	src.path = path = path ? copied_path(path, from->left->folder, errp) : NULL;
	if (!path || inside_check(path, from->left->folder, errp) < 0) {
		free(path);
		return -1;
	}
	/* That it is missing is told by file_read (), with the line that includes it. */
	if (stat(path, &st) < 0)
		memset(&st, 0, sizeof(st));
	src.device = st.st_dev;
	src.inode = st.st_ino;
	if (st.st_ino && !S_ISREG(st.st_mode))	/* a pipe would be waited for */
		rc = wt_error_set(errp, EINVAL, "Include %s: not a file", path);
	else if (is_being_read(from, &st))
		rc = wt_error_set(errp, EINVAL, "Include %s: that file includes this one", path);
	else
		rc = file_read(demands, &src, errp);
	free(path);
	return rc;
}

static int line_take(struct wt_demands *demands, char *line, const struct source *src, struct wt_error *errp)
{
	static const char word[] = "include";
	size_t len = sizeof(word) - 1;
	char *p = line;

	text_trim(line);
	if (!strncasecmp(p, word, len) && (p[len] == ' ' || p[len] == '\t') && p[len + strspn(p + len, " \t")] != '=')
		return include_take(demands, p + len, src, errp);
	while (*p)
		if (setting_take(demands, &p, src, errp) < 0)
			return -1;
	return 0;
}

static int text_read(struct wt_demands *demands, const char *text, const struct source *start, struct wt_error *errp)
{
	struct source src = *start;
	struct wt_str logical = { 0 };
	unsigned int next = 0;
	int rc = 0;

	while (*text && rc == 0) {
		size_t len = strcspn(text, "\n");
		bool fresh = logical.len == 0, continued = line_add(&logical, text, len);
		char *line;

		next++;
		if (fresh)
			src.line = next;	/* of continued lines the first */
		text += len + (text[len] == '\n');
		if (continued && *text)
			continue;
		line = wt_str_take(&logical);
		if (!line)
			return wt_error_errno(errp, ENOMEM, "%s", src.path);
		rc = line_take(demands, line, &src, errp);
		free(line);
	}
	wt_str_clear(&logical);
	return rc < 0 ? wt_error_prefix(errp, "%s:%u", src.path, src.line) : 0;
}

static int file_read(struct wt_demands *demands, const struct source *src, struct wt_error *errp)
{
	const struct budget *left = src->left;
	char *text;
	size_t len;
	int rc;

	if (!src->left->files)
		return wt_error_set(errp, EINVAL, "Include %s: more than %d files", src->path, FILES_MAX);
	src->left->files--;
	/* In a stranger's folder there may be a pipe now where a file was seen; a caller's own --conf may be one. */
	rc = left->folder ? wt_fs_read_regular(src->path, left->bytes, &text, &len, errp) :
	     wt_fs_read(src->path, left->bytes, &text, &len, errp);
	if (rc < 0)
		return -1;
	src->left->bytes -= len;
	/* Slurm's reader would end at the zero, and take half of a file for the whole. */
	if (memchr(text, '\0', len))
		rc = wt_error_set(errp, EINVAL, "%s: not a text file", src->path);
	else
		rc = text_read(demands, text + (strncmp(text, BYTE_ORDER_MARK, 3) ? 0 : 3), src, errp);
	free(text);
	return rc;
}

int wt_demands_text(struct wt_demands *demands, const char *text, const char *path, struct wt_error *errp)
{
	struct budget left = { .files = FILES_MAX, .bytes = BYTES_MAX };
	const struct source src = { .path = path, .left = &left };

	return text_read(demands, text, &src, errp);
}

int wt_demands_alone(struct wt_demands *demands, const char *text, const char *path, struct wt_error *errp)
{
	struct budget left = { .alone = true };
	const struct source src = { .path = path, .left = &left };

	return text_read(demands, text + (strncmp(text, BYTE_ORDER_MARK, 3) ? 0 : 3), &src, errp);
}

static int start_read(struct wt_demands *demands, const char *path, const char *folder, struct wt_error *errp)
{
	struct budget left = { .files = FILES_MAX, .bytes = BYTES_MAX, .folder = folder };
	struct source src = { .path = path, .left = &left };
	struct stat st;

	if (stat(path, &st) == 0) {
		src.device = st.st_dev;
		src.inode = st.st_ino;
	}
	return file_read(demands, &src, errp);
}

int wt_demands_file(struct wt_demands *demands, const char *path, struct wt_error *errp)
{
	return start_read(demands, path, NULL, errp);
}

int wt_demands_inside(struct wt_demands *demands, const char *path, struct wt_error *errp)
{
	char folder[PATH_MAX];

	if (!realpath(path, folder))
		return wt_error_errno(errp, errno, "%s", path);
	strrchr(folder, '/')[1] = '\0';
	return start_read(demands, path, folder, errp);
}

bool wt_demands_may_include(const char *text)
{
	static const char word[] = "include";
	size_t seen = 0;

	for (; *text; text++) {
		if (*text == '#')	/* behind it no line begins */
			text += strcspn(text, "\n");
		if (!*text)
			break;
		if (isspace((unsigned char) *text) || *text == '\\')
			continue;
		/* No letter is in the word twice: after another one it can only begin anew. */
		if (tolower((unsigned char) *text) != word[seen])
			seen = 0;
		seen += tolower((unsigned char) *text) == word[seen];
		if (!word[seen])
			return true;
	}
	return false;
}

int wt_demands_option(struct wt_demands *demands, const char *setting, struct wt_error *errp)
{
	const char *eq = strchr(setting, '=');
	bool append = eq && eq > setting && eq[-1] == '+';
	char *key;
	int rc;

	if (!eq)
		return wt_error_set(errp, EINVAL, "'%s' is neither KEY=VALUE nor KEY+=VALUE", setting);
	key = strndup(setting, (size_t) (eq - setting) - append);
	if (!key)
		return wt_error_errno(errp, ENOMEM, "slurm.conf");
	rc = demand_add(demands, key, eq + 1, strdup("--set"), append, errp);
	if (rc == 0)
		demands->list[demands->count - 1].option = true;
	free(key);
	return rc;
}

void wt_demands_clear(struct wt_demands *demands)
{
	int saved_errno = errno;

	for (size_t i = 0; i < demands->count; i++)
		demand_clear(&demands->list[i]);
	free(demands->list);
	memset(demands, 0, sizeof(*demands));
	errno = saved_errno;
}
