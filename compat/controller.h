/* controller.h - what our plugins take from Slurm's internal headers.
 *
 * Brings Slurm's own config.h; ours has the same name, so a file includes either this header or ours. */
#ifndef WT_COMPAT_CONTROLLER_H
#define WT_COMPAT_CONTROLLER_H

#include "compat/features.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
/* First: programs with libslurm.so know Slurm's functions by the names that it gives them only. */
#include "src/common/slurm_xlator.h"
#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"
#include "src/common/bitstring.h"
#include "src/common/log.h"
#include "src/common/node_conf.h"
#include "src/common/read_config.h"
#include "src/common/xstring.h"
#include "src/slurmctld/locks.h"
#include "src/slurmctld/job_scheduler.h"
#include "src/slurmctld/slurmctld.h"
#include "src/slurmctld/state_save.h"
#ifdef WT_HAVE_TOPOLOGY_EVAL
#include "src/plugins/topology/tree/switch_record.h"
#endif
#ifdef WT_HAVE_LIST_POINTERS
#include "src/common/job_features.h"
#include "src/interfaces/select.h"
#include "src/interfaces/topology.h"
#else
#include "src/common/select.h"
#include "src/common/slurm_topology.h"
#include "src/plugins/select/cons_common/cons_common.h"
#endif
#pragma GCC diagnostic pop

#include "compat/job_id.h"

#ifdef WT_HAVE_LIST_POINTERS
typedef job_details_t compat_job_details;
#define COMPAT_FEATURE_MATCHING_OR FEATURE_OP_MOR	/* one of several features for all nodes: [a|b] */
#else
typedef struct job_details compat_job_details;
#define COMPAT_FEATURE_MATCHING_OR FEATURE_OP_XOR
#endif

#ifdef WT_HAVE_SELECT_WORDS
#define COMPAT_LEAST_LOADED SELECT_LLN
#define compat_avail_res(avail) (avail)->avail_res_prod
#else
#define COMPAT_LEAST_LOADED CR_LLN
#define compat_avail_res(avail) (avail)->avail_res_cnt	/* what the node can give of what is asked for */
#endif

/* At least so many choices are made for a job before it starts: where cores count, the first one may be among nodes as they
 * are with nothing on them. */
static inline unsigned int compat_choices_to_start(void)
{
#ifdef WT_HAVE_ONE_TEST
	return 1;
#else
	return slurm_conf.select_type_param & (CR_CPU | CR_SOCKET | CR_CORE) ? 2 : 1;
#endif
}

static inline int compat_job_complete(uint32_t job_id, uid_t uid, uint32_t status)
{
#ifdef WT_HAVE_STEP_ID_MESSAGES
	slurm_step_id_t id = { .job_id = job_id, .step_id = NO_VAL, .step_het_comp = NO_VAL };

	return job_complete(&id, uid, false, false, status);
#else
	return job_complete(job_id, uid, false, false, status);
#endif
}

/* What copy_job_record_to_job_desc () of this release leaves out besides. */
static inline void compat_desc_more(job_desc_msg_t *desc, const job_record_t *job)
{
#ifdef WT_HAVE_PORT_REQUESTS
	desc->resv_port_cnt = job->resv_port_cnt ? job->resv_port_cnt : NO_VAL16;
#else
	(void) desc;
	(void) job;
#endif
}

/* Names that are no nodes are left out. */
static inline void compat_names_to_bitmap(char *names, bitstr_t **map)
{
#ifdef WT_HAVE_INVALID_HOSTS
	node_name2bitmap(names, true, map, NULL);
#else
	node_name2bitmap(names, true, map);
#endif
}

#endif
