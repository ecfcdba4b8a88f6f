/* weights.h - bestfit_one_weight=on: slurmctld does not note each node's weight before each test.  For the plugin's adapter
 * only. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_WEIGHTS_H
#define WT_PLUGINS_SELECT_BESTFIT_WEIGHTS_H

/* Before a test: where nodes are of one weight no longer, though that was promised, an error is logged, once. */
void weights_look(void);

#endif
