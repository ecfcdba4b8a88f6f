/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz files of --hosts: what is taken can stand on an engine's command line and in a folder's name, and gives each node to
 * one host. */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cluster/conf/hosts.h"
#include "lib/fuzz.h"

#define NODES 100

static const char *const seeds[] = {
	"h0 address=10.0.0.1 nodes=0\nh1 address=10.0.0.2\nh2 nodes=16 # four\n",
	"a.b-c_d\n\n#\n\tb nodes=65536 address=255.255.255.255\r\n",
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
	free(text);
	return 0;
}
