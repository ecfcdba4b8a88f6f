/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cluster/conf/allocation.h"

/* The value behind 'key' in a line, up to a blank, into 'to'; false: it is not there, or too long. */
static bool value_take(const char *line, size_t line_len, const char *key, char *to, size_t size)
{
	const char *at = memmem(line, line_len, key, strlen(key));
	size_t len;

	if (!at)
		return false;
	at += strlen(key);
	len = strcspn(at, " \n");
	if (len == 0 || len >= size)
		return false;
	memcpy(to, at, len);
	to[len] = '\0';
	return true;
}

static int node_add(struct wt_allocated **list, size_t *count, const char *line, size_t len, struct wt_error *errp)
{
	struct wt_allocated node, *longer;

	/* Both stand before all that may be an administrator's free text. */
	if (!value_take(line, len, "NodeName=", node.name, sizeof(node.name)) ||
	    !value_take(line, len, " NodeAddr=", node.address, sizeof(node.address)))
		return wt_error_set(errp, EINVAL, "scontrol says neither name nor address of a node: '%.*s'",
				    (int) (len < 80 ? len : 80), line);
	longer = *count < WT_HOSTS_MAX ? realloc(*list, (*count + 1) * sizeof(*longer)) : NULL;
	if (!longer)
		return *count < WT_HOSTS_MAX ? wt_error_errno(errp, ENOMEM, "nodes of the allocation") :
		       wt_error_set(errp, EINVAL, "the allocation has more than %d nodes", WT_HOSTS_MAX);
	*list = longer;
	longer[(*count)++] = node;
	return 0;
}

int wt_allocation_nodes(const char *text, struct wt_allocated **list, size_t *count, struct wt_error *errp)
{
	static const char begin[] = "NodeName=";
	int rc = 0;

	*list = NULL;
	*count = 0;
	for (const char *line = text; rc == 0 && *line;) {
		size_t len = strcspn(line, "\n");

		if (!strncmp(line, begin, sizeof(begin) - 1))
			rc = node_add(list, count, line, len, errp);
		line += len + (line[len] == '\n');
	}
	if (rc == 0 && !*count)
		rc = wt_error_set(errp, EINVAL, "scontrol names no node of the allocation");
	if (rc < 0) {
		int saved_errno = errno;

		free(*list);
		*list = NULL;
		*count = 0;
		errno = saved_errno;
	}
	return rc;
}

static bool line_is(const char *line, size_t len, const char *word)
{
	return len == strlen(word) && !strncmp(line, word, len);
}

bool wt_allocation_has_ended(int status, const char *text)
{
	/* In these a job has its nodes, and steps can begin there, or will. */
	static const char *const alive[] = { "RUNNING", "SUSPENDED", "STOPPED", "SIGNALING", "RESIZING", "CONFIGURING",
			   "STAGE_OUT" };

	if (status != 0)
		return strstr(text, "Invalid job id") != NULL;
	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");

		for (size_t i = 0; i < sizeof(alive) / sizeof(alive[0]); i++)
			if (line_is(line, len, alive[i]))
				return false;
		line += len + (line[len] == '\n');
	}
	return true;
}
