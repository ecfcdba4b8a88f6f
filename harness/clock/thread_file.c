/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "surveyor_private.h"
#include "wt_procfs.h"

void wt_thread_file_close(struct wt_thread_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
	f->pid = f->tid = 0;
	f->zombie = f->letter_only = false;
}

static ssize_t read_once(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return -1;
	len = read(fd, text, size - 1);
	close(fd);
	if (len >= 0)
		text[len] = '\0';
	return len;
}

static enum wt_kernel_state look_at_letter(int32_t pid, int32_t tid)
{
	char path[64], text[1024], state;
	uint64_t start_time;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	if (read_once(path, text, sizeof(text)) < 0 || wt_procfs_parse_stat(text, &state, &start_time) < 0)
		return WT_KERNEL_GONE;
	return wt_procfs_classify_letter(state);
}

static bool open_file(struct wt_thread_file *f, int32_t pid, int32_t tid)
{
	char path[64];

	wt_thread_file_close(f);
	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", pid, tid);
	f->fd = open(path, O_RDONLY | O_CLOEXEC);
	f->pid = pid;
	f->tid = tid;
	return f->fd >= 0;
}

enum wt_kernel_state wt_thread_file_look(struct wt_thread_file *f, int32_t pid, int32_t tid)
{
	struct wt_kernel_call call;
	enum wt_kernel_state state;
	char text[256];
	ssize_t len;

	if (f->letter_only && f->tid == tid)
		return look_at_letter(pid, tid);
	if ((f->fd < 0 || f->tid != tid || f->pid != pid) && !open_file(f, pid, tid))
		return errno == ENOENT ? WT_KERNEL_GONE : look_at_letter(pid, tid);
	len = pread(f->fd, text, sizeof(text) - 1, 0);
	if (len < 0 && (errno == EPERM || errno == EACCES)) {
		f->letter_only = true;
		return look_at_letter(pid, tid);
	}
	if (len <= 0)
		return look_at_letter(pid, tid);
	text[len] = '\0';
	if (wt_procfs_parse_syscall(text, &call) < 0)
		return look_at_letter(pid, tid);
	state = wt_procfs_classify(&call);
	return state == WT_KERNEL_UNSURE ? look_at_letter(pid, tid) : state;
}

bool wt_process_is_dead(int32_t pid)
{
	enum wt_kernel_state state = look_at_letter(pid, pid);

	return state == WT_KERNEL_GONE || state == WT_KERNEL_ZOMBIE;
}
