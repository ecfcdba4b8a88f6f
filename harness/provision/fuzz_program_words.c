/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz the answers of a program of --provision: what is taken is one of the view's choices, with words that can be shown,
 * and what is not has its reason in one line. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/provision/program_words.h"
#include "lib/fuzz.h"

static char n0[] = "n0", n2[] = "n2";
static char *const names[] = { n0, NULL, n2 };
static const struct provision_vm vms[] = { { 2, 1100, 1600 }, { 0, 1020, 4020 } };

static bool line_ok(const char *text, size_t size)
{
	size_t len = strnlen(text, size);

	for (size_t i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~')
			return false;
	return len > 0 && len < size;
}

static void answer_check(const char *line, size_t len, const struct provision_view *view)
{
	struct wt_error error = { "" };
	char why[PROGRAM_WHY_SIZE] = "";
	struct provision_choice choice;

	errno = 0;
	if (program_answer(line, len, view, names, &choice, why, &error) < 0) {
		if (errno != EPROTO || !line_ok(error.text, sizeof(error.text)))
			abort();
		return;
	}
	if (choice.why != why || (*why && !line_ok(why, sizeof(why))))
		abort();
	if ((choice.verdict == PROVISION_RENT && !view->can_rent) ||
	    (choice.verdict == PROVISION_USE && choice.vm >= view->vm_count) || choice.verdict > PROVISION_WAIT)
		abort();
}

/* The task's name is foreign as well: whatever it is, the question is one line, or is not asked. */
static void question_check(const uint8_t *data, size_t size, const struct provision_view *view)
{
	char name[256], *line;
	size_t len = size < sizeof(name) ? size : sizeof(name) - 1;

	memcpy(name, data, len);
	name[len] = '\0';
	line = program_question(view, names, name, 12.5);
	if (line && strchr(line, '\n') != line + strlen(line) - 1)
		abort();
	free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct provision_view view = { .now_s = 1000, .boot_s = 60, .vms = vms, .vm_count = 2, .can_rent = true };

	answer_check((const char *) data, size, &view);
	question_check(data, size, &view);
	view.can_rent = false;
	view.vm_count = 0;
	answer_check((const char *) data, size, &view);
	return 0;
}

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	static const char *const seeds[] = {
		"{\"use\": \"n2\", \"why\": \"best fit\"}", "{\"use\": \"n0\"}", "{\"rent\": true, \"why\": \"none\"}",
		"{\"wait\": true, \"rent\": false}", "{\"wait\": true, \"why\": \"\\u0041\\n\\u00e9\\u0000\"}",
	};
	size_t len = index < sizeof(seeds) / sizeof(seeds[0]) ? strlen(seeds[index]) : 0;

	if (len > size)
		return 0;
	if (len)
		memcpy(buf, seeds[index], len);
	return len;
}
