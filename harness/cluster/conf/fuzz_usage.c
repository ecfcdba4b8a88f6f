/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz usage.csv of a site's folder: what is taken makes a state file. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "harness/cluster/conf/usage_state.h"
#include "lib/fuzz.h"

static const char *const seeds[] = {
	"account,user,raw_usage\nphys,ann,90\nopt,\"b,b\",7\n",
	"account,user,raw_usage\r\nphys,ann,1000000000000000000\r\n",
};

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	size_t len = index < sizeof(seeds) / sizeof(seeds[0]) ? strlen(seeds[index]) : 0;

	if (len > size)
		return 0;
	memcpy(buf, len ? seeds[index] : "", len);
	return len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1);
	struct wt_usage_state state = { 0 };
	struct wt_error err;

	if (!text)
		abort();
	memcpy(text, data, size);
	if (wt_usage_check("fuzz", text, size, &err) == 0 &&
	    (wt_usage_state_make(&state, text, "1|phys|ann|\n2|opt|b,b|x\n", 9728, 0, &err) < 0 ||
	     state.taken > state.given))
		abort();
	wt_usage_state_make(&state, "account,user,raw_usage\nphys,ann,1\n", text, 9728, 0, &err);
	wt_usage_state_clear(&state);
	free(text);
	return 0;
}
