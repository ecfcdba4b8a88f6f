/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>

#include "wt_verbs.h"

int wt_verb_cluster(int argc, char **argv)
{
	(void) argc;
	fprintf(stderr, "%s: not built yet\n", argv[0]);
	return 1;
}
