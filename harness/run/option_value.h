/* option_value.h - the numbers behind options of the command line. */
#ifndef WT_HARNESS_RUN_OPTION_VALUE_H
#define WT_HARNESS_RUN_OPTION_VALUE_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

bool wt_option_decimal(const char *text);	/* no hexadecimal number, no leading blank, no "inf" */

/* A decimal number within the bounds; else argp_error () tells, with the option's name.  0 or EINVAL. */
int wt_option_number(struct argp_state *state, const char *option, const char *text, double min, double max, double *value);
int wt_option_whole(struct argp_state *state, const char *option, const char *text, uint64_t min, uint64_t max,
		    uint64_t *value);

#endif
