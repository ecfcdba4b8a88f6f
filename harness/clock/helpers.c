/* SPDX-License-Identifier: GPL-2.0-or-later */
/* helpers.c - processes that live in real time and serve the experiment's: munged, and the kernel's ksoftirqd. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/clock/surveyor_private.h"

#define LIST_EVERY_NS 1000000000LL	/* munged makes its threads at its start */

static void add_thread(struct wt_helpers *h, int32_t pid, int32_t tid, bool kernel)
{
	if (h->count == h->size) {
		int size = h->size ? 2 * h->size : 64;
		struct wt_thread_file *more = reallocarray(h->threads, (size_t) size, sizeof(*more));

		if (!more) {
			h->missed = true;
			return;
		}
		h->threads = more;
		h->size = size;
	}
	wt_thread_file_init(&h->threads[h->count++], pid, tid, kernel);
}

static void list_threads(struct wt_helpers *h, int32_t pid)
{
	char path[32];
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return;
	while ((e = readdir(dir)))
		if (e->d_name[0] != '.')
			add_thread(h, pid, atoi(e->d_name), false);
	closedir(dir);
}

static void drop_threads(struct wt_helpers *h)
{
	int kept = 0;

	for (int i = 0; i < h->count; i++) {
		if (h->threads[i].kernel)
			h->threads[kept++] = h->threads[i];
		else
			wt_thread_file_close(&h->threads[i]);
	}
	h->count = kept;
	h->settled_ns = -1;
}

static void list_again(struct wt_helpers *h)
{
	struct timespec ts;
	int64_t now_ns;

	/* This is done at each look: the coarse clock is the cheaper one, and exact enough. */
	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	now_ns = ts.tv_sec * 1000000000LL + ts.tv_nsec;
	if (h->pids_count == 0 || (h->listed_ns && now_ns - h->listed_ns < LIST_EVERY_NS))
		return;
	h->listed_ns = now_ns;
	drop_threads(h);
	h->missed = false;
	for (int i = 0; i < h->pids_count; i++)
		list_threads(h, h->pids[i]);
}

int wt_helpers_add(struct wt_helpers *h, pid_t pid, struct wt_error *errp)
{
	int max = sizeof(h->pids) / sizeof(h->pids[0]);

	if (h->pids_count == max)
		return wt_error_set(errp, ENOSPC, "virtual clock: more than %d processes to watch", max);
	if (wt_process_is_dead(pid))
		return wt_error_set(errp, ESRCH, "virtual clock: there is no process %d to watch", (int) pid);
	h->pids[h->pids_count++] = pid;
	h->listed_ns = 0;
	return 0;
}

static void add_if_softirq(struct wt_helpers *h, int32_t pid)
{
	char path[32], name[32] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	f = fopen(path, "re");
	if (!f)
		return;
	if (fgets(name, sizeof(name), f) && strncmp(name, "ksoftirqd/", 10) == 0)
		add_thread(h, pid, pid, true);
	fclose(f);
}

void wt_helpers_add_kernel(struct wt_helpers *h)
{
	struct dirent *e;
	DIR *dir = opendir("/proc");

	if (!dir)
		return;
	while ((e = readdir(dir)))
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9')
			add_if_softirq(h, atoi(e->d_name));
	closedir(dir);
}

void wt_helpers_clear(struct wt_helpers *h)
{
	for (int i = 0; i < h->count; i++)
		wt_thread_file_close(&h->threads[i]);
	free(h->threads);
	*h = (struct wt_helpers) { 0 };
}

int64_t wt_helpers_cpu_ns(struct wt_helpers *h)
{
	int64_t sum_ns = 0;

	list_again(h);
	for (int i = 0; i < h->pids_count; i++) {
		struct timespec ts;
		clockid_t clock;

		if (clock_getcpuclockid(h->pids[i], &clock) == 0 && clock_gettime(clock, &ts) == 0)
			sum_ns += ts.tv_sec * 1000000000LL + ts.tv_nsec;
	}
	h->cpu_ns = sum_ns;
	return sum_ns;
}

/* No other process can wake a thread that waits for a word of its own process, and no thread there has run. */
static bool is_settled(const struct wt_helpers *h, const struct wt_thread_file *f)
{
	return f->own_word && h->cpu_ns == h->settled_ns;
}

bool wt_helpers_busy(struct wt_helpers *h)
{
	if (h->missed)
		return true;
	for (int i = 0; i < h->count; i++) {
		struct wt_thread_file *f = &h->threads[i];

		if (!is_settled(h, f) && wt_thread_file_look(f, f->pid, f->tid) == WT_KERNEL_BUSY)
			return true;
	}
	return false;
}

bool wt_helpers_confirm(struct wt_helpers *h)
{
	for (int i = 0; i < h->count; i++)
		if (!is_settled(h, &h->threads[i]) && !wt_thread_file_confirm(&h->threads[i]))
			return false;
	return true;
}

bool wt_helpers_still(const struct wt_helpers *h)
{
	return h->pids_count == 0 || h->cpu_ns == h->settled_ns;
}

void wt_helpers_settle(struct wt_helpers *h)
{
	h->settled_ns = h->cpu_ns;
}
