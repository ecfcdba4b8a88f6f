/* start.h - one start of a job, as slurmstepd hands it to the task in WT_INSTANCE (port_message.h says why).  Pure. */
#ifndef WT_STRAGGLER_PROTOCOL_START_H
#define WT_STRAGGLER_PROTOCOL_START_H

#include <stdbool.h>
#include <stdint.h>

#include "straggler/port_message.h"

struct start {
	uint32_t array_job_id, array_task_id, restart;
	uint64_t instance;	/* drawn at the start; 0: none */
};

#define START_TEXT_MAX 64
/* ARRAY-JOB_TASK.RESTART.INSTANCE, the last in hexadecimal digits; and back.  false: it is no such text. */
void start_write(const struct start *start, char text[START_TEXT_MAX]);
bool start_read(struct start *start, const char *text);

/* Put it into a question. */
void start_put(const struct start *start, struct port_message *message);

#endif
