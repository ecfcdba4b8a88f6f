/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wrap_process.c - functions that make threads and processes: each is known to the coordinator before it can run. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/clock/participant.h"

struct thread_start {
	void *(*run)(void *);
	void *arg;
	struct wt_shm_thread *slot;
	uint64_t order;
};

static void *run_thread(void *arg)
{
	struct thread_start start = *(struct thread_start *) arg;

	free(arg);
	participant_thread_start(start.slot);
	participant_take_turn(start.order);
	return start.run(start.arg);
}

WT_EXPORT int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attr, void *(*run)(void *),
			     void *restrict arg)
{
	struct wt_shm_thread *slot;
	struct thread_start *start;
	uint64_t owner;
	int rc;

	if (!participant_attached())
		return REAL(pthread_create) (thread, attr, run, arg);
	start = malloc(sizeof(*start));
	if (!start)
		return EAGAIN;
	/* The slot is claimed by the parent: from now on the clock waits for the new thread, before it exists. */
	slot = participant_thread_prepare();
	owner = atomic_load(&slot->owner);
	*start = (struct thread_start) { run, arg, slot, participant_order_next() };
	rc = REAL(pthread_create) (thread, attr, run_thread, start);
	if (rc == 0) {
		participant_thread_known(slot, owner, *thread);
	} else {
		wt_shm_free_thread(participant.shm, slot - participant.shm->threads, owner);
		free(start);
	}
	return rc;
}

WT_EXPORT pid_t fork(void)
{
	struct participant_child child;
	pid_t pid;
	int saved;

	if (!participant_attached())
		return REAL(fork) ();
	participant_child_prepare(&child);
	pid = REAL(fork) ();
	/* What follows makes system calls of its own. */
	saved = errno;
	if (pid == 0)
		participant_child_start(&child);
	else if (pid > 0)
		participant_child_known(&child, pid);
	else
		participant_child_failed(&child);
	errno = saved;
	return pid;
}

/* A function that returns twice into the same frame cannot be wrapped; fork () keeps all that vfork () promises. */
WT_EXPORT pid_t vfork(void)
{
	return fork();
}

typedef int spawn_function(pid_t *restrict, const char *restrict, const posix_spawn_file_actions_t *restrict,
			   const posix_spawnattr_t *restrict, char *const[restrict], char *const[restrict]);

struct spawn {
	spawn_function *real;
	pid_t *pid;
	const char *path;
	const posix_spawn_file_actions_t *actions;
	const posix_spawnattr_t *attr;
	char *const *argv;
};

static int spawn_call(void *arg, char *const envp[])
{
	const struct spawn *s = arg;

	return s->real(s->pid, s->path, s->actions, s->attr, s->argv, envp);
}

static int spawn_known(spawn_function *real, pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		       const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	pid_t own;
	struct spawn s = { real, &own, path, actions, attr, argv };
	int rc;

	if (!participant_attached())
		return real(pid, path, actions, attr, argv, envp);
	rc = participant_env_call(spawn_call, &s, envp);
	if (rc)
		return rc;
	participant_program_known(own);
	if (pid)
		*pid = own;
	return 0;
}

WT_EXPORT int posix_spawn(pid_t *restrict pid, const char *restrict path,
			  const posix_spawn_file_actions_t *restrict actions, const posix_spawnattr_t *restrict attr,
			  char *const argv[restrict], char *const envp[restrict])
{
	return spawn_known(REAL(posix_spawn), pid, path, actions, attr, argv, envp);
}

WT_EXPORT int posix_spawnp(pid_t *restrict pid, const char *restrict file,
			   const posix_spawn_file_actions_t *restrict actions, const posix_spawnattr_t *restrict attr,
			   char *const argv[restrict], char *const envp[restrict])
{
	return spawn_known(REAL(posix_spawnp), pid, file, actions, attr, argv, envp);
}

static _Atomic uint32_t *own_spawns(void)
{
	return &participant.shm->processes[participant.process].spawns;
}

WT_EXPORT int system(const char *command)
{
	int rc;

	if (!participant_attached() || !command)
		return REAL(system) (command);
	/* Counted down by the program when it attaches: the clock stands until then. */
	atomic_fetch_add(own_spawns(), 1);
	rc = REAL(system) (command);
	return rc;
}

WT_EXPORT FILE *popen(const char *command, const char *type)
{
	FILE *f;

	if (!participant_attached())
		return REAL(popen) (command, type);
	atomic_fetch_add(own_spawns(), 1);
	f = REAL(popen) (command, type);
	if (!f)
		atomic_fetch_sub(own_spawns(), 1);
	return f;
}

/* From here until its new program attaches, the process is a stranger. */
static void leave_program(void)
{
	if (!participant_attached())
		return;
	participant_stir_begin();	/* all other threads end */
	/* Files that are closed by exec wake their readers; describe_process () counts that for the other kinds, before any
	 * quiet. */
	participant_send();
	atomic_store(&participant.shm->processes[participant.process].state, WT_PROCESS_EXEC);
}

static int stay_in_program(void)
{
	if (participant_attached())
		atomic_store(&participant.shm->processes[participant.process].state, WT_PROCESS_ATTACHED);
	participant_stir_end(0);
	return -1;
}

struct program {
	const char *file;	/* NULL: 'fd' is it */
	bool search;
	int fd;
	char *const *argv;
};

static int exec_call(void *arg, char *const envp[])
{
	const struct program *p = arg;

	if (!p->file)
		return REAL(fexecve) (p->fd, p->argv, envp);
	return p->search ? REAL(execvpe) (p->file, p->argv, envp) : REAL(execve) (p->file, p->argv, envp);
}

static int become(struct program program, char *const envp[])
{
	leave_program();
	participant_env_call(exec_call, &program, envp);
	return stay_in_program();
}

WT_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	return become((struct program) { .file = path, .argv = argv }, envp);
}

WT_EXPORT int execv(const char *path, char *const argv[])
{
	return become((struct program) { .file = path, .argv = argv }, environ);
}

WT_EXPORT int execvp(const char *file, char *const argv[])
{
	return become((struct program) { .file = file, .search = true, .argv = argv }, environ);
}

WT_EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	return become((struct program) { .file = file, .search = true, .argv = argv }, envp);
}

WT_EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	return become((struct program) { .fd = fd, .argv = argv }, envp);
}

/* The argument list of execl () and its kin, up to and with the NULL; *after is what follows it (the environment). */
#define GATHER(argv, first, ap) \
	size_t argc = 1; \
	va_list count_ap; \
	va_start(count_ap, first); \
	while (va_arg(count_ap, const char *)) \
		argc++; \
	va_end(count_ap); \
	char *argv[argc + 1]; \
	argv[0] = (char *) first; \
	va_start(ap, first); \
	for (size_t i = 1; i <= argc; i++) \
		argv[i] = va_arg(ap, char *)

WT_EXPORT int execl(const char *path, const char *arg, ...)
{
	va_list ap;
	GATHER(argv, arg, ap);

	va_end(ap);
	return execv(path, argv);
}

WT_EXPORT int execlp(const char *file, const char *arg, ...)
{
	va_list ap;
	GATHER(argv, arg, ap);

	va_end(ap);
	return execvp(file, argv);
}

WT_EXPORT int execle(const char *path, const char *arg, ...)
{
	char *const *envp;
	va_list ap;
	GATHER(argv, arg, ap);

	envp = va_arg(ap, char *const *);
	va_end(ap);
	return execve(path, argv, envp);
}
