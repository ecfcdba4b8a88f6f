/* script.h - which steps a batch script asks for, and when: its text made into a plan.
 *
 * Pure.  Nothing is run.  Understood are simple commands in their order, with ; & && || and pipes between them: srun, sleep,
 * wait, exit, true, false, set -e, cd, exec, assignments and export, and loops of for over words that are known.  Of what is
 * not understood (if, while, case, functions, sub-shells, srun lines with unknown options) sleep lines count once, as in
 * job_behaviour.h, and the rest takes no time. The text comes from users.  One thread at a time. */
#ifndef WT_HARNESS_VNODE_MODEL_SCRIPT_H
#define WT_HARNESS_VNODE_MODEL_SCRIPT_H

#include "harness/vnode/model/scriptplan.h"

struct wt_script_srun {		/* one srun line; all is borrowed for the call */
	char *const *argv;	/* argv[0]: srun */
	const bool *sure;	/* by word: the shell would have given this one */
	size_t argc;
	char *const *environment;
	size_t environment_count;
	const char *cwd;	/* NULL: not known */
};

struct wt_script_conf {
	const char *script;
	char *const *environment;	/* 'count' strings NAME=VALUE, NULL entries are skipped */
	size_t count;
	const char *cwd;
	/* What the line makes of its step: fills request, run time, wait status, immediate; false: it cannot be told. */
	bool (*srun)(void *arg, const struct wt_script_srun *srun, struct wt_plan_item *item);
	void *arg;
};

struct wt_script_found {
	uint32_t unread;	/* srun lines, or what they are in, that do not become steps */
};

/* The word srun is in it: else it need not be read. */
bool wt_script_mentions_srun(const char *script);

/* 0 and *plan, without steps when the script has none or cannot be read at all; -1 with ENOMEM. */
int wt_script_read(const struct wt_script_conf *conf, struct wt_script_plan *plan, struct wt_script_found *found);

#endif
