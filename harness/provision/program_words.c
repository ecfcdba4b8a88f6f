/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "harness/provision/program_words.h"

static json_t *nodes_json(const struct provision_view *view, char *const *names)
{
	json_t *nodes = json_array();

	for (size_t i = 0; nodes && i < view->vm_count; i++) {
		const struct provision_vm *vm = &view->vms[i];

		if (json_array_append_new(nodes, json_pack("{s:s, s:f, s:f}", "node", names[vm->node], "free_s", vm->free_s,
							   "stop_s", vm->stop_s)) < 0) {
			json_decref(nodes);
			return NULL;
		}
	}
	return nodes;
}

char *program_question(const struct provision_view *view, char *const *names, const char *task, double expected_s)
{
	json_t *nodes = nodes_json(view, names), *question;
	char *text, *line = NULL;

	if (!nodes) {
		errno = ENOMEM;
		return NULL;
	}
	question = json_pack("{s:f, s:{s:s, s:f}, s:f, s:b, s:o}", "now_s", view->now_s, "task", "name", task, "expected_s",
			     expected_s, "boot_s", view->boot_s, "can_rent", (int) view->can_rent, "nodes", nodes);
	text = question ? json_dumps(question, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
	if (text) {
		size_t len = strlen(text);

		line = realloc(text, len + 2);
		if (line)
			memcpy(line + len, "\n", 2);
		else
			free(text);
	}
	json_decref(question);
	if (!line)
		errno = ENOMEM;
	return line;
}

static int node_find(const struct provision_view *view, char *const *names, const char *name,
		     struct provision_choice *choice, struct wt_error *errp)
{
	for (size_t i = 0; name && i < view->vm_count; i++) {
		if (strcmp(names[view->vms[i].node], name))
			continue;
		choice->verdict = PROVISION_USE;
		choice->vm = i;
		return 0;
	}
	return wt_error_set(errp, EPROTO, "it uses a node that is not among those it was told");
}

static int why_take(const json_t *why, char text[PROGRAM_WHY_SIZE], struct wt_error *errp)
{
	const char *words = why ? json_string_value(why) : "program";
	size_t len = words ? json_string_length(why) : 0;

	if (!why)
		len = strlen(words);
	if (!words || len >= PROGRAM_WHY_SIZE)
		return wt_error_set(errp, EPROTO, "its \"why\" is no text of up to %d characters", PROGRAM_WHY_SIZE - 1);
	for (size_t i = 0; i < len; i++)
		if (words[i] < ' ' || words[i] > '~')
			return wt_error_set(errp, EPROTO, "its \"why\" has a character that is not printable ASCII");
	memcpy(text, words, len);
	text[len] = '\0';
	return 0;
}

static int verdict_take(const json_t *answer, const struct provision_view *view, char *const *names,
			struct provision_choice *choice, struct wt_error *errp)
{
	const json_t *use = json_object_get(answer, "use");
	bool rent = json_is_true(json_object_get(answer, "rent")), wait = json_is_true(json_object_get(answer, "wait"));

	if ((use != NULL) + rent + wait != 1)
		return wt_error_set(errp, EPROTO, "its answer is not one of {\"use\": NODE}, {\"rent\": true} and "
				    "{\"wait\": true}");
	if (use)
		return node_find(view, names, json_string_value(use), choice, errp);
	if (rent && !view->can_rent)
		return wt_error_set(errp, EPROTO, "it rents a node although it was told that none can be (can_rent)");
	choice->verdict = rent ? PROVISION_RENT : PROVISION_WAIT;
	return 0;
}

int program_answer(const char *line, size_t len, const struct provision_view *view, char *const *names,
		   struct provision_choice *choice, char why[PROGRAM_WHY_SIZE], struct wt_error *errp)
{
	json_t *answer = json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL);
	int rc;

	*choice = (struct provision_choice) { .why = why };
	if (!json_is_object(answer))
		rc = wt_error_set(errp, EPROTO, "its answer is no JSON object in one line");
	else if (why_take(json_object_get(answer, "why"), why, errp) < 0)
		rc = -1;
	else
		rc = verdict_take(answer, view, names, choice, errp);
	json_decref(answer);
	return rc;
}
