/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cputime.h"

struct process {
	int parent, session;
	unsigned long long ticks;	/* of itself, and of the children it has waited for */
};

/* proc(5): the name, which may hold anything, ends at the last ')'; then the state, the parent, the process group and the session; the times
 * are fields 14 to 17. */
static bool process_read(const char *pid, struct process *p)
{
	char path[300], text[1024];
	unsigned long long user, system, child_user, child_system;
	const char *after;
	size_t len;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	in = fopen(path, "re");
	if (!in)
		return false;
	len = fread(text, 1, sizeof(text) - 1, in);
	fclose(in);
	text[len] = '\0';
	after = strrchr(text, ')');
	if (!after || sscanf(after + 1, " %*c %d %*d %d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu", &p->parent, &p->session, &user,
			     &system, &child_user, &child_system) != 6)
		return false;
	p->ticks = user + system + child_user + child_system;
	return true;
}

/* A batch script leads a process group, which a shell's own jobs leave, but no session: its session is that of slurmstepd, its parent,
 * which has no other task. */
double cputime_s(pid_t leader)
{
	char name[16];
	struct process first, p;
	unsigned long long ticks = 0;
	struct dirent *entry;
	DIR *dir;

	snprintf(name, sizeof(name), "%d", (int) leader);
	if (!process_read(name, &first))
		return 0;
	dir = opendir("/proc");
	if (!dir)
		return 0;
	snprintf(name, sizeof(name), "%d", first.parent);
	while ((entry = readdir(dir))) {
		if (isdigit((unsigned char) entry->d_name[0]) && strcmp(entry->d_name, name) && process_read(entry->d_name, &p) &&
		    p.session == first.session)
			ticks += p.ticks;
	}
	closedir(dir);
	return (double) ticks / (double) sysconf(_SC_CLK_TCK);
}
