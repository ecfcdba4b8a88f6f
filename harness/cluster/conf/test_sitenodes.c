/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "harness/cluster/conf/confpolicy.h"
#include "harness/cluster/conf/sitenodes.h"
#include "lib/test_cmocka.h"

/* The NodeName and PartitionName lines that a site's 'text' becomes; the caller frees it. */
static struct wt_conf *site_conf(const char *text, struct wt_confnotes *notes)
{
	const struct wt_confpolicy policy = { .nodes = 600, .site = true, .accounting = true, .users = true, .network = 9,
					      .nodes_port = 7 };
	struct wt_demands demands = { 0 };
	struct wt_conf *conf = wt_conf_create();
	struct wt_error err = { "" };

	if (wt_demands_alone(&demands, text, "f", &err) < 0 || wt_confpolicy_apply(conf, &demands, &policy, notes, &err) < 0)
		fail_msg("%s", err.text);
	wt_demands_clear(&demands);
	return conf;
}

static void becomes(const char *text, const char *want)
{
	struct wt_confnotes notes = { 0 };
	struct wt_conf *conf = site_conf(text, &notes);
	char *printed = wt_conf_print(conf);

	assert_string_equal(printed, want);
	free(printed);
	wt_conf_destroy(conf);
	wt_confnotes_clear(&notes);
}

static void test_lines_keep_what_they_ask_for(void **state)
{
	(void) state;
	becomes("NodeName=DEFAULT CPUs=4 Port=3\nNodeName=a[1-3],b7 NodeAddr=10.0.0.[1-4] NodeHostname=x "
		"Feature=ib,\"v1\" Gres=gpu:2\n"
		"NodeName=c State=DRAIN Weight=3\n",
		"NodeName=DEFAULT CPUs=4\n"
		"NodeName=a[1-3],b7 Feature=ib,\"v1\" Gres=gpu:2 NodeAddr=127.9.0.[0-3] Port=7\n"
		"NodeName=c Weight=3 NodeAddr=127.9.0.4 Port=7\n");
	becomes("NodeName=a[0-9] CPUs=2\nNodeName=r[0-1]n[000-299]\n",
		"NodeName=a[0-9] CPUs=2 NodeAddr=127.9.0.[0-9] Port=7\n"
		"NodeName=r[0-1]n[000-299] NodeAddr=127.9.0.[10-255],127.9.1.[0-255],127.9.2.[0-97] Port=7\n");
	becomes("NodeName=n[1-1500]\n", "NodeName=n[1-1500] NodeAddr=127.9.[0-4].[0-255],127.9.5.[0-219] Port=7\n");
	becomes("PartitionName=p Nodes=z9 AllowGroups=chem AllowAccounts=a QOS=q TRESBillingWeights=gres/gpu=2\n"
		"DownNodes=z9 State=DOWN\nNodeSet=s Feature=x\n",
		"NodeSet=s Feature=x\n"
		"PartitionName=p Nodes=z9 AllowGroups=chem AllowAccounts=a QOS=q TRESBillingWeights=gres/gpu=2\n");
}

static void test_what_goes_is_noted(void **state)
{
	struct wt_confnotes notes = { 0 };
	struct wt_conf *conf = site_conf("NodeName=a NodeAddr=10.0.0.1 State=DOWN\nDownNodes=a State=DOWN\n", &notes);
	char *text = wt_confnotes_text(&notes);

	(void) state;
	assert_int_equal(notes.count, 3);
	assert_non_null(strstr(text, "f:1: NodeAddr=10.0.0.1"));
	assert_non_null(strstr(text, "f:1: NodeName State=DOWN; here UNKNOWN: all nodes begin in service (always) (the "
			       "schedule"));
	assert_non_null(strstr(text, "f:2: DownNodes=a State=DOWN"));
	free(text);
	wt_conf_destroy(conf);
	wt_confnotes_clear(&notes);
}

