/* gantt_columns.h - the parts of gantt_data.c: times and names (gantt_names.c), node sets (gantt_places.c). */
#ifndef WT_HARNESS_PAGE_GANTT_COLUMNS_H
#define WT_HARNESS_PAGE_GANTT_COLUMNS_H

#include "harness/page/gantt_data.h"

struct gantt_columns {
	const struct gantt_input *input;
	struct gantt_loss *loss;
	uint32_t *order; /* [job_count]: jobs by start, loss->ran_count of them; then the others */
	uint32_t *start, *release; /* [ran_count], in units; release: when its nodes are free, UINT32_MAX: never */
	uint32_t *nodes; /* [ran_count] */
};

static inline const struct gantt_job *gantt_job_at(const struct gantt_columns *c, size_t i)
{
	return &c->input->jobs[c->order[i]];
}

/* 0, -1, 1, -2, ... to 0, 1, 2, 3, ... */
static inline uint32_t number_fold(uint32_t difference)
{
	return difference << 1 ^ (difference & 0x80000000U ? UINT32_MAX : 0);
}

/* Columns name_prefix and name_number, text prefixes.  0, or -1 with ENOMEM. */
int gantt_names_pack(const struct gantt_columns *c, struct gantt_pack *pack, struct wt_error *errp);

/* Columns of the node sets: "sK.LIST" of segment K and each list of free_runs.h.  The smaller of both codings.  1: what is
 * packed so far shows that 'budget_bytes' will not do, and the rest was spared.  0, or -1 with ENOMEM. */
int gantt_places_pack(const struct gantt_columns *c, struct gantt_pack *pack, size_t budget_bytes, struct wt_error *errp);

#endif
