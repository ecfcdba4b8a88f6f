/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz a site's accounts: whatever the file was, what sacctmgr is given are lines that begin with a command that is taken,
 * or load a dump from the cluster's own folder. */
#include "config.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/cluster/conf/accounts.h"
#include "lib/fuzz.h"

#define LOAD "load file=dump-"

static const char *const seeds[] = {
	"sacctmgr -i add account 'a b' cluster=x \\\n"
	"org=\"y\"\nmod user u set qos+=z\n# c\nadd cluster Name=x Fairshare=1\n",
	"# To edit\nCluster - 'lab':Fairshare=1:QOS='normal,high'\nParent - 'root'\n"
	"User - 'u':DefaultQOS='low':QOS='+high'\n",
	"Name|Priority|GraceTime|Preempt|PreemptMode|Flags|GrpTRES\n"
	"normal|0|00:00:00||cluster||\nhigh|1|1-00:01:30|normal|||cpu=4\n",
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

static void line_check(const char *line)
{
	static const char *const begins[] = { "add", "cre", "mod", "del", "rem", "lis", "sho" };
	bool known = !strncmp(line, LOAD, strlen(LOAD));

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		known = known || !strncasecmp(line, begins[i], 3);
	require(known);
	require(strcasecmp(line, "delete cluster") && strncasecmp(line, "delete cluster ", strlen("delete cluster ")));
	for (; *line; line++)
		require(!iscntrl((unsigned char) *line));
}

/* It may be what sacctmgr has said, too: a complaint is a part of the line. */
static void complaint_check(const char *text)
{
	const char *complaint = wt_accounts_complaint(text);

	require(!complaint || (*complaint && complaint >= text && complaint <= text + strlen(text)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_accounts a = { .cluster = "c" };
	char *text = calloc(1, size + 1), *rest, *line;

	require(text);
	memcpy(text, data, size);
	if (wt_accounts_add(&a, "f", text, size, NULL) == 0) {
		require(strlen(text) == size);
		for (rest = a.commands.text; rest && *rest && (line = strsep(&rest, "\n"));)
			line_check(line);
	}
	wt_accounts_clear(&a);
	complaint_check(text);
	free(text);
	return 0;
}
