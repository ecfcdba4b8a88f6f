/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slurm's own rules of a configuration file (s_p_parse_file ()): comments, escapes and lines that go on are undone first,
 * on the whole logical line, and only then are its pairs split.  What Slurm would take silently and ignore is refused
 * here. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "topology/switch_entries.h"

struct tree_reader {
	const char *at, *end;
	unsigned int line;	/* of the file, 1-based: where the logical line began, and the next one */
	unsigned int line_next;
	char *text;		/* the logical line */
	struct switch_entries list;
	struct wt_error *errp;
};

/* The physical line [r->at, *end) without its comment; an escaped "\#" starts none. */
static size_t line_length(const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (line[i] == '#' && !(i && line[i - 1] == '\\'))
			return i;
	return len;
}

/* Whether the line goes on after its end: an odd number of backslashes there, with nothing but blanks behind. */
static int line_continues(const char *line, size_t *len)
{
	size_t end = *len, backslashes = 0;

	while (end && isspace((unsigned char) line[end - 1]))
		end--;
	while (backslashes < end && line[end - 1 - backslashes] == '\\')
		backslashes++;
	if (backslashes % 2)
		*len = end - 1;
	return backslashes % 2;
}

/* Put the next logical line into r->text, escapes undone.  0 at the end of the file. */
static int line_next(struct tree_reader *r)
{
	size_t used = 0, out = 0;
	int more = 1;

	if (r->at == r->end)
		return 0;
	r->line = r->line_next;
	while (more && r->at < r->end) {
		const char *newline = memchr(r->at, '\n', r->end - r->at);
		const char *stop = newline ? newline : r->end;
		size_t len = line_length(r->at, stop - r->at);

		more = line_continues(r->at, &len);
		memcpy(r->text + used, r->at, len);
		used += len;
		r->at = newline ? newline + 1 : r->end;
		r->line_next++;
	}
	for (size_t i = 0; i < used; i++) {
		if (r->text[i] == '\\' && i + 1 < used)
			i++;
		r->text[out++] = r->text[i] ? r->text[i] : '\001';	/* a NUL must not end the line: it is refused */
	}
	r->text[out] = '\0';
	return 1;
}

static char *skip_space(char *c)
{
	while (isspace((unsigned char) *c))
		c++;
	return c;
}

/* Split "key = value" or "key="quoted value"" off *rest.  1, 0 at the line's end, -1. */
static int pair_next(struct tree_reader *r, char **rest, char **key, char **value)
{
	char *c = skip_space(*rest), *key_end;
	int quoted;

	if (!*c)
		return 0;
	*key = c;
	while (isalnum((unsigned char) *c) || *c == '_' || *c == '.')
		c++;
	key_end = c;
	c = skip_space(c);
	if (*c != '=' || key_end == *key)
		return wt_error_set(r->errp, EINVAL, "line %u: 'Key=Value' expected at '%.40s'", r->line, *key);
	c = skip_space(c + 1);
	*key_end = '\0';
	quoted = *c == '"';
	*value = c += quoted;
	while (*c && (quoted ? *c != '"' : !isspace((unsigned char) *c)))
		c++;
	if (quoted && (!*c || (c[1] && !isspace((unsigned char) c[1]))))
		return wt_error_set(r->errp, EINVAL, "line %u: the quotes of %s= are not closed, or followed by more",
				    r->line, *key);
	if (c == *value)
		return wt_error_set(r->errp, EINVAL, "line %u: %s= has no value", r->line, *key);
	*rest = *c ? c + 1 : c;
	*c = '\0';
	return 1;
}

static int link_speed_read(struct tree_reader *r, struct wt_switch_entry *entry, const char *value)
{
	unsigned long long speed;
	char *end;

	errno = 0;
	speed = strtoull(value, &end, 10);
	if (!isdigit((unsigned char) *value) || *end || errno || speed > UINT32_MAX)
		return wt_error_set(r->errp, EINVAL, "line %u: LinkSpeed=%s is not a number from 0 to %u", r->line,
				    value, UINT32_MAX);
	entry->link_speed = (uint32_t) speed;
	return 0;
}

static int string_read(struct tree_reader *r, char **field, const char *key, const char *value)
{
	if (*field)
		return wt_error_set(r->errp, EINVAL, "line %u: %s= stands twice", r->line, key);
	*field = strdup(value);
	return *field ? 0 : wt_error_errno(r->errp, ENOMEM, "topology");
}

static int pair_read(struct tree_reader *r, struct wt_switch_entry *entry, const char *key, const char *value)
{
	if (!strcasecmp(key, "SwitchName"))
		return string_read(r, &entry->name, key, value);
	/* Slurm takes a line by its first key, and knows no other here. */
	if (!entry->name)
		return wt_error_set(r->errp, EINVAL, "line %u: a line must begin with SwitchName=, not %s=", r->line,
				    key);
	if (!strcasecmp(key, "Nodes"))
		return string_read(r, &entry->nodes, key, value);
	if (!strcasecmp(key, "Switches"))
		return string_read(r, &entry->switches, key, value);
	if (!strcasecmp(key, "LinkSpeed"))
		return link_speed_read(r, entry, value);
	return wt_error_set(r->errp, EINVAL, "line %u: unknown key %s= (known: SwitchName, Nodes, Switches, LinkSpeed)",
			    r->line, key);
}

static int line_read(struct tree_reader *r)
{
	struct wt_switch_entry *entry;
	char *rest = skip_space(r->text), *key = NULL, *value = NULL;
	int rc;

	if (!*rest)
		return 0;
	if (!strncasecmp(rest, "Include", 7) && isspace((unsigned char) rest[7]))
		return wt_error_set(r->errp, EINVAL, "line %u: Include is not followed; put that file's text here",
				    r->line);
	entry = switch_entries_add(&r->list, r->errp);
	if (!entry)
		return -1;
	entry->line = r->line;
	while ((rc = pair_next(r, &rest, &key, &value)) > 0)
		if (pair_read(r, entry, key, value) < 0)
			return -1;
	return rc;
}

struct wt_tree *wt_tree_parse(const char *buf, size_t len, struct wt_error *errp)
{
	struct tree_reader r = { .at = buf, .end = buf ? buf + len : NULL, .line_next = 1, .errp = errp };
	struct wt_tree *t = NULL;
	int rc = 0;

	if (!buf) {
		wt_error_set(errp, EINVAL, "no topology text");
		return NULL;
	}
	r.text = malloc(len + 1);
	if (!r.text) {
		wt_error_errno(errp, ENOMEM, "topology");
		return NULL;
	}
	while (rc == 0 && line_next(&r))
		rc = line_read(&r);
	if (rc == 0)
		t = wt_tree_build(r.list.entries, r.list.count, errp);
	switch_entries_clear(&r.list);
	free(r.text);
	return t;
}
