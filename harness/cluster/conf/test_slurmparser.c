/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wt_demands beside Slurm's own parser: what slurmctld would have read in a file, we read in it. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <cmocka.h>

#include "src/common/log.h"
#include "src/common/parse_config.h"
#include "src/common/read_config.h"
#include "src/common/xmalloc.h"

#include "harness/cluster/conf/demands.h"
#include "lib/fs.h"
#include "lib/str.h"

extern s_p_options_t slurm_conf_options[];

static char dir[] = "/tmp/test_slurmparser.XXXXXX";

static char *file(const char *name, const char *text)
{
	char *path = wt_str_format("%s/%s", dir, name);

	assert_int_equal(wt_fs_write(path, text, strlen(text), 0600, NULL), 0);
	return path;
}

/* The last value that we have read; NULL: none. */
static const char *ours(const struct wt_demands *d, const char *key)
{
	for (size_t i = d->count; i-- > 0;)
		if (!strcasecmp(d->list[i].key, key))
			return d->list[i].value;
	return NULL;
}

static void compare(const char *text)
{
	char *path = file("slurm.conf", text);
	s_p_hashtbl_t *table = s_p_hashtbl_create(slurm_conf_options);
	struct wt_demands d = { 0 };
	struct wt_error err = { "" };

	setenv("SLURM_CONF", path, 1);	/* Slurm from 23.02 on looks beside it for what is included */
	assert_int_equal(s_p_parse_file(table, NULL, path, false, NULL), 0);
	if (wt_demands_file(&d, path, &err) < 0)
		fail_msg("%s", err.text);
	for (const s_p_options_t *o = slurm_conf_options; o->key; o++) {
		char *theirs = NULL;

		if (o->type != S_P_STRING)
			continue;
		s_p_get_string(&theirs, o->key, table);
		if (!theirs != !ours(&d, o->key))
			fail_msg("%s: only %s has it", o->key, theirs ? "Slurm" : "windtunnel");
		if (theirs)
			assert_string_equal(ours(&d, o->key), theirs);
		xfree(theirs);
	}
	s_p_hashtbl_destroy(table);
	wt_demands_clear(&d);
	free(path);
}

static void test_spellings(void **state)
{
	(void) state;
	compare("ClusterName=a\n  STATEsavelocation\t=  /x  \nProlog=\"/a b\" # "
		"c\nEpilog=/x\\#y\r\n#Mailprog=/x\nMailProg=/one\nmailprog=/two\n");
	compare("SchedulerParameters=defer,\\\nbf_interval=3\nAuthInfo=socket=/x,ttl=3\nTaskProlog=/a\\\\b\nSlurmUser=root");
	compare("# a comment that goes on \\\nProlog=/hidden\nEpilog=/seen\n");
	compare("Prolog=/a# not a blank before it\nEpilog=\"\"\nSlurmdLogFile=/log/\\\n%n.log\n\n\n");
}

static void test_include(void **state)
{
	char *sub, *more, *text =
		wt_str_format("ClusterName=My\ninclude sub-%%c.conf\nINCLUDE   %s/more.conf\nProlog=/last\n", dir);

	(void) state;
	sub = file("sub-my.conf", "Epilog=/sub\nProlog=/first\n");
	more = file("more.conf", "TaskProlog=/more");
	compare(text);
	free(sub);
	free(more);
	free(text);
}

static int folder_make(void **state)
{
	log_options_t quiet = LOG_OPTS_INITIALIZER;

	(void) state;
	log_init("test_slurmparser", quiet, 0, NULL);
	return mkdtemp(dir) ? 0 : -1;
}

static int folder_remove(void **state)
{
	(void) state;
	return wt_fs_remove_tree(dir, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spellings),
		cmocka_unit_test(test_include),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
