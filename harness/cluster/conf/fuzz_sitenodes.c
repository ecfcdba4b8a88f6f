/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz a site's slurm.conf with nodes of its own, and its gres.conf: each node of what is printed has an address of ours,
 * none is told twice, and of the site's devices nothing is left. */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cluster/conf/confattrs.h"
#include "harness/cluster/conf/confpolicy.h"
#include "harness/cluster/conf/sitenodes.h"
#include "lib/fuzz.h"

/* The first byte says where gres.conf begins. */
static const char *const seeds[] = {
	"\x70" "NodeName=DEFAULT CPUs=4 Port=3 Gres=gpu:a100:2(S:0-1)\nNodeName=a[1-3],b7 NodeAddr=10.0.0.[1-4] Feature=ib\n"
	"Partition" "Name=p Nodes=a1\nName=gpu Type=a100 File=/dev/nvidia[0-1] Cores=0-3 Links=-1,2\nAutoDetect=nvml\n",
	"\x50" "NodeName=r[0-1]n[0-300] Sockets=2 CoresPerSocket=8 State=DOWN\nDownNodes=r0n1 State=DOWN\n"
	"Name=gpu Count=3\n",
	"\x30" "NodeName=a Gres=gpu,gpu:1,gpu:x:no_consume:3,mps:2\nInclude x" "NodeName=a Name=gpu File=/dev/x\n",
};

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	size_t len = index < sizeof(seeds) / sizeof(seeds[0]) ? strlen(seeds[index]) : 0;

	if (len > size)
		len = size;
	memcpy(buf, len ? seeds[index] : "", len);
	return len;
}

static void require(bool good)
{
	if (!good)
		abort();
}

static void lines_check(const struct wt_conf *conf)
{
	const char *line;
	size_t at = 0;

	while ((line = wt_conf_next(conf, "NodeName", &at))) {
		struct wt_confattrs attrs;
		size_t addresses = 0;

		require(wt_confattrs_parse(&attrs, line, true, NULL) == 0);
		for (size_t i = 0; i < attrs.count; i++)
			if (!strcasecmp(attrs.list[i].name, "NodeAddr")) {
				addresses++;
				require(!strncmp(attrs.list[i].value, "127.9.", 6));
			}
		require(addresses == (strcasecmp(attrs.name, "DEFAULT") != 0));
		wt_confattrs_clear(&attrs);
	}
}

static void gres_check(char *text)
{
	char *rest = text, *line, *file;

	while ((line = strsep(&rest, "\n"))) {
		file = strstr(line, " File=");
		require(!*line || !strcmp(line, "AutoDetect=off") || (!strncmp(line, "NodeName=", 9) && file));
		require(!file || !strncmp(file, " File=/c/dev/gpu", 16));
	}
}

static void conf_check(const struct wt_demands *demands, uint32_t nodes, const char *gres)
{
	const struct wt_confpolicy policy = {
		.nodes = nodes, .site = true, .accounting = true, .network = 9, .nodes_port = 7,
	};
	struct wt_conf *conf = wt_conf_create();
	struct wt_confnotes notes = { 0 };
	unsigned int files, unlike;
	struct wt_shape shape;
	uint64_t cpus;
	char *text;

	require(conf != NULL);
	if (wt_confpolicy_apply(conf, demands, &policy, &notes, NULL) == 0) {
		lines_check(conf);
		wt_sitenodes_shape(conf, &shape, &cpus, NULL);
		text = wt_sitenodes_gres(conf, gres, "/c", &files, &unlike, NULL);
		if (text)
			gres_check(text);
		free(text);
	}
	wt_confnotes_clear(&notes);
	wt_conf_destroy(conf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len = size ? size - 1 : 0, first = size && data[0] < len ? data[0] : len;
	char *text = strndup(size ? (const char *) data + 1 : "", first);
	char *gres = len > first ? strndup((const char *) data + 1 + first, len - first) : NULL;
	struct wt_demands demands = { 0 };
	uint32_t nodes;

	require(text != NULL);
	if (wt_demands_alone(&demands, text, "f", NULL) == 0 && wt_sitenodes_count(&demands, &nodes, NULL) == 0)
		conf_check(&demands, nodes, gres);
	wt_demands_clear(&demands);
	free(text);
	free(gres);
	return 0;
}
