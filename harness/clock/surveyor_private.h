/* surveyor_private.h - parts of the surveyor: files of /proc held open, and watched helpers. */
#ifndef WT_SURVEYOR_PRIVATE_H
#define WT_SURVEYOR_PRIVATE_H

#include <time.h>

#include "wt_surveyor.h"

/* A held file keeps meaning the thread that it was opened for, even when the tid has been given to another one. */
struct wt_thread_file {
	int fd;			/* of /proc/PID/task/TID/syscall; -1: none */
	int32_t pid, tid;
	uint64_t owner;		/* of the slot, when the file was opened for a thread in one */
	bool zombie;
	bool letter_only;	/* the kernel does not let us read "syscall" */
};

void wt_thread_file_close(struct wt_thread_file *f);

/* What the kernel says of the thread now; opens the file when need be. */
enum wt_kernel_state wt_thread_file_look(struct wt_thread_file *f, int32_t pid, int32_t tid);

/* Ended, or a zombie. */
bool wt_process_is_dead(int32_t pid);

#define WT_HELPER_THREADS_MAX 256

struct wt_helper_thread {
	struct wt_thread_file file;
	bool kernel;		/* of the kernel: only its state letter is to be had */
};

struct wt_helpers {
	struct wt_helper_thread threads[WT_HELPER_THREADS_MAX];
	int count;
	int32_t pids[16];
	int pids_count;
	int64_t listed_ns;	/* when the threads were last listed, on CLOCK_MONOTONIC */
};

int wt_helpers_add(struct wt_helpers *h, pid_t pid, struct wt_error *errp);
void wt_helpers_add_kernel(struct wt_helpers *h);
void wt_helpers_clear(struct wt_helpers *h);
int64_t wt_helpers_cpu_ns(struct wt_helpers *h);
bool wt_helpers_busy(struct wt_helpers *h);

/* Asking for a process' clock costs as much as reading it. */
struct wt_process_clock {
	int32_t pid;
	clockid_t clock;
};

struct wt_surveyor {
	struct wt_process_clock clocks[WT_SHM_PROCESSES_MAX];
	struct wt_shm *shm;
	struct wt_thread_file threads[WT_SHM_THREADS_MAX];
	struct wt_helpers helpers;
	uint32_t hot, sleepy;
	uint64_t hot_reads;
	int64_t hot_since_ns;
	uint32_t processes;
};

#endif
