/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/run/near_bandwidth.h"
#include "lib/str.h"
#include "topology/hostlist.h"

#define MB_MIN 1e-3
#define MB_MAX 1e9
#define NODES_MAX 8192	/* with names of up to 14 bytes they fit into a variable of a job's environment */

static char *names_join(const struct wt_hostlist *list)
{
	struct wt_str s = { 0 };

	for (size_t i = 0; i < wt_hostlist_count(list); i++)
		wt_str_printf(&s, "%s%s", i ? "," : "", wt_hostlist_name(list, i));
	return wt_str_take(&s);
}

static int speed_parse(const char *text, double *mb_s)
{
	char *end;

	/* strtod () takes more than decimal numbers. */
	*mb_s = strtod(text, &end);
	return *text && strspn(text, "0123456789.") == strlen(text) && !*end && *mb_s >= MB_MIN && *mb_s <= MB_MAX ? 0 : -1;
}

int wt_near_bandwidth_parse(const char *text, char **nodes, double *bandwidth, struct wt_error *errp)
{
	const char *colon = strrchr(text, ':');
	struct wt_hostlist *list;
	double mb_s;
	char *names;

	if (!colon || colon == text || speed_parse(colon + 1, &mb_s) < 0)
		return wt_error_set(errp, EINVAL, "'%s': give NODES:MB/S, as n[0-3]:1000", text);
	list = wt_hostlist_parse(text, (size_t) (colon - text), NODES_MAX, errp);
	if (!list)
		return -1;
	names = names_join(list);
	wt_hostlist_destroy(list);
	if (!names)
		return wt_error_errno(errp, ENOMEM, "nodes");
	free(*nodes);
	*nodes = names;
	*bandwidth = mb_s * 1e6;
	return 0;
}
