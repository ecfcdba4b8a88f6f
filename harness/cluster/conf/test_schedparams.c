/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/cluster/conf/schedparams.h"

static void test_known_words_are_silent(void **state)
{
	(void) state;
	assert_null(wt_schedparams_unknown(NULL));
	assert_null(wt_schedparams_unknown(""));
	assert_null(wt_schedparams_unknown("bf_interval=30,defer,,BF_Window=1440,bestfit=on,bestfit_wait=0:20,"));
}

static void test_unknown_words_are_named(void **state)
{
	char *said = wt_schedparams_unknown("defer,bf_intervall=30,frobnicate");

	(void) state;
	assert_non_null(said);
	assert_non_null(strstr(said, "'bf_intervall' is not a word"));
	assert_non_null(strstr(said, "did you mean 'bf_interval'?\n"));
	assert_non_null(strstr(said, "'frobnicate' is not a word of slurm.conf(5), and slurmctld passes over it\n"));
	assert_null(strstr(said, "'defer'"));
	free(said);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_words_are_silent),
		cmocka_unit_test(test_unknown_words_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
