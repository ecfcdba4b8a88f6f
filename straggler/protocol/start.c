/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "straggler/protocol/start.h"

void start_write(const struct start *start, char text[START_TEXT_MAX])
{
	snprintf(text, START_TEXT_MAX, "%" PRIu32 "_%" PRIu32 ".%" PRIu32 ".%016" PRIx64, start->array_job_id,
		 start->array_task_id,
		 start->restart, start->instance);
}

bool start_read(struct start *start, const char *text)
{
	char again[START_TEXT_MAX];

	if (sscanf(text, "%" SCNu32 "_%" SCNu32 ".%" SCNu32 ".%" SCNx64, &start->array_job_id, &start->array_task_id,
		   &start->restart,
		   &start->instance) != 4)
		return false;
	/* Only the text that we would write is taken: sscanf (3) is more generous. */
	start_write(start, again);
	return !strcmp(again, text);
}

void start_put(const struct start *start, struct port_message *message)
{
	message->array_job_id = start->array_job_id;
	message->array_task_id = start->array_task_id;
	message->restart = start->restart;
	message->instance = start->instance;
}
