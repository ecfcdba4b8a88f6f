/* site_verb.h - the sub-verbs of "windtunnel site".
 *
 * Each gets its own argv (argv[0] is "windtunnel site SUBVERB") and returns the process's exit status. */
#ifndef WT_CMD_SITE_SITE_VERB_H
#define WT_CMD_SITE_SITE_VERB_H

int site_capture(int argc, char **argv);
int site_import(int argc, char **argv);
int site_compare(int argc, char **argv);

#endif
