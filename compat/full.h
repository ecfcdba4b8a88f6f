/* full.h - Slurm's internal headers, for what is linked with libslurmfull: the process of the virtual nodes.
 *
 * They bring Slurm's own config.h; ours has the same name, so a file includes either this header or ours. */
#ifndef WT_COMPAT_FULL_H
#define WT_COMPAT_FULL_H

#include "compat/features.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"
#include "src/common/env.h"
#include "src/common/forward.h"
#include "src/common/hostlist.h"
#include "src/common/log.h"
#include "src/common/pack.h"
#include "src/common/read_config.h"
#include "src/common/slurm_protocol_api.h"
#include "src/common/slurm_protocol_pack.h"
#include "src/common/slurm_protocol_util.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#ifdef WT_HAVE_JOB_STATE_REASON
#include "src/common/job_state_reason.h"
#endif
#ifdef WT_HAVE_INTERFACES
#include "src/common/spank.h"
#include "src/interfaces/acct_gather_energy.h"
#include "src/interfaces/auth.h"
#include "src/interfaces/cred.h"
#include "src/interfaces/gres.h"
#include "src/interfaces/hash.h"
#include "src/interfaces/select.h"
#include "src/interfaces/switch.h"
#else
#include "src/common/gres.h"
#include "src/common/hash.h"
#include "src/common/plugstack.h"
#include "src/common/select.h"
#include "src/common/slurm_acct_gather_energy.h"
#include "src/common/slurm_auth.h"
#include "src/common/slurm_cred.h"
#include "src/common/switch.h"
#endif
#pragma GCC diagnostic pop

#include "compat/job_id.h"
#include "compat/lists.h"

#ifdef WT_HAVE_LIST_POINTERS
typedef list_t *compat_list;
typedef hostlist_iterator_t *compat_hostlist_iterator;
#else
typedef List compat_list;
typedef hostlist_iterator_t compat_hostlist_iterator;
#endif

/* Slurm's error for a launch that this machine has no memory or process for. */
#ifdef WT_HAVE_INTERFACES
#define COMPAT_FORK_FAILED ESLURMD_SETUP_ENVIRONMENT_ERROR
#else
#define COMPAT_FORK_FAILED ESLURMD_FORK_FAILED
#endif

#ifdef WT_HAVE_STEP_ID_MESSAGES
typedef prolog_complete_msg_t compat_prolog_complete_msg;
#else
typedef complete_prolog_msg_t compat_prolog_complete_msg;
#endif

#ifdef WT_HAVE_SELECT_WORDS
#define COMPAT_PACK_NODES SELECT_PACK_NODES
#else
#define COMPAT_PACK_NODES CR_PACK_NODES
#endif

/* slurmd's error for a step or a script that does not run here. */
#ifdef WT_HAVE_STEP_NOT_RUNNING
#define COMPAT_NOT_RUNNING ESLURMD_STEP_NOTRUNNING
#else
#define COMPAT_NOT_RUNNING ESLURMD_JOB_NOTRUNNING
#endif

#endif
