/* dispatch.h - a command that consists of verbs: finds the verb and hands over. */
#ifndef WT_LIB_DISPATCH_H
#define WT_LIB_DISPATCH_H

#include <stddef.h>

struct wt_verb {
	const char *name;
	int (*run)(int argc, char **argv);	/* argv[0] is "COMMAND VERB"; returns the exit status */
	const char *help;	/* one line; NULL: not for people */
};

struct wt_dispatch {
	const char *name;	/* "windtunnel cluster" */
	const char *doc;	/* what it is for, in one sentence */
	const struct wt_verb *verbs;
	size_t verb_count;
	const char *more;	/* the help's last words, or NULL */
};

/* Hand over to the verb in argv[1].  "--help", "-h", "-?" and "help" print the list of verbs, and whether that could be
 * written is for the caller to see; "help VERB..." is "VERB... --help".  Returns the verb's exit status; 2 with the list or
 * one line on stderr when there is no verb, or none of that name, with the name that was probably meant. */
int wt_dispatch(const struct wt_dispatch *d, int argc, char **argv);

#endif
