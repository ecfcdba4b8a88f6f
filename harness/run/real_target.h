/* real_target.h - a real cluster, before a run submits to it: which nodes it would use, and whose they are besides.
 *
 * Asks slurmctld through the public libslurm, after wt_controller_init (); changes nothing there. */
#ifndef WT_HARNESS_RUN_REAL_TARGET_H
#define WT_HARNESS_RUN_REAL_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "harness/run/controller_query.h"
#include "harness/run/real_cap.h"
#include "harness/run/real_fit.h"
#include "harness/run/real_options.h"
#include "lib/error.h"

struct real_machine {
	bool looked; /* else there is no real cluster */
	/* of the partition, or of the reservation in it, before --max-nodes */
	uint32_t nodes, nodes_idle, nodes_busy, nodes_down;
	/* on these nodes, or waiting for them */
	uint32_t others_running, others_pending, own_jobs;
	uint32_t hidden_nodes; /* busy with jobs that slurmctld does not show us (PrivateData) */
	struct real_bounds bounds; /* of what the run would use */
	bool open_to_all; /* neither AllowGroups nor AllowAccounts */
	char *exclude; /* the partition's nodes that --max-nodes leaves alone, as a host list; NULL: none */
};

/* Look, and make *part what the run may use: the reservation's nodes, and of these at most --max-nodes.  'limits_hold': no
 * quality of service lifts the partition's limits.
 * 0; or -1 with errno: EINVAL, options that do not fit. */
int real_machine_look(struct real_machine *m, const struct run_real *options, bool limits_hold, struct wt_partition *part,
		      struct wt_error *errp);
void real_machine_clear(struct real_machine *m);

/* 0; or -1 with EINVAL: others are there, and --shared was not given. */
int real_machine_refuse(const struct real_machine *m, const struct run_real *options, const char *partition,
			struct wt_error *errp);

/* 0; or -1 with EINVAL: the workload needs more than the caps or the partition allow. */
int real_machine_check(const struct real_machine *m, const struct run_real *options, const struct wt_partition *part,
		       const struct wt_workload *w, struct wt_error *errp);

/* What a run would take, and from whom: for people; and as JSON (new reference, NULL with ENOMEM). */
void real_machine_print(FILE *out, const struct real_machine *m, const struct run_real *options,
			const struct wt_partition *part, const struct wt_workload *w);
json_t *real_machine_json(const struct real_machine *m, const struct wt_partition *part, const struct real_need *need);

#endif
