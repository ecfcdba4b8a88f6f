/* other_program.h - other programs: where they are, and what they say.
 *
 * Unless noted: 0, or -1 with errno and *errp set. */
#ifndef WT_LIB_OTHER_PROGRAM_H
#define WT_LIB_OTHER_PROGRAM_H

#include <stddef.h>

#include "lib/error.h"

/* The path of a program in a list of folders as PATH has (NULL: none), which the caller frees; NULL: there is none, or
 * ENOMEM.  Folders that are not absolute are passed over. */
char *wt_program_in(const char *folders, const char *name);

/* Run argv[0], a path, with the environment 'env' and nothing on its standard input, and wait for its end.  *said gets what
 * it wrote to its standard output and error, one after the other as it came, of it the first 'max' bytes; the caller frees
 * it.  Returns the exit status, for a signal 128 and its number. */
int wt_program_ask(char *const argv[], char *const env[], size_t max, char **said, struct wt_error *errp);

#endif
