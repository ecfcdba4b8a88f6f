/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/cluster/conf/confattrs.h"
#include "lib/str.h"

#define BLANKS " \t"

/* The value at *p, in quotes or up to a blank; *p is moved behind it and the blanks that follow. */
static char *value_take(const char **p, struct wt_error *errp)
{
	bool quoted = **p == '"';
	const char *start = *p + quoted, *end = quoted ? strchr(start, '"') : start + strcspn(start, BLANKS);
	char *value = end ? strndup(start, (size_t) (end - start)) : NULL;

	if (!end)
		wt_error_set(errp, EINVAL, "a quote without its other one: %s", *p);
	else if (!value)
		wt_error_errno(errp, ENOMEM, "slurm.conf");
	if (!value)
		return NULL;
	end += quoted;
	*p = end + strspn(end, BLANKS);
	return value;
}

static int attr_take(struct wt_confattrs *attrs, const char **p, struct wt_error *errp)
{
	size_t len = 0, gap;
	struct wt_confattr *longer = realloc(attrs->list, (attrs->count + 1) * sizeof(*longer)), attr;

	if (!longer)
		return wt_error_errno(errp, ENOMEM, "slurm.conf");
	attrs->list = longer;
	while (isalnum((unsigned char) (*p)[len]) || (*p)[len] == '_' || (*p)[len] == '.')
		len++;
	gap = strspn(*p + len, BLANKS);
	if (!len || (*p)[len + gap] != '=')
		return wt_error_set(errp, EINVAL, "'%s' is not ATTRIBUTE=VALUE", *p);
	attr.name = strndup(*p, len);
	*p += len + gap + 1;
	*p += strspn(*p, BLANKS);
	attr.value = attr.name ? value_take(p, errp) : NULL;
	if (!attr.name)
		return wt_error_errno(errp, ENOMEM, "slurm.conf");
	if (!attr.value) {
		free(attr.name);
		return -1;
	}
	attrs->list[attrs->count++] = attr;
	return 0;
}

/* Quotes can hold what would be more attributes without them, and a line is written without them. */
static int name_check(const char *name, struct wt_error *errp)
{
	if (!*name || strpbrk(name, BLANKS "="))
		return wt_error_set(errp, EINVAL, "'%s' is no name: one without blanks and '=' must follow", name);
	return 0;
}

int wt_confattrs_parse(struct wt_confattrs *attrs, const char *text, bool named, struct wt_error *errp)
{
	const char *p = text + strspn(text, BLANKS);

	memset(attrs, 0, sizeof(*attrs));
	attrs->name = named ? value_take(&p, errp) : strdup("");
	if (!attrs->name)
		return named ? -1 : wt_error_errno(errp, ENOMEM, "slurm.conf");
	if (named && name_check(attrs->name, errp) < 0) {
		wt_confattrs_clear(attrs);
		return -1;
	}
	while (*p)
		if (attr_take(attrs, &p, errp) < 0) {
			wt_confattrs_clear(attrs);
			return -1;
		}
	return 0;
}

void wt_confattrs_remove(struct wt_confattrs *attrs, size_t at)
{
	free(attrs->list[at].name);
	free(attrs->list[at].value);
	memmove(&attrs->list[at], &attrs->list[at + 1], (attrs->count - at - 1) * sizeof(attrs->list[0]));
	attrs->count--;
}

char *wt_confattrs_text(const struct wt_confattrs *attrs)
{
	struct wt_str s = { 0 };

	wt_str_add(&s, attrs->name);
	for (size_t i = 0; i < attrs->count; i++) {
		const char *value = attrs->list[i].value, *quote = !*value || strpbrk(value, BLANKS) ? "\"" : "";

		wt_str_printf(&s, "%s%s=%s%s%s", s.len ? " " : "", attrs->list[i].name, quote, value, quote);
	}
	return wt_str_take(&s);
}

void wt_confattrs_clear(struct wt_confattrs *attrs)
{
	int saved_errno = errno;

	while (attrs->count)
		wt_confattrs_remove(attrs, attrs->count - 1);
	free(attrs->list);
	free(attrs->name);
	memset(attrs, 0, sizeof(*attrs));
	errno = saved_errno;
}

/* A number below 'nodes' at *p, which is moved behind it. */
static bool number_exists(const char **p, uint32_t nodes)
{
	char *end;
	unsigned long n;

	if (!isdigit((unsigned char) **p))
		return false;
	errno = 0;
	n = strtoul(*p, &end, 10);
	*p = end;
	return errno == 0 && n < nodes;
}

/* "3" or "3-7" */
static bool range_exists(const char **p, uint32_t nodes)
{
	if (!number_exists(p, nodes))
		return false;
	if (**p != '-')
		return true;
	++*p;
	return number_exists(p, nodes);
}

/* "n3", "n[0-3,7]": moved behind it. */
static bool element_exists(const char **p, uint32_t nodes)
{
	if (**p != 'n')
		return false;
	++*p;
	if (**p != '[')
		return number_exists(p, nodes);
	do {
		++*p;
		if (!range_exists(p, nodes))
			return false;
	} while (**p == ',');
	if (**p != ']')
		return false;
	++*p;
	return true;
}

bool wt_confattrs_nodes_exist(const char *list, uint32_t nodes)
{
	const char *p = list;

	if (!strcasecmp(list, "ALL"))
		return true;
	while (element_exists(&p, nodes)) {
		if (!*p)
			return true;
		if (*p++ != ',')
			return false;
	}
	return false;
}
