/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz files of --hosts, and what a Slurm says of a job whose nodes are hosts: what is taken can stand on an engine's
 * command line and in a folder's name, and gives each node to one host. */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cluster/conf/allocation.h"
#include "harness/cluster/conf/hosts.h"
#include "lib/fuzz.h"

#define NODES 100

static const char *const seeds[] = {
	"h0 address=10.0.0.1 nodes=0\nh1 address=10.0.0.2\nh2 nodes=16 # four\n",
	"a.b-c_d\n\n#\n\tb nodes=65536 address=255.255.255.255\r\n",
	"NodeName=a Arch=x NodeAddr=10.0.0.1 OS=Linux 1 NodeAddr=b\nerror\nNodeName=b-1 NodeAddr=b.c\n",
	"RUNNING\n",
};

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	size_t len = index < sizeof(seeds) / sizeof(seeds[0]) ? strlen(seeds[index]) : 0;

	len = len > size ? size : len;
	memcpy(buf, len ? seeds[index] : "", len);
	return len;
}

static void require(bool good)
{
	if (!good)
		abort();
}

/* What the other cluster's commands say, when its nodes are hosts. */
static void allocation_read(const char *text)
{
	struct wt_allocated *list;
	size_t count;

	if (wt_allocation_nodes(text, &list, &count, NULL) == 0) {
		require(count > 0 && count <= WT_HOSTS_MAX);
		for (size_t i = 0; i < count; i++)
			require(list[i].name[0] && list[i].address[0] && !strchr(list[i].name, '\n') &&
				!strchr(list[i].address, ' '));
		free(list);
	}
	wt_allocation_has_ended(0, text);
	wt_allocation_has_ended(1, text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1);
	struct wt_hosts hosts;
	uint32_t next = 0;

	require(text != NULL);
	memcpy(text, size ? data : (const uint8_t *) "", size);
	if (wt_hosts_parse(&hosts, text, "F", NULL) == 0) {
		require(hosts.count > 0 && hosts.count <= WT_HOSTS_MAX);
		for (size_t i = 0; i < hosts.count; i++)
			require(wt_hosts_word_is_plain(hosts.list[i].name) && hosts.list[i].name[0] != '-' &&
				hosts.list[i].name[0] != '.' && !strchr(hosts.list[i].name, '/'));
		if (wt_hosts_share(&hosts, NODES, NULL) == 0) {
			for (size_t i = 0; i < hosts.count; i++) {
				require(hosts.list[i].first == next);
				next += hosts.list[i].count;
			}
			require(next == NODES);
		}
		wt_hosts_clear(&hosts);
	}
	allocation_read(text);
	free(text);
	return 0;
}
