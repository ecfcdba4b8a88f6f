/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugins/straggler/agent/cputime.h"

struct process {
	int pid, parent, session;
	unsigned long long ticks;	/* of itself, and of the children it has waited for */
};

struct cputimes {
	struct process *list;
	size_t count, room;
};

/* proc(5): the name, which may hold anything, ends at the last ')'; then the state, the parent, the process group and the
 * session; the times are fields 14 to 17. */
static bool process_read(int proc, const char *pid, struct process *p)
{
	char path[300], text[1024];
	unsigned long long user, system, child_user, child_system;
	const char *after;
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "%s/stat", pid);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	/* The last one: a program may call itself "x) S 1". */
	after = strrchr(text, ')');
	if (!after || sscanf(after + 1, " %*c %d %*d %d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu", &p->parent,
			     &p->session, &user,
			     &system, &child_user, &child_system) != 6)
		return false;
	p->pid = atoi(pid);
	p->ticks = user + system + child_user + child_system;
	return true;
}

static bool process_add(struct cputimes *c, const struct process *p)
{
	if (c->count == c->room) {
		size_t room = c->room ? 2 * c->room : 256;
		struct process *bigger = realloc(c->list, room * sizeof(*bigger));

		if (!bigger)
			return false;
		c->list = bigger;
		c->room = room;
	}
	c->list[c->count++] = *p;
	return true;
}

struct cputimes *cputimes_read(void)
{
	struct cputimes *c = calloc(1, sizeof(*c));
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	bool whole = c && dir;
	struct process p;

	while (whole && (entry = readdir(dir))) {
		if (isdigit((unsigned char) entry->d_name[0]) && process_read(dirfd(dir), entry->d_name, &p))
			whole = process_add(c, &p);
	}
	if (dir)
		closedir(dir);
	if (whole)
		return c;
	cputimes_free(c);
	return NULL;
}

void cputimes_free(struct cputimes *c)
{
	if (c)
		free(c->list);
	free(c);
}

/* A batch script leads a process group, which a shell's own jobs leave, but no session: its session is that of slurmstepd,
 * its parent, which has no other task. */
double cputime_s(const struct cputimes *c, pid_t leader)
{
	const struct process *first = NULL;
	unsigned long long ticks = 0;

	for (size_t i = 0; c && i < c->count && !first; i++) {
		if (c->list[i].pid == leader)
			first = &c->list[i];
	}
	for (size_t i = 0; first && i < c->count; i++) {
		if (c->list[i].session == first->session && c->list[i].pid != first->parent)
			ticks += c->list[i].ticks;
	}
	return (double) ticks / (double) sysconf(_SC_CLK_TCK);
}
