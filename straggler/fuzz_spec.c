/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Foreign state files; what is read is written and read again the same.  And what users may ask for. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fuzz.h"
#include "straggler/spec.h"

static struct wt_spec *fresh(void)
{
	struct wt_spec_options options = wt_spec_defaults();

	return wt_spec_create(&options, NULL);
}

static char *saved(struct wt_spec *s, size_t *len)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, len);

	wt_spec_save(s, out);
	fclose(out);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_spec *s = fresh(), *again = fresh();
	struct wt_spec_policy policy = wt_spec_defaults().policy;
	char word[64] = "";

	if (wt_spec_load(s, (const char *) data, size, NULL) == 0) {
		size_t len;
		char *text = saved(s, &len);

		if (wt_spec_check(s, NULL) < 0 || wt_spec_load(again, text, len, NULL) < 0)
			abort();
		free(text);
	}
	memcpy(word, data, size < sizeof(word) - 1 ? size : sizeof(word) - 1);
	if (wt_spec_policy_parse(word, &policy, NULL) == 0 &&
	    !(policy.copies <= 8 && policy.share >= 0 && policy.share <= 1 && policy.z >= 0 && policy.cpu_s >= 0))
		abort();
	wt_spec_destroy(s);
	wt_spec_destroy(again);
	return 0;
}

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	static const char *const seeds[] = {
		"windtunnel-straggler 3\ntask 7 3 1000 1 9 0 5af 1 9\nattempt 8 1 0\nattempt 9 2 0\ntask 7 4 1000 0 10 2 0 "
		"0 0\nend 4\ntask 7 3 1000 1 9 0 5af 1 9\nend 1\n",
		"windtunnel-straggler 4\ntask 7 3 1000 1 9 0 5af 0 0 3 ff\nattempt 8 1 0 5a0 2\nattempt 9 2 0 0 0\nend 3\n",
		"windtunnel-straggler 5\ntask 7 3 1000 1 9 0 5af 0 0 0 ff\nheld 1 3 ff\nattempt 8 1 0 5a0 2\n"
		"attempt 9 2 0 0 0\nend 4\n",
		"windtunnel-straggler 3\nend 0\n", "copies=2,share=0.5,z=1", "on",
	};

	if (index >= sizeof(seeds) / sizeof(seeds[0]) || strlen(seeds[index]) > size)
		return 0;
	memcpy(buf, seeds[index], strlen(seeds[index]));
	return strlen(seeds[index]);
}
