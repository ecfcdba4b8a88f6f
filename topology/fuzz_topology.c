/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz the readers of topology.conf and of host lists: what is read must pass every check and be read back the same. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "lib/fuzz.h"
#include "topology/hostlist.h"
#include "topology/tree.h"

static const char *const seeds[] = {
	"SwitchName=a Nodes=n[0-17,40],m3 LinkSpeed=4\nSwitchName=b Nodes=k[007-011]\nSwitchName=r Switches=a,b\n",
	"# c\nswitchname = s0 nodes=\"dev[0-5]\" \\\n LinkSpeed=1\nSwitchName=s1 Nodes=r[0-1]n[0-3]\nSwitchName=s2 "
	"Switches=s[0-1]",
	"n[0-17,40],m3,r[0-3]n[00-07]-ib",
	"a[1-3]b[01,05-07],c",
};

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	size_t len = index < sizeof(seeds) / sizeof(seeds[0]) ? strlen(seeds[index]) : 0;

	if (len > size)
		len = size;
	memcpy(buf, len ? seeds[index] : "", len);
	return len;
}

static void tree_try(const char *data, size_t size)
{
	struct wt_tree *t = wt_tree_parse(data, size, NULL), *again;
	char *text, *second;

	if (!t)
		return;
	text = wt_tree_format(t, NULL);
	if (!text || wt_tree_check(t, NULL) < 0)
		abort();
	again = wt_tree_parse(text, strlen(text), NULL);
	second = again ? wt_tree_format(again, NULL) : NULL;
	if (!second || strcmp(text, second) || wt_tree_nodes(t) != wt_tree_nodes(again))
		abort();
	free(text);
	free(second);
	wt_tree_destroy(t);
	wt_tree_destroy(again);
}

static void hostlist_try(const char *data, size_t size)
{
	struct wt_hostlist *hl = wt_hostlist_parse(data, size, 5000, NULL), *again;
	const char *names[5000];
	char *text;

	if (!hl)
		return;
	if (wt_hostlist_count(hl) > 5000)
		abort();
	for (size_t i = 0; i < wt_hostlist_count(hl); i++)
		names[i] = wt_hostlist_name(hl, i);
	text = wt_hostlist_format(names, wt_hostlist_count(hl), NULL);
	again = text ? wt_hostlist_parse(text, strlen(text), 5000, NULL) : NULL;
	if (!again || wt_hostlist_count(again) != wt_hostlist_count(hl))
		abort();
	for (size_t i = 0; i < wt_hostlist_count(hl); i++)
		if (strcmp(names[i], wt_hostlist_name(again, i)))
			abort();
	free(text);
	wt_hostlist_destroy(hl);
	wt_hostlist_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	tree_try((const char *) data, size);
	hostlist_try((const char *) data, size);
	return 0;
}
