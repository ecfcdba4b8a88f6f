/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our tables of keys beside those of the installed Slurm: its parser's, in the source that configure has found, and its
 * manual's. */
#include "config.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/cluster/conf/confkeys.h"
#include "harness/cluster/conf/confnumbers.h"
#include "lib/fs.h"

#define BYTES_MAX ((size_t) 16 << 20)
#define INSTALLED_MANUAL "/usr/share/man/man5/slurm.conf.5.gz"

static char *source_read(const char *path)
{
	struct wt_error err = { "" };
	char *full, *text = NULL;

	assert_true(asprintf(&full, "%s/%s", WT_SLURM_SRC, path) > 0);
	if (wt_fs_read(full, BYTES_MAX, &text, NULL, &err) < 0)
		fail_msg("%s", err.text);
	free(full);
	return text;
}

/* The table has exactly the keys of 22.05; what other releases have besides stands in it by name only. */
static void skip_unless_2205(void)
{
	char *meta = source_read("META"), *version = strstr(meta, "Version:");
	bool is_2205 = version && !strncmp(version + strcspn(version, "0123456789"), "22.05.", 6);

	free(meta);
	if (!is_2205)
		skip();
}

/* The parser's array 'array' has exactly the keys of our table. */
static void table_compare(const char *source, const char *array, const char *line)
{
	char *start = strstr(source, array), *end = start ? strstr(start, "{NULL}") : NULL;
	size_t count, found = 0;
	const struct wt_confkey *rows = wt_confkey_table(line, &count);

	assert_non_null(end);
	assert_non_null(rows);
	for (char *p = start; (p = strstr(p, "{\"")) && p < end; p++) {
		char name[64];

		assert_int_equal(sscanf(p, "{\"%63[A-Za-z0-9]\"", name), 1);
		if (!wt_confkey_find(line, name))
			fail_msg("confkeys.c has no class for %s%s%s", line ? line : "", line ? " " : "", name);
		found++;
	}
	for (size_t i = 0; i < count; i++) {
		char quoted[80], *at;

		snprintf(quoted, sizeof(quoted), "{\"%s\"", rows[i].name);
		at = strstr(start, quoted);
		if (!at || at > end)
			fail_msg("confkeys.c has %s, which Slurm does not know there", rows[i].name);
	}
	assert_int_equal(found, count);
}

static void test_parser(void **state)
{
	static const struct { const char *array, *line; } tables[] = {
		{ "s_p_options_t slurm_conf_options[] = {", NULL },
		{ "s_p_options_t _nodename_options[] = {", "NodeName" },
		{ "s_p_options_t _partition_options[] = {", "PartitionName" },
		{ "s_p_options_t _nodeset_options[] = {", "NodeSet" },
		{ "s_p_options_t _downnodes_options[] = {", "DownNodes" },
		{ "s_p_options_t _frontend_options[] = {", "FrontendName" },
	};
	char *source = source_read("src/common/read_config.c"), *host = strstr(source, "_slurmctld_host_options[] = {");

	(void) state;
	skip_unless_2205();
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		table_compare(source, tables[i].array, tables[i].line);
	assert_non_null(host);
	host = strchr(host, '\n') + 1;
	assert_int_equal(strncmp(host + strspn(host, " \t"), "{NULL}", 6), 0);	/* SlurmctldHost has no attributes */
	free(source);
}

static bool known_somewhere(const char *name)
{
	static const char *const lines[] = { NULL, "NodeName", "PartitionName", "NodeSet", "DownNodes", "FrontendName" };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (wt_confkey_find(lines[i], name))
			return true;
	return false;
}

/* The manual tags these values as it tags parameters; others are all capitals, or begin with a small letter. */
static bool is_value(const char *name)
{
	static const char *const values[] = { "Autobind", "Contain", "Cores", "DeferBatch", "KeepPartState", "NoHold",
					      "None", "OverMemoryKill",
					      "Serial", "SlurmdOffSpec", "Sockets", "Threads", "TopoOptional", "UsePss",
					      "Verbose", "X11" };

	if (!isupper((unsigned char) name[0]) || !name[strcspn(name, "abcdefghijklmnopqrstuvwxyz")])
		return true;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (!strcmp(name, values[i]))
			return true;
	return false;
}

