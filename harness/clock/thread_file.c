/* SPDX-License-Identifier: GPL-2.0-or-later */
/* thread_file.c - what the kernel says of one thread, from files of /proc that are held open.
 *
 * "syscall" says that a thread is off its run queue, and in which call; it costs 0.7 us.  It says so, too, of one that has
 * just been woken from another CPU and is not yet on that CPU's run queue (TASK_WAKING; in a virtual machine for as long as
 * an interrupt between CPUs takes).  "stat" shows that one as R, but its S is no proof, for it is also shown by a thread
 * that is about to block; and it costs four times as much.  So a first look reads "syscall", and where all is quiet a second
 * one confirms it by "stat". */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "harness/clock/surveyor_private.h"
#include "harness/clock/futex.h"
#include "harness/clock/procfs.h"

void wt_thread_file_init(struct wt_thread_file *f, int32_t pid, int32_t tid, bool kernel)
{
	*f = (struct wt_thread_file) { .fd = -1, .letter_fd = -1, .pid = pid, .tid = tid, .kernel = kernel };
}

void wt_thread_file_close(struct wt_thread_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->letter_fd >= 0)
		close(f->letter_fd);
	f->fd = f->letter_fd = -1;
	f->pid = f->tid = 0;
	f->zombie = f->letter_only = f->confirmed = f->own_word = false;
	f->settled = (struct wt_settled) { 0 };
}

static int file_open(const struct wt_thread_file *f, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", f->pid, f->tid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static enum wt_kernel_state letter_read(int fd)
{
	char text[1024], state;
	uint64_t start_time;
	ssize_t len = pread(fd, text, sizeof(text) - 1, 0);

	if (len <= 0)
		return WT_KERNEL_GONE;
	text[len] = '\0';
	return wt_procfs_parse_stat(text, &state, &start_time) < 0 ? WT_KERNEL_GONE : wt_procfs_classify_letter(state);
}

static enum wt_kernel_state look_at_letter(struct wt_thread_file *f)
{
	if (f->letter_fd < 0)
		f->letter_fd = file_open(f, "stat");
	return f->letter_fd < 0 ? WT_KERNEL_GONE : letter_read(f->letter_fd);
}

/* Anew for thread 'tid', unless the file is that one's already. */
static bool open_for(struct wt_thread_file *f, int32_t pid, int32_t tid)
{
	if (f->tid == tid && f->pid == pid && f->fd >= 0)
		return true;
	wt_thread_file_close(f);
	f->pid = pid;
	f->tid = tid;
	f->fd = file_open(f, "syscall");
	return f->fd >= 0;
}

/* From the text of "syscall"; UNSURE: only the letter tells. */
static enum wt_kernel_state classify(struct wt_thread_file *f, const char *text)
{
	struct wt_kernel_call call;

	if (f->kernel)	/* has no call */
		return strncmp(text, "running", 7) ? WT_KERNEL_BLOCKED : WT_KERNEL_BUSY;
	if (wt_procfs_parse_syscall(text, &call) < 0)
		return WT_KERNEL_UNSURE;
	f->own_word = call.number == SYS_futex && (call.args[1] & FUTEX_PRIVATE_FLAG);
	return wt_procfs_classify(&call);
}

enum wt_kernel_state wt_thread_file_look(struct wt_thread_file *f, int32_t pid, int32_t tid)
{
	enum wt_kernel_state state;
	char text[256];
	ssize_t len;

	f->confirmed = true;
	if (f->letter_only && f->tid == tid)
		return look_at_letter(f);
	if (!open_for(f, pid, tid))
		return errno == ENOENT ? WT_KERNEL_GONE : look_at_letter(f);
	len = pread(f->fd, text, sizeof(text) - 1, 0);
	if (len < 0 && (errno == EPERM || errno == EACCES))
		f->letter_only = true;
	if (len <= 0)
		return look_at_letter(f);
	text[len] = '\0';
	state = classify(f, text);
	if (state == WT_KERNEL_UNSURE)
		return look_at_letter(f);
	/* ksoftirqd is woken by its own CPU only: straight onto the run queue. */
	f->confirmed = f->kernel || state == WT_KERNEL_BUSY;
	return state;
}

bool wt_thread_file_confirm(struct wt_thread_file *f)
{
	if (f->confirmed)
		return true;
	f->confirmed = look_at_letter(f) == WT_KERNEL_BLOCKED;
	return f->confirmed;
}

enum wt_kernel_state wt_process_look(int32_t pid)
{
	struct wt_thread_file f;
	enum wt_kernel_state state;

	wt_thread_file_init(&f, pid, pid, false);
	state = look_at_letter(&f);
	wt_thread_file_close(&f);
	return state;
}

bool wt_process_is_over(int32_t pid)
{
	char path[32];
	struct stat st;

	if (!wt_process_is_dead(pid))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	return stat(path, &st) < 0 || st.st_nlink <= 3;
}

bool wt_process_is_dead(int32_t pid)
{
	enum wt_kernel_state state = wt_process_look(pid);

	return state == WT_KERNEL_GONE || state == WT_KERNEL_ZOMBIE;
}
