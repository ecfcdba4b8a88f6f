/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fence.c - libwtfence.so: the functions by which a process reaches others or becomes another program (fence_rules.h). */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/fence/fence_rules.h"

#define FENCE_EXPORT __attribute__((visibility("default")))
#define PROGRAM_OF_NOTHING "/bin/true" /* clusterconf.c, MailProg */
/* The next definition of a wrapped function. */
#define NEXT(name) (next.f_##name)
#define NEXT_FIND(name) NEXT(name) = (__typeof__(&name)) dlsym(RTLD_NEXT, #name)

static struct {
	__typeof__(&connect) f_connect;
	__typeof__(&execve) f_execve;
	__typeof__(&execv) f_execv;
	__typeof__(&fexecve) f_fexecve;
} next;

/* Now: in the child of a process with threads dlsym () might wait for a lock that nobody holds any more. */
__attribute__((constructor)) static void next_find(void)
{
	NEXT_FIND(connect);
	NEXT_FIND(execve);
	NEXT_FIND(execv);
	NEXT_FIND(fexecve);
}

FENCE_EXPORT int connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	if (fence_lets_connect(addr, len, getenv(FENCE_PORTS_ENV)))
		return NEXT(connect)(fd, addr, len);
	errno = ENETUNREACH;
	return -1;
}

static bool file_allowed(const struct stat *file)
{
	struct stat self, nothing;
	bool has_self = stat("/proc/self/exe", &self) == 0, has_nothing = stat(PROGRAM_OF_NOTHING, &nothing) == 0;

	if (fence_lets_run(file, has_self ? &self : NULL, has_nothing ? &nothing : NULL))
		return true;
	errno = EACCES;
	return false;
}

static bool path_allowed(const char *path)
{
	struct stat file;

	return stat(path, &file) == 0 && file_allowed(&file);
}

FENCE_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	return path_allowed(path) ? NEXT(execve)(path, argv, envp) : -1;
}

FENCE_EXPORT int execv(const char *path, char *const argv[])
{
	return path_allowed(path) ? NEXT(execv)(path, argv) : -1;
}

/* A word without a slash would be looked for: here it is a file beside us, so nearly always none. */
FENCE_EXPORT int execvp(const char *file, char *const argv[])
{
	return path_allowed(file) ? NEXT(execv)(file, argv) : -1;
}

FENCE_EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	return path_allowed(file) ? NEXT(execve)(file, argv, envp) : -1;
}

FENCE_EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	struct stat file;

	return fstat(fd, &file) == 0 && file_allowed(&file) ? NEXT(fexecve)(fd, argv, envp) : -1;
}
