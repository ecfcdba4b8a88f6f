/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wt_fuzz - run a fuzz target on files, or on inputs mutated from its seeds.
 *
 * Input number 'run' depends on the seed and 'run' only, so that one line repeats a failure.  There is no coverage
 * feedback (gcc has no engine for it): good seeds matter. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/fuzz.h"

#define INPUT_MAX 65536u
#define SEEDS_MAX 256u
#define HANG_S 20

#pragma weak wt_fuzz_seed
/* From the sanitizers' <sanitizer/common_interface_defs.h>; absent when compiled without them. */
void __sanitizer_set_death_callback(void (*callback)(void));
#pragma weak __sanitizer_set_death_callback

static const char *program;
static unsigned long long seed = 1, first = 0, run_now;
static uint8_t seeds[SEEDS_MAX][INPUT_MAX];
static size_t seed_len[SEEDS_MAX];
static unsigned int seed_count;
static uint8_t input[INPUT_MAX];

/* splitmix64, S. Vigna, public domain (https://prng.di.unimi.it/splitmix64.c) */
static uint64_t prng_state;
static uint64_t prng_next(void)
{
	uint64_t z = (prng_state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static size_t prng_below(size_t bound)
{
	return bound ? prng_next() % bound : 0;
}

static void death_report(void)
{
	char text[256];
	int len = snprintf(text, sizeof(text), "%s: failed; repeat with -seed=%llu -first=%llu -runs=1\n", program, seed,
			   run_now);

	if (write(STDERR_FILENO, text, len) < 0)
		_exit(99);
}

static void death_signal(int number)
{
	if (number == SIGALRM)
		fprintf(stderr, "%s: one input took more than %d s\n", program, HANG_S);
	death_report();
	signal(number, SIG_DFL);
	raise(number);
}

/* Overwrite 1, 2, 4 or 8 bytes with a number, high byte first, that lengths and counts trip over. */
static void mutate_number(size_t len)
{
	static const uint64_t odd[] = { 0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xfffffffe,
					0xffffffff, UINT64_MAX };
	size_t width = (size_t)1 << prng_below(4);
	uint64_t value = odd[prng_below(sizeof(odd) / sizeof(odd[0]))];

	if (len < width)
		return;
	for (size_t at = prng_below(len - width + 1), i = 0; i < width; i++)
		input[at + i] = value >> (8 * (width - 1 - i));
}

/* One random change of the first len bytes of 'input'; returns the new length. */
static size_t mutate(size_t len)
{
	size_t at = prng_below(len), count = 1 + prng_below(16), from;

	switch (prng_below(7)) {
	case 0:
		if (len)
			input[at] ^= 1u << prng_below(8);
		return len;
	case 1:
		if (len)
			input[at] = prng_next();
		return len;
	case 2:
		mutate_number(len);
		return len;
	case 3:				/* truncate */
		return at;
	case 4:				/* remove a piece */
		count = count < len - at ? count : len - at;
		memmove(input + at, input + at + count, len - at - count);
		return len - count;
	case 5:				/* insert noise */
		if (len + count > INPUT_MAX)
			return len;
		memmove(input + at + count, input + at, len - at);
		for (size_t i = 0; i < count; i++)
			input[at + i] = prng_next();
		return len + count;
	default:			/* copy a piece over another one */
		from = prng_below(len);
		count = count < len - (at > from ? at : from) ? count : len - (at > from ? at : from);
		memmove(input + at, input + from, count);
		return len;
	}
}

static void run_mutated(unsigned long long runs)
{
	for (run_now = first; run_now < first + runs; run_now++) {
		unsigned int base;
		size_t len;

		prng_state = seed ^ (run_now * 0xd1342543de82ef95u);
		base = prng_below(seed_count);
		len = seed_count ? seed_len[base] : prng_below(64);
		memcpy(input, seeds[base], len);
		for (size_t changes = prng_below(8); changes; changes--)	/* 0: the seed itself */
			len = mutate(len);
		alarm(HANG_S);
		/* An exact copy on the heap, so that the sanitizer sees a read beyond its end. */
		uint8_t *copy = malloc(len ? len : 1);
		if (!copy)
			abort();
		memcpy(copy, input, len);
		LLVMFuzzerTestOneInput(copy, len);
		free(copy);
	}
	alarm(0);
	printf("%s: %llu inputs from %u seeds, seed %llu: no failure\n", program, runs, seed_count, seed);
}

static int seed_file(const char *path)
{
	FILE *file = fopen(path, "rb");

	if (!file) {
		fprintf(stderr, "%s: %s: %s\n", program, path, strerror(errno));
		return -1;
	}
	seed_len[seed_count] = fread(seeds[seed_count], 1, INPUT_MAX, file);
	fclose(file);
	seed_count++;
	return 0;
}

static int number_option(const char *arg, const char *name, unsigned long long *value)
{
	size_t len = strlen(name);
	char *end;

	if (strncmp(arg, name, len))
		return 0;
	errno = 0;
	*value = strtoull(arg + len, &end, 10);
	return !errno && end != arg + len && !*end;
}

static int options_read(int argc, char **argv, unsigned long long *runs)
{
	for (int i = 1; i < argc; i++) {
		if (number_option(argv[i], "-runs=", runs) || number_option(argv[i], "-seed=", &seed) ||
		    number_option(argv[i], "-first=", &first))
			continue;
		if (argv[i][0] == '-' || seed_count == SEEDS_MAX) {
			fprintf(stderr, "Usage: %s [-runs=N] [-seed=N] [-first=N] [FILE]...\n", program);
			return -1;
		}
		if (seed_file(argv[i]) < 0)
			return -1;
	}
	return 0;
}

static void death_watch(void)
{
	static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

	signal(SIGALRM, death_signal);
	if (__sanitizer_set_death_callback) {
		__sanitizer_set_death_callback(death_report);
		return;
	}
	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
		signal(fatal[i], death_signal);
}

int main(int argc, char **argv)
{
	unsigned long long runs = 10000;

	program = argv[0];
	if (options_read(argc, argv, &runs) < 0)
		return 2;
	while (wt_fuzz_seed && seed_count < SEEDS_MAX &&
	       (seed_len[seed_count] = wt_fuzz_seed(seed_count, seeds[seed_count], INPUT_MAX)) > 0)
		seed_count++;
	death_watch();
	run_mutated(runs);
	return 0;
}
