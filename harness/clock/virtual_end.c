/* SPDX-License-Identifier: GPL-2.0-or-later */
/* virtual_end.c - the end of a clock: of those that still take part, of its coordinator, of its memory. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "harness/clock/clock_shm.h"
#include "lib/proc.h"
#include "harness/clock/virtual.h"

#define LOOK_US 2000
#define GRACE_US 1000000	/* to end by themselves, and after SIGTERM */
#define COORDINATOR_GRACE_MS 5000
#define SCANS 50		/* each finds what the processes found before had forked meanwhile */

struct process_search {
	const char *memory;
	pid_t coordinator;
};

/* What only a living one's memory says for sure; 0: it is none. */
static pid_t coordinator_of(const char *memory)
{
	int fd = wt_virtual_is_alive(memory) ? open(memory, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
	struct wt_shm *shm = MAP_FAILED;
	pid_t pid = 0;
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() && (size_t) st.st_size >= sizeof(*shm))
		shm = mmap(NULL, sizeof(*shm), PROT_READ, MAP_SHARED, fd, 0);
	if (shm != MAP_FAILED && wt_shm_check_header(shm, sizeof(*shm), NULL) == 0)
		pid = shm->coordinator_pid;
	if (shm != MAP_FAILED)
		munmap(shm, sizeof(*shm));
	if (fd >= 0)
		close(fd);
	return pid;
}

/* Has it the memory mapped?  The kernel says so, whatever the process says of itself; of others' processes only root is
 * told. */
static bool takes_part(pid_t pid, void *arg)
{
	const struct process_search *s = arg;
	size_t len = strlen(s->memory), room = 0;
	char path[64], *line = NULL;
	bool found = false;
	FILE *maps;

	if (pid == getpid() || pid == s->coordinator)
		return false;
	snprintf(path, sizeof(path), "/proc/%ld/maps", (long) pid);
	maps = fopen(path, "re");
	while (maps && !found && getline(&line, &room, maps) > 0) {
		char *name = strchr(line, '/');

		found = name && !strncmp(name, s->memory, len) &&
			(name[len] == '\n' || !strncmp(name + len, " (deleted)", 10));
	}
	free(line);
	if (maps)
		fclose(maps);
	return found;
}

/* Until all have ended that are in the list, or the grace is over. */
static void all_wait(const struct wt_proc *list, size_t count)
{
	int64_t end_us = wt_clock_wall_us() + GRACE_US;

	for (size_t i = 0; i < count; i++)
		while (wt_proc_alive(&list[i]) && wt_clock_wall_us() < end_us)
			wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + LOOK_US);
}

static void participants_end(struct process_search *s)
{
	struct wt_proc *list;
	size_t count = 1;

	for (int scan = 0; scan < SCANS && count > 0; scan++) {
		if (wt_proc_collect(takes_part, s, &list, &count, NULL) < 0)
			return;
		if (scan == 0)		/* mostly they are just ending */
			all_wait(list, count);
		for (size_t i = 0; scan <= 1 && i < count; i++)
			wt_proc_signal(&list[i], SIGTERM);
		if (scan <= 1)
			all_wait(list, count);
		for (size_t i = 0; i < count; i++)
			wt_proc_end(&list[i], 0, NULL);
		free(list);
	}
}

/* A clock at the machine's rate lets them end in good order, and our own waits pass. */
static void others_end(const char *memory, struct wt_proc *coordinator)
{
	struct process_search s = { .memory = memory, .coordinator = coordinator->pid };

	wt_proc_signal(coordinator, SIGUSR1);
	participants_end(&s);
}

void wt_virtual_clean(const char *memory)
{
	struct wt_proc coordinator = { 0 };

	const char *own = wt_virtual_memory();

	if (strncmp(memory, WT_VIRTUAL_PREFIX, strlen(WT_VIRTUAL_PREFIX)) != 0 || (own && !strcmp(own, memory)))
		return;
	if (wt_proc_identify(coordinator_of(memory), &coordinator, NULL) == 0) {
		others_end(memory, &coordinator);
		wt_proc_end(&coordinator, COORDINATOR_GRACE_MS, NULL);
	}
	if (!wt_virtual_is_alive(memory))
		wt_virtual_remove(memory);
}

void wt_virtual_finish(void)
{
	const char *memory = wt_virtual_memory();
	struct wt_proc coordinator = { 0 };
	siginfo_t info;
	pid_t pid = memory ? coordinator_of(memory) : 0;

	/* The process that has entered it by wt_virtual_enter () is its parent. */
	if (pid <= 0 || waitid(P_PID, (id_t) pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
	    wt_proc_identify(pid, &coordinator, NULL) < 0)
		return;
	others_end(memory, &coordinator);
	/* From here on this process may not wait for any time: there will be none. */
	wt_proc_signal(&coordinator, SIGTERM);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	wt_virtual_remove(memory);
}
