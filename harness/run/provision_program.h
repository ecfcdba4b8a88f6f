/* provision_program.h - a user's program that chooses nodes in a strategy's place: it is asked through a pipe and
 * answers through another (harness/provision/program_words.h).
 *
 * It is foreign and trusted with nothing but its answers: each has to come as one line within a minute of the cluster's
 * clock, in which it lives, too, and within PROGRAM_CPU_S of CPU time in all; else it is ended, with all that it has
 * begun in its process group, as it is at our end, whichever that is (kill -9, too).  One thread. */
#ifndef WT_HARNESS_RUN_PROVISION_PROGRAM_H
#define WT_HARNESS_RUN_PROVISION_PROGRAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "harness/provision/program_words.h"
#include "lib/clock.h"

#define PROGRAM_CPU_S "600"

struct provision_program {
	const char *command;		/* for the shell */
	const struct wt_clock *clock;
	const atomic_bool *stop;	/* ends a wait for an answer */
	/* private */
	pid_t pid;			/* and of its group; 0: it does not run */
	int to, from;
	int guard;			/* held open as long as the program may live */
	char line[PROGRAM_ANSWER_MAX];
	size_t len;			/* of 'line': what has come */
	char why[PROGRAM_WHY_SIZE];
};

/* 0, or -1 with errno. */
int provision_program_start(struct provision_program *p, struct wt_error *errp);

/* 0; -1: it has failed, EINTR: *stop.  choice->why is valid until the next question. */
int provision_program_ask(struct provision_program *p, const struct provision_view *view, char *const *names,
			  const char *task, double expected_s, struct provision_choice *choice, struct wt_error *errp);

void provision_program_end(struct provision_program *p);	/* whatever it does; nothing if it was not started */

#endif
