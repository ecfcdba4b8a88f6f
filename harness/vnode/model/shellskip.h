/* shellskip.h - pass over a compound command of a shell script, and note what is in it.
 *
 * Pure.  One thread at a time. */
#ifndef WT_HARNESS_VNODE_MODEL_SHELLSKIP_H
#define WT_HARNESS_VNODE_MODEL_SHELLSKIP_H

#include <stdint.h>

#include "harness/vnode/model/shellword.h"

struct wt_shell_skipped {
	uint32_t sruns;		/* commands in it that are srun */
	int64_t sleep_us;	/* of its sleep commands, each counted once */
	bool leaves;		/* it has break, continue, return, exit or exec */
	/* Called for each variable that it gives a value: which is not known any more. */
	void (*forget)(void *arg, const char *name, size_t len);
	void *arg;
};

/* A word, unquoted, that begins a compound command. */
bool wt_shell_opens(const char *word);

/* 'open' is that word, or "(", and has been read; reads on behind the end.  0, or -1: it has none. */
int wt_shell_skip(struct wt_shell *shell, const char *open, struct wt_shell_skipped *skipped);

#endif