static void counted(const char *text, uint32_t want)
{
	struct wt_demands demands = { 0 };
	uint32_t count;

	assert_int_equal(wt_demands_alone(&demands, text, "f", NULL), 0);
	assert_int_equal(wt_sitenodes_count(&demands, &count, NULL), 0);
	assert_int_equal(count, want);
	wt_demands_clear(&demands);
}

static void count_refused(const char *text, const char *why)
{
	struct wt_demands demands = { 0 };
	struct wt_error err = { "" };
	uint32_t count;
	int rc = wt_demands_alone(&demands, text, "f", &err);

	if (rc == 0)
		rc = wt_sitenodes_count(&demands, &count, &err);
	assert_int_equal(rc, -1);
	assert_int_equal(errno, EINVAL);
	if (!strstr(err.text, why))
		fail_msg("'%s' does not say '%s'", err.text, why);
	wt_demands_clear(&demands);
}

static void test_count(void **state)
{
	(void) state;
	counted("NodeName=a CPUs=1\n", 1);
	counted("NodeName=DEFAULT CPUs=2\nnodename=a[1-3],b7\nNodeName=r[0-1]n[0-4] State=FUTURE\n", 14);
	count_refused("ClusterName=x\n", "names no nodes");
	count_refused("NodeName=DEFAULT CPUs=2\n", "names no nodes");
	count_refused("NodeName=a[1-3]\nNodeName=b,a2\n", "f:2: NodeName: node a2 stands there twice");
	count_refused("NodeName=a[1-99999]\n", "f:1: NodeName");
	count_refused("NodeName=a[1-40000]\nNodeName=b[1-40000]\n", "more than 65536");
	count_refused("NodeName=a[3-1]\n", "f:1: NodeName");
	count_refused("Include /etc/passwd\n", "f:1: Include /etc/passwd: a site's folder has one slurm.conf");
}

static void test_shape_is_the_largest(void **state)
{
	struct wt_confnotes notes = { 0 };
	struct wt_conf *conf = site_conf("NodeName=DEFAULT Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 RealMemory=1000\n"
					 "NodeName=a[1-4]\nNodeName=b CPUs=64 RealMemory=5\nNodeName=DEFAULT Sockets=1\n"
					 "NodeName=c[1-2] CoresPerSocket=1 ThreadsPerCore=1\n", &notes);
	struct wt_shape shape;
	uint64_t cpus;

	(void) state;
	assert_int_equal(wt_sitenodes_shape(conf, &shape, &cpus, NULL), 0);
	assert_int_equal(cpus, 4 * 32 + 64 + 2);
	assert_int_equal(shape.cpus, 64);
	assert_int_equal(shape.sockets, 2);
	assert_int_equal(shape.memory_mib, 5);
	wt_conf_destroy(conf);
	wt_confnotes_clear(&notes);
}

static void gres_is(const char *conf_text, const char *site, const char *want, unsigned int want_files,
		    unsigned int want_unlike)
{
	struct wt_confnotes notes = { 0 };
	struct wt_conf *conf = site_conf(conf_text, &notes);
	unsigned int files, unlike;
	char *text = wt_sitenodes_gres(conf, site, "/c", &files, &unlike, NULL);

	assert_string_equal(text, want);
	assert_int_equal(files, want_files);
	assert_int_equal(unlike, want_unlike);
	free(text);
	wt_conf_destroy(conf);
	wt_confnotes_clear(&notes);
}

