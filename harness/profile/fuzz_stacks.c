/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz what "perf script" prints, and stacks of a run folder: each sample is counted once, in one stack and in one function;
 * the flame graph of it is one element. */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/profile/flame.h"
#include "harness/profile/stacks.h"
#include "lib/fuzz.h"

static const char *const seeds[] = {
	"rpc mgr 10568 \n\tffffffff8173b2d5 pidfs_add_pid ([kernel.kallsyms])\n\t  1098d9 clone3 (/usr/lib/libc.so.6)\n\n"
	"bckfl 7 \n\t 12 f(int, a;b) (/a b/c.so)\n\t 23 [unknown] (/usr/sbin/slurmctld)\n\t 12 f (x)\n\n",
	"a 1\n 1 b (c)\n 1 b (c)\n\na 1\n\na 1\n 1 d (c)\n\na-x 2\n 1 b ([unknown])\n",
	"b 1\nb;c 2\nb;c;d 3\na x;[f] 4\nnothing\n;; 1\n",
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

static void look_at_functions(const struct stacks *stacks)
{
	struct stack_function *functions;
	uint64_t self = 0, without = 0;
	size_t count;

	require(stacks_functions(stacks, &functions, &count, NULL) == 0);
	for (size_t i = 0; i < count; i++) {
		require(functions[i].self <= functions[i].total && functions[i].total <= stacks->samples);
		self += functions[i].self;
	}
	for (size_t i = 0; i < stacks->count; i++)
		without += strchr(stacks->list[i].text, ';') ? 0 : stacks->list[i].samples;
	require(self + without == stacks->samples);
	stacks_functions_free(functions, count);
}

static void look_at_picture(const struct stacks *stacks)
{
	char *picture = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&picture, &len);

	require(out != NULL);
	flame_print(stacks, "<&\">", out);
	require(fclose(out) == 0 && len > 7 && strlen(picture) == len && !strcmp(picture + len - 7, "</svg>\n"));
	free(picture);
}

/* The other reader, of what it prints: of what it took the same comes out again. */
static void look_at_lines(const char *text, size_t len)
{
	struct stacks stacks, again;
	char *printed = NULL;
	size_t printed_len = 0;
	FILE *out;

	require(stacks_read(text, len, &stacks, NULL) == 0);
	out = open_memstream(&printed, &printed_len);
	require(out != NULL);
	stacks_print(&stacks, out);
	require(fclose(out) == 0);
	require(stacks_read(printed, printed_len, &again, NULL) == 0);
	/* The samples of one stack may together be more than a line may have. */
	require(again.samples <= stacks.samples && again.count <= stacks.count);
	free(printed);
	look_at_functions(&stacks);
	look_at_picture(&stacks);
	stacks_clear(&stacks);
	stacks_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct stacks stacks;
	uint64_t samples = 0;

	require(text != NULL);
	memcpy(text, size ? data : (const uint8_t *) "", size);
	look_at_lines(text, size);
	require(stacks_parse(text, size, &stacks, NULL) == 0);
	free(text);
	for (size_t i = 0; i < stacks.count; i++) {
		samples += stacks.list[i].samples;
		for (const char *at = stacks.list[i].text; *at; at++)
			require((unsigned char) *at >= ' ');
	}
	require(samples == stacks.samples);
	look_at_functions(&stacks);
	look_at_picture(&stacks);
	stacks_clear(&stacks);
	return 0;
}
