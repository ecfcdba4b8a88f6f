/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/str.h"
#include "lib/terminal.h"

unsigned int wt_terminal_columns(FILE *out)
{
	const char *text = getenv("COLUMNS");
	struct winsize size;
	uint64_t columns;

	/* The user's word counts, within what makes sense; 0 in the end: no terminal, so lines need not fit. */
	if (text && wt_str_to_u64(text, 20, 1000, "COLUMNS", &columns, NULL) == 0)
		return (unsigned int) columns;
	if (!isatty(fileno(out)) || ioctl(fileno(out), TIOCGWINSZ, &size) < 0)
		return 0;
	return size.ws_col;
}
