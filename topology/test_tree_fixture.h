/* test_tree_fixture.h - trees for the tests; included after cmocka.h. */
#ifndef WT_TOPOLOGY_TEST_TREE_FIXTURE_H
#define WT_TOPOLOGY_TEST_TREE_FIXTURE_H

#include "topology/tree.h"

/* Of nodes in leaves by 'arity', as in "windtunnel topology generate fattree --arity"; free with wt_tree_destroy (). */
static inline struct wt_tree *tree_make(const char *arity)
{
	const struct wt_tree_shape shape = { .arity = arity };
	struct wt_tree *t = wt_tree_fat(&shape, NULL);

	assert_non_null(t);
	return t;
}

#endif
