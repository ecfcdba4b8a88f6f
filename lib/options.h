/* options.h - argp(3), with a help that fits the screen.
 *
 * In place of argp_parse (): the same options, parsers and exit statuses (argp_err_exit_status), and
 *  - "--help", "-h", "-?": the usual options, in the terminal's width (terminal.h); "--help=all": the rest, too;
 *  - a long option that there is not is named with the one that was probably meant. */
#ifndef WT_LIB_OPTIONS_H
#define WT_LIB_OPTIONS_H

#include <argp.h>

/* In argp_option.flags: shown by --help=all only.  argp itself ignores the bit. */
#define WT_OPTION_RARE 0x10000

/* As argp_parse (): 0, or an errno.  Help ends the program with 0, or with ARGP_NO_EXIT returns ECANCELED.  An unknown long
 * option ends it with argp_err_exit_status after one line on stderr, or with ARGP_NO_EXIT returns EINVAL.  Give no
 * ARGP_NO_HELP: all of it is here. argv is not changed. */
error_t wt_options_parse(const struct argp *argp, int argc, char **argv, unsigned int flags, void *input);

#endif
