/* question.h - questions of the command to the plugin in slurmctld. */
#ifndef WT_STRAGGLER_QUESTION_H
#define WT_STRAGGLER_QUESTION_H

#include <jansson.h>

#include "ask.h"

struct question {
	struct specconf conf;
	struct ask ask;
};

/* Read the settings: of 'conf' (may be NULL), else beside the slurm.conf of SLURM_CONF, else /etc/slurm. */
int question_open(struct question *q, const char *conf, struct wt_error *errp);
void question_close(struct question *q);

/* The text of the answer, which holds until the next question.  -1: no answer, or a refusal. */
int question_put(struct question *q, enum wt_beat_what what, uint32_t job_id, uint64_t number, const char **text, size_t *len,
		 struct wt_error *errp);

/* The same as one JSON object, a new reference. */
json_t *question_json(struct question *q, enum wt_beat_what what, uint32_t job_id, struct wt_error *errp);

#endif
