/* argv_words.h - what verbs that make an experiment of their own do with their command line.  One thread at a time. */
#ifndef WT_CMD_EXPERIMENT_ARGV_WORDS_H
#define WT_CMD_EXPERIMENT_ARGV_WORDS_H

#include <argp.h>
#include <stdint.h>

/* 'before' and behind it argv[1] and the rest, as a shell takes them; the caller frees.  NULL without memory. */
char *argv_words(const char *before, int argc, char **argv);

/* The value of --NAME: a whole number from min to max.  0, or EINVAL after telling argp what is wrong. */
error_t argv_number_take(struct argp_state *state, const char *name, const char *text, uint64_t min, uint64_t max,
			 uint64_t *value);

#endif
