/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cputime.h"

/* proc(5): the name, which may hold anything, ends at the last ')'; session is field 6, the times are fields 14 to 17. */
static unsigned long long ticks_of(const char *pid, pid_t leader)
{
	char path[300], text[1024];
	unsigned long long user, system, child_user, child_system;
	const char *after;
	int session;
	size_t len;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	in = fopen(path, "re");
	if (!in)
		return 0;
	len = fread(text, 1, sizeof(text) - 1, in);
	fclose(in);
	text[len] = '\0';
	after = strrchr(text, ')');
	if (!after || sscanf(after + 1, " %*c %*d %*d %d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu", &session, &user, &system,
			     &child_user, &child_system) != 5 || session != leader)
		return 0;
	return user + system + child_user + child_system;
}

double cputime_s(pid_t leader)
{
	DIR *dir = opendir("/proc");
	unsigned long long ticks = 0;
	struct dirent *entry;

	if (!dir)
		return 0;
	while ((entry = readdir(dir))) {
		if (isdigit((unsigned char) entry->d_name[0]))
			ticks += ticks_of(entry->d_name, leader);
	}
	closedir(dir);
	return (double) ticks / (double) sysconf(_SC_CLK_TCK);
}
