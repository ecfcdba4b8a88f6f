/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "cmd/topology/topology_options.h"
#include "lib/str.h"
#include "topology/hostlist.h"

static int free_add(struct topology_free *f, char kind, const char *arg, struct wt_error *errp)
{
	if (f->count == sizeof(f->kinds))
		return wt_error_set(errp, EINVAL, "more than %zu lists of nodes", sizeof(f->kinds));
	f->kinds[f->count] = kind;
	f->args[f->count++] = arg;
	return 0;
}

static int policy_add(struct topology_options *o, const char *name, struct wt_error *errp)
{
	if (o->policy_count == TOPOLOGY_POLICIES_MAX)
		return wt_error_set(errp, EINVAL, "more than %d policies", TOPOLOGY_POLICIES_MAX);
	o->policies[o->policy_count++] = name;
	return 0;
}

static int cpus_read(struct topology_options *o, const char *arg, struct wt_error *errp)
{
	uint64_t cpus;

	if (wt_str_to_u64(arg, 1, 4096, "--cpus-per-node", &cpus, errp) < 0)
		return -1;
	o->cpus_per_node = (uint32_t) cpus;
	return 0;
}

error_t topology_option_read(struct topology_options *o, int key, char *arg, struct argp_state *state)
{
	struct wt_error err;
	int rc = 0;

	switch (key) {
	case TOPOLOGY_KEY_FREE:
	case TOPOLOGY_KEY_BUSY:
		rc = free_add(&o->free, key == TOPOLOGY_KEY_FREE ? 'f' : 'b', arg, &err);
		break;
	case TOPOLOGY_KEY_CPUS:
		rc = cpus_read(o, arg, &err);
		break;
	case TOPOLOGY_KEY_POLICY:
		rc = policy_add(o, arg, &err);
		break;
	case TOPOLOGY_KEY_JSON:
		o->json = 1;
		break;
	case ARGP_KEY_ARG:
		rc = o->file ? wt_error_set(&err, EINVAL, "one topology at a time; '%s' is another one", arg) : 0;
		o->file = arg;
		break;
	case ARGP_KEY_END:
		rc = o->file ? 0 : wt_error_set(&err, EINVAL, "which topology? A topology.conf, or the word curie");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (rc < 0)
		argp_error(state, "%s", err.text);
	return 0;
}

static int list_apply(char kind, const char *arg, const struct wt_tree *t, uint32_t capacity, uint32_t *units,
		      struct wt_error *errp)
{
	const char *equals = strchr(arg, '=');
	size_t len = equals ? (size_t) (equals - arg) : strlen(arg);
	uint64_t cpus = capacity;
	struct wt_hostlist *hl;
	int rc = 0;

	if (equals && wt_str_to_u64(equals + 1, 0, capacity, "units of a node", &cpus, errp) < 0)
		return -1;
	hl = wt_hostlist_parse(arg, len, wt_tree_nodes(t), errp);
	if (!hl)
		return -1;
	for (size_t i = 0; rc == 0 && i < wt_hostlist_count(hl); i++) {
		uint32_t node = wt_tree_node_find(t, wt_hostlist_name(hl, i));

		if (node == WT_TREE_NONE)
			rc = wt_error_set(errp, EINVAL, "node '%s' is not in the topology", wt_hostlist_name(hl, i));
		else
			units[node] = (uint32_t) (kind == 'f' ? cpus : capacity - cpus);
	}
	wt_hostlist_destroy(hl);
	return rc;
}

int topology_free_apply(const struct topology_free *f, const struct wt_tree *t, uint32_t capacity, uint32_t *units,
			struct wt_error *errp)
{
	uint32_t start = f->count && f->kinds[0] == 'f' ? 0 : capacity;

	for (uint32_t i = 0; i < wt_tree_nodes(t); i++)
		units[i] = start;
	for (size_t i = 0; i < f->count; i++)
		if (list_apply(f->kinds[i], f->args[i], t, capacity, units, errp) < 0)
			return -1;
	return 0;
}
