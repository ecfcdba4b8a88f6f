/* test_world.h - a node model in a world of its own, with a clock that the test turns: for the tests of wt_model. */
#ifndef WT_HARNESS_VNODE_MODEL_TEST_WORLD_H
#define WT_HARNESS_VNODE_MODEL_TEST_WORLD_H

#include "lib/test_cmocka.h"

#include <math.h>

#include "harness/vnode/model/node_model.h"

enum { WORLD_NODES = 200, WORLD_JOB = 7, UID = 1000 };

#define BEGIN_US INT64_C(1700000000000000)
#define SECOND_US INT64_C(1000000)

struct node_world {
	struct wt_timerq *timers;
	struct wt_model *model;
	int64_t now_us;
};

/* Set-up and tear-down of one test: with an Epilog, without one. */
int world_open(void **state);
int world_open_bare(void **state);
int world_close(void **state);

struct wt_nodeset nodes_of(uint32_t first, uint32_t count);

/* RPCs about WORLD_JOB, which runs for 10 s on the first 'count' nodes. */
enum wt_rc launch_with(struct node_world *w, uint32_t count, uint32_t restarts, bool revoked, enum wt_probe probe);
enum wt_rc launch(struct node_world *w, uint32_t count);
struct wt_kill kill_of(struct node_world *w, uint32_t count, bool closes);
enum wt_rc terminate(struct node_world *w, uint32_t node, uint32_t count);
enum wt_rc timelimit(struct node_world *w, uint32_t node, uint32_t count);

/* Let time pass; every timer fires at its own deadline. */
void pass(struct node_world *w, int64_t us);

/* The model's next action, which must be this one; of WORLD_JOB. */
struct wt_action expect(struct node_world *w, enum wt_action_kind kind, uint32_t node);
struct wt_action expect_event(struct node_world *w, enum wt_event_kind event, uint32_t node, double value);
void expect_nothing(struct node_world *w);
void expect_counts(struct node_world *w, uint32_t running, uint32_t allocated, uint32_t completing);

/* How many batch jobs the node would list in a registration. */
uint32_t listed(struct node_world *w, uint32_t node);

/* Launch WORLD_JOB on 'count' nodes and let it run for its 10 s.  Returns the message that tells the controller
 * of its end. */
struct wt_action run_to_end(struct node_world *w, uint32_t count);

#define EPILOG_TEST(f) cmocka_unit_test_setup_teardown(f, world_open, world_close)
#define BARE_TEST(f) cmocka_unit_test_setup_teardown(f, world_open_bare, world_close)

#endif
