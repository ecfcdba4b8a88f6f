/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "straggler/protocol/straggler_conf.h"
#include "lib/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct straggler_conf conf;

	if (straggler_conf_parse(&conf, (const char *) data, size, "f", NULL) == 0 &&
	    (conf.port < 1 || conf.port > 65535 || !conf.controller[0] || !memchr(conf.controller, '\0',
										  sizeof(conf.controller)) ||
	     conf.spec.silence_s < 3 * conf.spec.window_s))
		abort();
	return 0;
}

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	static const char *const seeds[] = { "Controller=a\nPort=1\n",
					     "# x\nWindow=2\nSilence=6\nController=b\nPort=7\nEnabled=no" };

	if (index >= 2 || strlen(seeds[index]) > size)
		return 0;
	memcpy(buf, seeds[index], strlen(seeds[index]));
	return strlen(seeds[index]);
}