/* Parameters are the tagged paragraphs outside of RS/RE blocks, which hold most of their values.  Returns how many there
 * were. */
static size_t manual_compare(char *manual)
{
	static const char *const sections[] = { "\"PARAMETERS\"", "\"NODE CONFIGURATION\"", "\"DOWN NODE CONFIGURATION\"",
						"\"FRONTEND NODE CONFIGURATION\"",
						"\"NODESET CONFIGURATION\"", "\"PARTITION CONFIGURATION\"" };
	bool tagged = false, wanted = false;
	int depth = 0;
	size_t seen = 0;

	for (char *line = strtok(manual, "\n"); line; line = strtok(NULL, "\n")) {
		char name[64];
		int end = 0;

		if (!strncmp(line, ".SH ", 4)) {
			wanted = false;
			for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
				wanted = wanted || !strcmp(line + 4, sections[i]);
			depth = 0;
		}
		depth += !strncmp(line, ".RS", 3) - !strncmp(line, ".RE", 3);
		if (tagged && wanted && depth == 0 && sscanf(line, "\\fB%63[A-Za-z0-9]\\f%n", name, &end) == 1 && end) {
			if (!known_somewhere(name) && !is_value(name))
				fail_msg("slurm.conf(5) has %s: confkeys.c has no class for it", name);
			seen++;
		}
		tagged = !strcmp(line, ".TP");
	}
	return seen;
}

/* Each key that the parser reads as a number, with its size. */
static void test_numbers(void **state)
{
	char *source = source_read("src/common/read_config.c");
	char *p = strstr(source, "s_p_options_t slurm_conf_options[] = {"), *end = p ? strstr(p, "{NULL}") : NULL;
	size_t found = 0;

	(void) state;
	skip_unless_2205();
	assert_non_null(end);
	for (; (p = strstr(p, "{\"")) && p < end; p++) {
		const struct wt_confnumber *number;
		unsigned int bits = 0;
		char name[64];

		if (sscanf(p, "{\"%63[A-Za-z0-9]\" , S_P_UINT%u", name, &bits) != 2)
			continue;
		number = wt_confnumber_find(name);
		if (!number || number->bits != bits)
			fail_msg("confnumbers.c does not have %s with %u bits", name, bits);
		found++;
	}
	assert_int_equal(found, wt_confnumber_count);
	free(source);
}

static void test_number_values(void **state)
{
	static const struct {
		const char *key, *value;
		int rc;
	} cases[] = {
		{ "EpilogMsgTime", "2000", 0 }, { "epilogmsgtime", "0x10", 0 }, { "EpilogMsgTime", "", 0 },
		{ "EpilogMsgTime", "x", -1 }, { "EpilogMsgTime", "-1", -1 }, { "EpilogMsgTime", "+1", -1 },
		{ "EpilogMsgTime", "1.5", -1 }, { "EpilogMsgTime", "1 ", -1 }, { "EpilogMsgTime", "4294967295", 0 },
		{ "EpilogMsgTime", "4294967296", -1 }, { "EpilogMsgTime", "4k", 0 }, { "EpilogMsgTime", "4194304k", -1 },
		{ "EpilogMsgTime", "99999999999999999999999", -1 }, { "TreeWidth", "65535", 0 },
		{ "TreeWidth", "65536", -1 }, { "TreeWidth", "4k", -1 }, { "TreeWidth", "infinite", 0 },
		{ "DefMemPerCPU", "18446744073709551615", 0 }, { "DefMemPerCPU", "UNLIMITED", 0 },
		{ "SchedulerType", "x", 0 }, { "SuspendTime", "-1", 0 },
		{ "SchedulerParameters", "defer,bf_interval=30", 0 }, { "SchedulerParameters", "bf_interval=x", -1 },
		{ "SchedulerParameters", "defer, bf_interval=-3", -1 },
		{ "SchedulerParameters", "sched_interval=-1,bf_interval=-1", 0 },
		{ "SchedulerParameters", "bf_window=-1", -1 },
		{ "SchedulerParameters", "bf_window=", -1 }, { "SchedulerParameters", "bf_interval", -1 },
		{ "SchedulerParameters", "bf_interval=30s", -1 }, { "SchedulerParameters", "bf_interval=30 ,defer", 0 },
		{ "SchedulerParameters", "bf_intervall=x", 0 }, { "SchedulerParameters", ",", 0 },
	};
	struct wt_error error;

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (wt_confnumber_check(cases[i].key, cases[i].value, &error) != cases[i].rc)
			fail_msg("%s=%s: not %d", cases[i].key, cases[i].value, cases[i].rc);
	assert_int_equal(wt_confnumber_check("TreeWidth", "-1", &error), -1);
	assert_string_equal(error.text, "TreeWidth=-1: give a whole number from 0 to 65535");
}

