/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz what sshare has printed: whatever it was, a cluster takes what comes of it. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "harness/cluster/conf/usage_state.h"
#include "harness/site/site_usage.h"
#include "lib/fuzz.h"

static const char *const seeds[] = {
	"Account|User|RawShares|NormShares|RawUsage|FairShare\nroot|||0.0|1000|\n"
	" root|root|1|1.0|0|1.0\n phys|ann|1|0.5|600|1\n",
	"RawUsage|User|Account\r\n1e300|a,b|\"x\n12|a,b|\"x\n",
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
	char *text = strndup((const char *) data, size), *written = NULL;
	struct wt_site_usage u = { 0 };
	struct wt_error err = { "" };
	size_t len = 0;
	FILE *out = open_memstream(&written, &len);

	if (!text || !out || wt_site_usage_init(&u, &err) < 0)
		abort();
	if (wt_site_usage_read(&u, "fuzz", text, &err) == 0) {
		if (wt_site_usage_write(out, &u, &err) < 0 || fflush(out) != 0 ||
		    wt_usage_check("again", written, len, &err) < 0) {
			fprintf(stderr, "%s\n%s\n", err.text, written);
			abort();
		}
	}
	fclose(out);
	wt_site_usage_clear(&u);
	free(written);
	free(text);
	return 0;
}
