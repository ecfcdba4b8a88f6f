/* controller_question.h - questions of the command to the plugin in slurmctld. */
#ifndef WT_CMD_STRAGGLER_CONTROLLER_QUESTION_H
#define WT_CMD_STRAGGLER_CONTROLLER_QUESTION_H

#include <stdbool.h>

#include <jansson.h>

#include "straggler/protocol/ask.h"

struct controller_question {
	struct straggler_conf conf;
	struct ask ask;
	bool away;	/* question_later () has said that there is no answer */
};

/* Read the settings: of 'conf' (may be NULL), else beside the slurm.conf of SLURM_CONF, else /etc/slurm. */
int question_open(struct controller_question *q, const char *conf, struct wt_error *errp);
void question_close(struct controller_question *q);

/* The text of the answer, which holds until the next question.  -1: no answer, or a refusal. */
int question_put(struct controller_question *q, enum port_what what, uint32_t job_id, uint64_t number, const char **text,
		 size_t *len, struct wt_error *errp);

/* For commands that go on asking: is there any use in asking again after this failure (errno, *err)?  Says on standard
 * error, once, that there is no answer; question_answered () says, once, that there is one again. */
bool question_later(struct controller_question *q, const char *name, const struct wt_error *err);
void question_answered(struct controller_question *q, const char *name);

/* The same as one JSON object, a new reference. */
json_t *question_json(struct controller_question *q, enum port_what what, uint32_t job_id, struct wt_error *errp);

#endif
