/* slurm.h - Slurm's internal headers, for the adapters of this folder only.
 *
 * They bring Slurm's own config.h; ours has the same name, so a file includes either this header or ours. */
#ifndef WT_HARNESS_VNODE_SLURM_SLURM_H
#define WT_HARNESS_VNODE_SLURM_SLURM_H

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "slurm/slurm.h"
#include "slurm/slurm_errno.h"
#include "src/common/env.h"
#include "src/common/forward.h"
#include "src/common/gres.h"
#include "src/common/hash.h"
#include "src/common/hostlist.h"
#include "src/common/log.h"
#include "src/common/select.h"
#include "src/common/pack.h"
#include "src/common/plugstack.h"
#include "src/common/read_config.h"
#include "src/common/slurm_acct_gather_energy.h"
#include "src/common/slurm_auth.h"
#include "src/common/slurm_cred.h"
#include "src/common/slurm_protocol_api.h"
#include "src/common/slurm_protocol_pack.h"
#include "src/common/slurm_protocol_util.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#pragma GCC diagnostic pop

#endif
