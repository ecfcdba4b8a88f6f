/* power_format.h - power.csv as its writers and readers share it: the file, its header, the events and their names
 * (doc/formats.md): what machines did, apart from what Slurm believes of them.
 *
 * Pure, and without a library: wt-vnoded links it, too. */
#ifndef WT_RECORD_POWER_FORMAT_H
#define WT_RECORD_POWER_FORMAT_H

#define WT_POWER_FILE "power.csv"
#define WT_POWER_HEADER "time_s,event,node,boot,job_id"
enum { WT_POWER_COLUMNS = 5 };

enum wt_power_event {
	WT_POWER_EVENT_ASKED_ON,	/* by a program */
	WT_POWER_EVENT_STOCK_OUT,	/* there was no machine for it: it stays off */
	WT_POWER_EVENT_BOOTING,		/* it has a machine, which costs from now on */
	WT_POWER_EVENT_FAILED,		/* the machine is gone before its slurmd began */
	WT_POWER_EVENT_UP,		/* its slurmd has begun */
	WT_POWER_EVENT_REGISTERED,	/* slurmctld has taken its registration, the first since the boot */
	WT_POWER_EVENT_ASKED_OFF,
	WT_POWER_EVENT_STOPPING,	/* its slurmd has ended */
	WT_POWER_EVENT_OFF,		/* it has no machine any more */
	WT_POWER_EVENT_TAKEN,		/* its machine is taken back, and ends at once */
	WT_POWER_EVENT_NOTICE,		/* it will be, soon */
};
#define WT_POWER_EVENTS (WT_POWER_EVENT_NOTICE + 1)

const char *wt_power_event_name(enum wt_power_event event);
int wt_power_event_parse(const char *name, enum wt_power_event *event);	/* 0, or -1: there is no such event */

#endif
