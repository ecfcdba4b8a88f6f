/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz a site's accounts: what becomes of them is taken by "cluster up --sacctmgr", and by no shell. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "harness/cluster/conf/accounts.h"
#include "harness/site/account_commands.h"
#include "lib/fuzz.h"

static const char *const seeds[] = {
	"# To edit\nCluster - 'lab':Fairshare=1:QOS='normal,high'\nParent - 'root'\n"
	"User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1:QOS='+low'\n"
	"Account - 'a':Description='a: b; c':Organization='o':GrpTRES=cpu=3\nParent - 'a'\n"
	"User - 'u':Partition='p':DefaultAccount='a':Coordinator='a,b':WCKeys='w':MaxJobs=3\n",
	"sacctmgr -i add account 'a b' cluster=x org=\"y; z\"\nmod user u set qos+=z\nadd cluster Name=x Fairshare=1\n"
	"add user u,v account=a,b DefaultAccount=a\n",
	"Name|Priority|GraceTime|GrpTRES\nnormal|0|00:00:00|\nhigh|1|1-00:01:30|cpu=4\n",
};

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	size_t len = index < sizeof(seeds) / sizeof(seeds[0]) ? strlen(seeds[index]) : 0;

	if (len > size)
		return 0;
	memcpy(buf, len ? seeds[index] : "", len);
	return len;
}

static void taken_check(const char *text)
{
	struct wt_accounts a = { .cluster = "c" };
	struct wt_error err = { "" };

	if (wt_accounts_add(&a, "again", text, strlen(text), &err) < 0) {
		fprintf(stderr, "%s\n%s\n", err.text, text);
		abort();
	}
	wt_accounts_clear(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct wt_aliases aliases = { .key = { 7 } };
	char *text = calloc(1, size + 1);

	if (!text)
		abort();
	memcpy(text, data, size);
	for (int hidden = 0; hidden < 2; hidden++) {
		struct wt_people people = { 0 };
		struct wt_account_commands c = { .cluster = "c", .people = &people, .aliases = hidden ? &aliases : NULL };
		struct wt_error err;

		if (wt_people_init(&people, &err) < 0)
			abort();
		if (wt_account_commands_add(&c, "fuzz", text, size, &err) == 0 && c.text.len)
			taken_check(c.text.text);
		wt_account_commands_clear(&c);
		wt_people_clear(&people);
	}
	free(text);
	return 0;
}
