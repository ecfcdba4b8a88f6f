/* topology_verb.h - the sub-verbs of "windtunnel topology", and what they share.
 *
 * Each gets its own argv (argv[0] is "windtunnel topology SUBVERB") and returns the process's exit status. */
#ifndef WT_CMD_TOPOLOGY_TOPOLOGY_VERB_H
#define WT_CMD_TOPOLOGY_TOPOLOGY_VERB_H

#include <jansson.h>

#include "topology/score.h"
#include "topology/tree.h"

int topology_generate(int argc, char **argv);
int topology_show(int argc, char **argv);
int topology_select(int argc, char **argv);
int topology_score(int argc, char **argv);
int topology_simulate(int argc, char **argv);

/* The tree in a file, or the word "curie".  NULL with errno and text ("PATH: ..."). */
struct wt_tree *topology_load(const char *path, struct wt_error *errp);

/* {"jobs": n, "levels": [{"level": 0, "optimal_absolute": n, "optimal_relative": n}, ...], "all_levels": {...}}; a new
 * reference, or NULL with ENOMEM. */
json_t *topology_tally_json(const struct wt_score_tally *tally);

/* Print "NAME: text" and return 'status'. */
int topology_fail(const char *name, const struct wt_error *err, int status);

/* Print one line of JSON and take the reference (NULL: ENOMEM).  0, or -1 with text. */
int topology_json_print(json_t *value, struct wt_error *errp);

#endif
