/* SPDX-License-Identifier: GPL-2.0-or-later */
/* participant_env.c - programs that a participant begins with another environment than its own (slurmstepd does so with the
 * job's) take part all the same. */
#define _GNU_SOURCE
#include "config.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "harness/clock/participant.h"

#define PRELOAD "LD_PRELOAD="
#define CLOCK WT_SHM_ENV "="

static char *clock_setting, *preload_setting;

void participant_env_init(const char *shm_path)
{
	Dl_info self;

	if (dladdr(&participant, &self) == 0 || !self.dli_fname)
		return;
	clock_setting = malloc(sizeof(CLOCK) + strlen(shm_path));
	preload_setting = malloc(sizeof(PRELOAD) + strlen(self.dli_fname));
	if (!clock_setting || !preload_setting)
		participant_die("out of memory");
	strcat(strcpy(clock_setting, CLOCK), shm_path);
	strcat(strcpy(preload_setting, PRELOAD), self.dli_fname);
}

static bool is_setting_of(const char *setting, const char *name)
{
	return strncmp(setting, name, strlen(name)) == 0;
}

/* A user that names a clock but does not preload the library wants it so. */
static bool lacks_clock(char *const envp[], size_t *count, const char **preload)
{
	*preload = NULL;
	for (*count = 0; envp && envp[*count]; ++*count) {
		if (is_setting_of(envp[*count], CLOCK))
			return false;
		if (is_setting_of(envp[*count], PRELOAD))
			*preload = envp[*count] + strlen(PRELOAD);
	}
	return preload_setting != NULL;
}

int participant_env_call(int (*call)(void *arg, char *const envp[]), void *arg, char *const envp[])
{
	const char *preload;
	size_t count, used = 0;

	if (!participant_attached() || !lacks_clock(envp, &count, &preload))
		return call(arg, envp);
	/* On the stack: this is the child of a process that may have had other threads. */
	char *env[count + 3], text[strlen(preload_setting) + (preload ? strlen(preload) : 0) + 2];

	strcpy(text, preload_setting);
	if (preload && *preload)
		strcat(strcat(text, ":"), preload);
	for (size_t i = 0; i < count; i++)
		if (!is_setting_of(envp[i], PRELOAD))
			env[used++] = envp[i];
	env[used++] = text;
	env[used++] = clock_setting;
	env[used] = NULL;
	return call(arg, env);
}