static void test_manual(void **state)
{
	char *manual = source_read("doc/man/man5/slurm.conf.5");

	(void) state;
	skip_unless_2205();
	assert_true(manual_compare(manual) > 200);
	free(manual);
}

static void test_installed_manual(void **state)
{
	FILE *f;
	char *manual;
	size_t len;

	(void) state;
	skip_unless_2205();
	if (access(INSTALLED_MANUAL, R_OK) < 0)
		skip();		/* machines without manual pages */
	f = popen("gzip -dc " INSTALLED_MANUAL, "r");
	manual = calloc(1, BYTES_MAX);
	assert_non_null(f);
	assert_non_null(manual);
	len = fread(manual, 1, BYTES_MAX - 1, f);
	assert_int_equal(pclose(f), 0);
	assert_true(len > 0);
	assert_true(manual_compare(manual) > 200);
	free(manual);
}

static void test_rows_make_sense(void **state)
{
	size_t count;
	const struct wt_confkey *rows = wt_confkey_table(NULL, &count);

	(void) state;
	for (size_t i = 0; i < count; i++) {
		assert_true((rows[i].class == WT_CONF_TAKEN) == (rows[i].why == NULL));
		assert_ptr_equal(wt_confkey_find(NULL, rows[i].name), &rows[i]);	/* no key twice */
	}
	assert_null(wt_confkey_find(NULL, "Include"));
	assert_null(wt_confkey_find("SlurmctldHost", "Port"));
	assert_non_null(wt_confkey_find("nodename", "nodeaddr"));
	assert_int_equal(wt_confkey_find(NULL, "statesavelocation")->class, WT_CONF_OURS);
}

/* Whatever names a program, by its name, must not be taken over. */
static void test_programs_are_not_taken(void **state)
{
	static const char *const parts[] = { "prog", "prolog", "epilog", "path", "loc", "host", "addr", "user", "pass",
					     "port", "plugin", "file",
					     "config" };
	static const char *const harmless[] = { "PrologEpilogTimeout", "TaskPluginParam", "AllowSpecResourcesUsage",
						"AllowUsers", "EpilogMsgTime",
						"PrologFlags", "JobFileAppend", "SlurmdPort", "ReconfigFlags" };
	size_t count;
	const struct wt_confkey *rows = wt_confkey_table(NULL, &count);

	(void) state;
	for (size_t i = 0; i < count; i++)
		for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); p++) {
			bool known = false;

			for (size_t h = 0; h < sizeof(harmless) / sizeof(harmless[0]); h++)
				known = known || !strcmp(rows[i].name, harmless[h]);
			if (!known && strcasestr(rows[i].name, parts[p]) && rows[i].class == WT_CONF_TAKEN)
				fail_msg("%s is taken over", rows[i].name);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parser),
		cmocka_unit_test(test_manual),
		cmocka_unit_test(test_numbers), cmocka_unit_test(test_number_values),
		cmocka_unit_test(test_installed_manual),
		cmocka_unit_test(test_rows_make_sense),
		cmocka_unit_test(test_programs_are_not_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
