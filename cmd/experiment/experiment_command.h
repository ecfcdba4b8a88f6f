/* experiment_command.h - an experiment that is run by a command: its file, how it is run, and what is shown of it. */
#ifndef WT_CMD_EXPERIMENT_EXPERIMENT_COMMAND_H
#define WT_CMD_EXPERIMENT_EXPERIMENT_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/experiment/criterion.h"
#include "harness/experiment/engine.h"

struct experiment_command { /* texts are of argv, or the caller's */
	const char *file;
	const char *text; /* the file's, which need not be there yet; NULL: it is read */
	const char *output, *variant, *until_text;
	struct engine_options engine; /* repeat 0: the file's */
	struct precision until;
	bool resume, dry_run, json, report;
	bool repeat_given; /* on the command line */
	bool part; /* of a longer command: the results are not shown, and no page is written */
	const char *again; /* the command that goes on after an interruption; NULL: "experiment run" */
	struct expectation *expectations;
	size_t expectation_count;
};

/* Run it, show its results and write its page.  The exit status; what is wrong is printed behind "VERB: ". */
int experiment_command_end(struct experiment_command *cmd, const char *verb);

#endif
