/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <string.h>

#include "cmd/node/stuck.h"

struct stuck_machine stuck_machine_of(const struct wt_power_row *rows, size_t count)
{
	struct stuck_machine m = { .state = WT_MACHINE_ON, .last = WT_POWER_EVENT_UP };

	for (size_t i = 0; i < count; i++) {
		enum wt_power_event event = rows[i].event;
		enum wt_machine next = wt_machine_after(m.state, event);
		bool changes = next != m.state || event == WT_POWER_EVENT_STOCK_OUT;
		/* A machine that is taken back stops, and is off, in the same moment. */
		bool so_taken = m.last == WT_POWER_EVENT_TAKEN &&
				(event == WT_POWER_EVENT_STOPPING || event == WT_POWER_EVENT_OFF);

		if (changes)
			m.since_us = rows[i].time_us;
		if (event == WT_POWER_EVENT_TAKEN || (changes && !so_taken))
			m.last = event;
		m.state = next;
		if (event == WT_POWER_EVENT_UP)
			m.unseen = true;
		else if (event == WT_POWER_EVENT_REGISTERED || next != WT_MACHINE_ON)
			m.unseen = false;
	}
	return m;
}

static bool has(const char *state, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = state; (at = strstr(at, word)); at += len)
		if ((at == state || at[-1] == '+') && (!at[len] || strchr("+*~#%$@^!-", at[len])))
			return true;
	return false;
}

struct stuck_belief stuck_belief_of(const char *state)
{
	struct stuck_belief b = { .off = true };

	if (!state)
		return b;
	b.boots = has(state, "POWERING_UP");
	b.off = !b.boots && (has(state, "POWERED_DOWN") || has(state, "FUTURE"));
	b.stops = has(state, "POWERING_DOWN") || has(state, "POWER_DOWN");
	b.silent = has(state, "NOT_RESPONDING") || strchr(state, '*');
	b.down = has(state, "DOWN");
	b.drained = has(state, "DRAIN");
	return b;
}

/* It has no machine. */
static const char *off_why(const struct stuck_machine *m, const struct stuck_belief *b)
{
	if (b->boots && m->last == WT_POWER_EVENT_STOCK_OUT)
		return "there was no machine (stock-out), and Slurm waits for its boot until ResumeTimeout";
	if (b->boots && m->last == WT_POWER_EVENT_FAILED)
		return "its boot has failed, and Slurm waits for it until ResumeTimeout";
	if (b->boots)
		return "Slurm waits for its boot, and ResumeProgram has not asked for one, or its machine is gone";
	if (b->off && b->down)
		return "it is off and down, and no job gets it, until somebody resumes it (scontrol update State=resume)";
	if (b->off && b->drained)
		return "it is off and drained, and no job gets it, until somebody resumes it (scontrol update State=resume)";
	if (b->off || b->stops)
		return NULL;
	return m->last == WT_POWER_EVENT_TAKEN ? "its machine was taken back, and Slurm still counts on it" :
	       "it has no machine, and Slurm still counts on it";
}

/* Its machine runs, and Slurm takes it for off. */
static const char *leak_why(const struct stuck_machine *m, const struct stuck_belief *b)
{
	if (!b->down)
		return "Slurm takes it for powered down, and its machine runs on, paid for: it came too late or told an old "
		       "boot, or SuspendProgram has failed";
	return m->state == WT_MACHINE_ON ?
	       "Slurm has it down and powered down, and its machine runs on, paid for: it came too late or told an old "
	       "boot" :
	       "it has not come in time: Slurm has it down, and its machine hangs on, paid for, until it is switched off "
	       "(windtunnel node drop)";
}

const char *stuck_why(const struct stuck_machine *m, const struct stuck_belief *b)
{
	bool runs = m->state == WT_MACHINE_ON || m->state == WT_MACHINE_BOOTING;

	/* One that slurmctld read from its state behind a restart does not count as silent, and so not as late. */
	if (b->boots && !b->silent && m->state != WT_MACHINE_ON)
		return "Slurm waits for its boot without an end: slurmctld has been restarted in between, and ResumeTimeout "
		       "counts no more";
	if (m->state == WT_MACHINE_OFF)
		return off_why(m, b);
	if (runs && b->off)
		return leak_why(m, b);
	if (m->state == WT_MACHINE_ON && m->unseen)
		return "its slurmd runs, and slurmctld has not taken its registration: another boot time or address than it "
		       "expects";
	return NULL;
}

const char *stuck_machine_name(enum wt_machine state)
{
	static const char *const names[] = {
		[WT_MACHINE_OFF] = "off", [WT_MACHINE_BOOTING] = "booting", [WT_MACHINE_ON] = "on",
		[WT_MACHINE_STOPPING] = "stopping",
	};

	return names[state];
}
