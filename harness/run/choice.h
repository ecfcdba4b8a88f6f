/* choice.h - which workload a run submits: one of the ESP family ("windtunnel esp"), regular jobs, those of a
 * model, or a piece of a trace ("windtunnel run").
 *
 * Fields are owned by the struct.  Written by the parser, read by all. */
#ifndef WT_HARNESS_RUN_CHOICE_H
#define WT_HARNESS_RUN_CHOICE_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "lib/error.h"
#include "workload/lublin.h"
#include "workload/mapreduce.h"
#include "workload/regular.h"
#include "workload/slice.h"
#include "workload/swf_trace.h"
#include "workload/trace_file.h"
#include "workload/trace_format.h"

struct wt_scenario;

enum wt_choice_kind { WT_CHOICE_ESP, WT_CHOICE_REGULAR, WT_CHOICE_LUBLIN, WT_CHOICE_MAPREDUCE, WT_CHOICE_TRACE };

struct wt_workload_choice {
	enum wt_choice_kind kind;
	bool given;			/* --workload was */
	struct wt_regular_options regular;	/* name: of the kind, static */
	struct wt_lublin_options lublin;
	struct wt_mapreduce_options mapreduce;	/* but its bandwidth */
	uint32_t slots;			/* of it: tasks of an array at a time; 0: as many as fit */
	char *speculate;		/* of it: a policy for copies; NULL: none */
	char *near;			/* owned: slice.near */
	struct wt_slice_options slice;	/* name: the format's; load: of the model, too; bandwidth: of mapreduce, too */
	const struct wt_trace_format *format;	/* of the trace */
	char *trace_path;
	struct wt_swf_trace trace;	/* all of the file */
	char trace_sum[WT_TRACE_SUM_SIZE];	/* of its bytes, unpacked */
	bool leave_out[WT_LEFT_COUNT];	/* --leave-out */
	unsigned int regular_set, slice_set;	/* options on the command line that are for one kind only */
	bool mapreduce_set, others_set;	/* one of mapreduce alone; one that it has not */
	bool jobs_set, load_set;	/* and those that are for two */
	bool real;			/* --real: no cluster of its own */
	unsigned int submitters;	/* submissions under way at once; 0: not given */
};

#define WT_SUBMITTERS_MAX 64

/* How many for this run: as given; else 4 for a burst of equal jobs, whose order means nothing; else, and
 * always in virtual time, where the order of what happens at the same moment has to be the same each time, 1. */
unsigned int wt_choice_submitters(const struct wt_scenario *scenario);

/* The options of "windtunnel run" that "windtunnel esp" does not have; state->input is the struct wt_scenario. */
extern const struct argp wt_choice_argp;

/* After the command line: do the options fit the workload; read the trace; what its own cluster is by default.  0, or -1. */
int wt_choice_finish(struct wt_scenario *scenario, struct wt_error *errp);
void wt_choice_clear(struct wt_workload_choice *choice);

/* "light-esp", "burst", "swf": names the default run folder. */
const char *wt_choice_name(const struct wt_scenario *scenario);

/* The workload for this machine.  NULL with EINVAL (the options do not fit the machine) or ENOMEM. */
struct wt_workload *wt_choice_create(const struct wt_scenario *scenario, uint64_t seed, uint32_t nodes, uint32_t cpus,
				     struct wt_error *errp);

/* The jobs name partitions of their own: the machine is all of them. */
bool wt_choice_everywhere(const struct wt_scenario *scenario);

/* At most so many jobs, whatever the machine is. */
size_t wt_choice_jobs_max(const struct wt_scenario *scenario);

/* All options of the workload, as they were given or defaulted.  New reference; NULL with ENOMEM. */
json_t *wt_choice_json(const struct wt_scenario *scenario);

/* What became of a trace on this machine: its name and checksum, jobs that were left out and why, cut, the offered load.
 * JSON null for other workloads. */
json_t *wt_choice_trace_json(const struct wt_scenario *scenario, uint32_t cpus);

/* The same for people: a line behind 'indent', or two; of a model the offered load.  Nothing for other workloads. */
void wt_choice_trace_print(FILE *out, const char *indent, const struct wt_scenario *scenario, uint32_t cpus);

#endif
