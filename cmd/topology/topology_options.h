/* topology_options.h - the options that several verbs of "windtunnel topology" have: their rows for argp, and what reads
 * them. */
#ifndef WT_CMD_TOPOLOGY_TOPOLOGY_OPTIONS_H
#define WT_CMD_TOPOLOGY_TOPOLOGY_OPTIONS_H

#include <argp.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "topology/tree.h"

#define TOPOLOGY_POLICIES_MAX 16

/* What is free, from what the user said: --busy and --free, each a host list, =CPUS behind it where nodes are shared.
 * Without any every node is free; with a --free first, only what is named. */
struct topology_free {
	const char *args[64];	/* in order */
	char kinds[64];		/* 'f' or 'b' */
	size_t count;
};

struct topology_options {
	const char *file;		/* the one argument: a topology.conf, or the word curie */
	struct topology_free free;
	uint32_t cpus_per_node;		/* the verb sets its default before; 1: whole nodes */
	const char *policies[TOPOLOGY_POLICIES_MAX];
	size_t policy_count;
	int json;
};

enum {
	TOPOLOGY_KEY_POLICY = 'p',
	TOPOLOGY_KEY_FREE = 0x1000, TOPOLOGY_KEY_BUSY, TOPOLOGY_KEY_CPUS, TOPOLOGY_KEY_JSON,
};

/* Rows of a verb's table, in the order in which its help shows them.  The texts are string literals. */
#define TOPOLOGY_ROWS_FREE \
	{ "free", TOPOLOGY_KEY_FREE, "NODES[=CPUS]", 0, \
	  "These are free; when it comes first, only these (default: all are free)", 0 }, \
	{ "busy", TOPOLOGY_KEY_BUSY, "NODES[=CPUS]", 0, "These are not", 0 }
#define TOPOLOGY_ROW_CPUS(text) { "cpus-per-node", TOPOLOGY_KEY_CPUS, "N", 0, text, 0 }
#define TOPOLOGY_ROW_POLICY(standard) \
	{ "policy", TOPOLOGY_KEY_POLICY, "NAME", 0, \
	  "How to choose (repeat for several; default: " standard "): see windtunnel-topology(1)", 0 }
#define TOPOLOGY_ROW_JSON(text) { "json", TOPOLOGY_KEY_JSON, NULL, 0, text, 0 }

/* For argp's parser: takes those keys and the one argument, whose absence it finds at the end.  0 or ARGP_ERR_UNKNOWN; what
 * is wrong ends the program through argp_error (). */
error_t topology_option_read(struct topology_options *o, int key, char *arg, struct argp_state *state);

/* units[node] of 'capacity' each; 0, or -1 with text. */
int topology_free_apply(const struct topology_free *f, const struct wt_tree *t, uint32_t capacity, uint32_t *units,
			struct wt_error *errp);

#endif
