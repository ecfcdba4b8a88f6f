/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wt_conf_merge: the reader of slurm.conf text. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "wt_conf.h"
#include "wt_str.h"

static void text_trim(char *text)
{
	size_t len = strlen(text), lead = strspn(text, " \t\r");

	while (len > lead && strchr(" \t\r", text[len - 1]))
		len--;
	memmove(text, text + lead, len - lead);
	text[len - lead] = '\0';
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

static bool key_takes_whole_line(const char *key)
{
	return !strcasecmp(key, "NodeName") || !strcasecmp(key, "PartitionName") || !strcasecmp(key, "NodeSet") ||
	       !strcasecmp(key, "DownNodes") || !strcasecmp(key, "FrontendName");
}

/* The end of the value at 'p': in quotes, up to a blank, or the rest for keys with attributes. */
static char *value_end(const char *key, char *p)
{
	char *quote = *p == '"' ? strchr(p + 1, '"') : NULL;

	if (key_takes_whole_line(key))
		return p + strlen(p);
	return quote ? quote + 1 : p + strcspn(p, " \t");
}

static int line_merge(struct wt_conf *conf, char *line, struct wt_error *errp)
{
	char *p = line;

	text_trim(line);
	if (!strncasecmp(p, "include", 7) && (p[7] == ' ' || p[7] == '\t'))
		return wt_error_set(errp, EINVAL, "Include is not supported here: write its lines into this file");
	while (*p) {
		char *eq = strchr(p, '='), *value, *end, saved;
		int rc;

		if (!eq)
			return wt_error_set(errp, EINVAL, "'%s' is not KEY=VALUE", p);
		*eq = '\0';
		text_trim(p);
		value = eq + 1 + strspn(eq + 1, " \t");
		end = value_end(p, value);
		saved = *end;
		*end = '\0';
		rc = wt_conf_set(conf, p, value, errp);
		*end = saved;
		if (rc < 0)
			return -1;
		p = end + strspn(end, " \t");
	}
	return 0;
}

int wt_conf_merge(struct wt_conf *conf, const char *text, const char *where, struct wt_error *errp)
{
	struct wt_str logical = { 0 };
	unsigned int number = 0;
	int rc = 0;

	while (*text && rc == 0) {
		size_t len = strcspn(text, "\n");
		bool continued = line_add(&logical, text, len);
		char *line;

		number++;
		text += len + (text[len] == '\n');
		if (continued && *text)
			continue;
		line = wt_str_take(&logical);
		if (!line)
			return wt_error_errno(errp, ENOMEM, "%s", where);
		rc = line_merge(conf, line, errp);
		free(line);
	}
	wt_str_clear(&logical);
	return rc < 0 ? wt_error_prefix(errp, "%s:%u", where, number) : 0;
}
