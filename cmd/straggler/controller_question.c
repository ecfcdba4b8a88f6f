/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "cmd/straggler/controller_question.h"

#define ASK_MS 30000

int question_open(struct controller_question *q, const char *conf, struct wt_error *errp)
{
	char path[PATH_MAX];

	q->ask = (struct ask) { .conf = &q->conf, .fd = -1 };
	q->away = false;
	straggler_conf_path(getenv("SLURM_CONF"), path);
	if (straggler_conf_read(&q->conf, conf ? conf : path, errp) == 0)
		return 0;
	if (errno == ENOENT && !conf)
		return wt_error_set(errp, ENOENT,
				    "%s: there is none; name the plugin's with --conf, or its slurm.conf in SLURM_CONF",
				    path);
	return -1;
}

bool question_later(struct controller_question *q, const char *name, const struct wt_error *err)
{
	if (errno == EPERM || errno == ENOENT)
		return false;
	if (!q->away)
		fprintf(stderr, "%s: %s; will ask again\n", name, err->text);
	q->away = true;
	return true;
}

void question_answered(struct controller_question *q, const char *name)
{
	if (q->away)
		fprintf(stderr, "%s: slurmctld answers again\n", name);
	q->away = false;
}

void question_close(struct controller_question *q)
{
	ask_end(&q->ask);
}

int question_put(struct controller_question *q, enum port_what what, uint32_t job_id, uint64_t number, const char **text,
		 size_t *len, struct wt_error *errp)
{
	static struct port_message message;
	struct port_reply reply;

	message = (struct port_message) { .kind = PORT_STATUS, .operation = what, .job_id = job_id, .nonce = number };
	if (ask(&q->ask, &message, ASK_MS, &reply, errp) < 0)
		return -1;
	if (reply.code != PORT_OK)
		return wt_error_set(errp, EPERM, "slurmctld's straggler plugin refuses: %s", port_code_name(reply.code));
	*text = reply.text;
	*len = reply.text_len;
	return 0;
}

json_t *question_json(struct controller_question *q, enum port_what what, uint32_t job_id, struct wt_error *errp)
{
	json_error_t error;
	const char *text;
	size_t len;
	json_t *value;

	if (question_put(q, what, job_id, 0, &text, &len, errp) < 0)
		return NULL;
	value = json_loadb(text, len, 0, &error);
	if (!value)
		wt_error_set(errp, EPROTO, "the answer is no JSON: %s", error.text);
	return value;
}
