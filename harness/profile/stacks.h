/* stacks.h - samples of a program's stacks: what "perf script" tells of them, and what they say of its functions.
 *
 * A stack is one text, "THREAD;OUTERMOST;...;INNERMOST", as flamegraph.pl and others take it ("folded").  Unless noted: 0,
 * or -1 with errno and *errp set.  Not locked. */
#ifndef WT_HARNESS_PROFILE_STACKS_H
#define WT_HARNESS_PROFILE_STACKS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/error.h"

struct stack {
	char *text;		/* owned */
	uint64_t samples;
};

struct stacks {			/* in an order in which all that begin alike stand together */
	struct stack *list;
	size_t count;
	uint64_t samples;	/* of all */
};

/* Of "perf script -F comm,tid,ip,sym,dso": for each sample a line "COMM TID", lines "ADDRESS SYMBOL (FILE)" behind blanks
 * from the innermost function outwards, and an empty line.  A function without a name is its file, "[slurmctld]"; the
 * kernel's end in "_[k]"; a ';' becomes ':'.  Anything else is passed over.  The caller clears *stacks.  -1: ENOMEM. */
int stacks_parse(const char *text, size_t len, struct stacks *stacks, struct wt_error *errp);
void stacks_clear(struct stacks *stacks);

struct stack_function {
	char *name;		/* owned */
	/* samples in itself, and in it or in what it calls (once for each sample, however often it calls itself) */
	uint64_t self, total;
};

/* All functions, most samples in themselves first; threads' names are none.  -1: ENOMEM. */
int stacks_functions(const struct stacks *stacks, struct stack_function **functions, size_t *count,
		     struct wt_error *errp);
void stacks_functions_free(struct stack_function *functions, size_t count);

/* One line for each, "STACK SAMPLES". */
void stacks_print(const struct stacks *stacks, FILE *out);

/* Of such lines; any other is passed over, as are those of a function without a name, of more than STACK_SAMPLES_MAX
 * samples, and of control characters.  The caller clears *stacks.  -1: ENOMEM. */
#define STACK_SAMPLES_MAX 1000000000
int stacks_read(const char *text, size_t len, struct stacks *stacks, struct wt_error *errp);

#endif