static void test_gres(void **state)
{
	(void) state;
	gres_is("NodeName=a Gres=fpga:2\n", NULL, "AutoDetect=off\n", 0, 0);
	gres_is("NodeName=DEFAULT Gres=gpu:a100:4(S:0-1),fpga:1,gpu\nNodeName=a[1-2]\nNodeName=b Gres=gpu:1\n", NULL,
		"AutoDetect=off\nNodeName=a[1-2] Name=gpu Type=a100 File=/c/dev/gpu[0-3]\n"
		"NodeName=a[1-2] Name=gpu File=/c/dev/gpu4\nNodeName=b Name=gpu File=/c/dev/gpu0\n", 5, 0);
	/* Cores and links stay where the numbers agree, and the site's devices never do. */
	gres_is("NodeName=a1,a2 Gres=gpu:v100:2\nNodeName=b Gres=gpu:3\n",
		"# x\nAutoDetect=nvml\nNodeName=a[1-2] Name=gpu Type=v100 File=/dev/nvidia0 Cores=0-7 # y\n"
		"NodeName=a[1-2] Name=gpu Type=v100 File=/dev/nvidia1 Cores=8-15 Links=-1,16\n"
		"NodeName=b Name=gpu File=/dev/nvidia[0-1] Cores=0,1\nName=fpga Count=2\n",
		"AutoDetect=off\nNodeName=a1,a2 Name=gpu Type=v100 File=/c/dev/gpu0 Cores=0-7\n"
		"NodeName=a1,a2 Name=gpu Type=v100 File=/c/dev/gpu1 Cores=8-15 Links=-1,16\n"
		"NodeName=b Name=gpu File=/c/dev/gpu[0-2]\n", 3, 1);
	gres_is("NodeName=a Gres=gpu:2\n", "Name=gpu\n", "AutoDetect=off\nNodeName=a Name=gpu File=/c/dev/gpu[0-1]\n", 2, 0);
	gres_is("NodeName=a Gres=gpu:2\n", "Name=gpu Count=2 Cores=0;x\n",
		"AutoDetect=off\nNodeName=a Name=gpu File=/c/dev/gpu[0-1]\n", 2, 0);
}

static void test_gres_that_is_none(void **state)
{
	struct wt_confnotes notes = { 0 };
	struct wt_conf *conf = site_conf("NodeName=a Gres=gpu:1025\nNodeName=b\n", &notes);
	unsigned int files, unlike;
	struct wt_error err = { "" };

	(void) state;
	assert_null(wt_sitenodes_gres(conf, NULL, "/c", &files, &unlike, &err));
	assert_non_null(strstr(err.text, "more than 1024 GPUs"));
	assert_null(wt_sitenodes_gres(conf, "Name=gpu\nx y\n", "/c", &files, &unlike, &err));
	assert_non_null(strstr(err.text, "gres.conf:2"));
	wt_conf_destroy(conf);
	wt_confnotes_clear(&notes);
}

static void gres_refused(const char *conf_text, const char *site, const char *why)
{
	struct wt_confnotes notes = { 0 };
	struct wt_conf *conf = site_conf(conf_text, &notes);
	unsigned int files, unlike;
	struct wt_error err = { "" };

	assert_null(wt_sitenodes_gres(conf, site, "/c", &files, &unlike, &err));
	assert_int_equal(errno, EINVAL);
	if (!strstr(err.text, why))
		fail_msg("'%s' does not say '%s'", err.text, why);
	wt_conf_destroy(conf);
	wt_confnotes_clear(&notes);
}

/* A type that would be another setting of gres.conf; a few KB that would be gigabytes of names. */
static void test_gres_that_is_hostile(void **state)
{
	static const char line[] = "NodeName=n[1-65536] Name=gpu\n";
	char *many = calloc(17, sizeof(line));

	(void) state;
	gres_refused("NodeName=a Gres=\"gpu:x File=/dev/sda:1\"\n", NULL, "NodeName=a: a type of GPUs has no blanks");
	gres_refused("NodeName=a Gres=gpu:x=y:1\n", NULL, "a type of GPUs");
	assert_non_null(many);
	for (int i = 0; i < 17; i++)
		strcat(many, line);
	gres_refused("NodeName=a Gres=gpu:1\n", many, "gres.conf:17: more than 1048576 names");
	free(many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_keep_what_they_ask_for), cmocka_unit_test(test_what_goes_is_noted),
		cmocka_unit_test(test_count), cmocka_unit_test(test_shape_is_the_largest), cmocka_unit_test(test_gres),
		cmocka_unit_test(test_gres_that_is_none), cmocka_unit_test(test_gres_that_is_hostile),
	};

	return cmocka_run_group_tests_name("sitenodes", tests, NULL, NULL);
}
