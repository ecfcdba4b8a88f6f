/* hooks.h - the functions of the inner select/cons_tres that ours stand in front of.  For the plugin's adapter only.
 *
 * The inner plugin finds ours only because it has functions of these names itself: one that is missing is never called. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_HOOKS_H
#define WT_PLUGINS_SELECT_BESTFIT_HOOKS_H

#include <stdbool.h>

void *hooks_next(const char *name);	/* the inner one; NULL: there is none, which is logged */
bool hooks_attach(void);		/* before anything of the inner plugin runs; false: something is missing */

#endif
