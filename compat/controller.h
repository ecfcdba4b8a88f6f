/* controller.h - what our plugins take from Slurm's internal headers.
 *
 * Brings Slurm's own config.h; ours has the same name, so a file includes either this header or ours. */
#ifndef WT_COMPAT_CONTROLLER_H
#define WT_COMPAT_CONTROLLER_H

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
#include "src/common/select.h"
#include "src/common/slurm_topology.h"
#include "src/plugins/select/cons_common/cons_common.h"
#include "src/slurmctld/locks.h"
#include "src/slurmctld/job_scheduler.h"
#include "src/slurmctld/slurmctld.h"
#include "src/slurmctld/state_save.h"
#pragma GCC diagnostic pop

#include "compat/features.h"

/* choose_nodes () of select/cons_tres was read in the releases that still have SlurmctldPlugstack, too: 22.05.  23.11 has
 * another place for it (topology plugins). */
#ifndef WT_HAVE_PLUGSTACK
#error "windtunnel's plugins know Slurm 22.05 only: see compat/controller.h"
#endif

#endif
