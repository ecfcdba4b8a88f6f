/* program_words.h - what is said to a program that chooses in a strategy's place, and what it says: one JSON object a line.
 *
 * A question (times in seconds since the epoch, on the cluster's clock):
 *   {"now_s": X, "task": {"name": "...", "expected_s": X}, "boot_s": X, "can_rent": true,
 *    "nodes": [{"node": "n0", "free_s": X, "stop_s": X}, ...]}
 * and the answer, one of these, each of which may have a "why" (printable ASCII, up to 64 characters):
 *   {"use": "n0"}    {"rent": true}    {"wait": true}
 * Pure. */
#ifndef WT_HARNESS_PROVISION_PROGRAM_WORDS_H
#define WT_HARNESS_PROVISION_PROGRAM_WORDS_H

#include "lib/error.h"
#include "harness/provision/strategies.h"

#define PROGRAM_ANSWER_MAX 4096	/* bytes of a line */
#define PROGRAM_WHY_SIZE   65

/* With its newline; to be freed.  'names' are of the view's nodes.  NULL with ENOMEM. */
char *program_question(const struct provision_view *view, char *const *names, const char *task, double expected_s);

/* 'line' without its newline: foreign bytes.  0; -1 with EPROTO and what is wrong, in one line. */
int program_answer(const char *line, size_t len, const struct provision_view *view, char *const *names,
		   struct provision_choice *choice, char why[PROGRAM_WHY_SIZE], struct wt_error *errp);

#endif
