/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a job was offered, as our plugin logs it with bestfit_offers=on: "16:n[0-3] 3:n7", CPUs and a host list each. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/placement/placements_reader.h"
#include "topology/hostlist.h"
#include "lib/str.h"

/* Nodes of other trees are left out. */
static int group_add(const struct wt_tree *t, const char *text, size_t len, uint32_t cpus, struct offer *to,
		     struct wt_error *errp)
{
	struct wt_hostlist *hl = wt_hostlist_parse(text, len, wt_tree_nodes(t), errp);

	if (!hl)
		return -1;
	for (size_t i = 0; i < wt_hostlist_count(hl) && to->count < wt_tree_nodes(t); i++) {
		uint32_t node = wt_tree_node_find(t, wt_hostlist_name(hl, i));

		if (node == WT_TREE_NONE)
			continue;
		to->nodes[to->count] = node;
		to->units[to->count++] = cpus;
	}
	wt_hostlist_destroy(hl);
	return 0;
}

/* One "CPUS:HOSTS" of 'len' bytes. */
static int group_read(const struct wt_tree *t, const char *text, size_t len, struct offer *to, struct wt_error *errp)
{
	const char *colon = memchr(text, ':', len);
	char number[12] = "";
	uint64_t cpus;

	if (!colon || (size_t) (colon - text) >= sizeof(number))
		return wt_error_set(errp, EINVAL, "'%.*s' is not CPUS:NODES", (int) (len < 40 ? len : 40), text);
	memcpy(number, text, (size_t) (colon - text));
	if (wt_str_to_u64(number, 1, UINT32_MAX, "CPUs", &cpus, errp) < 0)
		return -1;
	return group_add(t, colon + 1, len - (size_t) (colon + 1 - text), (uint32_t) cpus, to, errp);
}

void offer_clear(struct offer *offer)
{
	free(offer->nodes);
	free(offer->units);
	memset(offer, 0, sizeof(*offer));
}

int offer_read(const struct wt_tree *t, const char *text, struct offer *offer, struct wt_error *errp)
{
	int rc = 0;

	memset(offer, 0, sizeof(*offer));
	offer->nodes = calloc(wt_tree_nodes(t), sizeof(*offer->nodes));
	offer->units = calloc(wt_tree_nodes(t), sizeof(*offer->units));
	if (!offer->nodes || !offer->units)
		rc = wt_error_errno(errp, ENOMEM, "offers");
	for (text += strspn(text, " "); rc == 0 && *text; text += strspn(text, " ")) {
		size_t len = strcspn(text, " ");

		rc = group_read(t, text, len, offer, errp);
		text += len;
	}
	if (rc < 0)
		offer_clear(offer);
	return rc;
}
