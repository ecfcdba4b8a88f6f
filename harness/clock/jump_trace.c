/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/clock/jump_trace.h"

struct clock_trace {
	FILE *file;
	bool threads;
};

struct clock_trace *clock_trace_open(void)
{
	const char *path = getenv(WT_CLOCK_TRACE_ENV);
	struct clock_trace *trace = path && *path ? calloc(1, sizeof(*trace)) : NULL;

	if (!trace)
		return NULL;
	trace->file = fopen(path, "we");
	trace->threads = getenv(WT_CLOCK_TRACE_THREADS_ENV) != NULL;
	if (trace->file)
		return trace;
	fprintf(stderr, "wt-clockd: cannot write %s (from %s): %s\n", path, WT_CLOCK_TRACE_ENV, strerror(errno));
	free(trace);
	return NULL;
}

void clock_trace_close(struct clock_trace *trace)
{
	if (!trace)
		return;
	fclose(trace->file);
	free(trace);
}

/* One line of a file of the thread's in /proc; empty when there is none. */
static void proc_line(int32_t pid, int32_t tid, const char *name, char *line, int size)
{
	char path[64];
	FILE *f;

	*line = '\0';
	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, tid, name);
	f = fopen(path, "re");
	if (!f)
		return;
	if (!fgets(line, size, f))
		*line = '\0';
	line[strcspn(line, "\n")] = '\0';
	fclose(f);
}

static void name_thread(const struct wt_shm *shm, const struct wt_shm_thread *t, char *name, size_t size)
{
	const struct wt_shm_process *p = &shm->processes[t->process < WT_SHM_PROCESSES_MAX ? t->process : 0];
	char comm[32];

	proc_line(t->pid, t->tid, "comm", comm, sizeof(comm));
	snprintf(name, size, "%.15s/%s", p->name, comm);
}

static void put_blocked(struct clock_trace *trace, const struct wt_shm *shm)
{
	static const char *const states[] = { "free", "claimed", "running", "parked", "blocked", "waiting", "leaving" };

	for (uint32_t i = 0; i < wt_shm_threads_used(shm); i++) {
		const struct wt_shm_thread *t = &shm->threads[i];
		uint32_t state = atomic_load(&t->state);
		char name[64], call[200];

		if (state == WT_SLOT_FREE || state == WT_SLOT_WAITING || state >= WT_SLOT_STATE_COUNT)
			continue;
		name_thread(shm, t, name, sizeof(name));
		proc_line(t->pid, t->tid, "syscall", call, sizeof(call));
		fprintf(trace->file, "  %s[%d] %s: %.60s\n", name, t->tid, states[state], call);
	}
}

void clock_trace_action(struct clock_trace *trace, const struct wt_shm *shm, const struct wt_survey *survey,
		     const struct wt_advance_action *act, int64_t now_ns)
{
	char name[64] = "nobody";

	/* Looks change nothing, and how many there are depends on the machine: traces of two runs are compared. */
	if (!trace || act->kind == WT_ADVANCE_LOOK)
		return;
	if (act->slot != WT_ADVANCE_NOBODY)
		name_thread(shm, &shm->threads[act->slot], name, sizeof(name));
	fprintf(trace->file, "%.9f %s %s due %.9f%s\n", (now_ns - shm->start_ns) / 1e9,
		act->kind == WT_ADVANCE_JUMP ? "jump" : "wake", name, (survey->earliest_ns - shm->start_ns) / 1e9,
		survey->unrest == WT_UNREST_NONE ? "" : " while busy");
	if (trace->threads)
		put_blocked(trace, shm);
}
