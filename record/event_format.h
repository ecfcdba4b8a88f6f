/* event_format.h - events.csv as its writers and readers share it: the file, its header, the events and their names
 * (doc/formats.md).  Its writers: the run, wt-vnoded, and on real nodes the job script and the Epilog.
 *
 * Pure, and without a library: wt-vnoded links it, too. */
#ifndef WT_RECORD_EVENT_FORMAT_H
#define WT_RECORD_EVENT_FORMAT_H

#define WT_EVENTS_FILE "events.csv"
#define WT_EVENTS_HEADER "time_s,event,job_id,array_job_id,array_task_id,node,value"
enum { WT_EVENT_COLUMNS = 7 };

/* A row in the text of a shell script: the columns of the header, in its order, each a literal. */
#define WT_EVENT_ROW_SH(time_s, event, job_id, array_job_id, array_task_id, node, value)                                    \
	time_s "," event "," job_id "," array_job_id "," array_task_id "," node "," value

enum wt_event_kind {
	WT_EVENT_SUBMIT, WT_EVENT_START, WT_EVENT_PROBE, WT_EVENT_END, WT_EVENT_CANCEL, WT_EVENT_RELEASE, WT_EVENT_REQUEUE,
};
#define WT_EVENT_KIND_COUNT (WT_EVENT_REQUEUE + 1)

/* The names as literals, of which scripts are made. */
#define WT_EVENT_NAME_SUBMIT "submit"
#define WT_EVENT_NAME_START "start"
#define WT_EVENT_NAME_PROBE "probe"
#define WT_EVENT_NAME_END "end"
#define WT_EVENT_NAME_CANCEL "cancel"
#define WT_EVENT_NAME_RELEASE "release"
#define WT_EVENT_NAME_REQUEUE "requeue"

const char *wt_event_kind_name(enum wt_event_kind kind);
int wt_event_kind_parse(const char *name, enum wt_event_kind *kind);	/* 0, or -1: there is no such event */

#endif
