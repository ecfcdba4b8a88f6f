/* profile_log.h - what a process used its CPU time for during a run: by thread, and by how many jobs waited then.
 *
 * Fed with looks at the process; between two of them the queue is taken to be as long as at the first.  Unless noted: 0, or
 * -1 with errno and *errp set.  Not locked. */
#ifndef WT_HARNESS_PROFILE_PROFILE_LOG_H
#define WT_HARNESS_PROFILE_PROFILE_LOG_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "harness/profile/stacks.h"
#include "harness/profile/thread_times.h"

/* Of queues of 0, 1 to 9, 10 to 99, ... jobs, the last without an end. */
#define PROFILE_QUEUES 6
uint64_t profile_queue_from(size_t queue);
size_t profile_queue_of(uint64_t jobs);

struct profile_uses {
	double time_s, cpu_s;	/* of the run's clock; of the process */
	struct thread_use *list;
	size_t count;
};

struct profile_log {
	struct profile_uses all, queues[PROFILE_QUEUES];
	uint64_t looks;
	/* private */
	struct thread_times last;
	pid_t pid;
	double last_s;
	size_t last_queue;
	bool failed;		/* without memory: what is there is not all */
};

/* The process as it is now, at 'now_s' of the run's clock, with so many jobs that wait.  A process that is not the one
 * before (it was started again), or is not there, begins anew. */
void profile_log_look(struct profile_log *log, pid_t pid, double now_s, uint64_t pending);

/* With 'times' instead of what the process has now; it takes them. */
void profile_log_take(struct profile_log *log, pid_t pid, struct thread_times *times, double now_s, uint64_t pending);

/* An object as windtunnel-run(5) has it for profile.json: with 'stacks' (NULL: 'why' there are none) their functions, those
 * with the most samples first, PROFILE_FUNCTIONS_MAX at most.  NULL with ENOMEM. */
#define PROFILE_FUNCTIONS_MAX 200
json_t *profile_log_json(const struct profile_log *log, const struct stacks *stacks, unsigned int rate_hz, const char *why);

void profile_log_clear(struct profile_log *log);

#endif
