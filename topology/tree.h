/* tree.h - a tree of switches: read, check, make and write topology.conf.
 *
 * Source of the format: topology.conf(5) of Slurm 22.05; what it leaves open follows Slurm's own reader (case-insensitive
 * keys, quoted values, '#' comments, a backslash at a line's end, SwitchName literally one name).  Stricter than Slurm:
 * one root, and one leaf switch for each node.
 *
 * Numbering.  Level 0 holds the leaf switches, the last level the root alone.  Switches of a level, and nodes, are
 * numbered from the left to the right of the tree, as the root's Switches= names its children, and so on down: the
 * nodes below any switch, and its children, are consecutive.  All costs are linear in the size of the tree.
 *
 * Uneven depth.  A switch's level is 1 + the highest level of its children (a leaf's is 0), as in Slurm.  Where a child
 * stands more than one level below its parent it is numbered again on each level between: on every level the switches
 * divide the nodes among them completely.
 *
 * Pure.  A tree never changes after it is made: any number of readers.  Unless noted: 0 or a pointer on success; -1 or
 * NULL with errno set and text in *errp (may be NULL). */
#ifndef WT_TOPOLOGY_TREE_H
#define WT_TOPOLOGY_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

#define WT_TREE_NODES_MAX 1048576	/* Slurm's own limit is 65,536 (MAX_SLURM_NODES) */
#define WT_TREE_LEVELS_MAX 20		/* topology/tree calls anything deeper "not a tree" */
#define WT_TREE_NONE UINT32_MAX		/* no such node or switch */

struct wt_tree;	/* opaque */

struct wt_span {
	uint32_t first, count;
};

/* One line of topology.conf; either nodes or switches is NULL. */
struct wt_switch_entry {
	char *name;
	char *nodes, *switches;	/* host lists */
	uint32_t link_speed;	/* 0: not given, which Slurm takes as 1 */
	unsigned int line;	/* for error texts; 0: none */
};

/* Read 'len' bytes of untrusted topology.conf text.  Caller frees with wt_tree_destroy ().  EINVAL, E2BIG, ENOMEM. */
struct wt_tree *wt_tree_parse(const char *buf, size_t len, struct wt_error *errp);
/* The same from lines that the caller has read; 'entries' stays the caller's. */
struct wt_tree *wt_tree_build(const struct wt_switch_entry *entries, size_t count, struct wt_error *errp);
void wt_tree_destroy(struct wt_tree *t);	/* NULL is ignored; errno is preserved */

/* Every invariant of the numbering.  EINVAL. */
int wt_tree_check(const struct wt_tree *t, struct wt_error *errp);
/* That each of 'names' is below a switch: Slurm only warns, and jobs never get such nodes.  EINVAL, naming the first. */
int wt_tree_check_nodes(const struct wt_tree *t, const char *const *names, size_t count, struct wt_error *errp);

/* topology.conf text, one line for each switch, leaves first.  Caller frees with free ().  ENOMEM. */
char *wt_tree_format(const struct wt_tree *t, struct wt_error *errp);

/* A copy in which the switches of 'level' are the leaves: 1 makes "medium" of "fine" (Georgiou and Hautreux 2012), and the
 * root's level one flat switch.  EINVAL, ENOMEM. */
struct wt_tree *wt_tree_coarsen(const struct wt_tree *t, uint32_t level, struct wt_error *errp);

/* What a synthetic tree looks like.  Nodes are called prefix0, prefix1, ...; leaf switches leaf0, ...; switches of level
 * k s<k>_0, ...; the last one root. */
struct wt_tree_shape {
	/* "18,18,16": nodes in a leaf, leaves in a switch, ..., children of the root.  Each count may be several, taken
	 * in turn: "18/12,18,16" gives leaves of 18, 12, 18, ... nodes. */
	const char *arity;
	uint32_t nodes;		/* stop after so many nodes (the last switches are smaller); 0: a full tree */
	const char *prefix;	/* of node names; NULL: "n" */
	const char *link_speed;	/* "4,2,1": of each level from the leaves up, the last one repeated; NULL: none */
};

/* A fat tree.  EINVAL, E2BIG, ENOMEM. */
struct wt_tree *wt_tree_fat(const struct wt_tree_shape *shape, struct wt_error *errp);
/* Curie of Georgiou and Hautreux 2012, section 4.2: nodes n0 to n5039, 280 leaves of 18, 16 intermediate switches of 18
 * leaves (the last has 10), one root. */
struct wt_tree *wt_tree_curie(struct wt_error *errp);

/* What a tree is.  Arguments out of range are the caller's mistake (not checked). */
uint32_t wt_tree_levels(const struct wt_tree *t);
uint32_t wt_tree_nodes(const struct wt_tree *t);
uint32_t wt_tree_switches(const struct wt_tree *t, uint32_t level);
const char *wt_tree_node_name(const struct wt_tree *t, uint32_t node);
uint32_t wt_tree_node_find(const struct wt_tree *t, const char *name);	/* WT_TREE_NONE: not in the tree */
const char *wt_tree_switch_name(const struct wt_tree *t, uint32_t level, uint32_t sw);
uint32_t wt_tree_link_speed(const struct wt_tree *t, uint32_t level, uint32_t sw);	/* 0: not given */
uint32_t wt_tree_parent(const struct wt_tree *t, uint32_t level, uint32_t sw);	/* on level + 1; the root: WT_TREE_NONE */
uint32_t wt_tree_leaf(const struct wt_tree *t, uint32_t node);
/* For qsort and bsearch: node numbers (uint32_t), rising. */
int wt_tree_node_order(const void *a, const void *b);
struct wt_span wt_tree_switch_nodes(const struct wt_tree *t, uint32_t level, uint32_t sw);
/* On level - 1; of a leaf: its nodes. */
struct wt_span wt_tree_children(const struct wt_tree *t, uint32_t level, uint32_t sw);
/* Whether this number is only the stand-in of a switch that really belongs to a level below (uneven depth). */
int wt_tree_is_stand_in(const struct wt_tree *t, uint32_t level, uint32_t sw);

#endif
